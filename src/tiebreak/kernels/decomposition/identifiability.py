"""What a design can tell apart, before any number: merged, constant and weakly separated facets.

A facet whose levels split the trials as another's do has the same covariance: only their sum is
identified, and the two are merged. One with a single level is part of the mean. What remains is
judged by the expected information of the variances, scaled to a unit diagonal, when all variances
are equal: its smallest eigenvalue is the share of one component's information that the others do
not explain away, and its eigenvector names them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tiebreak.kernels.decomposition.information import expected_information
from tiebreak.kernels.decomposition.layout import RESIDUAL, Array, Index, Layout
from tiebreak.kernels.decomposition.likelihood import outcomes_of, structure

NAMED = 0.25
"""Least loading, squared, that makes a facet part of the set an eigenvector names."""
WEAK = 0.05
"""Smallest eigenvalue below which a set is called weakly separated."""


class Merging(NamedTuple):
    """Facets that can be fitted, and why others cannot.

    ``kept`` holds one facet of each set, in the order asked; ``merged`` the sets of two or more
    with one partition, the kept one first; ``constant`` those of a single level.
    """

    kept: tuple[str, ...]
    merged: tuple[tuple[str, ...], ...]
    constant: tuple[str, ...]


class Separation(NamedTuple):
    """Eigenvalues of the scaled information, ascending, and what each eigenvector names."""

    eigenvalues: Array
    sets: tuple[tuple[str, ...], ...]

    @property
    def weak(self) -> tuple[tuple[str, ...], ...]:
        """Sets that the design hardly tells apart."""
        pairs = zip(self.eigenvalues, self.sets, strict=True)
        return tuple(names for value, names in pairs if value < WEAK)


class Comparison(NamedTuple):
    """A line of the separation table: ``left`` is told from ``right`` by levels seen repeatedly.

    ``repeated`` of the ``total`` levels of ``left`` occur with two or more levels of ``right``
    each; none says that the two are not told apart.
    """

    left: str
    right: str
    repeated: int
    total: int


class Extremes(NamedTuple):
    """Items and models whose outcomes are all 0 or all 1: indices."""

    items_zero: Index
    items_one: Index
    models_zero: Index
    models_one: Index


def merge_facets(layout: Layout, facets: tuple[str, ...]) -> Merging:
    """Merge facets of equal partitions of the trials and drop constant ones.

    Of a set the residual is kept, else the one with fewest letters, the earliest of these. ``IMA``
    and the residual are one where no cell holds repeated runs.
    """
    sets: dict[bytes, list[str]] = {}
    for facet in facets:
        sets.setdefault(_partition(layout, facet), []).append(facet)
    constant = sets.pop(_constant(layout), [])
    kept = {min(names, key=lambda f: (f != RESIDUAL, len(f))): names for names in sets.values()}
    merged = tuple(
        (first, *(f for f in names if f != first)) for first, names in kept.items() if names[1:]
    )
    return Merging(tuple(f for f in facets if f in kept), merged, tuple(constant))


def separation(layout: Layout, facets: tuple[str, ...]) -> Separation:
    """Eigenvalues of the scaled information of merged facets at equal variances.

    A set is the facets whose squared loadings are at least a quarter; eigenvalues lie in [0, F].
    """
    made, seen = structure(layout, facets), outcomes_of(layout)
    e = expected_information(made, np.ones(len(facets)), seen.repeats)
    scale = 1 / np.sqrt(np.maximum(np.diagonal(e), 1e-300))
    values, vectors = np.linalg.eigh(e * np.outer(scale, scale))
    sets = tuple(_names(facets, np.square(column) >= NAMED) for column in vectors.T)
    return Separation(np.maximum(values, 0.0), sets)


def graph_components(layout: Layout) -> tuple[Index, Index]:
    """Connected component of every model and of every scaffold, by the pairs observed."""
    models, scaffolds = int(layout.model.max()) + 1, int(layout.scaffold.max()) + 1
    ends = (layout.model, models + layout.scaffold)
    size = models + scaffolds
    graph = coo_array((np.ones(layout.model.size), ends), shape=(size, size))
    labels = np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)
    return labels[:models], labels[models:]


def separation_table(layout: Layout, facets: tuple[str, ...]) -> tuple[Comparison, ...]:
    """Of every facet and the next ones that split it, how often the design tells them apart.

    ``M`` is told from ``BM`` by models on several benchmarks, ``BM`` from ``IM`` by models on
    several items of one, ``IM`` from the residual (or ``IMA``) by models that meet an item under
    several scaffolds, and so on (evaluation-reliability, Table 15): each line is a facet and one
    that adds to it with no facet of the fit between them.
    """
    letters = {f: _letters(layout, f, facets) for f in facets}
    return tuple(
        _compare(layout, left, right)
        for left in facets
        for right in facets
        if letters[left] < letters[right]
        and not any(letters[left] < between < letters[right] for between in letters.values())
    )


def extremes(layout: Layout) -> Extremes:
    """Items and models without any failure, or without any success."""
    out: list[Index] = []
    for levels in (layout.item, layout.model[layout.pair]):
        n = np.bincount(levels, layout.trials)
        t = np.bincount(levels, layout.trials * layout.mean)
        out += [np.flatnonzero(t <= 0), np.flatnonzero(t >= n - 1e-9)]
    return Extremes(*out)


def _compare(layout: Layout, left: str, right: str) -> Comparison:
    if right == RESIDUAL and layout.repeated:
        several = np.bincount(layout.levels(left), layout.trials) > 1
        return Comparison(left, right, int(several.sum()), several.size)
    a, b = layout.levels(left), layout.levels(right)
    pairs = np.unique(np.stack([a, b]), axis=1)
    repeated = np.bincount(pairs[0]) > 1
    return Comparison(left, right, int(repeated.sum()), repeated.size)


def _partition(layout: Layout, facet: str) -> bytes:
    """Levels numbered by first appearance; the residual's are trials where cells are repeated."""
    if facet == RESIDUAL and layout.repeated:
        return b"trials"
    levels = layout.levels(facet)
    order = np.unique(levels, return_index=True)[1]
    rank = np.empty(order.size, dtype=np.intp)
    rank[np.argsort(order)] = np.arange(order.size)
    return rank[levels].tobytes()


def _constant(layout: Layout) -> bytes:
    return np.zeros(layout.item.size, dtype=np.intp).tobytes()


def _letters(layout: Layout, facet: str, facets: tuple[str, ...]) -> frozenset[str]:
    """What a level of a facet is a level of: items hold their benchmark, the residual its run."""
    out = {"I", "M", "A"} if facet == RESIDUAL else set(facet)
    out |= {"run"} if facet == RESIDUAL and layout.repeated else set()
    pooled = any("B" in f for f in facets)
    return frozenset(out | ({"B"} if pooled and "I" in out else set()))


def _names(facets: Iterable[str], chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(f for f, on in zip(facets, chosen.tolist(), strict=True) if on)
