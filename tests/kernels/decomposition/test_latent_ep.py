"""Expectation propagation: quadrature against dense sums, gradients, one-facet integrals, truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from tests.kernels.decomposition.latent_boards import TRUTH, board
from tiebreak.kernels.decomposition.ep import fit_ep
from tiebreak.kernels.decomposition.expectation import first_sites, mass_gradient, propagate
from tiebreak.kernels.decomposition.latent import build_structure
from tiebreak.kernels.decomposition.sites import tilted_moments

FACETS = tuple(TRUTH)


@pytest.mark.parametrize(("n", "k"), [(1, 0), (1, 1), (5, 4), (40, 40), (400, 130)])
@pytest.mark.parametrize(("v", "atol"), [(0.5, 1e-7), (2.0, 2e-5), (4.0, 2e-4)])
def test_tilted_moments_equal_dense_sums(n, k, v, atol):
    m = np.array([-6.0, -1.0, 0.0, 3.0])
    size = m.size
    ours = tilted_moments(np.full(size, k), np.full(size, n), m, np.full(size, v), m)
    eta = np.linspace(-25, 25, 400_001)[:, None]
    log_density = k * eta - n * np.logaddexp(0, eta) - (eta - m) ** 2 / (2 * v)
    mass = logsumexp(log_density, axis=0)
    weights = np.exp(log_density - mass)
    mean = (weights * eta).sum(axis=0)
    step = eta[1, 0] - eta[0, 0]
    exact = mass + np.log(step) - np.log(2 * np.pi * v) / 2
    np.testing.assert_allclose(ours.log_mass, exact, atol=atol)
    np.testing.assert_allclose(ours.mean, mean, atol=atol)
    spread = (weights * (eta - mean) ** 2).sum(axis=0)
    np.testing.assert_allclose(ours.variance / spread, 1, atol=atol)


@pytest.fixture(scope="module")
def small():
    layout = board(2, items=(30, 12), grid=(6, 3), pairs=10, keep=0.8)
    facets = (*FACETS, "BM")
    structure = build_structure(layout, facets, 5.0)
    return structure, layout.mean, layout.trials


def test_the_gradient_is_that_of_log_z(small):
    structure, k, n = small
    variance, start = np.linspace(0.2, 0.9, 7), first_sites(k, n)
    at = lambda v: propagate(structure, v, k, n, start, tolerance=1e-10)  # noqa: E731
    slope = mass_gradient(structure, at(variance))
    for j, step in enumerate(1e-4 * np.eye(7)):
        difference = at(variance + step).log_mass - at(variance - step).log_mass
        assert slope[j] == pytest.approx(difference / 2e-4, abs=1e-4)


def test_marginals_agree_with_tilted_moments_at_the_fixed_point(small):
    structure, k, n = small
    found = propagate(structure, np.full(7, 0.6), k, n, first_sites(k, n), tolerance=1e-8)
    assert found.gap < 1e-8
    assert found.sweeps < 40


def test_log_z_of_one_item_facet_is_close_to_the_exact_integral():
    """Items alone: the likelihood is a product of one-dimensional integrals given the intercept."""
    layout = board(4, {"I": 1.2}, items=(60,), grid=(3, 2), pairs=5, intercept=0.0)
    structure = build_structure(layout, ("I",), 0.0)
    k, n = layout.mean, layout.trials
    found = propagate(structure, np.array([1.44]), k, n, first_sites(k, n), tolerance=1e-8)
    eta = np.linspace(-12, 12, 4001)
    density = np.exp(-(eta**2) / 2.88) / np.sqrt(2.88 * np.pi) * (eta[1] - eta[0])
    won = np.bincount(layout.item, k)
    each = [density @ (expit(eta) ** w * expit(-eta) ** (5 - w)) for w in won]
    # EP's own error: .002 an item here, of 3 nats
    assert found.log_mass == pytest.approx(np.log(each).sum(), abs=60 * 2e-3)


def test_components_near_the_truth_and_draws_around_them():
    fits = [fit_ep(board(seed), FACETS, draws=192, seed=1) for seed in range(3)]
    sds = np.array([np.sqrt(fit.variance) for fit in fits])
    error = dict(zip(FACETS, sds.mean(axis=0) - list(TRUTH.values()), strict=True))
    # mean of three boards; one board's posterior sd is .13 on I and .10 on IM
    assert abs(error["I"]) < 0.2
    assert abs(error["IM"]) < 0.15
    for fit in fits:
        assert fit.scale == "logit"
        assert fit.weights.sum() == pytest.approx(1)
        assert fit.diagnostics["effective_draws"] >= 50
        assert fit.diagnostics["gradient"] < 0.05
        low, high = np.sqrt(np.quantile(fit.draws, [0.001, 0.999], axis=0))
        assert (low <= np.sqrt(fit.variance) + 1e-6).all()
        assert (high >= np.sqrt(fit.variance)).all()
        assert np.linalg.eigvalsh(fit.model_covariance)[0] > 0


def test_the_same_seed_gives_the_same_draws_and_priors_matter_where_levels_are_few():
    layout = board(7, items=(40,), grid=(8, 2), pairs=14)
    one, again = (fit_ep(layout, FACETS, draws=192, seed=5) for _ in range(2))
    assert (one.draws == again.draws).all()
    tight = fit_ep(layout, FACETS, prior="half-normal(1)", draws=192, seed=5)
    flat = fit_ep(layout, FACETS, prior="none")
    scaffold = FACETS.index("A")
    wide = one.weights @ np.sqrt(one.draws[:, scaffold])
    assert tight.weights @ np.sqrt(tight.draws[:, scaffold]) < wide
    assert flat.draws is None
    assert flat.log_likelihood >= tight.log_likelihood


def test_a_facet_without_variance_is_at_the_boundary_without_an_error_of_its_own():
    layout = board(11, {"I": 1.0, "M": 0.5}, items=(60,), grid=(10, 2), pairs=15)
    fit = fit_ep(layout, ("I", "M", "IA"), draws=192)
    if fit.at_boundary[2]:
        assert np.isnan(fit.covariance[2]).all()
    assert fit.variance[2] < 0.2
    assert fit.covariance[0, 0] > 0


@pytest.mark.parametrize("outcome", ["ones", "zeros", "by item", "a thousand each"])
def test_extreme_outcomes_end_in_finite_numbers(outcome):
    layout = board(3, items=(12,), grid=(5, 2), pairs=8)
    means = {"ones": np.ones(96), "zeros": np.zeros(96), "by item": layout.item % 2.0}
    trials = layout.trials * (1000 if outcome == "a thousand each" else 1)
    extreme = replace(layout, mean=means.get(outcome, layout.mean), trials=trials)
    fit = fit_ep(extreme, FACETS, draws=0)
    assert np.isfinite(fit.variance).all()
    assert np.isfinite(fit.log_likelihood)
    assert np.isfinite(fit.model_covariance).all()
