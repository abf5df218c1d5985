"""REML against dense matrices and against lme4."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.kernels.decomposition.observed_boards import (
    BOUNDARY,
    ONE,
    REPEATED,
    dense_likelihood,
    dense_projection,
    golden_boards,
    observed,
    parts,
)
from tiebreak.kernels.decomposition.information import expected_information
from tiebreak.kernels.decomposition.layout import RESIDUAL
from tiebreak.kernels.decomposition.likelihood import evaluate, outcomes_of, structure
from tiebreak.kernels.decomposition.profile import boundary_upper, profile
from tiebreak.kernels.decomposition.reml import fit_reml, predict

GOLDENS = json.loads(Path("tests/goldens/lme4.json").read_text(encoding="utf-8"))
BOARDS = golden_boards()
FACETS = ("B", "BA", "BM", "BMA", "I", "IM", "IA", "IMA", "M", "A", "MA")
ITEMS = {"items": (12, 5), "pairs": 7}
EXACT = {"rtol": 1e-7, "atol": 1e-7}
"""Dense inverses of conditions up to 1e5, squared in the information."""
CHI = 3.841459


@pytest.mark.parametrize("name", BOARDS)
def test_equals_lmer(name):
    (layout, _, _), facets = BOARDS[name]
    fit, golden = fit_reml(layout, facets), GOLDENS[name]
    assert fit.log_likelihood == pytest.approx(golden["log_likelihood"], abs=1e-5)
    assert fit.intercept == pytest.approx(golden["intercept"], abs=1e-5)
    expected = [golden["variance"][facet] for facet in facets]
    np.testing.assert_allclose(fit.variance, expected, atol=1e-5)
    np.testing.assert_allclose(fit.model_mean, golden["models"], atol=1e-5)
    assert fit.at_boundary.tolist() == [v == 0 for v in expected]
    assert fit.diagnostics["converged"] == 1


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    facets=st.sets(st.sampled_from(FACETS)),
    grid=st.sampled_from([(5, 3), (3, 5)]),
    keep=st.sampled_from([1.0, 0.6]),
    trials=st.sampled_from([(1,), (1, 2, 3)]),
)
def test_likelihood_and_derivatives_equal_their_dense_form(seed, facets, grid, keep, trials):
    layout, score, cell = observed(seed, ONE, trials, grid=grid, keep=keep, **ITEMS)
    facets = (*sorted(facets), RESIDUAL)
    rng = np.random.default_rng(seed)
    variance = rng.exponential(size=len(facets)) * (rng.random(len(facets)) < 0.8)
    variance[-1] = rng.uniform(0.1, 1.0)
    made, seen = structure(layout, facets), outcomes_of(layout)
    value, gradient, average, expected = dense_likelihood(
        variance, parts(layout, facets, cell), score
    )
    ours = evaluate(made, seen, variance)
    assert ours.value == pytest.approx(value, rel=1e-9, abs=1e-8)
    np.testing.assert_allclose(ours.gradient, gradient, **EXACT)
    np.testing.assert_allclose(ours.information, average, **EXACT)
    found = expected_information(made, variance, seen.repeats)
    np.testing.assert_allclose(found, expected, **EXACT)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), trials=st.sampled_from([(1,), (1, 2, 3)]))
def test_predictions_equal_their_dense_form(seed, trials):
    layout, score, cell = observed(seed, ONE, trials, grid=(5, 3), keep=0.8, **ITEMS)
    facets = ("I", "M", "IM", "MA", RESIDUAL)
    variance = np.array([0.3, 0.2, 0.1, 0.15, 0.4])
    made, v_parts = structure(layout, facets), parts(layout, facets, cell)
    p = dense_projection(np.tensordot(variance, v_parts, 1))[1]
    z = (layout.pair[cell][:, None] == np.arange(layout.model.size)).astype(float)
    c = 0.2 * made.same["M"] + 0.15 * made.same["MA"]
    rows = np.random.default_rng(seed).normal(size=(3, layout.model.size))
    found = predict(made, outcomes_of(layout), variance, ("M", "MA"), rows)
    np.testing.assert_allclose(found.mean, rows @ c @ z.T @ p @ score, **EXACT)
    errors = rows @ (c - c @ z.T @ p @ z @ c) @ rows.T
    np.testing.assert_allclose(found.covariance, errors, **EXACT)


def test_equal_outcomes_are_refused():
    layout, _, _ = observed(1, ONE, grid=(5, 3), **ITEMS)
    with pytest.raises(ValueError, match="all outcomes are equal"):
        fit_reml(replace(layout, mean=np.ones(layout.mean.size)), ("I", RESIDUAL))


def test_known_components_without_bias():
    fits = []
    for seed in range(40):
        layout, _, _ = observed(seed, REPEATED, (1, 3), items=(60,), grid=(8, 4), pairs=20)
        fits.append(fit_reml(layout, tuple(REPEATED)).variance)
    error = np.std(fits, axis=0, ddof=1) / np.sqrt(len(fits))
    apart = np.mean(fits, axis=0) - np.square(list(REPEATED.values()))
    # REML is unbiased but for the cut at 0; 3.5 errors of 8 means are exceeded once in 270 seeds
    assert (np.abs(apart) < 3.5 * error).all()


def test_bound_at_the_boundary_is_where_the_dense_profile_has_dropped():
    layout, score, cell = observed(15, BOUNDARY, items=(9,), grid=(5, 3), pairs=8)
    facets = ("I", "M", RESIDUAL)
    fit = fit_reml(layout, facets)
    assert fit.at_boundary.tolist() == [False, True, False]
    bound = boundary_upper(layout, fit)
    assert np.isnan(bound).tolist() == [True, False, True]
    v_parts = parts(layout, facets, cell)

    def minus(others):
        value, gradient, _, _ = dense_likelihood([others[0], bound[1], others[1]], v_parts, score)
        return -value, -gradient[[0, 2]]

    inner = minimize(minus, [0.05, 0.1], jac=True, method="L-BFGS-B", bounds=[(0, 9), (1e-3, 9)])
    drop = 2 * (fit.log_likelihood + inner.fun)
    assert drop == pytest.approx(CHI, abs=2e-3)
    narrower = boundary_upper(layout, fit, 0.68)
    assert 0 < narrower[1] < bound[1]


def test_likelihood_ratio_intervals_hold_small_components():
    truth, held = {**ONE, "M": 0.05}, []
    facets = ("I", "M", "IM", RESIDUAL)
    truth = {facet: truth[facet] for facet in facets}
    for seed in range(120):
        layout, _, _ = observed(seed, truth, items=(15,), grid=(8, 3), pairs=14)
        fit = fit_reml(layout, facets)
        made, seen = structure(layout, facets), outcomes_of(layout)
        held.append(profile(made, seen, fit, 1, truth["M"] ** 2, fit.variance).drop < CHI)
    # 95 % or, so near the boundary, more; 3 Monte Carlo errors of 120 replicates are 6 points
    assert np.mean(held) >= 0.89
