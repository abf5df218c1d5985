"""Bootstrap draws as counts, applied by matrix products."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Real = TypeVar("Real", np.float32, np.float64)


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


def differences(draws: NDArray[Real], left: Index, right: Index) -> NDArray[Real]:
    """draws[left] − draws[right], row by row: rows are long, and no copy of them is made."""
    found = np.empty((left.size, draws.shape[1]), dtype=draws.dtype)
    for row, i, j in zip(found, left, right, strict=True):
        np.subtract(draws[i], draws[j], out=row)
    return found


def difference_sd(draws: Array, left: Index, right: Index) -> Array:
    """Standard deviations of draws[left] − draws[right], from one product: c_ii + c_jj − 2 c_ij.

    Rows that agree leave rounding dust of their variances, which is 0.
    """
    centred = draws - draws.mean(axis=1, keepdims=True)
    c = centred @ centred.T / (draws.shape[1] - 1)
    own = np.diag(c)
    both = own[left] + own[right]
    variance = both - 2 * c[left, right]
    sd: Array = np.sqrt(np.where(variance > 1e-12 * both, variance, 0.0))
    return sd


def quantile_pair(draws: Array, alpha: Array) -> tuple[Array, Array, Array, Array]:
    """Equal-tailed percentile bounds of every row and their Monte Carlo errors.

    Parameters
    ----------
    draws
        (units, draws); reordered in place.
    alpha
        (units,) error level of each row.

    Returns
    -------
    low, high, low_error, high_error. Bounds are NumPy's default (type 7) quantiles at α/2 and
    1 − α/2. The error is half the distance between the order statistics one binomial standard
    deviation, sqrt(B q (1 − q)), to either side.
    """
    top = draws.shape[1] - 1
    spread = np.sqrt((top + 1) * alpha / 2 * (1 - alpha / 2))
    lower = top * alpha / 2
    tail = np.stack([np.maximum(lower - spread, 0), lower, np.minimum(lower + spread, top)])
    _order(draws, tail)
    low, high = _at(draws, tail), _at(draws, top - tail)
    return low[1], high[1], (low[2] - low[0]) / 2, (high[0] - high[2]) / 2


def _order(draws: Array, tail: Array) -> None:
    """Sort both tails of the rows as far in as the places and their neighbours reach.

    Cut off one at a time: NumPy vectorises a partition at one place, and only that.
    """
    top = draws.shape[1] - 1
    first = int(tail.max()) + 1
    last = top - first
    if 4 * first > top:
        draws.sort(axis=1)
        return
    draws.partition(first, axis=1)
    draws[:, first + 1 :].partition(last - first - 1, axis=1)
    draws[:, :first].sort(axis=1)
    draws[:, last:].sort(axis=1)


def _at(ordered: Array, places: Array) -> Array:
    """Linear interpolation between order statistics; places are (k, rows)."""
    floor = np.floor(places).astype(np.intp)
    ceil = np.minimum(floor + 1, ordered.shape[1] - 1)
    rows = np.arange(ordered.shape[0])
    a, b = ordered[rows, floor], ordered[rows, ceil]
    found: Array = a + (b - a) * (places - floor)
    return found
