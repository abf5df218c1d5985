"""How far target weights must move when moving between alike tasks is cheap: Wasserstein radius.

    ρ_c = min Σ_ij c_ij γ_ij   s.t.  Σ_j γ_ij = w_i,  γ ≥ 0,  Σ_ij γ_ij d_j ≤ level.        (1)

The mass of source i buys a lower gap; what a cost buys at best is the lower convex hull of the
points (c_ij, d_j). Along it each step buys less per unit of cost than the one before, so (1) is a
fractional knapsack: all hull steps of all sources are taken in the order of their drop per cost
until the excess Σ w_i d_i − level is gone.

The distance is that of Wasserstein sensitivity analysis (the rank-comparison paper, section V-D,
gives only a value of it); with c = 2·1[x ≠ y] it is the L1 radius.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.radius import DUST

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Transport(NamedTuple):
    """The radius and a plan that attains it: mass[k] goes from sources[k] to destinations[k].

    Mass that stays is left out. The plan is empty where nothing has to move or nothing helps.
    """

    radius: float
    sources: Index
    destinations: Index
    mass: Array


def wasserstein_radius(gaps: Array, weights: Array, cost: Array, level: float = 0.0) -> Transport:
    """Least transport cost after which the weighted gap is at most ``level``.

    Parameters
    ----------
    gaps
        d of every point (cell or task), (points,); NaN points are no destinations.
    weights
        Baseline, (points,), not negative, zero where d is NaN, sums to 1.
    cost
        Ground cost c_ij from i to j, (points, points), not negative, 0 on the diagonal; it need
        not be symmetric nor obey the triangle inequality. Infinite means no way.
    level
        0 for the sign flip, the margin for the margin flip.

    Returns
    -------
    Radius 0 where the level already holds (to within ``DUST``), infinite where no reachable
    point is low enough (with finite costs: min d > level), NaN where no point is supported.

    Notes
    -----
    O(n² h) for n points and hulls of h steps. Where hull steps tie, the plan is one of several.
    """
    kept = np.flatnonzero(~np.isnan(gaps))
    if not kept.size:
        return _nothing(np.nan)
    d, mass = gaps[kept], weights[kept]
    excess = float(mass @ d) - level
    if excess <= DUST:
        return _nothing(0.0)
    rows = np.flatnonzero(mass > 0)
    ways = cost[np.ix_(kept[rows], kept)]
    hull = _hulls(d, ways, rows)
    moved = _fill(hull, d, ways, mass[rows], excess)
    if moved is None:
        return _nothing(np.inf)
    spent = float((_runs(hull, ways) * moved).sum())
    return Transport(spent, *_plan(hull, moved, kept, rows))


def _nothing(radius: float) -> Transport:
    none = np.zeros(0, dtype=np.intp)
    return Transport(radius, none, none, np.zeros(0))


def _hulls(d: Array, ways: Array, start: Index) -> Index:
    """Vertices of every source's descending hull, (sources, steps + 1); the last one repeats.

    Gift wrapping from the source itself: the next vertex is the one of steepest drop per cost,
    among equals the lowest.
    """
    here, columns = start.copy(), [start]
    active = np.arange(start.size)
    while active.size:
        at = here[active]
        drop = d[at][:, None] - d[None, :]
        run = np.maximum(ways[active] - ways[active, at][:, None], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where((drop > 0) & np.isfinite(run), drop / run, -np.inf)
        best = slope.max(axis=1)
        target = np.where(slope == best[:, None], drop, -np.inf).argmax(axis=1)
        onward = best > -np.inf
        active = active[onward]
        here = here.copy()
        here[active] = target[onward]
        columns.append(here)
    return np.stack(columns, axis=1)


def _runs(hull: Index, ways: Array) -> Array:
    """Cost of every hull step, (sources, steps)."""
    return np.maximum(np.diff(np.take_along_axis(ways, hull, axis=1), axis=1), 0.0)


def _fill(hull: Index, d: Array, ways: Array, mass: Array, excess: float) -> Array | None:
    """Mass that takes each hull step, (sources, steps); None where all steps do not suffice."""
    drop, run = -np.diff(d[hull], axis=1), _runs(hull, ways)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(drop > 0, drop / run, 0.0)
    slope = np.minimum.accumulate(slope, axis=1)  # rounding must not reorder a source's steps
    order = np.argsort(-slope.T, axis=None, kind="stable")  # by step first among equal slopes
    gain, most = drop.T.ravel()[order], np.tile(mass, drop.shape[1])[order]
    bought = gain * most
    before = np.cumsum(bought) - bought
    if excess - float(bought.sum()) > DUST:
        return None
    still = np.clip(excess - before, 0.0, bought)
    part = np.divide(still, gain, out=np.zeros_like(still), where=gain > 0)
    moved = np.empty_like(part)
    moved[order] = np.where((still >= bought) & (gain > 0), most, part)
    return moved.reshape(drop.T.shape).T


def _plan(hull: Index, moved: Array, kept: Index, rows: Index) -> tuple[Index, Index, Array]:
    """Where mass ends: what takes step k but not step k + 1 rests at vertex k + 1."""
    rest = moved - np.pad(moved[:, 1:], ((0, 0), (0, 1)))
    source, step = np.nonzero(rest > DUST)
    return kept[rows[source]], kept[hull[source, step + 1]], rest[source, step]
