"""Gaussian algebra of the latent (logit) scale, shared by EP, Laplace and Gibbs.

The latent value of cell c = (item i, pair p) is η_c = Σ_f u_f[level of c], u_f ~ N(0, σ²_f).
Given the pair effects g = Σ_{pair facets} u the items are independent:

    Cov η = D + G K Gᵀ     D block-diagonal over items, K (P, P) over pairs, G the pair of a cell

An approximate or augmented likelihood gives each cell a Gaussian *site* of precision w ≥ 0. With
W = diag(w) everything follows from one small block an item and one (P, P) system:

    R = (D + W⁻¹)⁻¹                 block-diagonal; (I − DR) = W⁻¹R, D − DRD = W⁻¹ − W⁻¹RW⁻¹
    T = GᵀRG,  V = (K⁻¹ + T)⁻¹      posterior covariance of g
    R* = (Cov η + W⁻¹)⁻¹ = R − RGVGᵀR
    log|I + W Cov η| = Σ_i log|I + W_i D_i| + log|I + KT|

(Rasmussen & Williams 2006, §3.4 and A.9.) Blocks are inverted in closed form: cells of one item
share levels of the finer of IM and IA (rank-one updates), then of the coarser and of I.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tiebreak.kernels.decomposition.layout import (
    ITEM_FACETS,
    PAIR_FACETS,
    RESIDUAL,
    Array,
    Index,
    Layout,
)

WASTE = 2.0
"""A batch may hold so many times the squared block sizes of its items."""
LEAST_SPREAD = 1e-12
"""Least marginal variance: with all components near zero the difference cancels."""


class Batch(NamedTuple):
    """Items of one benchmark whose blocks are worked as one array.

    ``pairs`` (k,) are the pairs any of its m items has; ``cells`` (m, k) the cell of each item and
    pair, N where there is none; ``model`` and ``scaffold`` (k, levels) are 0/1 designs.
    """

    pairs: Index
    cells: Index
    model: Array
    scaffold: Array


@dataclass(frozen=True, slots=True)
class Structure:
    """A layout made ready for the algebra.

    ``same[f]`` (P, P) is 1 where two pairs share the level of pair facet f; ``facets`` are those
    fitted, without the residual. ``shared`` is the prior variance of what all cells share.
    """

    facets: tuple[str, ...]
    cells: int
    pairs: int
    same: dict[str, Array]
    batches: tuple[Batch, ...]
    shared: float


class Factor(NamedTuple):
    """Sites and variances worked out: R by batch (m, k, k), T and V (P, P), log|I + W Cov η|."""

    blocks: tuple[Array, ...]
    total: Array
    spread: Array
    log_determinant: float


def build_structure(layout: Layout, facets: tuple[str, ...], shared: float) -> Structure:
    """Batches and pair designs of a layout; ``shared`` is 0 where the intercept is not integrated.

    Raises
    ------
    KeyError : a facet that is neither of items nor of pairs
    """
    facets = tuple(f for f in facets if f != RESIDUAL)
    columns = {"B": layout.benchmark, "M": layout.model, "A": layout.scaffold}
    same: dict[str, Array] = {}
    for facet in facets:
        if facet in PAIR_FACETS:
            levels = np.stack([columns[letter] for letter in facet])
            equal = (levels[:, :, None] == levels[:, None, :]).all(axis=0)
            same[facet] = equal.astype(np.float64)
        elif facet not in ITEM_FACETS:
            raise KeyError(facet)
    return Structure(
        facets, layout.item.size, layout.model.size, same, tuple(_batches(layout)), shared
    )


def _batches(layout: Layout) -> Iterator[Batch]:
    """Walk items by benchmark and pattern of pairs; close a batch where padding would waste."""
    bounds = np.searchsorted(layout.item, np.arange(layout.n_items + 1))
    items = [range(int(lo), int(hi)) for lo, hi in pairwise(bounds)]
    patterns = [(tuple(layout.pair[r.start : r.stop].tolist()), r) for r in items if r]
    patterns.sort(key=lambda item: (layout.benchmark[item[0][0]], item[0], item[1].start))
    held: list[tuple[tuple[int, ...], range]] = []
    union: set[int] = set()
    squares, benchmark = 0, -1
    for pattern, cells in patterns:
        joined, size = union | set(pattern), len(held) + 1
        wasteful = size * len(joined) ** 2 > WASTE * (squares + len(pattern) ** 2) and size > 8
        if held and (wasteful or layout.benchmark[pattern[0]] != benchmark):
            yield _batch(layout, held, union)
            held, joined, squares = [], set(pattern), 0
        held.append((pattern, cells))
        union, squares = joined, squares + len(pattern) ** 2
        benchmark = int(layout.benchmark[pattern[0]])
    yield _batch(layout, held, union)


def _batch(layout: Layout, held: list[tuple[tuple[int, ...], range]], union: set[int]) -> Batch:
    pairs = np.array(sorted(union), dtype=np.intp)
    cells = np.full((len(held), pairs.size), layout.item.size, dtype=np.intp)
    for row, (pattern, own) in enumerate(held):
        cells[row, np.searchsorted(pairs, pattern)] = own
    return Batch(pairs, cells, _design(layout.model[pairs]), _design(layout.scaffold[pairs]))


def _design(levels: Index) -> Array:
    design: Array = (levels[:, None] == np.unique(levels)).astype(np.float64)
    return design


def pair_covariance(structure: Structure, variance: Array) -> Array:
    """K, the (P, P) covariance of the pair effects, with the shared variance."""
    k = np.full((structure.pairs, structure.pairs), structure.shared)
    for facet, v in zip(structure.facets, variance, strict=True):
        if facet in structure.same:
            k += v * structure.same[facet]
    return k


def factorise(structure: Structure, variance: Array, precision: Array) -> Factor:
    """Work out R, T, V and the determinant at ``variance`` (F,) and site ``precision`` (N,)."""
    own = dict(zip(structure.facets, variance.tolist(), strict=True))
    k = pair_covariance(structure, variance)
    total, blocks, log_determinant = np.zeros_like(k), [], 0.0
    for batch in structure.batches:
        r, part = _block(batch, own, gather(precision, batch))
        total[np.ix_(batch.pairs, batch.pairs)] += r.sum(axis=0)
        blocks.append(r)
        log_determinant += part
    system = np.eye(k.shape[0]) + k @ total
    spread = np.linalg.solve(system, k)
    log_determinant += float(np.linalg.slogdet(system)[1])
    return Factor(tuple(blocks), total, (spread + spread.T) / 2, log_determinant)


def _block(batch: Batch, own: dict[str, float], w: Array) -> tuple[Array, float]:
    """R (m, k, k) and Σ log|I + W_i D_i| of one batch, by the matrix inversion lemma twice."""
    im, ia, ima = (own.get(facet, 0.0) for facet in ("IM", "IA", "IMA"))
    fine, coarse, v, u = batch.model, batch.scaffold, im, ia
    if fine.shape[1] < coarse.shape[1]:
        fine, coarse, v, u = coarse, fine, ia, im
    log_determinant = float(np.log1p(ima * w).sum())
    w = w / (1 + ima * w)
    level = w @ fine
    log_determinant += float(np.log1p(v * level).sum())
    shrink = np.sqrt(v / (1 + v * level)) @ fine.T * w
    r = -(shrink[:, :, None] * shrink[:, None, :]) * (fine @ fine.T)
    diagonal = np.arange(w.shape[1])
    r[:, diagonal, diagonal] += w
    one = np.full((w.shape[1], 1), np.sqrt(own.get("I", 0.0)))
    h = np.hstack([one, np.sqrt(u) * coarse]) if u > 0 else one
    rh = r @ h
    inner = np.eye(h.shape[1]) + h.T @ rh
    log_determinant += float(np.linalg.slogdet(inner)[1].sum())
    r -= (rh @ np.linalg.inv(inner)) @ rh.transpose(0, 2, 1)
    return r, log_determinant


def gather(values: Array, batch: Batch) -> Array:
    """Cell values (N,) on a batch's grid (m, k), 0 where there is no cell."""
    return np.append(values, 0.0)[batch.cells]


def _scatter(structure: Structure, grids: list[Array]) -> Array:
    out = np.empty(structure.cells + 1)
    for batch, grid in zip(structure.batches, grids, strict=True):
        out[batch.cells] = grid
    return out[:-1]


def marginal_variance(structure: Structure, factor: Factor, precision: Array) -> Array:
    """Posterior variance of every η_c, (N,): (1 − R_cc/w)/w + R_c·G V GᵀR_·c / w²."""
    diagonals, quadratics = [], []
    for batch, r in zip(structure.batches, factor.blocks, strict=True):
        v = factor.spread[np.ix_(batch.pairs, batch.pairs)]
        quadratics.append(np.einsum("ipq,ipq->ip", (r @ v), r))
        diagonals.append(np.einsum("ipp->ip", r))
    w, quadratic = precision, _scatter(structure, quadratics)
    spread = (1 - _scatter(structure, diagonals) / w) / w + quadratic / w**2
    return np.maximum(spread, LEAST_SPREAD)


def pair_sums(structure: Structure, values: Array) -> Array:
    """Gᵀx: sums of cell values over each pair, (P,)."""
    sums = np.zeros(structure.pairs)
    for batch in structure.batches:
        sums[batch.pairs] += gather(values, batch).sum(axis=0)
    return sums


def solve(structure: Structure, factor: Factor, values: Array) -> Array:
    """R* x = (Cov η + W⁻¹)⁻¹ x, (N,)."""
    inner = [
        np.einsum("ipq,iq->ip", r, gather(values, batch))
        for batch, r in zip(structure.batches, factor.blocks, strict=True)
    ]
    sums = np.zeros(factor.total.shape[0])
    for batch, grid in zip(structure.batches, inner, strict=True):
        sums[batch.pairs] += grid.sum(axis=0)
    shift = factor.spread @ sums
    return _scatter(
        structure,
        [
            grid - r @ shift[batch.pairs]
            for batch, r, grid in zip(structure.batches, factor.blocks, inner, strict=True)
        ],
    )


def covary(structure: Structure, variance: Array, values: Array) -> Array:
    """(Cov η) x, (N,)."""
    own = dict(zip(structure.facets, variance.tolist(), strict=True))
    im, ia, ima = (own.get(facet, 0.0) for facet in ("IM", "IA", "IMA"))
    pairs = pair_covariance(structure, variance) @ pair_sums(structure, values)
    grids = []
    for batch in structure.batches:
        x = gather(values, batch)
        item = own.get("I", 0.0) * x.sum(axis=1, keepdims=True) + ima * x
        item = item + im * (x @ batch.model) @ batch.model.T
        grids.append(item + ia * (x @ batch.scaffold) @ batch.scaffold.T + pairs[batch.pairs])
    return _scatter(structure, grids)


def products(structure: Structure, x: Array, y: Array) -> Array:
    """xᵀ (∂Cov η/∂σ²_f) y of every facet, (F,)."""
    at_x, at_y = pair_sums(structure, x), pair_sums(structure, y)
    found = {facet: float(at_x @ same @ at_y) for facet, same in structure.same.items()}
    found |= dict.fromkeys(ITEM_FACETS, 0.0)
    for batch in structure.batches:
        a, b = gather(x, batch), gather(y, batch)
        found["I"] += float(a.sum(axis=1) @ b.sum(axis=1))
        found["IM"] += float(np.vdot(a @ batch.model, b @ batch.model))
        found["IA"] += float(np.vdot(a @ batch.scaffold, b @ batch.scaffold))
        found["IMA"] += float(np.vdot(a, b))
    return np.array([found[facet] for facet in structure.facets])


def traces(structure: Structure, factor: Factor) -> Array:
    """tr(R* ∂Cov η/∂σ²_f) of every facet, (F,)."""
    pairs = pair_precision(factor)
    found = {facet: float(np.vdot(pairs, same)) for facet, same in structure.same.items()}
    found |= dict.fromkeys(ITEM_FACETS, 0.0)
    for batch, r in zip(structure.batches, factor.blocks, strict=True):
        v = factor.spread[np.ix_(batch.pairs, batch.pairs)]
        ones = np.ones((batch.pairs.size, 1))
        designs = {"I": ones, "IM": batch.model, "IA": batch.scaffold}
        for facet in set(designs) & set(structure.facets):
            rz = r @ designs[facet]
            found[facet] += float((rz.sum(axis=0) * designs[facet]).sum() - np.vdot(v @ rz, rz))
        if "IMA" in structure.facets:
            found["IMA"] += float(np.einsum("ipp->", r) - np.vdot(r @ v, r))
    return np.array([found[facet] for facet in structure.facets])


def pair_precision(factor: Factor) -> Array:
    """GᵀR*G = T − TVT, (P, P)."""
    return factor.total - factor.total @ factor.spread @ factor.total


def model_effects(
    layout: Layout, structure: Structure, factor: Factor, variance: Array, alpha: Array
) -> tuple[Array, Array]:
    """Posterior mean (models,) and covariance of the model effects, from α = R*z.

    σ²_M ZᵀGᵀα and σ²_M I − σ⁴_M ZᵀGᵀR*GZ, with Z the model of a pair; zero without the facet.
    """
    z = _design(layout.model)
    v = dict(zip(structure.facets, variance.tolist(), strict=True)).get("M", 0.0)
    mean = v * z.T @ pair_sums(structure, alpha)
    return mean, v * np.eye(z.shape[1]) - v**2 * z.T @ pair_precision(factor) @ z
