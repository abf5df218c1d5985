"""Mean squares of crossed and nested runs: against a naive two-way analysis, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution

from tiebreak.kernels.components import (
    RunSpread,
    add_spreads,
    crossed_components,
    crossed_spread,
    nested_components,
    nested_spread,
)


def naive(y):
    """Two-way analysis of variance without replication, by loops (Scheffé 1959, ch. 4)."""
    n, runs = y.shape
    grand, task, run = y.mean(), y.mean(axis=1), y.mean(axis=0)
    residual = sum(
        (y[t, r] - task[t] - run[r] + grand) ** 2 for t in range(n) for r in range(runs)
    ) / ((n - 1) * (runs - 1))
    between = sum((m - grand) ** 2 for m in task) / (n - 1)
    of_runs = sum((m - grand) ** 2 for m in run) / (runs - 1)
    p = f_distribution.sf(n * of_runs / residual, runs - 1, (n - 1) * (runs - 1))
    return between - residual / runs, of_runs - residual / n, residual, p


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_crossed_components_are_the_two_way_mean_squares(n, runs, seed):
    y = np.random.default_rng(seed).random((n, runs))
    found = crossed_components(y[None])
    assert np.array([v[0] for v in found]) == pytest.approx(np.array(naive(y)))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_crossed_spread_with_equal_weights_is_that_of_the_run_scores(n, runs, seed):
    y = np.random.default_rng(seed).random((n, runs))
    spread = crossed_spread((y - y.mean(axis=1, keepdims=True))[None], np.full((1, n), 1 / n))
    residual = naive(y)[2]
    floor = (1 / n) ** 2 / 32
    assert spread.shared[0] == pytest.approx(max(y.mean(axis=0).var(ddof=1), floor) / runs)
    assert spread.noise[0] == pytest.approx(residual / n / runs)
    assert spread.df[0] == runs - 1


def test_components_come_back_from_what_was_drawn():
    rng = np.random.default_rng(1)
    shape = (4000, 30, 4)
    y = 0.3 * rng.standard_normal((4000, 30, 1)) + 0.1 * rng.standard_normal((4000, 1, 4))
    y = y + 0.5 * rng.standard_normal(shape)
    found = crossed_components(y)
    # Monte Carlo errors of means of 4,000: below .0005, .0003 and .0006
    assert found.task.mean() == pytest.approx(0.09, abs=0.002)
    assert found.run.mean() == pytest.approx(0.01, abs=0.0012)
    assert found.task_run.mean() == pytest.approx(0.25, abs=0.0025)


def test_negative_estimates_are_shown_as_they_are():
    y = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]])
    found = crossed_components(y)
    assert found.run[0] < 0
    assert found.task[0] < 0
    assert found.p_shared[0] == pytest.approx(1.0)


def test_the_f_test_holds_its_level_without_a_shock():
    rng = np.random.default_rng(2)
    p = rng.beta(0.5, 0.5, (4000, 80, 1))
    found = crossed_components((rng.random((4000, 80, 5)) < p).astype(float))
    assert np.mean(found.p_shared < 0.05) == pytest.approx(0.05, abs=0.012)


def test_weights_that_differ_leave_the_noise_unbiased():
    rng = np.random.default_rng(3)
    w = rng.dirichlet(np.full(12, 0.7), size=1)
    y = rng.standard_normal((6000, 12, 4))
    spread = crossed_spread(y - y.mean(axis=2, keepdims=True), np.repeat(w, 6000, axis=0))
    expected = (w**2).sum() / 4
    assert spread.noise.mean() == pytest.approx(expected, rel=0.04)
    assert spread.shared.mean() == pytest.approx(expected, rel=0.05)


def test_a_trial_that_is_missing_from_a_run_hardly_matters():
    rng = np.random.default_rng(4)
    y = rng.standard_normal((2000, 40, 4)) + rng.standard_normal((2000, 1, 4))
    y[:, 0, 0] = np.nan
    d = y - np.nanmean(y, axis=2, keepdims=True)
    spread = crossed_spread(d, np.full((2000, 40), 1 / 40))
    assert spread.shared.mean() == pytest.approx((1 + 1 / 40) / 4, rel=0.06)
    assert (spread.df == 3).all()


def test_a_run_without_any_outcome_does_not_count():
    y = np.random.default_rng(5).random((1, 10, 4))
    three = y[..., :3]
    whole = crossed_spread(three - three.mean(axis=2, keepdims=True), np.full((1, 10), 0.1))
    y[..., 3] = np.nan
    d = y - np.nanmean(y, axis=2, keepdims=True)
    part = crossed_spread(d, np.full((1, 10), 0.1))
    assert [v[0] for v in part] == pytest.approx([v[0] for v in whole])


def test_equal_outcomes_are_not_certain():
    crossed = crossed_spread(np.zeros((1, 20, 3)), np.full((1, 20), 0.05))
    nested = nested_spread(np.zeros((1, 20)), np.full((1, 20), 3.0), np.full((1, 20), 0.05))
    assert crossed.shared[0] > 0
    assert nested.shared[0] > 0


def test_nested_spread_with_unequal_counts():
    within, counts = np.array([[0.5, 2 / 3, 0.0]]), np.array([[2.0, 3.0, 1.0]])
    spread = nested_spread(within, counts, np.full((1, 3), 1 / 3))
    pooled = (0.5 + 2 / 3) / 3  # the task of one trial borrows it
    plain = (0.5 / 2 + (1 / 3) / 3 + pooled) / 9
    n = 1 / ((1 / 2 + 1 / 3 + 1) / 9)
    assert spread.shared[0] == pytest.approx(plain + 0.875 / 2 / (n * (n + 0.875)))


def test_nested_components_take_the_noise_of_means_out():
    rng = np.random.default_rng(6)
    counts = rng.integers(1, 6, (3000, 60)).astype(float)
    p = rng.beta(1, 1, counts.shape)
    hits = rng.binomial(counts.astype(int), p)
    m = hits / counts
    found = nested_components(m, counts * m * (1 - m), counts)
    assert found.task.mean() == pytest.approx(1 / 12, rel=0.02)
    assert np.isnan(found.run).all()
    assert found.task_run.mean() == pytest.approx(1 / 6, rel=0.02)


def test_added_spreads_share_their_degrees_of_freedom():
    one = RunSpread(np.array([1.0]), np.array([0.2]), np.array([4.0]))
    none = RunSpread(np.array([0.0]), np.array([0.0]), np.array([np.inf]))
    assert add_spreads(one, one).df[0] == pytest.approx(8.0)
    assert add_spreads(one, none).df[0] == pytest.approx(4.0)
    assert np.isinf(add_spreads(none, none).df[0])
