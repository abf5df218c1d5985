"""Rank agreement: against SciPy, against explicit U-centring, and the paper's intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tiebreak.kernels.concordance import (
    FIELLER,
    distance_agreement,
    distance_correlation,
    fisher,
    kendall,
    kendall_agreement,
    mid_ranks,
    spearman,
    spearman_agreement,
)

PAIRS = st.lists(st.tuples(*[st.integers(-4, 4)] * 2), min_size=5, max_size=14)


def columns(pairs):
    x, y = np.array(pairs, dtype=float).T
    return x, y


def varied(*columns):
    return all(np.ptp(c) > 0 for c in columns)


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_tau_and_rho_are_scipys(pairs):
    x, y = columns(pairs)
    assert mid_ranks(x) == pytest.approx(stats.rankdata(x))
    if varied(x, y):
        assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    else:
        assert math.isnan(kendall(x, y))
        assert math.isnan(spearman(x, y))


def naive(x, y):
    """U-centred distances written out (Székely & Rizzo 2014, equations 2.1 and 2.2)."""
    n = len(x)

    def centred(v):
        a = [[abs(p - q) for q in v] for p in v]
        rows, whole = [sum(r) for r in a], sum(map(sum, a))
        return [
            [
                a[i][j]
                - rows[i] / (n - 2)
                - rows[j] / (n - 2)
                + whole / ((n - 1) * (n - 2))
                if i != j
                else 0.0
                for j in range(n)
            ]
            for i in range(n)
        ]  # fmt: skip

    def inner(a, b):
        return sum(a[i][j] * b[i][j] for i in range(n) for j in range(n)) / (n * (n - 3))

    a, b = centred(x), centred(y)
    own = inner(a, a) * inner(b, b)
    return inner(a, b) / math.sqrt(own) if own > 1e-12 else math.nan


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-5, 5, width=32)] * 2), min_size=4, max_size=12))
def test_distance_correlation_is_that_of_centred_distances(pairs):
    x, y = columns(pairs)
    slow = naive(x, y)
    if not math.isnan(slow):
        assert distance_correlation(x, y) == pytest.approx(slow, abs=1e-6)


def test_distance_correlation_is_unbiased_under_independence():
    rng = np.random.default_rng(0)
    values = [distance_correlation(*rng.normal(size=(2, 12))) for _ in range(400)]
    error = np.std(values) / math.sqrt(len(values))
    assert abs(np.mean(values)) < 3 * error


@pytest.mark.parametrize(
    ("n", "tau", "low", "high"),
    [
        (7, 0.429, -0.282, 0.836),
        (7, 0.714, 0.147, 0.928),
        (7, 0.524, -0.165, 0.869),
        (7, 0.810, 0.361, 0.954),
        (20, 0.565, 0.306, 0.746),
        (20, 0.765, 0.595, 0.870),
        (6, 0.333, -0.515, 0.852),
        (6, 0.867, 0.383, 0.977),
    ],
)
def test_published_intervals(n, tau, low, high):
    """Table 3 of evaluation-reliability; τ has three digits, which z stretches near 1."""
    assert fisher(tau, FIELLER / (n - 4), 0.95) == pytest.approx((low, high), abs=0.002)


def test_few_or_perfect_have_no_interval():
    rising = np.arange(6.0)
    found = kendall_agreement(rising, rising, 0.95)
    assert (found.value, found.least, found.most) == (1.0, 1.0, 1.0)
    assert math.isnan(found.low)
    assert math.isnan(kendall_agreement(rising[:4], np.array([1.0, 0, 2, 3]), 0.95).low)
    assert math.isnan(spearman_agreement(rising[:3], np.array([1.0, 0, 2]), 0.95).low)


def test_left_out_ranges_are_those_of_a_loop():
    rng = np.random.default_rng(3)
    x = rng.normal(size=9)
    y = x + rng.normal(size=9)
    for agreement, statistic in (
        (kendall_agreement, kendall),
        (spearman_agreement, spearman),
        (distance_agreement, distance_correlation),
    ):
        found = agreement(x, y, 0.9)
        each = [statistic(np.delete(x, i), np.delete(y, i)) for i in range(9)]
        assert (found.least, found.most) == pytest.approx((min(each), max(each)))
        assert found.low < found.value < found.high


def test_intervals_of_tau_cover():
    """Bivariate normal with τ = 2/π asin(0.6) = 0.41: 95 % within Monte Carlo error."""
    rng, truth, hits, runs = np.random.default_rng(4), 2 / math.pi * math.asin(0.6), 0, 600
    for _ in range(runs):
        x, e = rng.normal(size=(2, 15))
        y = 0.6 * x + 0.8 * e
        low, high = fisher(kendall(x, y), FIELLER / 11, 0.95)
        hits += low <= truth <= high
    assert abs(hits / runs - 0.95) < 3 * math.sqrt(0.05 * 0.95 / runs)
