"""Laplace's approximation: glmmTMB's log-likelihood, deviations and intercept; its known bias."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.kernels.decomposition.latent_boards import TRUTH, board, golden_boards
from tiebreak.kernels.decomposition.ep import fit_ep
from tiebreak.kernels.decomposition.laplace import fit_laplace

GOLDENS = json.loads(Path("tests/goldens/glmmtmb.json").read_text(encoding="utf-8"))
BOARDS = golden_boards()


@pytest.mark.parametrize("name", GOLDENS)
def test_it_is_glmmtmbs_fit(name):
    layout, facets = BOARDS[name]
    fit, golden = fit_laplace(layout, facets), GOLDENS[name]
    # glmmTMB's optimiser stops at a relative gain of 1e-8; its log-likelihood carries ~1e-7 of it
    assert fit.log_likelihood == pytest.approx(golden["log_likelihood"], abs=1e-4)
    assert fit.intercept == pytest.approx(golden["intercept"], abs=1e-4)
    # a deviation at zero is flat in the likelihood: glmmTMB leaves up to 4e-4 there
    sds = np.array([golden["sd"][facet] for facet in facets])
    inside = ~fit.at_boundary
    np.testing.assert_allclose(np.sqrt(fit.variance)[inside], sds[inside], atol=1e-4)
    assert (sds[~inside] < 1e-3).all()
    assert np.isfinite(fit.covariance[np.ix_(inside, inside)]).all()
    assert np.isnan(fit.covariance[~inside]).all()


def test_no_step_away_gains():
    layout, facets = BOARDS["repeated"]
    fit = fit_laplace(layout, facets)
    assert fit.diagnostics["gradient"] < 1e-3


def test_sparse_interactions_come_out_too_small_and_not_by_ep():
    """1.6 trials an IM level: the mean over four boards, truth .70."""
    boards = [board(seed, items=(110,)) for seed in range(4)]
    at = tuple(TRUTH).index("IM")
    laplace = np.mean([np.sqrt(fit_laplace(b, tuple(TRUTH)).variance[at]) for b in boards])
    ep = np.mean([np.sqrt(fit_ep(b, tuple(TRUTH), draws=0).variance[at]) for b in boards])
    # a board's posterior sd of σ_IM is .10: the mean's is .05
    assert laplace < 0.55
    assert abs(ep - TRUTH["IM"]) < 0.15
