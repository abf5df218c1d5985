"""The Gibbs sampler against a posterior summed on a grid, and a chain's invariants."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from tests.kernels.decomposition.latent_boards import board
from tiebreak.estimate.exact import draw_polya_gamma
from tiebreak.kernels.decomposition.gibbs import build_target, pointwise, start, sweep
from tiebreak.kernels.decomposition.priors import INTERCEPT_VARIANCE, log_prior

pytest.importorskip("polyagamma")


def grid_posterior(layout, prior):
    """Mean and deviation of σ_I and μ of an items-only model, summed over a grid."""
    sds, means = np.linspace(0.01, 6, 200), np.linspace(-4, 4, 121)
    z, w = np.polynomial.hermite_e.hermegauss(41)
    won = np.bincount(layout.item, layout.mean * layout.trials)
    tried = np.bincount(layout.item, layout.trials)
    eta = means[None, :, None] + sds[:, None, None] * z
    each = [(expit(eta) ** k * expit(-eta) ** (n - k)) @ w for k, n in zip(won, tried, strict=True)]
    log_density = np.log(each).sum(axis=0) - means**2 / (2 * INTERCEPT_VARIANCE)
    log_density += log_prior(prior, sds)[0][:, None]
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    over_sd, over_mean = density.sum(axis=1), density.sum(axis=0)
    centre = over_sd @ sds
    return centre, np.sqrt(over_sd @ (sds - centre) ** 2), over_mean @ means


@pytest.mark.parametrize("prior", ["half-t(3, 2.5)", "half-normal(1)"])
def test_the_posterior_of_one_facet_is_that_of_the_grid(prior):
    layout = board(6, {"I": 1.0}, items=(20,), grid=(3, 2), pairs=5, intercept=0.5)
    target = build_target(layout, ("I", "residual"), prior, draw_polya_gamma)
    rng = np.random.default_rng(3)
    state, sds, means = start(target, np.array([1.0]), rng), [], []
    for _ in range(4000):
        state = sweep(target, state, np.array([[0.4]]), rng)
        sds.append(state.sd[0])
        means.append(state.intercept)
    centre, spread, mean = grid_posterior(layout, prior)
    # about 1,000 effective draws: a thirtieth of a deviation is one standard error
    assert np.mean(sds) == pytest.approx(centre, abs=spread / 10)
    assert np.std(sds) == pytest.approx(spread, rel=0.1)
    assert np.mean(means) == pytest.approx(mean, abs=0.05)


def test_a_sweep_keeps_effects_and_predictor_together():
    layout = board(2, items=(8,), grid=(4, 2), pairs=6, trials=3)
    facets = ("I", "M", "IM", "MA")
    target = build_target(layout, facets, "half-t(3, 2.5)", draw_polya_gamma)
    state = start(target, np.full(4, 0.5), np.random.default_rng(1))
    for _ in range(5):
        state = sweep(target, state, 0.1 * np.eye(4), np.random.default_rng(2))
    eta = state.intercept + sum(e[v] for e, v in zip(state.effects, target.levels, strict=True))
    np.testing.assert_allclose(state.eta, eta)
    assert (state.sd > 0).all()
    assert (state.omega > 0).all()
    p, k = expit(state.eta), target.successes
    expected = k * np.log(p) + (target.trials - k) * np.log1p(-p)
    np.testing.assert_allclose(pointwise(target, state), expected)


def test_no_prior_is_refused():
    with pytest.raises(ValueError, match="needs a prior"):
        build_target(board(1, {}, items=(3,)), ("I",), "none", draw_polya_gamma)
