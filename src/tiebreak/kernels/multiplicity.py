"""Families of comparisons: error levels per comparison, quantiles of maxima, ranks and tiers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def holm_levels(p: Array, alpha: float) -> Array:
    """Level at which Holm's step-down test judged each comparison.

    The i-th smallest of m p values is judged at α/(m − i + 1) until one fails; that one's level
    applies to all that follow. An interval at its level excludes 0 iff Holm rejects
    (Holm 1979, Scand. J. Stat. 6:65). NaN p values are no members of the family.
    """
    levels = np.full(p.shape, alpha)
    members = np.flatnonzero(~np.isnan(p))
    order = members[np.argsort(p[members], kind="stable")]
    steps = alpha / np.arange(order.size, 0, -1)
    failed = np.flatnonzero(p[order] > steps)
    first = failed[0] if failed.size else order.size
    levels[order[:first]] = steps[:first]
    levels[order[first:]] = steps[first] if failed.size else alpha
    return levels


def bh_levels(p: Array, alpha: float) -> Array:
    """Level of false-coverage-rate intervals after Benjamini–Hochberg: R α / m.

    With R rejections among m, an interval at level R α/m excludes 0 for exactly the rejected
    (Benjamini & Yekutieli 2005, JASA 100:71); with none, α/m.
    """
    members = np.sort(p[~np.isnan(p)])
    m = max(members.size, 1)
    passed = np.flatnonzero(members <= alpha * np.arange(1, members.size + 1) / m)
    rejected = int(passed[-1]) + 1 if passed.size else 1
    return np.full(p.shape, alpha * rejected / m)


def upper_quantile(values: Array, level: float) -> tuple[float, float]:
    """The level quantile of draws (inverse-ECDF order statistic) and its Monte Carlo error.

    The error is half the distance between the order statistics one binomial standard
    deviation above and below.
    """
    ordered, size = np.sort(values), values.size
    spread = np.sqrt(size * level * (1 - level))
    at = size * level
    places = np.clip(np.ceil([at, at - spread, at + spread]).astype(int) - 1, 0, size - 1)
    middle, low, high = ordered[places]
    return float(middle), float(high - low) / 2


def rank_ranges(better: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rank intervals from ``better[i, j]``: i is shown better than j.

    rank_low = 1 + number shown better than it; rank_high = K − number shown worse.
    """
    k = better.shape[0]
    return 1 + better.sum(axis=0), k - better.sum(axis=1)


def tiers(better: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Tier 1 has nobody shown better (the confidence set of the best); then peel and repeat."""
    k = better.shape[0]
    tier = np.zeros(k, dtype=np.intp)
    left, level = np.ones(k, dtype=bool), 0
    while left.any():
        level += 1
        beaten = better[left].any(axis=0)
        top = left & ~beaten
        tier[top if top.any() else left] = level
        left &= tier == 0
    return tier
