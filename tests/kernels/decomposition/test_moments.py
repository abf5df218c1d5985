"""Moment estimates and distance components against their definitions written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.decomposition.latent_boards import board
from tests.kernels.decomposition.observed_boards import BOUNDARY, ONE, REPEATED, observed
from tiebreak.kernels.decomposition.disco import distance_components
from tiebreak.kernels.decomposition.layout import ITEM_FACETS, RESIDUAL
from tiebreak.kernels.decomposition.moments import equations, moments

FACETS = ("B", "BA", "BM", "BMA", "I", "IM", "IA", "IMA", "M", "A", "MA")
SMALL = {"items": (8, 4), "grid": (4, 3), "pairs": 6}
EXACT = {"rtol": 1e-9, "atol": 1e-9}


def indicators(layout, facets, cell, copies):
    """Z_f of trials whose items occur so often, each copy an item of its own; and the trials."""
    trial = np.repeat(np.arange(cell.size), copies[layout.item[cell]].astype(int))
    copy = np.concatenate([np.arange(copies[i]) for i in layout.item[cell]])
    out = []
    for facet in facets:
        levels = layout.levels(facet)[cell][trial]
        if facet in ITEM_FACETS:
            levels = levels * int(copies.max()) + copy.astype(int)
        levels = np.arange(trial.size) if facet == RESIDUAL else levels
        out.append((levels[:, None] == np.unique(levels)).astype(float))
    return out, trial


def dense_equations(z, y, method):
    """c_fg = tr(A_f Z_g Z_gᵀ), q_f = yᵀA_f y."""
    centre = np.eye(y.size) - 1 / y.size
    if method == "henderson":
        a = [x @ np.diag(1 / x.sum(axis=0)) @ x.T - 1 / y.size for x in z]
    else:
        a = [centre @ x @ x.T @ centre for x in z]
    return [[np.trace(f @ x @ x.T) for x in z] for f in a], [y @ f @ y for f in a]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    facets=st.sets(st.sampled_from(FACETS)),
    method=st.sampled_from(["henderson", "minque"]),
    keep=st.sampled_from([1.0, 0.6]),
    trials=st.sampled_from([(1,), (1, 2, 3)]),
)
def test_equations_equal_quadratic_forms_of_the_trials(seed, facets, method, keep, trials):
    layout, score, cell = observed(seed, ONE, trials, keep=keep, **SMALL)
    facets = (*sorted(facets), RESIDUAL)
    weights = np.random.default_rng(seed).multinomial(
        layout.n_items, [1 / layout.n_items] * layout.n_items, size=2
    )
    weights[0] = 1
    found = equations(layout, facets, method, weights.astype(float))
    for row, copies in enumerate(weights):
        z, trial = indicators(layout, facets, cell, copies)
        c, q = dense_equations(z, score[trial], method)
        np.testing.assert_allclose(found.c[row], c, **EXACT)
        np.testing.assert_allclose(found.q[row], q, **EXACT)


@pytest.mark.parametrize("method", ["henderson", "minque"])
def test_unbiased_and_signed(method):
    found = []
    for seed in range(60):
        layout, _, _ = observed(seed, REPEATED, (1, 3), items=(30,), grid=(8, 3), pairs=14)
        found.append(moments(layout, tuple(REPEATED), method)[0])
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    apart = np.mean(found, axis=0) - np.square(list(REPEATED.values()))
    # 3.5 errors of 8 means are exceeded once in 270 seeds
    assert (np.abs(apart) < 3.5 * error).all()
    zero = [
        moments(observed(seed, BOUNDARY, items=(20,), grid=(6, 3), pairs=10)[0], tuple(BOUNDARY))
        for seed in range(8)
    ]
    assert (np.array(zero)[:, 0, 1] < 0).any()


def test_what_is_not_told_apart_is_nan():
    layout, _, _ = observed(1, ONE, items=(8,), grid=(5, 1), pairs=5)
    assert np.isnan(moments(layout, ("I", "A", RESIDUAL))).all()
    assert np.isnan(moments(layout, ("I", "M", "MA", RESIDUAL))).all()
    assert np.isfinite(moments(layout, ("I", "M", RESIDUAL))).all()


def dispersion(y):
    """n/2 times the mean distance of two."""
    return np.abs(y[:, None] - y).sum() / (2 * y.size)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), trials=st.sampled_from([1, 3]))
def test_distance_components_equal_their_distances(seed, trials):
    layout = board(seed, {"I": 1.0, "M": 0.5}, trials=trials, keep=0.8, **SMALL)
    cell = np.repeat(np.arange(layout.item.size), trials)
    ones = np.rint(layout.mean * trials)[cell]
    score = (np.tile(np.arange(trials), layout.item.size) < ones).astype(float)
    found = distance_components(layout, (*FACETS, RESIDUAL))
    assert found.facets == FACETS
    for i, facet in enumerate(FACETS):
        levels = layout.levels(facet)[cell]
        within = sum(dispersion(score[levels == a]) for a in np.unique(levels))
        assert found.share[i] == pytest.approx(1 - within / dispersion(score), abs=1e-12)
        assert found.levels[i] == np.unique(levels).size
    np.testing.assert_allclose(found.null, (found.levels - 1) / (score.size - 1))


def test_distance_components_of_noise_average_their_null_expectation():
    shares = []
    for seed in range(200):
        layout = board(seed, {}, items=(10,), grid=(4, 3), pairs=8)
        shares.append(distance_components(layout, ("I", "M", "IM")).share)
    found = distance_components(layout, ("I", "M", "IM"))
    error = np.std(shares, axis=0, ddof=1) / np.sqrt(len(shares))
    assert (np.abs(np.mean(shares, axis=0) - found.null) < 3.5 * error).all()


def test_distance_components_of_equal_outcomes_are_nan():
    layout = board(1, {}, intercept=99.0, **SMALL)
    assert np.isnan(distance_components(layout, ("I", "M")).share).all()
