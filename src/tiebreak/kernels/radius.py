"""How far target weights must move, in L1, before a lead is gone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
DUST = 1e-12
"""Gaps and scores this close are equal: sums of rates k/n carry rounding of about 1e-16."""


class Witness(NamedTuple):
    """A least reweighting: radius (pairs,), mass that arrives (+) or leaves (−), (pairs, cells).

    ``moved`` sums to 0 in every row, its absolute values sum to the radius; NaN where no
    reweighting ends the lead.
    """

    radius: Array
    moved: Array


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
    give first. A level met to within ``DUST`` is met.
    """
    return l1_witness(gaps, weights, level).radius


def l1_witness(gaps: Array, weights: Array, level: float = 0.0) -> Witness:
    """The radii of :func:`l1_radius`, each with a reweighting that attains it.

    Where several cells tie for the smallest gap the first receives; among equal gaps the first
    gives.
    """
    supported = ~np.isnan(gaps)
    d, mass = np.where(supported, gaps, 0.0), np.where(supported, weights, 0.0)
    taker = np.where(supported, gaps, np.inf).argmin(axis=1)[:, None]
    least = np.take_along_axis(d, taker, axis=1)
    excess = (mass * d).sum(axis=1, keepdims=True) - level
    leaving, total = _leaving(np.where(supported, d - least, 0.0), mass, excess)
    moved = -leaving
    np.put_along_axis(moved, taker, total[:, None], axis=1)  # the taker's own gain is 0
    never = ((least > level + DUST) & (excess > DUST))[:, 0]
    radius = np.where(supported.any(axis=1), np.where(never, np.inf, 2.0 * total), np.nan)
    return Witness(radius, np.where(np.isfinite(radius)[:, None], moved, np.nan))


def _leaving(gain: Array, mass: Array, excess: Array) -> tuple[Array, Array]:
    """Mass that leaves every cell, largest gain first, until the excess is gone; row sums."""
    order = np.argsort(-gain, axis=1, kind="stable")
    gain = np.take_along_axis(gain, order, axis=1)
    drop = gain * np.take_along_axis(mass, order, axis=1)
    before = np.cumsum(drop, axis=1) - drop
    left = excess - before
    still = np.where(left > DUST, np.minimum(left, drop), 0.0)
    given = np.divide(still, gain, out=np.zeros_like(still), where=gain > 0)
    leaving = np.empty_like(given)
    np.put_along_axis(leaving, order, given, axis=1)
    return leaving, given.sum(axis=1)
