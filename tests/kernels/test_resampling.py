"""Counts, quantiles and Monte Carlo errors of the bootstrap kernel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiebreak.kernels.resampling import quantile_pair, task_counts, uniform_counts


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(0, 2**32 - 1))
def test_every_cell_is_resampled_to_its_own_size(cells, seed):
    cells = np.sort(np.array(cells, np.intp))
    counts = task_counts(cells, 5, 7, np.random.default_rng(seed))
    assert counts.shape == (cells.size, 7)
    for cell in np.unique(cells):
        assert (counts[cells == cell].sum(axis=0) == (cells == cell).sum()).all()


def test_counts_have_multinomial_moments():
    """Known truth: mean 1, variance 1 − 1/n, covariance −1/n; 40,000 draws have s.e. < 0.01."""
    counts = uniform_counts(5, 40_000, np.random.default_rng(3))
    covariance = np.cov(counts)
    assert np.abs(counts.mean(axis=1) - 1).max() < 0.03
    assert np.abs(np.diag(covariance) - 0.8).max() < 0.03
    assert np.abs(covariance[~np.eye(5, dtype=bool)] + 0.2).max() < 0.03


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 4), st.integers(2, 60)), elements=st.floats(-1, 1)),
    st.sampled_from([0.05, 0.1, 0.5, 0.001]),
)
def test_bounds_are_numpys_quantiles(draws, alpha):
    """Outside golden: np.quantile, live (rtol: one rounding of the interpolation)."""
    expected = np.quantile(draws, [alpha / 2, 1 - alpha / 2], axis=1)
    low, high, low_error, high_error = quantile_pair(draws.copy(), np.full(len(draws), alpha))
    np.testing.assert_allclose([low, high], expected, rtol=1e-12, atol=1e-12)
    assert (low_error >= 0).all()
    assert (high_error >= 0).all()


def test_many_levels_sort_to_the_same_bounds_as_few():
    """More than 64 order statistics are wanted: the draws are sorted instead of partitioned."""
    draws = np.random.default_rng(0).normal(size=(60, 500))
    alpha = np.linspace(0.01, 0.5, 60)
    many = quantile_pair(draws.copy(), alpha)
    for i in range(60):
        one = quantile_pair(draws[[i]].copy(), alpha[[i]])
        assert [x[i] for x in many] == [x[0] for x in one]


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_monte_carlo_error_is_the_spread_over_seeds(alpha):
    """Known truth: s.d. of the bound over 400 seeds; each s.d. is known to ±4 %, so ±15 %."""
    draws = np.random.default_rng(1).normal(size=(400, 2000))
    low, high, low_error, high_error = quantile_pair(draws, np.full(400, alpha))
    assert low_error.mean() / low.std() == pytest.approx(1, abs=0.15)
    assert high_error.mean() / high.std() == pytest.approx(1, abs=0.15)
