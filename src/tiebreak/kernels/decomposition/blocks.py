"""The structure that makes a decomposition fast: items are independent given the pair effects.

The covariance of the cell means, items outermost, is

    V = V₀ + Z K Zᵀ,   V₀ = blockdiag over items of V_i,   K = Σ_f σ²_f E_f   (pairs × pairs)

with Z the pair of every cell, E_f(p, q) = 1 where pairs p and q share their level of pair facet f,

    V_i = σ²_I 11ᵀ + σ²_IM [same model] + σ²_IA [same scaffold] + diag(σ²_IMA + σ²_e / trials)

on the pairs observed with item i (Searle, Casella & McCulloch 1992, ch. 6). With

    S = Zᵀ V₀⁻¹ Z,   ỹ = S⁻¹ Zᵀ V₀⁻¹ y,   H = (K + S⁻¹)⁻¹,   R = H − H11ᵀH / 1ᵀH1,

ỹ are generalised least squares means of pairs with covariance K + S⁻¹, and for the projection
P = V⁻¹ − V⁻¹1(1ᵀV⁻¹1)⁻¹1ᵀV⁻¹ of an intercept

    log|V| = Σ_i log|V_i| + log|S| + log|K + S⁻¹|,   1ᵀV⁻¹1 = 1ᵀH1,   ZᵀPZ = R,
    P = V₀⁻¹ − V₀⁻¹ Z Q Zᵀ V₀⁻¹,   Q = S⁻¹ − S⁻¹RS⁻¹.

Items that share pairs and trials share V_i. These *patterns* are batched by their size and by how
many items have them, so that one factorisation serves all items of a complete benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tiebreak.kernels.decomposition.layout import (
    ITEM_FACETS,
    PAIR_FACETS,
    RESIDUAL,
    Array,
    Index,
    Layout,
)

LETTERS = {"M": "model", "A": "scaffold", "B": "benchmark"}


class Batch(NamedTuple):
    """k patterns of s cells, each of m items: pairs (k, s), cells (k, m, s), trials (k, s)."""

    pairs: Index
    cells: Index
    trials: Array

    @property
    def items(self) -> int:
        """Items a pattern stands for."""
        return int(self.cells.shape[1])


@dataclass(frozen=True, slots=True)
class Structure:
    """What the design alone decides; fits of new outcomes on one design share it.

    ``same`` is E_f of the pair facets, ``levels`` the level of every cell under every facet.
    """

    layout: Layout
    facets: tuple[str, ...]
    batches: tuple[Batch, ...]
    same: Mapping[str, Array]
    levels: Mapping[str, Index]

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        return int(self.layout.model.size)

    def spread(self, facet: str, x: Array) -> Array:
        """V_f x of cell vectors (…, N): totals of each level, given back to its cells."""
        if facet == RESIDUAL:
            return x / self.layout.trials
        levels = self.levels[facet]
        size = int(levels.max()) + 1
        rows = x.reshape(-1, x.shape[-1])
        out: Array = np.empty_like(rows)
        for i, row in enumerate(rows):
            out[i] = np.bincount(levels, row, minlength=size)[levels]
        return out.reshape(x.shape)

    def to_pairs(self, x: Array) -> Array:
        """Zᵀx of cell vectors (…, N)."""
        rows = x.reshape(-1, x.shape[-1])
        pair, size = self.layout.pair, self.n_pairs
        out: Array = np.empty((len(rows), size))
        for i, row in enumerate(rows):
            out[i] = np.bincount(pair, row, minlength=size)
        return out.reshape(*x.shape[:-1], size)


class Factors(NamedTuple):
    """Everything of V⁻¹ at one set of variances.

    ``inverses`` V_i⁻¹ of each batch, (k, s, s); ``s_inverse`` S⁻¹; ``h``, ``r``, ``q`` as in the
    module's equations; ``log_det`` log|V|; ``information`` 1ᵀV⁻¹1.
    """

    inverses: tuple[Array, ...]
    s: Array
    s_inverse: Array
    h: Array
    r: Array
    q: Array
    log_det: float
    information: float


def structure(layout: Layout, facets: tuple[str, ...]) -> Structure:
    """Batches and levels of a layout for a set of facets."""
    same = {f: same_level(layout, f) for f in facets if f in PAIR_FACETS}
    levels = {f: layout.levels(f) for f in facets if f != RESIDUAL}
    return Structure(layout, facets, batches(layout), same, levels)


def same_level(layout: Layout, facet: str) -> Array:
    """E_f: 1 where two pairs share their level of a pair facet, (P, P)."""
    out = np.ones((layout.model.size,) * 2, dtype=bool)
    for letter in facet:
        of = getattr(layout, LETTERS[letter])
        out &= of[:, None] == of
    return out.astype(float)


def batches(layout: Layout) -> tuple[Batch, ...]:
    """Items grouped by pattern, patterns by size and number of items."""
    bounds = np.flatnonzero(np.diff(layout.item)) + 1
    starts = np.concatenate([[0], bounds])
    stops = np.concatenate([bounds, [layout.item.size]])
    patterns: dict[bytes, list[tuple[int, int]]] = {}
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        key = layout.pair[start:stop].tobytes() + layout.trials[start:stop].tobytes()
        patterns.setdefault(key, []).append((start, stop - start))
    alike: dict[tuple[int, int], list[list[int]]] = {}
    for items in patterns.values():
        alike.setdefault((items[0][1], len(items)), []).append([start for start, _ in items])
    out = []
    for (size, _), members in alike.items():
        cells = np.asarray(members, dtype=np.intp)[:, :, None] + np.arange(size)
        first = cells[:, 0]
        out.append(Batch(layout.pair[first], cells, layout.trials[first]))
    return tuple(out)


def block(batch: Batch, layout: Layout, facet: str) -> Array:
    """The part of V_i that a unit variance of an item facet or the residual adds, (k, s, s)."""
    if facet in ("IMA", RESIDUAL):
        diagonal = 1 / batch.trials if facet == RESIDUAL else np.ones_like(batch.trials)
        return diagonal[:, :, None] * np.eye(batch.pairs.shape[1])
    out = np.ones((*batch.pairs.shape, batch.pairs.shape[1]), dtype=bool)
    for letter in facet[1:]:
        of = getattr(layout, LETTERS[letter])[batch.pairs]
        out &= of[:, :, None] == of[:, None, :]
    return out.astype(float)


def covariance(batch: Batch, made: Structure, variances: Mapping[str, float]) -> Array:
    """V_i of every pattern of a batch, (k, s, s)."""
    out = np.zeros((*batch.pairs.shape, batch.pairs.shape[1]))
    for facet, variance in variances.items():
        if variance > 0 and (facet in ITEM_FACETS or facet == RESIDUAL):
            out += variance * block(batch, made.layout, facet)
    return out


def add_blocks(total: Array, batch: Batch, blocks: Array) -> None:
    """Add m · blocks (k, s, s) into pairs × pairs, in place."""
    p = len(total)
    flat = (batch.pairs[:, :, None] * p + batch.pairs[:, None, :]).ravel()
    added = np.bincount(flat, batch.items * blocks.ravel(), minlength=p * p)
    total += added.reshape(p, p)


def factor(made: Structure, variances: Mapping[str, float]) -> Factors:
    """Factorise V at non-negative variances, the residual's positive.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where V is singular.
    """
    inverses: list[Array] = []
    log_det = 0.0
    s = np.zeros((made.n_pairs, made.n_pairs))
    for batch in made.batches:
        v = covariance(batch, made, variances)
        root = np.linalg.cholesky(v)
        log_det += 2 * batch.items * float(np.log(np.diagonal(root, axis1=1, axis2=2)).sum())
        inverse = np.asarray(np.linalg.inv(v), dtype=np.float64)
        inverses.append(inverse)
        add_blocks(s, batch, inverse)
    s_inverse, log_s = _invert(s)
    k = sum((variances[f] * e for f, e in made.same.items()), np.zeros_like(s))
    h, log_k = _invert(k + s_inverse)
    whole = h.sum(axis=1)
    information = float(whole.sum())
    r = h - np.outer(whole, whole) / information
    q = s_inverse - s_inverse @ r @ s_inverse
    log_det += log_s + log_k
    return Factors(tuple(inverses), s, s_inverse, h, r, q, log_det, information)


def _invert(a: Array) -> tuple[Array, float]:
    """Inverse and log-determinant of a positive definite matrix."""
    root = cho_factor(a, lower=True, check_finite=False)
    inverse = cho_solve(root, np.eye(len(a)), check_finite=False)
    return (inverse + inverse.T) / 2, 2 * float(np.log(np.diagonal(root[0])).sum())


def solve_items(made: Structure, factors: Factors, x: Array) -> Array:
    """V₀⁻¹ x of cell vectors (…, N)."""
    rows = x.reshape(-1, x.shape[-1])
    out = np.empty_like(rows)
    for batch, inverse in zip(made.batches, factors.inverses, strict=True):
        k, m, s = batch.cells.shape
        taken = rows[:, batch.cells].transpose(1, 0, 2, 3).reshape(k, -1, s)
        solved = (taken @ inverse).reshape(k, len(rows), m, s)
        out[:, batch.cells] = solved.transpose(1, 0, 2, 3)
    return out.reshape(x.shape)


def solve_pairs(made: Structure, factors: Factors, effects: Array) -> Array:
    """V₀⁻¹ Z c of pair vectors c (…, P): the items of a pattern share their answer."""
    rows = effects.reshape(-1, effects.shape[-1])
    out = np.empty((len(rows), made.layout.item.size))
    for batch, inverse in zip(made.batches, factors.inverses, strict=True):
        solved = rows[:, batch.pairs].transpose(1, 0, 2) @ inverse
        out[:, batch.cells] = solved.transpose(1, 0, 2)[:, :, None, :]
    return out.reshape(*effects.shape[:-1], made.layout.item.size)


def project(made: Structure, factors: Factors, x: Array) -> Array:
    """P x of cell vectors (…, N): V₀⁻¹(x − Z Q Zᵀ V₀⁻¹ x)."""
    first = solve_items(made, factors, x)
    return first - solve_pairs(made, factors, made.to_pairs(first) @ factors.q)
