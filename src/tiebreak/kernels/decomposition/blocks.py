"""The structure that makes a decomposition fast: items are independent given the pair effects.

The covariance of the cell means, items outermost, is

    V = V₀ + Z K Zᵀ,   V₀ = blockdiag over items of V_i,   K = Σ_f σ²_f E_f   (pairs × pairs)

with Z the pair of every cell, E_f(p, q) = 1 where pairs p and q share their level of pair facet f,

    V_i = diag(σ²_IMA + σ²_e / trials) + σ²_IM [same model] + σ²_IA [same scaffold] + σ²_I 11ᵀ

on the pairs observed with item i (Searle, Casella & McCulloch 1992, ch. 6). The first two terms
have an inverse D in closed form, one small block a model, and the others are L Lᵀ of few columns:

    D = diag(d) − [same model] β d dᵀ,   β = σ²_IM / (1 + σ²_IM Σ_{p of the model} d_p),
    W_i = V_i⁻¹ = D − U Uᵀ,   U = D L C⁻ᵀ,   C Cᵀ = I + LᵀDL.

Where scaffolds outnumber models the two change places. Rows are padded to all pairs of the
benchmark with d = 0 where nothing was observed, which is exact: such cells carry no information.
So no operation costs more than (patterns) × (pairs)² × (scaffolds), and no loop runs over items.
Items that share pairs and trials share W; a *pattern* stands for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tiebreak.kernels.decomposition.layout import RESIDUAL, Array, Index, Layout

LETTERS = {"M": "model", "A": "scaffold", "B": "benchmark"}
Variances = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Block:
    """The items of one benchmark: n items in k patterns over p pairs.

    Attributes
    ----------
    pairs : (p,) the benchmark's pairs
    cells, row, column : (N,) cells of the benchmark, their item and pair here
    pattern, items : (n,) pattern of every item, (k,) items of every pattern
    inverse_trials : (k, p), 0 where nothing was observed
    groups : levels of "IM" and "IA" here, (p, levels) of 0 and 1
    dense : which of the two has more levels and is inverted in closed form
    """

    pairs: Index
    cells: Index
    row: Index
    column: Index
    pattern: Index
    items: Array
    inverse_trials: Array
    groups: Mapping[str, Array]
    dense: str

    @property
    def sparse(self) -> str:
        """The facet of the two with fewer levels."""
        return "IA" if self.dense == "IM" else "IM"

    def padded(self, x: Array) -> Array:
        """Cell vector (N of the layout,) as items × pairs, 0 where nothing was observed."""
        out = np.zeros((self.pattern.size, self.pairs.size))
        out[self.row, self.column] = x[self.cells]
        return out

    def same(self, facet: str, x: Array) -> Array:
        """V_f x of rows over pairs (…, k or n, p) for one of I, IM, IA."""
        if facet == "I":
            ones: Array = np.repeat(x.sum(axis=-1, keepdims=True), x.shape[-1], axis=-1)
            return ones
        group = self.groups[facet]
        return _within(x, group)

    def diagonal(self, facet: str) -> Array:
        """The diagonal V_f of IMA or the residual, (k, p)."""
        if facet == RESIDUAL:
            return self.inverse_trials
        return (self.inverse_trials > 0).astype(float)


class Inverse(NamedTuple):
    """W = D − U Uᵀ of every pattern: d and β of the pairs (k, p), U (k, p, r), Σ log|V_i|."""

    d: Array
    beta: Array
    u: Array
    log_det: float


def blocks(layout: Layout) -> tuple[Block, ...]:
    """The blocks of a layout, one a benchmark."""
    benchmark = layout.benchmark[layout.pair]
    return tuple(
        _block(layout, np.flatnonzero(benchmark == b), np.flatnonzero(layout.benchmark == b))
        for b in range(int(layout.benchmark.max()) + 1)
    )


def _block(layout: Layout, cells: Index, pairs: Index) -> Block:
    row = np.unique(layout.item[cells], return_inverse=True)[1].astype(np.intp)
    column = np.searchsorted(pairs, layout.pair[cells])
    trials = np.zeros((int(row.max()) + 1, pairs.size))
    trials[row, column] = layout.trials[cells]
    patterns, pattern, items = np.unique(trials, axis=0, return_inverse=True, return_counts=True)
    inverse = np.divide(1.0, patterns, out=np.zeros_like(patterns), where=patterns > 0)
    groups = {f: _one_hot(getattr(layout, LETTERS[f[1]])[pairs]) for f in ("IM", "IA")}
    dense = max(groups, key=lambda f: groups[f].shape[1])
    return Block(
        pairs, cells, row, column, pattern.ravel(), items.astype(float), inverse, groups, dense
    )


def _one_hot(levels: Index) -> Array:
    """(p, levels that occur) of 0 and 1."""
    return np.eye(int(levels.max()) + 1)[levels][:, np.unique(levels)]


def same_level(layout: Layout, facet: str) -> Array:
    """E_f: 1 where two pairs share their level of a pair facet, (P, P)."""
    out = np.ones((layout.model.size,) * 2, dtype=bool)
    for letter in facet:
        of = getattr(layout, LETTERS[letter])
        out &= of[:, None] == of
    return out.astype(float)


def invert(block: Block, v: Variances) -> Inverse:
    """W of every pattern at variances ≥ 0, the residual's > 0; absent facets count as 0."""
    filled = block.inverse_trials > 0
    noise = v.get("IMA", 0.0) + v[RESIDUAL] * np.where(filled, block.inverse_trials, 1.0)
    d: Array = filled / noise
    group, variance = block.groups[block.dense], v.get(block.dense, 0.0)
    inflation = 1 + variance * (d @ group)
    beta = (variance / inflation) @ group.T
    low = _low_rank(block, v)
    dl = _dense_product(block, d, beta, np.broadcast_to(low.T, (len(d), *low.T.shape)))
    root = np.linalg.cholesky(np.eye(low.shape[1]) + dl @ low)
    u = (np.linalg.inv(root) @ dl).transpose(0, 2, 1)
    logs = (filled * np.log(noise)).sum(axis=1) + np.log(inflation).sum(axis=1)
    logs += 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
    return Inverse(d, beta, u, float(block.items @ logs))


def _low_rank(block: Block, v: Variances) -> Array:
    """L = [σ_I 1, σ Z of the facet with fewer levels], without columns of variance 0, (p, r)."""
    parts = []
    if v.get("I", 0.0) > 0:
        parts.append(np.full((block.pairs.size, 1), v["I"] ** 0.5))
    if v.get(block.sparse, 0.0) > 0:
        parts.append(v[block.sparse] ** 0.5 * block.groups[block.sparse])
    return np.concatenate([np.zeros((block.pairs.size, 0)), *parts], axis=1)


def _dense_product(block: Block, d: Array, beta: Array, x: Array) -> Array:
    """D x of rows (k, r, p), d and β being (k, p)."""
    group = block.groups[block.dense]
    dx: Array = x * d[:, None]
    dx -= (beta * d)[:, None] * _within(dx, group)
    return dx


def _within(x: Array, group: Array) -> Array:
    """Sums of rows (…, p) over the pairs of each group, given back to its pairs."""
    rows = x.reshape(-1, x.shape[-1])
    sums: Array = (rows @ group) @ group.T
    return sums.reshape(x.shape)


def times(block: Block, w: Inverse, x: Array) -> Array:
    """W x of every item, (n, r, p) for vectors (n, r, p) over the items and their pairs."""
    d, beta, u = w.d[block.pattern], w.beta[block.pattern], w.u[block.pattern]
    return _dense_product(block, d, beta, x) - (x @ u) @ u.transpose(0, 2, 1)


def whole(block: Block, w: Inverse) -> Array:
    """W of every pattern in full, (k, p, p)."""
    out = -w.u @ w.u.transpose(0, 2, 1)
    group = block.groups[block.dense]
    out -= (group @ group.T) * (w.beta * w.d)[:, :, None] * w.d[:, None]
    at = np.arange(block.pairs.size)
    out[:, at, at] += w.d
    return out


def total(block: Block, w: Inverse) -> Array:
    """Σ W over the items: this benchmark's part of S = Zᵀ V₀⁻¹ Z, (p, p)."""
    group = block.groups[block.dense]
    md = block.items[:, None] * w.d
    out = -(group @ group.T) * ((w.beta * md).T @ w.d)
    out[np.diag_indices_from(out)] += md.sum(axis=0)
    out -= _gram(block.items[:, None, None] * w.u, w.u)
    return out


def sandwich(block: Block, w: Inverse, facet: str) -> Array:
    """Σ W V_f W over the items for an item facet or the residual, (p, p).

    For V_f = G Gᵀ of few columns (W G)(W G)ᵀ; else D V_f D + X Uᵀ + U Xᵀ with
    X = U (Uᵀ V_f U)/2 − D V_f U, where D V_f D stays within models.
    """
    if facet in ("I", block.sparse):
        g = np.ones((block.pairs.size, 1)) if facet == "I" else block.groups[facet]
        rows = np.broadcast_to(g.T, (len(w.d), *g.T.shape))
        wg = _dense_product(block, w.d, w.beta, rows) - (rows @ w.u) @ w.u.transpose(0, 2, 1)
        wg = wg.transpose(0, 2, 1)
        return _gram(block.items[:, None, None] * wg, wg)
    ut = w.u.transpose(0, 2, 1)
    fu = block.same(facet, ut) if facet == block.dense else ut * block.diagonal(facet)[:, None]
    x = ((fu @ w.u) / 2) @ ut - _dense_product(block, w.d, w.beta, fu)
    out = _gram(block.items[:, None, None] * x.transpose(0, 2, 1), w.u)
    return out + out.T + _inner(block, w, facet)


def _inner(block: Block, w: Inverse, facet: str) -> Array:
    """Σ D V_f D over the items for the facet inverted in closed form, or a diagonal one."""
    group = block.groups[block.dense]
    within, items = group @ group.T, block.items[:, None]
    if facet == block.dense:
        a = w.d * (1 - w.beta * ((w.d @ group) @ group.T))
        return within * ((items * a).T @ a)
    fd = block.diagonal(facet) * w.d
    bd = w.beta * w.d
    across = (items * bd * fd).T @ w.d
    out = (items * bd * ((fd * w.d) @ group @ group.T)).T @ bd - across - across.T
    out *= within
    out[np.diag_indices_from(out)] += (items * fd * w.d).sum(axis=0)
    return out


def trace(block: Block, w: Inverse, facet: str) -> float:
    """Σ tr(W V_f) over the items; a model meets a scaffold in at most one pair of a benchmark."""
    if facet not in ("I", "IM", "IA"):
        diagonal = w.d - w.beta * w.d**2 - (w.u**2).sum(axis=2)
        return float(block.items @ (block.diagonal(facet) * diagonal).sum(axis=1))
    group, ut = block.groups[block.dense], w.u.transpose(0, 2, 1)
    shared = w.d if facet == block.sparse else (w.d @ group) @ group.T
    out = (w.d - w.beta * w.d * shared).sum(axis=1)
    out -= (ut * block.same(facet, ut)).sum(axis=(1, 2))
    return float(block.items @ out)


def _gram(left: Array, right: Array) -> Array:
    """Σ over patterns and columns of left rightᵀ, (p, p) from (k, p, r)."""
    p = left.shape[1]
    return left.transpose(1, 0, 2).reshape(p, -1) @ right.transpose(1, 0, 2).reshape(p, -1).T
