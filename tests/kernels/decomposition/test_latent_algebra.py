"""Structured algebra of the latent scale against the same written out with dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.decomposition.latent_boards import board, covariance
from tiebreak.kernels.decomposition import latent

FACETS = ("B", "BA", "BM", "BMA", "I", "IM", "IA", "IMA", "M", "A", "MA")
EXACT = {"rtol": 1e-9, "atol": 1e-9}
"""Inverses of conditions below 1e4 in doubles."""


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    facets=st.sets(st.sampled_from(FACETS), min_size=1),
    grid=st.sampled_from([(5, 3), (3, 5)]),
    keep=st.sampled_from([1.0, 0.6]),
)
def test_every_operation_equals_its_dense_form(seed, facets, grid, keep):
    layout = board(seed, {}, items=(12, 5), grid=grid, pairs=7, keep=keep)
    facets, rng = tuple(sorted(facets)), np.random.default_rng(seed)
    variance, w = rng.exponential(size=len(facets)), rng.uniform(0.01, 0.5, layout.item.size)
    x, y = rng.normal(size=(2, w.size))
    structure = latent.build_structure(layout, facets, 2.0)
    factor = latent.factorise(structure, variance, w)
    cov = covariance(layout, facets, variance, 2.0)
    whole = np.linalg.inv(cov + np.diag(1 / w))
    parts = [covariance(layout, (f,), (1.0,), 0.0) for f in facets]
    determinant = np.linalg.slogdet(np.eye(w.size) + w[:, None] * cov)[1]
    assert factor.log_determinant == pytest.approx(determinant, rel=1e-9)
    for ours, written_out in (
        (latent.solve(structure, factor, x), whole @ x),
        (latent.covary(structure, variance, x), cov @ x),
        (latent.marginal_variance(structure, factor, w), np.diag(cov - cov @ whole @ cov)),
        (latent.traces(structure, factor), [np.vdot(whole, part) for part in parts]),
        (latent.products(structure, x, y), [x @ part @ y for part in parts]),
    ):
        np.testing.assert_allclose(ours, written_out, **EXACT)


def test_model_effects_are_the_dense_conditional():
    layout = board(3, {}, items=(9,), grid=(4, 3), pairs=7)
    variance, w = np.array([0.5, 0.8, 0.3]), np.full(layout.item.size, 0.2)
    structure = latent.build_structure(layout, ("I", "M", "IM"), 1.0)
    factor = latent.factorise(structure, variance, w)
    z = np.random.default_rng(1).normal(size=w.size)
    whole = np.linalg.inv(covariance(layout, ("I", "M", "IM"), variance, 1.0) + np.diag(1 / w))
    own = (layout.model[layout.pair][:, None] == np.unique(layout.model)).astype(float)
    alpha = latent.solve(structure, factor, z)
    mean, spread = latent.model_effects(layout, structure, factor, variance, alpha)
    np.testing.assert_allclose(mean, 0.8 * own.T @ whole @ z, **EXACT)
    expected = 0.8 * np.eye(own.shape[1]) - 0.64 * own.T @ whole @ own
    np.testing.assert_allclose(spread, expected, **EXACT)


def test_sparse_designs_are_cut_into_batches_that_waste_little():
    layout = board(5, {}, items=(200,), grid=(20, 4), pairs=60, keep=0.1)
    structure = latent.build_structure(layout, ("I",), 0.0)
    held = sum(batch.cells.shape[0] * batch.pairs.size**2 for batch in structure.batches)
    assert held < 200 * 60**2 * 0.8
    every = np.concatenate([batch.cells.ravel() for batch in structure.batches])
    assert sorted(every[every < layout.item.size]) == list(range(layout.item.size))


def test_an_unknown_facet_is_refused():
    with pytest.raises(KeyError, match="IB"):
        latent.build_structure(board(1, {}, items=(3,)), ("IB",), 0.0)
