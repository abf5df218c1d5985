"""What an aggregate hides: by hand, and coverage by exact binomial sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import beta, binom

from tiebreak.kernels.aggregate import (
    all_one_cells,
    all_zero_cells,
    cell_interval,
    effective_tasks,
    interval_width,
    thin_weight,
)

TASKS = np.array([80.0, 10.0, 5.0, 5.0])


def test_effective_tasks_of_the_paper():
    """Micro: all 100. Macro: 16 / (1/80 + 1/10 + 1/5 + 1/5)."""
    weights = np.stack([TASKS / 100, np.full(4, 0.25)])
    np.testing.assert_allclose(effective_tasks(weights, TASKS), [100, 16 / 0.5125], rtol=1e-12)


@given(
    hnp.arrays(int, 4, elements=st.integers(1, 50)),
    hnp.arrays(int, 4, elements=st.integers(0, 9)).filter(lambda w: w.any()),
)
def test_effective_tasks_is_the_variance_ratio(counts, raw):
    """1/Σ over tasks of (π_x/n_x)², task by task; never more than there are."""
    weights = raw / raw.sum()
    per_task = np.repeat(weights / counts, counts)
    got = effective_tasks(weights, counts.astype(float))
    np.testing.assert_allclose(got, 1 / (per_task**2).sum(), rtol=1e-12)
    assert got <= counts.sum() * (1 + 1e-12)


def test_weight_on_nothing_has_no_effective_task():
    assert effective_tasks(np.array([0.5, 0.5]), np.array([10.0, 0.0])) == 0
    assert effective_tasks(np.array([1.0, 0.0]), np.array([10.0, 0.0])) == 10


def test_thin_weight_counts_cells_under_five():
    counts = np.array([100.0, 5.0, 4.0, 1.0])
    weights = np.array([[0.4, 0.3, 0.2, 0.1], [1.0, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(thin_weight(weights, counts), [0.3, 0.0])
    np.testing.assert_allclose(thin_weight(weights, counts, few=6), [0.6, 0.0])


def test_zero_and_full_cells():
    sums = np.array([[0.0, 5.0, 0.0, 4.5, 0.7 + 0.2 + 0.1]])
    counts = np.array([[5.0, 5.0, 0.0, 5.0, 1.0]])
    assert all_zero_cells(sums, counts).tolist() == [[True, False, False, False, False]]
    assert all_one_cells(sums, counts).tolist() == [[False, True, False, False, True]]


@given(st.integers(1, 60), st.data(), st.sampled_from([0.05, 0.2]))
def test_intervals_are_jeffreys(n, data, alpha):
    """Against scipy.stats, which solves the quantile by another route."""
    k = data.draw(st.integers(0, n))
    low, high = cell_interval(np.array([k]), np.array([n]), alpha)
    law = beta(k + 0.5, n - k + 0.5)
    assert low == (0 if k == 0 else pytest.approx(law.ppf(alpha / 2), abs=1e-9))
    assert high == (1 if k == n else pytest.approx(law.isf(alpha / 2), abs=1e-9))


def test_none_of_five_is_not_none_of_five_hundred():
    width = interval_width(np.array([0.0, 0.0, 0.0]), np.array([5.0, 500.0, 0.0]), 0.05)
    np.testing.assert_allclose(width, [0.38, 0.005, 1.0], atol=0.005)


@pytest.mark.parametrize("n", [3, 5, 10])
def test_jeffreys_covers_near_nominal_where_clopper_pearson_pads(n):
    """Coverage averaged over rates, by exact binomial sums."""
    k, p = np.arange(n + 1), (np.arange(2000)[:, None] + 0.5) / 2000
    mass = binom.pmf(k, n, p)

    def coverage(low, high):
        return (mass * ((low <= p) & (p <= high))).sum(axis=1).mean()

    jeffreys = coverage(*cell_interval(k, np.full(n + 1, n), 0.05))
    exact = coverage(
        np.nan_to_num(beta.ppf(0.025, k, n - k + 1)),
        np.nan_to_num(beta.isf(0.025, k + 1, n - k), nan=1.0),
    )
    assert 0.94 < jeffreys < 0.965
    assert exact > 0.97
