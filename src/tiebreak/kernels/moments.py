"""Within-cell moments of paired differences, for all pairs through matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
BLOCK = 4_000_000
"""Numbers per working array (32 MB): blocks of pairs are cut to this size."""
CACHED = 130_000
"""Numbers per working array (1 MB) where cheap steps follow each other on what the cache holds."""


class CellMoments(NamedTuple):
    """Moments per unit (a configuration or a pair) and cell: count, mean, sum of squares about it.

    ``mean`` is NaN where the count is 0.
    """

    n: Array
    mean: Array
    ss: Array


def score_moments(values: Array, cells: Index, n_cells: int) -> CellMoments:
    """Moments of every configuration's task values, (configurations, cells)."""
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    hot = (cells[:, None] == np.arange(n_cells)).astype(float)
    return _from_sums(present @ hot, filled @ hot, filled**2 @ hot)


def pair_moments(
    values: Array, cells: Index, n_cells: int, left: Index, right: Index
) -> CellMoments:
    """Moments of d = y_left − y_right over the tasks that both have, (pairs, cells).

    With M the mask of present values, n = M Mᵀ, Σd = Y Mᵀ − M Yᵀ and
    Σd² = Y² Mᵀ + M Y²ᵀ − 2 Y Yᵀ, per cell; ``cells`` must be sorted.
    """
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    bounds = np.searchsorted(cells, np.arange(n_cells + 1))
    parts = [_cell_sums(filled[:, a:b], present[:, a:b], left, right) for a, b in pairwise(bounds)]
    n, total, squares = (np.stack(column, axis=1) for column in zip(*parts, strict=True))
    return _from_sums(n, total, squares)


def _cell_sums(
    y: Array, present: NDArray[np.bool_], left: Index, right: Index
) -> tuple[Array, Array, Array]:
    """Count, Σd and Σd² of one cell for the pairs (left, right)."""
    if present.all():
        total, square = y.sum(axis=1), (y**2).sum(axis=1)
        cross = (y @ y.T)[left, right]
        n = np.full(left.size, float(y.shape[1]))
        return n, total[left] - total[right], square[left] + square[right] - 2 * cross
    m = present.astype(float)
    square, with_mask = (y**2) @ m.T, y @ m.T
    n = (m @ m.T)[left, right]
    squares = square[left, right] + square[right, left] - 2 * (y @ y.T)[left, right]
    return n, with_mask[left, right] - with_mask[right, left], squares


def _from_sums(n: Array, total: Array, squares: Array) -> CellMoments:
    mean = np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
    ss = np.maximum(squares - np.nan_to_num(mean) * total, 0.0)
    # differences of values in [0, 1] that agree leave only rounding dust
    ss[ss < 1e-12 * np.maximum(n, 1.0)] = 0.0
    return CellMoments(n, mean, ss)


def all_pairs(k: int) -> tuple[Index, Index]:
    """Indices (left, right) of the k(k − 1)/2 unordered pairs, row by row."""
    left, right = np.triu_indices(k, 1)
    return left.astype(np.intp), right.astype(np.intp)


def blocks(total: int, width: int, limit: int = BLOCK) -> Iterator[slice]:
    """Slices of ``total`` items whose ``width``-fold array stays within ``limit`` numbers."""
    step = max(1, limit // max(width, 1))
    return (slice(start, min(start + step, total)) for start in range(0, total, step))
