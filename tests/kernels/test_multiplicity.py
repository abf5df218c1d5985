"""Families: naive Holm, SciPy's Benjamini–Hochberg, rank intervals and tiers by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import false_discovery_control

from tiebreak.kernels.multiplicity import (
    bh_levels,
    holm_levels,
    rank_ranges,
    tiers,
    upper_quantile,
)

P_VALUES = st.lists(
    st.one_of(st.floats(1e-6, 1.0), st.sampled_from([0.001, 0.01, 0.04])), min_size=1, max_size=20
)


def naive_holm(p, alpha):
    """Reject while the smallest remaining p ≤ α / (number remaining)."""
    rejected, remaining = set(), list(range(len(p)))
    while remaining:
        best = min(remaining, key=lambda i: p[i])
        if p[best] > alpha / len(remaining):
            break
        rejected.add(best)
        remaining.remove(best)
    return [i in rejected for i in range(len(p))]


@given(P_VALUES)
def test_interval_at_its_holm_level_excludes_zero_iff_holm_rejects(p):
    levels = holm_levels(np.array(p), 0.05)
    assert (np.array(p) <= levels).tolist() == naive_holm(p, 0.05)


@given(P_VALUES)
def test_interval_at_the_bh_level_excludes_zero_iff_scipy_rejects(p):
    """Outside golden: scipy.stats.false_discovery_control(p, method="bh") ≤ 0.05, live."""
    adjusted = false_discovery_control(p, method="bh")
    if np.abs(adjusted - 0.05).min() > 1e-9:  # p·m/i rounds; at the boundary both may be right
        assert (np.array(p) <= bh_levels(np.array(p), 0.05)).tolist() == (adjusted <= 0.05).tolist()


@pytest.mark.parametrize("levels", [holm_levels, bh_levels])
def test_unsupported_pairs_are_no_members_of_the_family(levels):
    p = np.array([0.001, np.nan, 0.02, np.nan, 0.3])
    with_gaps, without = levels(p, 0.05), levels(p[~np.isnan(p)], 0.05)
    assert with_gaps[~np.isnan(p)].tolist() == without.tolist()


def test_levels_by_hand():
    """m = 4: Holm's steps are α/4, α/3, α/2, α; the third fails, so it judges the rest too."""
    p = np.array([0.001, 0.015, 0.03, 0.9])
    np.testing.assert_allclose(holm_levels(p, 0.05), [0.0125, 0.05 / 3, 0.025, 0.025])
    np.testing.assert_allclose(bh_levels(p, 0.05), [0.05 * 3 / 4 if 0.03 <= 0.0375 else 0] * 4)
    np.testing.assert_allclose(bh_levels(np.array([0.5, 0.6]), 0.05), [0.025, 0.025])


def test_upper_quantile_is_an_order_statistic_with_the_spread_of_its_rank():
    """By hand: 100 ranks, level .9: the 90th; one binomial s.d. is 3 ranks."""
    values = np.random.default_rng(0).permutation(np.arange(1.0, 101.0))
    assert upper_quantile(values, 0.9) == (90.0, 3.0)


@given(hnp.arrays(bool, st.integers(1, 6).map(lambda k: (k, k))))
def test_rank_intervals_count_what_is_shown(better):
    better = better & ~better.T & ~np.eye(len(better), dtype=bool)
    low, high = rank_ranges(better)
    for i in range(len(better)):
        assert low[i] == 1 + sum(better[j, i] for j in range(len(better)))
        assert high[i] == len(better) - sum(better[i, j] for j in range(len(better)))
        assert 1 <= low[i] <= high[i] <= len(better)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=9), st.floats(0.01, 5))
def test_tiers_keep_the_best_together_and_order_the_rest(scores, width):
    """Shown better = ahead by more than a width: an interval order, as simultaneous bands give."""
    s = np.array(scores)
    better = s[:, None] > s[None] + width
    tier = tiers(better)
    assert (tier >= 1).all()
    assert sorted(set(tier)) == list(range(1, tier.max() + 1))
    for i, j in zip(*np.nonzero(better), strict=True):
        assert tier[i] < tier[j], "nobody shares a tier with one that is shown better"
    for j in np.flatnonzero(tier > 1):
        beaters = tier[better[:, j]]
        assert tier[j] - 1 in beaters, "every lower tier has its reason in the tier above"


def test_tiers_and_ranks_by_hand():
    """a > c, a > d, b > d: {a, b} are first, c (only beaten by a) and d follow."""
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert tiers(better).tolist() == [1, 1, 2, 2]
    low, high = rank_ranges(better)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(1, 2), (1, 3), (2, 4), (3, 4)]


def test_a_circle_of_statements_ends():
    """Separate pointwise statements can contradict transitivity; peeling must still stop."""
    circle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    assert tiers(circle).tolist() == [1, 1, 1]
