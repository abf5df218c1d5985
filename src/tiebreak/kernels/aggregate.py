"""What an aggregate hides: how few tasks it rests on, and cells that say less than they seem to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from tiebreak.kernels.radius import DUST

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
FEW_TASKS = 5


def effective_tasks(weights: Array, counts: Array) -> Array:
    """Kish's effective number of tasks of a target, 1 / Σ π_x² / n_x.

    A mean of this many equally weighted tasks has the variance of the standardized score, if
    all tasks vary alike (Kish 1965). Equals n for observed weights; 0 where weight rests on a
    cell without tasks.

    Parameters
    ----------
    weights, counts
        π and n, (..., cells), broadcast against each other.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(weights != 0, weights**2 / counts, 0.0)
        effective: Array = 1.0 / terms.sum(axis=-1)
    return effective


def thin_weight(weights: Array, counts: Array, few: int = FEW_TASKS) -> Array:
    """Share of the weight on cells of fewer than ``few`` tasks; π and n are (..., cells)."""
    share: Array = np.where(counts < few, weights, 0.0).sum(axis=-1)
    return share


def all_zero_cells(sums: Array, counts: Array) -> Mask:
    """Cells with tasks but no success at all; sums of scores and n, (configurations, cells)."""
    return np.asarray((counts > 0) & (sums <= DUST))


def all_one_cells(sums: Array, counts: Array) -> Mask:
    """Cells in which every task fully succeeded; sums of scores and n, (configurations, cells)."""
    return np.asarray((counts > 0) & (sums >= counts - DUST * counts))


def cell_interval(sums: Array, counts: Array, alpha: float) -> tuple[Array, Array]:
    """Jeffreys interval of every cell's rate by itself: quantiles of Beta(k + ½, n − k + ½).

    The lower bound of 0/n is 0 and the upper bound of n/n is 1 (Brown, Cai & DasGupta 2001,
    Stat. Sci. 16:101). Chosen over Clopper–Pearson, whose 95 % covers 97 to 99 % in cells of a
    few tasks: a width that is compared with a stated limit must not be padded. k may be
    fractional (means over runs); then the interval errs on the wide side. n = 0 gives [0, 1].
    """
    k, n = np.broadcast_arrays(sums, counts)
    low = betaincinv(k + 0.5, n - k + 0.5, alpha / 2)
    high = betaincinv(k + 0.5, n - k + 0.5, 1 - alpha / 2)
    zero, full = (k <= DUST) | (n == 0), (k >= n - DUST * n) | (n == 0)
    return np.where(zero, 0.0, low), np.where(full, 1.0, high)


def interval_width(sums: Array, counts: Array, alpha: float) -> Array:
    """high − low of :func:`cell_interval`: .38 for 0/5, .005 for 0/500 at 95 %."""
    low, high = cell_interval(sums, counts, alpha)
    return high - low
