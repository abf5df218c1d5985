"""How far target weights must move, in L1, before a lead is gone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def l1_radius(gaps: Array, weights: Array, level: float = 0.0) -> Array:
    """Least ‖π − π₀‖₁ over supported cells such that Σ π_x d_x ≤ level.

    Parameters
    ----------
    gaps
        Cell gaps d_x, (pairs, cells); NaN marks a cell without common support.
    weights
        Baseline π₀, (pairs, cells), zero outside support, rows summing to 1.
    level
        0 for the sign flip, the margin for the margin flip.

    Returns
    -------
    (pairs,) radii in [0, 2]; 0 where the constraint already holds; infinite where every
    supported cell has d_x > level; NaN where nothing is supported.

    Notes
    -----
    Closed form of eq. (3) of the rank-comparison paper: every unit of mass moved from cell x to
    the cell of the smallest gap lowers the sum by d_x − min d and costs 2, so the largest gaps
    give first.
    """
    supported = ~np.isnan(gaps)
    d = np.where(supported, gaps, -np.inf)
    least = np.where(supported, gaps, np.inf).min(axis=1, keepdims=True)
    order = np.argsort(-d, axis=1, kind="stable")
    with np.errstate(invalid="ignore"):
        gain = np.take_along_axis(np.where(supported, gaps - least, 0.0), order, axis=1)
    mass = np.take_along_axis(np.where(supported, weights, 0.0), order, axis=1)
    excess = (
        np.where(supported, weights * np.nan_to_num(gaps), 0.0).sum(axis=1, keepdims=True) - level
    )
    drop = gain * mass
    before = np.cumsum(drop, axis=1) - drop
    still = np.clip(excess - before, 0.0, drop)
    moved = np.divide(still, gain, out=np.zeros_like(still), where=gain > 0).sum(axis=1)
    radius = np.where(excess[:, 0] <= 0, 0.0, 2.0 * moved)
    radius = np.where((least[:, 0] > level) & (excess[:, 0] > 0), np.inf, radius)
    return np.where(supported.any(axis=1), radius, np.nan)
