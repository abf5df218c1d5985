"""Draws against loops that draw configurations, tasks, blocks and runs one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.pair_counts.bootstrap import (
    TaskScores,
    configuration_draws,
    discordance_draws,
    gap_mean,
    near_mean,
    resampled_mean,
    reversed_mean,
    score_draws,
)
from tiebreak.kernels.pair_counts.rules import AbsoluteGaps, NearTies, PairMatrix, near_limit
from tiebreak.kernels.pair_counts.runs import ResampledRuns

COUNTS = st.lists(st.integers(0, 9), min_size=3, max_size=7)


def drawn(values, counts):
    """The resampled list itself."""
    return np.repeat(values, counts.astype(int))


def mean_over_pairs(values, rule):
    m = len(values)
    return sum(rule(values[i], values[j]) for i in range(m) for j in range(i)) / (m * (m - 1) / 2)


@settings(max_examples=60, deadline=None)
@given(COUNTS, st.integers(0, 3), st.integers(0, 99))
def test_counts_give_the_mean_over_the_resampled_configurations(scores, limit, seed):
    """Copies of one configuration tie: they are equal in the resampled list."""
    c = np.array(scores, dtype=np.int64)
    w = np.random.default_rng(seed).multinomial(c.size, np.full(c.size, 1 / c.size)).astype(float)
    near = mean_over_pairs(drawn(c, w), lambda a, b: abs(a - b) <= limit)
    gap = mean_over_pairs(drawn(c, w), lambda a, b: abs(a - b) / 9)
    assert resampled_mean(NearTies(c, limit), w[:, None])[0] == pytest.approx(near)
    assert resampled_mean(AbsoluteGaps(c, 9), w[:, None])[0] == pytest.approx(gap)
    assert near_mean(c.astype(float), np.array([limit]), w)[0] == pytest.approx(near)
    assert gap_mean(c.astype(float), 9.0, w) == pytest.approx(gap)
    other = np.random.default_rng(seed).permutation(c).astype(float)
    both = drawn(np.arange(c.size), w)
    turned = mean_over_pairs(both, lambda i, j: (c[i] - c[j]) * (other[i] - other[j]) < 0)
    assert reversed_mean(c.astype(float), other, w) == pytest.approx(turned)


def test_several_limits_at_once():
    c = np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(near_mean(c, np.array([0, 1, 2, 3]), None), [0, 1 / 3, 2 / 3, 1])


def test_the_mean_of_configuration_draws_is_known():
    """E U* = (1 − 1/M) U + h_ii/M, for any rule (moments of multinomial counts)."""
    h = np.random.default_rng(1).random((6, 6))
    h = (h + h.T) / 2
    for own in (0.0, 1.0):
        rule = PairMatrix(h, own, Fraction(0))
        u = np.triu(h, 1).sum() / 15
        draws = configuration_draws(rule, 40_000, np.random.default_rng(2))
        # five standard errors of the mean
        assert abs(draws.mean() - (5 / 6 * u + own / 6)) < 5 * draws.std() / 200


def blocks_of(values):
    cells = np.array([0, 0, 0, 1, 2, 2])
    return TaskScores(values, 1, (np.ones(6),), cells, 3)


def test_the_threshold_follows_the_drawn_number_of_tasks():
    """Blocks of 3, 1 and 2 tasks: 20·|c_i − c_j| ≤ n* with n* the tasks of the drawn blocks."""
    values = np.array([[1, 1, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1.0]])
    sizes = set()
    for board in score_draws(blocks_of(values), "cells", None, 200, np.random.default_rng(0)):
        n = board.totals[0]
        sizes.add(n)
        limit = near_limit(Fraction(1, 3), int(n))
        assert limit == int(n) // 3
        scores = board.scores[0]
        expected = mean_over_pairs(scores, lambda a, b, n=n: 3 * abs(a - b) <= n)
        assert near_mean(scores, np.array([limit]), None)[0] == pytest.approx(expected)
    assert sizes == {3, 4, 5, 6, 7, 8, 9}


def test_tasks_are_drawn_within_cells():
    values = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0.0]])
    for board in score_draws(blocks_of(values), "tasks", None, 50, np.random.default_rng(0)):
        assert board.totals == (6.0,)
        assert board.scores[0].tolist() == [3.0, 1.0]  # cells of equal outcomes cannot vary


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99))
def test_discordance_is_linear_in_tasks_and_quadratic_in_configurations(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (5, 6)).astype(float)
    made = TaskScores(values, 3, (np.array([1, 1, 1, 2, 3, 3.0]),), np.zeros(6, dtype=int), 1)
    found = discordance_draws(made, "tasks", True, 100, np.random.default_rng(seed))
    again = np.random.default_rng(seed)
    picks = again.integers(0, 5, size=(5, 100))
    tasks = again.integers(0, 6, size=(6, 100))
    for b in range(100):
        v = values[picks[:, b]][:, tasks[:, b]] / 3
        w = made.weights[0][tasks[:, b]]
        each = [np.abs(v[i] - v[j]) @ w / w.sum() for i in range(5) for j in range(i)]
        assert found[b] == pytest.approx(np.mean(each))


def test_crossed_runs_are_drawn_whole_and_nested_trials_task_by_task():
    outcomes = np.array([[[1, 0.0], [0, 1.0]], [[np.nan, np.nan], [np.nan, np.nan]]])
    counts, means = np.full((2, 2), 2.0), np.array([[0.5, 0.5], [0.5, 1.0]])
    runs = ResampledRuns(counts, means, outcomes, np.array([True, False]))
    rng = np.random.default_rng(0)
    seen = [runs.draw(rng) for _ in range(400)]
    assert {tuple(v[0]) for v in seen} == {(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)}
    assert {v[1, 0] for v in seen} == {0.0, 0.5, 1.0}
    assert {v[1, 1] for v in seen} == {1.0}
