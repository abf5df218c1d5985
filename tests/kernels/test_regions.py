"""Who wins where: closed forms, exact margins in two cells, certificates beyond."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiebreak.kernels.crossovers import exact_crossover, exact_sweep_ends
from tiebreak.kernels.regions import (
    best_margin,
    half_space,
    never_wins,
    simplex_shares_exact,
    simplex_shares_sampled,
    sweep_thresholds,
)

# Areas are sums of a few products of numbers in [0, 1].
CLOSE = 1e-12
PAPER = np.array([[76 / 80, 0.6, 0.2, 0.0], [0.8, 0.8, 0.8, 0.8]])


def rates(cells, most=6, least=1):
    """Rates in tenths of up to ``most`` configurations: ties and twins occur."""
    shape = st.tuples(st.integers(least, most), st.just(cells))
    return hnp.arrays(int, shape, elements=st.integers(0, 10))


def corner_share(d):
    """Area share where w·d ≥ 0 if one of the three gaps is positive: a triangle at its corner."""
    sides = np.sort(d)[::-1]
    return sides[0] ** 2 / ((sides[0] - sides[1]) * (sides[0] - sides[2]))


@settings(max_examples=500, deadline=None)
@given(hnp.arrays(int, 3, elements=st.integers(-10, 10).filter(bool)))
def test_the_share_of_a_pair_is_a_triangle(gaps):
    share = simplex_shares_exact(np.stack([gaps / 20, np.zeros(3)]))
    wins = int((gaps > 0).sum())
    expected = wins / 3  # none or all, unless
    if wins in (1, 2):
        expected = corner_share(gaps) if wins == 1 else 1 - corner_share(-gaps)
    np.testing.assert_allclose(share, [expected, 1 - expected], atol=CLOSE)


@settings(max_examples=300, deadline=None)
@given(rates(3, most=8))
def test_shares_sum_to_1_and_twins_share_alike(tenths):
    r = tenths / 10
    shares = simplex_shares_exact(r)
    np.testing.assert_allclose(shares.sum(), 1, atol=CLOSE)
    twins = (tenths == tenths[0]).all(axis=1)
    doubled = simplex_shares_exact(np.concatenate([r, r[:1]]))
    each = shares[twins].sum() / (twins.sum() + 1)
    expected = np.append(np.where(twins, each, shares), each)
    np.testing.assert_allclose(doubled, expected, atol=CLOSE)


def test_sampled_shares_agree_with_exact_ones():
    rng = np.random.default_rng(3)
    r, draws = np.vstack([rng.random((6, 3)), np.eye(3)]), 200_000
    exact, sampled = simplex_shares_exact(r), simplex_shares_sampled(r, draws, rng)
    assert (exact > 0.02).sum() >= 3
    # four Monte Carlo standard errors
    assert (np.abs(sampled - exact) <= 4 * np.sqrt(exact * (1 - exact) / draws)).all()


def test_sampled_shares_beyond_three_cells():
    """The best of C specialists wins 1/C each, whatever C; twins split."""
    r = np.vstack([np.eye(5), np.eye(5)[:1]])
    shares = simplex_shares_sampled(r, 100_000, np.random.default_rng(4))
    np.testing.assert_allclose(shares.sum(), 1, atol=CLOSE)
    assert shares[0] == shares[5]
    expected = np.array([0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
    assert (np.abs(shares - expected) < 4 * np.sqrt(0.2 * 0.8 / 100_000)).all()


def exact_margin(tenths, a):
    """max over w of the least lead, for two cells: at an end, or where two rivals' leads meet."""
    rivals = [b for b in range(len(tenths)) if b != a]
    lead = [[Fraction(int(tenths[a][x] - tenths[b][x]), 10) for x in (1, 0)] for b in rivals]
    meet = [exact_crossover(p[0] - q[0], p[1] - q[1]) for p in lead for q in lead]
    tried = [Fraction(0), Fraction(1), *(m for m in meet if m is not None)]
    return max(min((1 - w) * d0 + w * d1 for d0, d1 in lead) for w in tried)


@settings(max_examples=300, deadline=None)
@given(rates(2, least=2))
def test_best_margins_and_never_winners_are_exact_in_two_cells(tenths):
    r = tenths / 10
    margins = [exact_margin(tenths, a) for a in range(len(r))]
    for a, margin in enumerate(margins):
        got, weights = best_margin(r, a)
        # HiGHS meets constraints to 1e-10
        assert abs(got - margin) <= 1e-9
        np.testing.assert_allclose(weights.sum(), 1, atol=CLOSE)
        lead = r[a] - np.delete(r, a, axis=0)
        np.testing.assert_allclose((lead @ weights).min(), got, atol=CLOSE)
    assert never_wins(r).tolist() == [margin < 0 for margin in margins]


@settings(max_examples=150, deadline=None)
@given(rates(3, least=2, most=5))
def test_never_winners_have_no_share_and_no_better_weights(tenths):
    r = tenths / 10
    never, shares = never_wins(r), simplex_shares_exact(r)
    assert (shares[never] == 0).all()
    probes = np.random.default_rng(0).dirichlet(np.ones(3), size=200)
    for a in np.flatnonzero(shares == 0):
        margin, _ = best_margin(r, int(a))
        assert never[a] == (margin < -1e-9)
        leads = (r[a] - np.delete(r, a, axis=0)) @ probes.T
        assert margin >= leads.min(axis=0).max() - 1e-9


@pytest.mark.parametrize(
    ("r", "never"),
    [
        ([[1, 0], [0, 1], [0.4, 0.4]], [False, False, True]),  # below the mixture of the others
        ([[1, 0], [0, 1], [0.5, 0.5]], [False, False, False]),  # a shared top, at one point
        ([[1, 0], [0, 1], [0.5, 0.5 - 1e-13]], [False, False, False]),  # but for rounding
        ([[1, 1], [1, 1], [1, 0.5], [0.9, 0.9]], [False, False, False, True]),
        ([[0.3, 0.3]], [False]),
    ],
)
def test_never_winners_by_hand(r, never):
    assert never_wins(np.array(r, dtype=float)).tolist() == never


@settings(max_examples=300, deadline=None)
@given(
    hnp.arrays(int, 4, elements=st.integers(-10, 10)),
    hnp.arrays(int, 4, elements=st.integers(0, 9)).filter(lambda raw: raw.any()),
)
def test_a_half_space_is_where_the_gap_is_not_negative(tenths, raw):
    d = tenths / 10
    normal, offset = half_space(d)
    if len(set(tenths)) == 1:
        assert np.isnan([*normal, offset]).all()
        return
    np.testing.assert_allclose([normal.sum(), normal @ normal], [0, 1], atol=CLOSE)
    weights = raw / raw.sum()
    distance = normal @ weights - offset
    np.testing.assert_allclose(distance * np.linalg.norm(d - d.mean()), weights @ d, atol=CLOSE)


def test_the_paper_in_words():
    """A wins only when lookup is more than 32/41 of the work; no other cell can save it."""
    weight, side = sweep_thresholds((PAPER[0] - PAPER[1])[None], np.full((1, 4), 0.25))
    np.testing.assert_allclose(weight[0], [32 / 41, np.nan, np.nan, np.nan], atol=CLOSE)
    assert side.tolist() == [[1, 0, 0, 0]]


@settings(max_examples=300, deadline=None)
@given(
    hnp.arrays(int, (5, 3), elements=st.integers(-10, 10)),
    hnp.arrays(int, (5, 3), elements=st.integers(0, 4)),
)
def test_thresholds_are_the_exact_crossovers_of_a_sweep(tenths, raw):
    raw[:, 0] += raw.sum(axis=1) == 0
    got = sweep_thresholds(tenths / 10, raw / raw.sum(axis=1, keepdims=True))
    for row, (d, w) in enumerate(zip(tenths, raw, strict=True)):
        gaps = [Fraction(int(x), 10) for x in d]
        for cell in range(3):
            threshold, side = got.weight[row, cell], got.side[row, cell]
            if w[cell] == w.sum():  # no rest to split
                assert (np.isnan(threshold), side) == (True, 0)
                continue
            start, _ = exact_sweep_ends([Fraction(int(x)) for x in w], cell)
            rest = sum(s * g for s, g in zip(start, gaps, strict=True))
            expected = exact_crossover(rest, gaps[cell])
            if expected is None:
                assert (np.isnan(threshold), side) == (True, 0)
            else:
                assert abs(threshold - expected) <= CLOSE
                assert side == (1 if gaps[cell] > rest else -1)


def test_unsupported_cells_have_no_threshold():
    weight, side = sweep_thresholds(np.array([[0.2, -0.2, np.nan]]), np.array([[0.5, 0.5, 0.0]]))
    np.testing.assert_allclose(weight, [[0.5, 0.5, np.nan]])
    assert side.tolist() == [[1, -1, 0]]
