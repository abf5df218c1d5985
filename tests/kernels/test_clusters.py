"""Naive against fast in exact arithmetic, and coverage by simulation, of sampled cells."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.clusters import (
    EXACT_CELLS,
    cell_variance,
    logit_bounds,
    max_deviations,
    sign_subsets,
    wild_interval,
    wild_p_values,
)

# Floats against fractions: sums and ratios of at most 7 doubles of size ≤ 1.
CLOSE = 1e-12


def naive_p(q, pi, delta):
    """p(δ) from its definition: every one of the 2^C sign vectors, exact."""
    e = [a - w * delta for a, w in zip(q, pi, strict=True)]
    observed = abs(sum(e))
    codes = range(2 ** len(q))
    flipped = (sum(v if code >> x & 1 else -v for x, v in enumerate(e)) for code in codes)
    return Fraction(sum(abs(n) >= observed for n in flipped), 2 ** len(q))


def naive_closed_interval(q, pi, alpha):
    """Closure of {δ: p(δ) > α}; p is constant between subset means, so every gap is tried."""
    chosen = [c for size in range(1, len(q) + 1) for c in combinations(range(len(q)), size)]
    ends = sorted({sum(q[x] for x in c) / sum(pi[x] for x in c) for c in chosen})
    if naive_p(q, pi, ends[0] - 1) > alpha:
        return -np.inf, np.inf
    probes = [(a, b, (a + b) / 2) for a, b in pairwise(ends)]
    kept = [(a, b) for a, b, mid in probes if naive_p(q, pi, mid) > alpha]
    kept += [(a, a) for a in ends if naive_p(q, pi, a) > alpha]
    return min(a for a, _ in kept), max(b for _, b in kept)


def lower_ends(q, pi):
    """min(m_S, m_S′) of every pair {S, S′} but the identity, exact."""
    ends = []
    for code in range(1, 2 ** (len(q) - 1)):
        out = [x for x in range(len(q)) if code >> x & 1]
        q_out, pi_out = sum(q[x] for x in out), sum(pi[x] for x in out)
        ends.append(min(q_out / pi_out, (sum(q) - q_out) / (1 - pi_out)))
    return ends


def naive_mid_low(q, pi, goal):
    """Lower bound: the line through (mid-rank, end) of the tied blocks, read at rank ``goal``."""
    ends = lower_ends(q, pi)
    values = sorted(set(ends))
    below = [sum(end < v for end in ends) for v in values]
    ranks = [a + Fraction(ends.count(v) + 1, 2) for a, v in zip(below, values, strict=True)]
    if goal <= ranks[0] or goal >= ranks[-1]:
        return values[0] if goal <= ranks[0] else values[-1]
    to = next(i for i, r in enumerate(ranks) if r > goal)
    share = (goal - ranks[to - 1]) / (ranks[to] - ranks[to - 1])
    return values[to - 1] + share * (values[to] - values[to - 1])


@st.composite
def cells(draw, least=2, most=7):
    """Exact contributions and weights: equal or uneven, on coarse lattices (ties) or spread."""
    c = draw(st.integers(least, most))
    sizes = draw(st.lists(st.integers(1, 39), min_size=c, max_size=c) | st.just([1] * c))
    top = draw(st.sampled_from([2, 5, 1000]))
    means = draw(st.lists(st.integers(-top, top), min_size=c, max_size=c))
    pi = [Fraction(s, sum(sizes)) for s in sizes]
    return [w * Fraction(m, top) for w, m in zip(pi, means, strict=True)], pi


def floats(q, pi):
    return np.array([[float(v) for v in q]]), np.array([float(w) for w in pi])


def subsets_of(c):
    return sign_subsets(c, 0, np.random.default_rng(0))


@settings(max_examples=150, deadline=None)
@given(cells(), st.sampled_from([Fraction(1, 20), Fraction(1, 10), Fraction(1, 5)]))
def test_bounds_are_the_mid_ranks_of_the_exact_subset_means(case, alpha):
    q, pi = case
    low, high = wild_interval(*floats(q, pi), float(alpha), subsets_of(len(q)))
    goal = alpha * 2 ** (len(q) - 1)
    if goal < 1:
        assert (low[0], high[0]) == (-np.inf, np.inf)
        return
    assert low[0] == pytest.approx(float(naive_mid_low(q, pi, goal)), abs=CLOSE)
    assert high[0] == pytest.approx(-float(naive_mid_low([-v for v in q], pi, goal)), abs=CLOSE)


@settings(max_examples=60, deadline=None)
@given(cells(least=5, most=6), st.sampled_from([Fraction(1, 10), Fraction(1, 5)]))
def test_without_ties_the_interval_is_near_the_inverted_test(case, alpha):
    """The closed test and the mid-ranks differ by less than one tied block at each end."""
    q, pi = case
    ends = sorted(lower_ends(q, pi))
    low, _ = wild_interval(*floats(q, pi), float(alpha), subsets_of(len(q)))
    closed_low, _ = naive_closed_interval(q, pi, alpha)
    k = int(alpha * 2 ** (len(q) - 1))
    assert float(closed_low) == pytest.approx(float(ends[k - 1]), abs=CLOSE)
    if len(set(ends)) == len(ends):
        assert float(ends[k - 1]) - CLOSE <= low[0] <= float(ends[k]) + CLOSE


def naive_rank_of_zero(q, pi):
    """Where the line through (mid-rank, end) of the tied blocks passes 0, exact; P if never."""
    ends = lower_ends(q, pi)
    if not any(e > 0 for e in ends):
        return Fraction(len(ends) + 1)
    below, tied = sum(e < 0 for e in ends), sum(e == 0 for e in ends)
    if tied:
        return below + Fraction(tied + 1, 2)
    if not below:
        return Fraction(1)
    last, first = max(e for e in ends if e < 0), min(e for e in ends if e > 0)
    start = below - Fraction(ends.count(last) - 1, 2)
    stop = below + Fraction(ends.count(first) + 1, 2)
    return start + (stop - start) * -last / (first - last)


@settings(max_examples=150, deadline=None)
@given(cells())
def test_p_value_is_the_exact_mid_rank_of_zero_near_the_closed_test(case):
    q, pi = case
    got = wild_p_values(*floats(q, pi), subsets_of(len(q)))[0]
    if sum(q) == 0:
        assert got == 1
        return
    q = q if sum(q) > 0 else [-v for v in q]
    rank = naive_rank_of_zero(q, pi)
    assert got == pytest.approx(min(float(rank / 2 ** (len(q) - 1)), 1.0), abs=1e-9)
    if len(set(lower_ends(q, pi))) == 2 ** (len(q) - 1) - 1:  # no ties: one pattern apart at most
        closed = float(naive_p(q, pi, Fraction(0)))
        assert closed - 1 / 2 ** (len(q) - 1) - CLOSE <= got <= closed + CLOSE


@settings(max_examples=150, deadline=None)
@given(cells(least=3), st.floats(0.01, 0.6))
def test_interval_excludes_zero_iff_its_level_is_above_the_p_value(case, alpha):
    q, pi = floats(*case)
    subsets = subsets_of(len(pi))
    p = wild_p_values(q, pi, subsets)[0]
    low, high = wild_interval(q, pi, alpha, subsets)
    if abs(alpha - p) > 1e-9:
        assert bool(low[0] > 0 or high[0] < 0) == (alpha > p)


@given(st.integers(1, EXACT_CELLS))
def test_every_pattern_but_the_identity_is_listed_once(c):
    subsets = subsets_of(c)
    assert subsets.shape == (2 ** (c - 1) - 1, c)
    assert len({tuple(row) for row in subsets}) == len(subsets)
    assert (subsets[:, 0] == 1).all()
    assert not subsets.all(axis=1).any()


def test_one_cell_bounds_nothing():
    low, high = wild_interval(np.array([[0.3]]), np.ones(1), 0.05, subsets_of(1))
    assert (low[0], high[0]) == (-np.inf, np.inf)


def test_drawn_patterns_agree_with_all_of_them():
    """Known truth: 14 cells are drawn by default; against all 8,191 pairs, 20,000 draws come
    within 0.02 (a bound moves by about s.d./sqrt(draws · density²), well below)."""
    rng = np.random.default_rng(5)
    pi = rng.dirichlet(np.full(14, 5.0))
    q = rng.normal(0.2, 1, (20, 14)) * pi
    codes = np.arange(2**13 - 1)[:, None]
    every = np.concatenate([np.ones((len(codes), 1)), (codes >> np.arange(13)) & 1], axis=1)
    drawn = sign_subsets(14, 20_000, np.random.default_rng(1))
    for a, b in zip(
        wild_interval(q, pi, 0.05, every), wild_interval(q, pi, 0.05, drawn), strict=True
    ):
        np.testing.assert_allclose(a, b, atol=0.02)


def test_cluster_variance_is_unbiased_for_equal_cells():
    """Known truth: with equal weights Σ e²/(1 − π) has mean Var θ = σ²/C; 20,000 units, ±3 %."""
    q = np.random.default_rng(2).normal(0, 1, (20_000, 8)) / 8
    assert cell_variance(q, np.full(8, 1 / 8)).mean() * 8 == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("sizes", [[1] * 8, [22, 231, 34, 2, 1, 8, 22, 10, 19, 32, 44, 75]])
def test_interval_covers_at_its_level(sizes):
    """Known truth: symmetric cells about 0.1, 8 equal or 12 with SWE-bench Verified's sizes.

    4,000 units have a standard error of 0.35 points about .95, so ±1.2 points."""
    rng, c = np.random.default_rng(7), len(sizes)
    pi = np.array(sizes) / sum(sizes)
    d = 0.1 + rng.normal(0, 0.2, (4000, c)) / np.sqrt(np.array(sizes))
    low, high = wild_interval(d * pi, pi, 0.05, subsets_of(c))
    assert ((low <= 0.1) & (high >= 0.1)).mean() == pytest.approx(0.95, abs=0.012)


def naive_max_deviations(q, pi, subsets, studentized):
    """Every pattern and unit on its own: flip the residuals, refit, and (or not) restudentize."""
    tops = []
    for s in 2 * subsets - 1:
        deviations = []
        for row in q:
            e = row - pi * row.sum()
            if studentized:
                flipped = pi * row.sum() + s * e
                moved = flipped.sum() - row.sum()
                error = np.sqrt((((flipped - pi * flipped.sum()) ** 2) / (1 - pi)).sum())
                deviations.append(abs(moved) / error)
            else:
                deviations.append(abs((s * e / (1 - pi)).sum()))
        tops.append(max(deviations))
    return np.array(tops)


@pytest.mark.parametrize("studentized", [True, False])
def test_largest_deviations_equal_a_loop_over_patterns_and_units(studentized):
    rng = np.random.default_rng(3)
    pi = rng.dirichlet(np.full(6, 3.0))
    q, subsets = rng.normal(0, 1, (4, 6)) * pi, subsets_of(6)
    got = max_deviations(q, pi, subsets, studentized=studentized)
    expected = naive_max_deviations(q, pi, subsets, studentized)
    np.testing.assert_allclose(got, expected, rtol=1e-6)  # a variance as a difference of sums


@given(st.floats(0.001, 0.999), st.floats(0.0, 2.0), st.floats(0.0, 2.0))
def test_logit_bounds_stay_inside_and_around_the_score(score, down, up):
    s = np.array([score])
    low, high = logit_bounds(s, s - down, s + up)
    assert 0 <= low[0] <= score + 1e-12
    assert score - 1e-12 <= high[0] <= 1


def test_logit_bounds_by_hand_and_at_the_ends():
    """At ½ the slope is ¼: a half-width of ¼·log 3 reaches ¾ and ¼. 0 and 1 pass through."""
    half = np.log(3) / 4
    score = np.array([0.5, 0.0, 1.0])
    low, high = logit_bounds(
        score, np.array([0.5 - half, 0.0, 0.9]), np.array([0.5 + half, 0.2, 1.0])
    )
    np.testing.assert_allclose(low, [0.25, 0.0, 0.9])
    np.testing.assert_allclose(high, [0.75, 0.2, 1.0])
