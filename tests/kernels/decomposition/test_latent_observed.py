"""Implied observed-scale components: covariances by simulation, sums, the linear limit, nesting."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from tiebreak.kernels.decomposition.observed import implied_components, shared_covariance

FACETS = ("I", "M", "A", "IM", "IA", "MA")
VARIANCE = np.array([2.25, 0.36, 0.16, 0.49, 0.25, 0.09])


def test_the_covariance_of_two_trials_is_the_simulated_one():
    rng = np.random.default_rng(1)
    shared, own = rng.normal(size=1_000_000), rng.normal(size=(2, 1_000_000))
    p = expit(-0.4 + np.sqrt(1.2) * shared + np.sqrt(1.8) * own)
    # Monte Carlo error of a covariance of 10⁶ pairs with variance .06: 6e-5
    ours = shared_covariance(-0.4, 3.0, np.array([1.2]))[0]
    assert ours == pytest.approx(np.cov(p)[0, 1], abs=3e-4)


def test_components_and_noise_sum_to_the_variance_of_a_trial():
    found = implied_components(FACETS, VARIANCE, 0.7)
    total = sum(found.components.values()) + found.noise
    assert total == pytest.approx(found.mean * (1 - found.mean), abs=1e-12)
    assert min(found.components.values()) > -1e-9
    assert set(found.components) == {*FACETS, "IMA"}
    assert found.components["I"] > found.components["IM"] > found.components["A"] / 10


def test_small_variances_are_scaled_by_the_slope_squared():
    found = implied_components(FACETS, VARIANCE * 1e-5, 0.7)
    slope = expit(0.7) * expit(-0.7)
    scaled = [found.components[facet] / (slope**2 * 1e-5) for facet in FACETS]
    np.testing.assert_allclose(scaled, VARIANCE, rtol=1e-3, atol=1e-3)
    assert found.components["IMA"] < slope**2 * 1e-8


def test_the_item_component_is_that_of_simulated_items():
    """One facet beside items: a two-way table of probabilities and its mean squares."""
    rng, size = np.random.default_rng(3), 1500
    item, model = 1.2 * rng.normal(size=(size, 1)), 0.8 * rng.normal(size=(1, size))
    p = expit(item + model + 0.7 * rng.normal(size=(size, size)))
    rows, columns = p.mean(axis=1).var(), p.mean(axis=0).var()
    found = implied_components(("I", "M", "IM"), np.array([1.44, 0.64, 0.49]), 0.0).components
    # 1,500 levels: relative error of a variance √(2/1500) = .037
    assert found["I"] == pytest.approx(rows, rel=0.11)
    assert found["M"] == pytest.approx(columns, rel=0.11)
    assert found["IM"] == pytest.approx(p.var() - rows - columns, rel=0.05)


def test_items_nested_in_benchmarks_hold_them():
    facets = ("B", "BM", "I", "IM", "M")
    found = implied_components(facets, np.array([1.0, 0.2, 1.5, 0.3, 0.4]), 0.2).components
    assert set(found) == {"B", "BM", "I", "IM", "M"}
    whole = shared_covariance(0.2, 3.4, np.array([1.0, 2.5]))
    assert found["B"] == pytest.approx(whole[0])
    assert found["I"] == pytest.approx(whole[1] - whole[0])
