"""The exact engine: its gate on made-up chains, agreement with EP, early stop, leave-one-out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.decomposition.latent_boards import board
from tiebreak.estimate import exact
from tiebreak.estimate.decomposition import ENGINES, Asked
from tiebreak.kernels.decomposition.ep import fit_ep

pytest.importorskip("polyagamma")
FACETS = ("I", "M", "IA")


@pytest.fixture(scope="module")
def layout():
    return board(5, {"I": 1.2, "M": 0.8, "IA": 0.7}, items=(30,), grid=(8, 2), pairs=14)


@pytest.fixture(scope="module")
def posterior(layout):
    return exact.fit_exact(layout, FACETS, draws=300, seed=2)


def test_it_stops_when_the_gate_is_met(posterior):
    found = posterior.components.diagnostics
    assert posterior.passed
    assert found["worst_rhat"] <= 1.01
    assert min(found["least_bulk"], found["least_tail"]) >= 400
    assert found["sweeps"] < exact.CHAINS * exact.BATCH * exact.MOST_BATCHES
    assert posterior.components.draws.shape == (300, 3)


def test_ep_is_close_to_it(layout, posterior):
    near, found = fit_ep(layout, FACETS, draws=192), posterior.components
    sd = np.sqrt(near.draws)
    mean, spread = posterior.sd.mean(axis=(0, 1)), posterior.sd.std(axis=(0, 1))
    # EP's error here is below a tenth of a posterior deviation, importance draws' about a tenth
    np.testing.assert_array_less(np.abs(near.weights @ sd - mean) / spread, 0.4)
    np.testing.assert_allclose(near.model_mean, found.model_mean, atol=0.1)
    spreads = [np.sqrt(np.diag(fit.model_covariance)) for fit in (near, found)]
    np.testing.assert_allclose(*spreads, rtol=0.15)


def test_the_gate_refuses_chains_apart_and_chains_that_crawl():
    rng = np.random.default_rng(0)
    good = rng.normal(size=(4, 500, 1)) + 5
    assert exact.gate(good, ("I",))["passed"] == 1
    assert exact.gate(good + np.arange(4)[:, None, None] / 3, ("I",))["passed"] == 0
    crawling = np.cumsum(rng.normal(size=(4, 500, 1)), axis=1) / 30 + 5
    found = exact.gate(np.concatenate([good, crawling], axis=2), ("I", "IM"))
    assert found["passed"] == 0
    assert found["least_bulk"] == found["bulk_IM"] < 100


def test_sampling_that_ends_before_says_so(layout, monkeypatch):
    monkeypatch.setattr(exact, "MOST_BATCHES", 1)
    monkeypatch.setattr(exact, "BATCH", 20)
    short = exact.fit_exact(layout, FACETS, seed=2)
    assert not short.passed


def test_the_same_seed_gives_the_same_draws(layout, monkeypatch):
    monkeypatch.setattr(exact, "MOST_BATCHES", 1)
    monkeypatch.setattr(exact, "BATCH", 20)
    one, again = (exact.fit_exact(layout, FACETS, seed=4).sd for _ in range(2))
    assert np.array_equal(one, again)


def test_leave_one_out_sums_the_cells(layout, posterior):
    loo = exact.leave_one_out(posterior)
    assert loo.cells == layout.item.size
    in_sample = np.log(np.exp(posterior.pointwise.astype(float)).mean(axis=(0, 1))).sum()
    assert loo.elpd < in_sample < 0
    assert loo.p_loo == pytest.approx(in_sample - loo.elpd, rel=0.05)
    assert loo.largest_k < 1


@pytest.mark.parametrize("name", ["ep", "laplace", "bayes"])
def test_the_latent_engines_answer_by_name(layout, name):
    engine = ENGINES[name]
    found = engine.run(layout, (*FACETS, "residual"), Asked(draws=192, seed=1))
    assert found.facets == FACETS
    assert found.scale == engine.scale == "logit"
    assert engine.prior == (found.draws is not None)
