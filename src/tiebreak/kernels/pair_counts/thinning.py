"""Half of the tasks, drawn without replacement: how often does it order a pair the other way?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.pair_counts.bootstrap import draw_blocks

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Thinned(NamedTuple):
    """Shares of all pairs, per draw: strictly reversed; tied in the half or on all tasks."""

    reversed: Array
    unresolved: Array


def half_masks(cells: Index, n_cells: int, draws: int, rng: np.random.Generator) -> Array:
    """0/1 (tasks, draws): half of each cell's tasks (rounded up), without replacement.

    ``cells`` must be sorted. Keys are uniform, and the smallest half of a cell's keys is kept.
    """
    keys = rng.random((cells.size, draws))
    mask = np.zeros((cells.size, draws))
    for x in range(n_cells):
        at = np.flatnonzero(cells == x)
        if at.size:
            half = (at.size + 1) // 2
            ranks = keys[at].argsort(axis=0)[:half]
            part = np.zeros((at.size, draws))
            np.put_along_axis(part, ranks, 1.0, axis=0)
            mask[at] = part
    return mask


def thinned_orders(
    values: Array, weights: Array, half_weights: Array, masks: Array, counts: Array | None = None
) -> Thinned:
    """Compare the order of every pair on half of the tasks with its order on all.

    Parameters
    ----------
    values
        Whole numbers, (M, T).
    weights, half_weights
        Whole task weights on all tasks and on a half, (T,).
    masks
        Kept tasks, (T, draws).
    counts
        How often each configuration is drawn, (M, draws), to draw them too: copies of one are
        tied with each other.
    """
    full = np.sign(np.subtract.outer(*(2 * [values @ weights]))).astype(np.int8)
    scores = (values * half_weights) @ masks
    m, draws = scores.shape
    reversed_, tied = np.zeros(draws), np.zeros(draws)
    for i in range(m - 1):
        half = np.sign(scores[i] - scores[i + 1 :]).astype(np.int8)
        product = half * full[i, i + 1 :, None]
        if counts is None:
            reversed_ += (product < 0).sum(axis=0)
            tied += (product == 0).sum(axis=0)
        else:
            each = counts[i] * counts[i + 1 :]
            reversed_ += (each * (product < 0)).sum(axis=0)
            tied += (each * (product == 0)).sum(axis=0)
    if counts is not None:
        tied += (counts * (counts - 1)).sum(axis=0) / 2
    n = m * (m - 1) / 2
    return Thinned(reversed_ / n, tied / n)


def thin(
    values: Array,
    weights: Array,
    half_weights: Array,
    cells: Index,
    n_cells: int,
    draws: int,
    rng: np.random.Generator,
) -> Thinned:
    """All draws, block by block."""
    width = max(values.shape[0], values.shape[1])
    parts = [
        thinned_orders(values, weights, half_weights, half_masks(cells, n_cells, size, rng))
        for size in draw_blocks(draws, width)
    ]
    return Thinned(*(np.concatenate(column) for column in zip(*parts, strict=True)))
