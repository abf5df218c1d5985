"""Rates per group: weighted means by hand, movement against the released mix, no interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tiebreak.estimate.grouped import cell_rates, grouped_pairs, grouped_scores

NAN = np.nan
RATES = [[0.9, 0.5], [0.8, 0.7], [0.6, NAN]]
COUNTS = [[90.0, 10.0], [50.0, 50.0], [10.0, NAN]]


@pytest.fixture
def panel(make_panel):
    return replace(make_panel(RATES, sizes=(1, 1)), counts=np.array(COUNTS))


def test_released_scores_weigh_by_trials_and_target_scores_by_the_target(panel):
    scores = grouped_scores(panel)
    np.testing.assert_allclose(scores.observed, [0.86, 0.75, 0.6])
    np.testing.assert_allclose(scores.score, [0.7, 0.75, NAN])
    assert scores.n_tasks.tolist() == [100.0, 100.0, 10.0]
    assert np.isnan(scores.bounds.low).all()


def test_a_pair_is_compared_on_the_groups_that_both_report(panel):
    found = grouped_pairs(panel, np.array([0, 0]), np.array([1, 2]))
    np.testing.assert_allclose(found.gap, [-0.05, 0.3])
    np.testing.assert_allclose(found.observed, [0.11, 0.3])
    np.testing.assert_allclose(found.movement, [-0.16, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.covered, [1.0, 0.5])
    assert found.unsupported.tolist() == [False, True]
    assert np.isnan(found.bounds.low).all()
    # Sign flip of pair (0, 1): from (½, ½) to 2/3 · (−.2) + 1/3 · .1 … it is 0 at (2/3, 1/3).
    np.testing.assert_allclose(found.radius(0.0), [1 / 3, np.inf])


def test_groups_without_counts_weigh_one_each(panel):
    unknown = replace(panel, counts=np.full((3, 2), NAN))
    rates, mass = cell_rates(unknown)
    np.testing.assert_allclose(rates, RATES)
    assert mass.tolist() == [[1, 1], [1, 1], [1, 0]]
    np.testing.assert_allclose(grouped_scores(unknown).observed, [0.7, 0.75, 0.6])
