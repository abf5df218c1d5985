"""Bootstrap draws as counts, applied by matrix products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]


def task_counts(cells: Index, n_cells: int, draws: int, rng: np.random.Generator) -> Array:
    """How often each task is drawn when every cell is resampled to its own size, (tasks, draws).

    ``cells`` must be sorted. The counts of a cell are multinomial.
    """
    sizes = np.bincount(cells, minlength=n_cells)
    parts = [uniform_counts(int(size), draws, rng) for size in sizes if size]
    return np.concatenate(parts) if parts else np.zeros((0, draws))


def uniform_counts(size: int, draws: int, rng: np.random.Generator) -> Array:
    """Counts of ``size`` uniform picks from ``size`` items, (size, draws), by one bincount."""
    picks = rng.integers(0, size, size=(size, draws))
    flat = picks * draws + np.arange(draws)
    return np.bincount(flat.ravel(), minlength=draws * size).reshape(size, draws).astype(float)


def quantile_pair(draws: Array, alpha: Array) -> tuple[Array, Array, Array, Array]:
    """Equal-tailed percentile bounds of every row and their Monte Carlo errors.

    Parameters
    ----------
    draws
        (units, draws); sorted in place.
    alpha
        (units,) error level of each row.

    Returns
    -------
    low, high, low_error, high_error. Bounds are NumPy's default (type 7) quantiles at α/2 and
    1 − α/2. The error is half the distance between the order statistics one binomial standard
    deviation, sqrt(B q (1 − q)), to either side.
    """
    size = draws.shape[1]
    spread = np.sqrt(size * alpha / 2 * (1 - alpha / 2))
    lower = (size - 1) * alpha / 2
    places = [
        (np.maximum(p - spread, 0), p, np.minimum(p + spread, size - 1))
        for p in (lower, size - 1 - lower)
    ]
    _order(draws, places)
    low, high = ([_at(draws, place) for place in side] for side in places)
    return low[1], high[1], (low[2] - low[0]) / 2, (high[2] - high[0]) / 2


def _order(draws: Array, places: list[tuple[Array, Array, Array]]) -> None:
    """Put the order statistics at the places (and their upper neighbours) where they belong."""
    top = draws.shape[1] - 1
    wanted = np.unique(np.concatenate([np.floor(p) for side in places for p in side]).astype(int))
    wanted = np.unique(np.minimum(np.concatenate([wanted, wanted + 1]), top))
    if wanted.size > 64:
        draws.sort(axis=1)
    else:
        draws.partition(wanted, axis=1)


def _at(ordered: Array, place: Array) -> Array:
    """Linear interpolation between order statistics, per row."""
    floor = np.floor(place).astype(np.intp)
    ceil = np.minimum(floor + 1, ordered.shape[1] - 1)
    rows = np.arange(ordered.shape[0])
    a, b = ordered[rows, floor], ordered[rows, ceil]
    found: Array = a + (b - a) * (place - floor)
    return found
