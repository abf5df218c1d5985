"""Crossovers and envelopes against exact rational arithmetic; Fieller by inversion and coverage."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiebreak.kernels.crossovers import (
    BOUNDED,
    EMPTY,
    OUTSIDE,
    WHOLE,
    exact_crossover,
    exact_envelope,
    exact_score,
    exact_sweep_ends,
    fieller,
    gap_crossovers,
    line_scores,
    pair_crossovers,
    sweep_ends,
    upper_envelope,
)
from tiebreak.kernels.moments import all_pairs

NAN, INF = np.nan, np.inf
TASKS, SUCCESSES_A, SUCCESSES_B = (80, 10, 5, 5), (76, 6, 1, 0), (64, 8, 4, 4)
EQUAL = (Fraction(1, 4),) * 4
# Scores are multiples of 1/400, so slopes that differ do so by 1/400: a difference off by 1e-16
# moves a crossover by less than 1e-13.
EXACT = 1e-12


@st.composite
def count_boards(draw):
    """Successes of k configurations in cells of 20 tasks; two targets in twentieths."""
    k, cells = draw(st.integers(1, 6)), draw(st.integers(2, 3))
    successes = draw(hnp.arrays(int, (k, cells), elements=st.integers(0, 20)))
    cut = st.lists(st.integers(0, 20), min_size=cells - 1, max_size=cells - 1).map(sorted)
    ends = [np.diff([0, *draw(cut), 20]) for _ in range(2)]
    return successes, ends


def scores(board):
    """Exact scores at both ends, and the same in doubles."""
    successes, ends = board
    exact = [
        [exact_score(s, [20] * len(s), [Fraction(int(w), 20) for w in end]) for s in successes]
        for end in ends
    ]
    return exact, [(successes / 20) @ (end / 20) for end in ends]


def test_the_paper_crosses_at_32_of_41():
    ends = exact_sweep_ends(EQUAL, 0)
    a = [exact_score(SUCCESSES_A, TASKS, end) for end in ends]
    b = [exact_score(SUCCESSES_B, TASKS, end) for end in ends]
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    assert gaps == [Fraction(-8, 15), Fraction(3, 20)]
    assert exact_crossover(*gaps) == Fraction(32, 41)
    start, end = np.array([a, b], dtype=float).T
    np.testing.assert_allclose(pair_crossovers(start, end), [32 / 41], atol=1e-15)
    assert exact_envelope(*zip(a, b, strict=True)) == ((0, Fraction(32, 41), 1), (1, 0))


def test_sweep_ends_keep_the_split_of_the_rest():
    observed = [Fraction(n, 100) for n in TASKS]
    exact = exact_sweep_ends(observed, 0)
    assert exact == ((0, Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), (1, 0, 0, 0))
    got = sweep_ends(np.array(TASKS) / 100, 0)
    np.testing.assert_allclose(got, np.array(exact, dtype=float), atol=1e-15)
    start, end = sweep_ends(np.array([1.0, 0.0]), 0)
    assert np.isnan(start).all()
    assert end.tolist() == [1, 0]


@settings(max_examples=400, deadline=None)
@given(count_boards())
def test_pair_crossovers_are_exact(board):
    (start, end), floats = scores(board)
    got = pair_crossovers(*floats)
    for p, (i, j) in enumerate(zip(*all_pairs(len(start)), strict=True)):
        expected = exact_crossover(start[i] - start[j], end[i] - end[j])
        if expected is None:
            assert np.isnan(got[p])
        else:
            assert abs(got[p] - expected) <= EXACT


@settings(max_examples=400, deadline=None)
@given(count_boards())
def test_the_envelope_is_exact(board):
    exact, floats = scores(board)
    expected, got = exact_envelope(*exact), upper_envelope(*floats)
    assert tuple(got.winners) == expected.winners
    np.testing.assert_allclose(got.breakpoints, np.array(expected.breakpoints, float), atol=EXACT)


@settings(max_examples=400, deadline=None)
@given(count_boards())
def test_the_exact_envelope_is_on_top(board):
    """On every segment the winner is on top at both ends, and steeper than the one before."""
    (start, end), _ = scores(board)
    breaks, winners = exact_envelope(start, end)
    assert (breaks[0], breaks[-1], len(breaks)) == (0, 1, len(winners) + 1)
    assert all(a < b for a, b in pairwise(breaks))
    for s, winner in enumerate(winners):
        for at in breaks[s : s + 2]:
            line = [(1 - at) * a + at * b for a, b in zip(start, end, strict=True)]
            assert line[winner] == max(line)
        inner = (breaks[s] + breaks[s + 1]) / 2
        line = [(1 - inner) * a + inner * b for a, b in zip(start, end, strict=True)]
        assert winner == line.index(max(line))
    steepness = [end[w] - start[w] for w in winners]
    assert all(a < b for a, b in pairwise(steepness))


@settings(max_examples=200, deadline=None)
@given(hnp.arrays(float, (2, 8), elements=st.floats(0, 1)))
def test_the_envelope_of_any_scores_is_on_top(ends):
    start, end = ends
    breaks, winners = upper_envelope(start, end)
    middles = (breaks[1:] + breaks[:-1]) / 2
    lines = line_scores(start, end, middles)
    # lines closer than 1e-12 count as one
    assert (lines[winners, range(len(winners))] >= lines.max(axis=0) - 2e-12).all()


@pytest.mark.parametrize(
    ("d0", "d1", "expected"),
    [
        (-0.2, 0.6, 0.25),
        (0.2, 0.6, NAN),
        (0.2, 0.2, NAN),  # parallel
        (0.0, 0.0, NAN),  # twins
        (0.0, 0.3, 0.0),  # a tie at an end
        (0.3, 0.0, 1.0),
        (0.1 + 0.2 - 0.3, 0.3, 0.0),  # a tie but for rounding
        (0.1 + 0.2 - 0.3, 0.0, NAN),
    ],
)
def test_gap_crossovers_at_the_ends(d0, d1, expected):
    np.testing.assert_array_equal(gap_crossovers(np.array([d0]), np.array([d1])), [expected])


@pytest.mark.parametrize(
    ("start", "end", "breaks", "winners"),
    [
        ([0.5], [0.1], [0, 1], [0]),
        ([0.2, 0.2, 0.1], [0.4, 0.4, 0.1], [0, 1], [0]),  # twins: the first
        ([0.5, 0.5], [0.2, 0.4], [0, 1], [1]),  # a tie at the start: the one ahead after it
        ([0.5, 0.4], [0.4, 0.4], [0, 1], [0]),  # a tie at the end gives no segment
        ([1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [0, 0.5, 1], [0, 2]),  # three meet in a point
    ],
)
def test_envelope_ties(start, end, breaks, winners):
    got = upper_envelope(np.array(start), np.array(end))
    assert (got.breakpoints.tolist(), got.winners.tolist()) == (breaks, winners)


NUMBER = st.integers(-20, 20).map(lambda i: i / 10)


@settings(max_examples=500, deadline=None)
@given(
    NUMBER, NUMBER, hnp.arrays(int, (2, 2), elements=st.integers(-3, 3)), st.sampled_from([1, 2])
)
def test_fieller_is_the_set_of_weights_where_the_contrast_is_not_rejected(d0, d1, root, t):
    """Membership of a grid of λ, away from the bounds, where rounding decides."""
    v = root @ root.T / 10
    low, high, kind = (
        x[0] for x in fieller(*(np.array([x]) for x in (d0, d1)), *v[[0, 0, 1], [0, 1, 1], None], t)
    )
    at = np.linspace(-7, 7, 281) + 1 / 97
    gap = d0 + at * (d1 - d0)
    variance = (1 - at) ** 2 * v[0, 0] + 2 * at * (1 - at) * v[0, 1] + at**2 * v[1, 1]
    excess = gap**2 - t**2 * variance
    inside = {
        BOUNDED: (low <= at) & (at <= high),
        OUTSIDE: (at <= low) | (at >= high),
        WHOLE: at < INF,
        EMPTY: at > INF,
    }[int(kind)]
    clear = np.abs(excess) > 1e-9
    np.testing.assert_array_equal(inside[clear], (excess <= 0)[clear])


@pytest.mark.parametrize(
    ("d0", "d1", "v00", "v01", "v11", "expected"),
    [
        (-1, 1, 0.0, 0.0, 0.0, (0.5, 0.5, BOUNDED)),  # no error: a point
        (-3, 3, 0.25, 0.25, 0.25, (1 / 3, 2 / 3, BOUNDED)),  # level shifts by ±1 on slope 6
        (-1, 1, 0.25, -0.25, 0.25, (-INF, INF, WHOLE)),  # slope 2 ± 2 through (½, 0)
        (2, 2.1, 0.25, -0.25, 0.25, (NAN, NAN, OUTSIDE)),  # the slope may be 0
        (0.1, 0.2, 1.0, 0.0, 1.0, (-INF, INF, WHOLE)),
        (1, 1, 0.0, 0.0, 0.0, (NAN, NAN, EMPTY)),  # parallel without error
        (-1, 1, INF, 0.0, 1.0, (-INF, INF, WHOLE)),
        (NAN, 1, 1.0, 0.0, 1.0, (-INF, INF, WHOLE)),
    ],
)
def test_kinds_by_hand(d0, d1, v00, v01, v11, expected):
    """t = 2."""
    got = [x[0] for x in fieller(*(np.array([float(x)]) for x in (d0, d1, v00, v01, v11)), 2.0)]
    assert got[2] == expected[2]
    if expected[2] != OUTSIDE:
        np.testing.assert_allclose(got[:2], expected[:2])
    else:
        assert got[0] < got[1]


def test_a_half_line_has_one_infinite_end():
    """Slope 1 with variance ¼ and t = 2: A = 0. Fixed end: −1 ± 0, so λ ≥ ½ remains."""
    got = fieller(*(np.array([x]) for x in (-1.0, 0.0, 0.0, 0.0, 0.25)), 2.0)
    assert (got.low.tolist(), got.high.tolist(), got.kind.tolist()) == ([0.5], [INF], [BOUNDED])


@pytest.mark.parametrize(("d0", "d1"), [(-0.3, 0.2), (-0.1, 0.05), (0.02, -0.03)])
def test_coverage_is_nominal(d0, d1):
    """Normal gaps of known variance: exact, also where most sets are not bounded."""
    rng, n = np.random.default_rng(11), 20_000
    covariance = np.array([[0.004, 0.001], [0.001, 0.002]])
    seen = rng.multivariate_normal([d0, d1], covariance, size=n)
    v00, v01, v11 = (np.full(n, covariance[i]) for i in ((0, 0), (0, 1), (1, 1)))
    low, high, kind = fieller(*seen.T, v00, v01, v11, 1.959963984540054)
    at = d0 / (d0 - d1)
    hit = (low <= at) & (at <= high)
    outside = kind == OUTSIDE
    hit[outside] = ((at <= low) | (at >= high))[outside]
    # four standard deviations of a share of 20,000
    assert abs(hit.mean() - 0.95) < 4 * np.sqrt(0.95 * 0.05 / n)
