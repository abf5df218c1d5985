"""Moment estimates of variance components, signed: Henderson's method I and MINQUE(0).

Both equate quadratic forms of the trials with their expectations, Σ_g c_fg σ²_g = q_f. With n_a
and t_a the number and the sum of the trials at level a of a facet, n_ab of those it shares with
level b, N trials of mean ȳ (Henderson 1953; Searle, Casella & McCulloch 1992, ch. 5 and 11):

    Henderson I   q_f = Σ_a t_a²/n_a − Nȳ²           c_fg = Σ_ab n_ab²/n_a − Σ_b n_b²/N
    MINQUE(0)     q_f = Σ_a (t_a − n_a ȳ)²           c_fg = Σ_ab (n_ab − n_a n_b/N)²

with the residual's levels the single trials. Facets inside items add up over items and pair facets
need totals of pairs alone, so weights on items (a bootstrap's counts, each copy an item of its own)
cost one matrix product for all draws. On balanced records both are the analysis of variance.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.decomposition.blocks import LETTERS
from tiebreak.kernels.decomposition.layout import ITEM_FACETS, RESIDUAL, Array, Index, Layout

Method = Literal["henderson", "minque"]
SINGULAR = 1e10
"""Condition number of the scaled equations from which facets are not told apart."""


class Records(NamedTuple):
    """Trials ``n`` and their sums ``t``, (items, P); Σ score² (items,); weights (draws, items)."""

    layout: Layout
    n: Array
    t: Array
    squares: Array
    weights: Array


class Facet(NamedTuple):
    """A facet's levels: ``level`` of every pair (within an item, for those ``inside`` items).

    ``n``, ``t`` are trials and their sums of every item and level, (items, L), ``total_n`` and
    ``total_t`` their weighted sums over items, (draws, L).
    """

    inside: bool
    level: Index
    n: Array
    t: Array
    total_n: Array
    total_t: Array


class Equations(NamedTuple):
    """c (draws, F, F) and q (draws, F)."""

    c: Array
    q: Array


def moments(
    layout: Layout,
    facets: tuple[str, ...],
    method: Method = "henderson",
    weights: Array | None = None,
) -> Array:
    """Signed estimates of the variances of ``facets``, which end with the residual, (draws, F).

    ``weights`` are how often every item counts, (draws, items); one row of ones if None. NaN in
    rows whose equations are singular: those records do not tell the facets apart.
    """
    found = equations(layout, facets, method, weights)
    scale = np.sqrt(np.abs(np.diagonal(found.c, axis1=1, axis2=2)))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = found.c / scale[:, :, None] / scale[:, None, :]
    fine = np.linalg.cond(scaled) < SINGULAR
    safe = np.where(fine[:, None, None], scaled, np.eye(len(facets)))
    solved = np.linalg.solve(safe, (found.q / scale)[:, :, None])[:, :, 0] / scale
    return np.where(fine[:, None], solved, np.nan)


def equations(
    layout: Layout, facets: tuple[str, ...], method: Method, weights: Array | None = None
) -> Equations:
    """The linear equations c σ² = q of every row of weights."""
    made = _records(layout, np.ones((1, layout.n_items)) if weights is None else weights)
    terms = [_facet(made, f) for f in facets if f != RESIDUAL]
    size, mean = _size_and_mean(made)
    forms = [_form(made, f, method, size, mean) for f in terms]
    c = np.empty((len(made.weights), len(facets), len(facets)))
    for i, f in enumerate(terms):
        for j, g in enumerate(terms):
            c[:, i, j] = _coefficient(made, f, g, method, size)
        c[:, i, -1] = _against_trials(made, f, method, size)
        c[:, -1, i] = size - _squared(made, f) / size
    c[:, -1, -1] = size - 1
    error = made.weights @ made.squares - size * mean**2
    return Equations(c, np.stack([*forms, error], axis=1))


def _records(layout: Layout, weights: Array) -> Records:
    n = np.zeros((layout.n_items, layout.model.size))
    t = np.zeros_like(n)
    n[layout.item, layout.pair] = layout.trials
    t[layout.item, layout.pair] = layout.trials * layout.mean
    squares: Array = np.zeros(layout.n_items)
    np.add.at(squares, layout.item, layout.within + layout.trials * layout.mean**2)
    return Records(layout, n, t, squares, weights)


def _facet(made: Records, facet: str) -> Facet:
    inside = facet in ITEM_FACETS
    level = np.zeros(made.layout.model.size, dtype=np.intp)
    for letter in facet[1:] if inside else facet:
        of = getattr(made.layout, LETTERS[letter])
        level = np.unique(level * (int(of.max()) + 1) + of, return_inverse=True)[1]
    hot = np.eye(int(level.max()) + 1)[level]
    n, t = made.n @ hot, made.t @ hot
    return Facet(inside, level, n, t, made.weights @ n, made.weights @ t)


def _size_and_mean(made: Records) -> tuple[Array, Array]:
    """N and ȳ of every row of weights, (draws,)."""
    size = made.weights @ made.n.sum(axis=1)
    return size, made.weights @ made.t.sum(axis=1) / size


def _form(made: Records, f: Facet, method: Method, size: Array, mean: Array) -> Array:
    """q_f, (draws,)."""
    n, t = (f.n, f.t) if f.inside else (f.total_n, f.total_t)

    def summed(x: Array) -> Array:
        return _over(made, x) if f.inside else x.sum(axis=1)

    if method == "henderson":
        return summed(_ratio(t**2, n)) - size * mean**2
    return summed(t**2) - 2 * mean * summed(n * t) + mean**2 * summed(n**2)


def _squared(made: Records, f: Facet) -> Array:
    """Σ_a n_a², (draws,)."""
    if f.inside:
        return _over(made, f.n**2)
    out: Array = (f.total_n**2).sum(axis=1)
    return out


def _against_trials(made: Records, f: Facet, method: Method, size: Array) -> Array:
    """c of a facet and the residual: its levels less one, or N − Σ n_a²/N."""
    if method == "minque":
        return size - _squared(made, f) / size
    if f.inside:
        return _over(made, f.n > 0) - 1
    levels: Array = (f.total_n > 0).sum(axis=1) - 1.0
    return levels


def _coefficient(made: Records, f: Facet, g: Facet, method: Method, size: Array) -> Array:
    """c_fg of two facets, through the trials n_ab that their levels share, (draws,)."""
    first, at = np.unique(f.level * (int(g.level.max()) + 1) + g.level, return_inverse=True)
    a, b = np.divmod(first, int(g.level.max()) + 1)
    shared = made.n @ np.eye(first.size)[at]
    if method == "henderson":
        return _over_own(made, f, g, shared, a) - _squared(made, g) / size
    cross = _cross(made, f, g, shared, a, b)
    both = _squared(made, f) * _squared(made, g)
    return _over_items(made, f, g, shared) - 2 * cross / size + both / size**2


def _over_own(made: Records, f: Facet, g: Facet, shared: Array, a: Index) -> Array:
    """Σ_ab n_ab²/n_a."""
    if f.inside:
        return _over(made, _ratio(shared**2, f.n[:, a]))
    squared = made.weights @ shared**2 if g.inside else (made.weights @ shared) ** 2
    out: Array = _ratio(squared, f.total_n[:, a]).sum(axis=1)
    return out


def _over_items(made: Records, f: Facet, g: Facet, shared: Array) -> Array:
    """Σ_ab n_ab²."""
    if f.inside or g.inside:
        return _over(made, shared**2)
    out: Array = ((made.weights @ shared) ** 2).sum(axis=1)
    return out


def _cross(made: Records, f: Facet, g: Facet, shared: Array, a: Index, b: Index) -> Array:
    """Σ_ab n_ab n_a n_b."""
    for facet, level in ((f, a), (g, b)):
        shared = shared * facet.n[:, level] if facet.inside else shared
    out = made.weights @ shared
    for facet, level in ((f, a), (g, b)):
        out = out if facet.inside else out * facet.total_n[:, level]
    total: Array = out.sum(axis=1)
    return total


def _over(made: Records, x: Array | NDArray[np.bool_]) -> Array:
    """Σ over the levels of items (items, L), weighted, (draws,)."""
    out: Array = made.weights @ x.sum(axis=1).astype(float)
    return out


def _ratio(top: Array, bottom: Array) -> Array:
    """Ratio, 0 where nothing was observed."""
    return np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom > 0)
