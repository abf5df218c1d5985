"""Success against what it costs: Pareto frontier, switch points of a price, the plane of two.

Utility is linear in its prices: U(λ) = s − λ c. In the weight w = λ/(1 + λ) it is, up to a
positive factor, (1 − w) s − w c, a line on [0, 1]; so who is on top for 0 ≤ λ < ∞ is the upper
envelope of :mod:`tiebreak.kernels.crossovers`, and two neighbours on it change places at
λ = (s_i − s_j)/(c_i − c_j).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.crossovers import upper_envelope
from tiebreak.kernels.regions import clip_polygon

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]
MARGIN = 1.25
"""The shown part of the plane reaches this far beyond its outermost corner."""


class PriceEnvelope(NamedTuple):
    """Winners as the price grows: winners[s] between prices[s − 1] and prices[s], from 0 to ∞."""

    prices: Array
    winners: Index


def price_envelope(base: Array, burden: Array) -> PriceEnvelope:
    """Who has the largest base − price · burden for every price ≥ 0.

    Parameters
    ----------
    base, burden
        (configurations,), finite; the burden is positive where it costs. Of ties at price 0 the
        cheapest wins; twins go to the lowest index.
    """
    scale = float(np.abs(burden).max()) or 1.0
    found = upper_envelope(base, -burden / scale)
    winners, prices = [int(found.winners[0])], []
    for after in found.winners[1:]:
        before = winners[-1]
        prices.append((base[before] - base[after]) / (burden[before] - burden[after]))
        winners.append(int(after))
    return PriceEnvelope(np.array(prices, dtype=float), np.array(winners, dtype=np.intp))


def on_frontier(success: Array, cost: Array) -> Flags:
    """Who is not dominated: nobody is at least as good and as cheap, and better in one of them.

    Parameters
    ----------
    success, cost
        (configurations,) or (configurations, draws); every draw is a frontier of its own.
    """
    s, c = (v.reshape(len(v), -1) for v in (success, cost))
    order = np.lexsort((-s, c), axis=0)
    s, c = (np.take_along_axis(v, order, axis=0) for v in (s, c))
    kept = np.empty(s.shape, dtype=bool)
    best, at = np.full(s.shape[1], -np.inf), np.full(s.shape[1], np.inf)
    for row in range(len(s)):
        kept[row] = (s[row] > best) | ((s[row] == best) & (c[row] == at))
        better = s[row] > best
        best, at = np.where(better, s[row], best), np.where(better, c[row], at)
    out = np.empty_like(kept)
    np.put_along_axis(out, order, kept, axis=0)
    return out.reshape(success.shape)


def dominators(success: Array, cost: Array) -> Index:
    """Of every dominated configuration the frontier's best that dominates it, else −1.

    The most successful one, of equals the cheapest, of twins the first.
    """
    frontier = np.flatnonzero(on_frontier(success, cost))
    ordered = sorted(frontier, key=lambda j: (-success[j], cost[j], j))
    found = np.full(success.shape, -1, dtype=np.intp)
    for i in range(success.size):
        over = (j for j in ordered if success[j] >= success[i] and cost[j] <= cost[i])
        beaten = (j for j in over if success[j] > success[i] or cost[j] < cost[i])
        found[i] = next(beaten, -1)
    return found


class Plane(NamedTuple):
    """Where each configuration is on top in the (λ, μ) quadrant, cut off at ``corner``.

    ``polygons`` are (vertices, 2) each, empty where a configuration is nowhere on top.
    """

    corner: tuple[float, float]
    polygons: list[Array]


def plane(success: Array, cost: Array, time: Array) -> Plane:
    """Regions of s − λ c − μ d ≥ that of every other, by clipping a box with half-planes.

    Boundaries are the lines s_ab − λ c_ab − μ d_ab = 0. The box reaches beyond every place in the
    quadrant where they meet each other or an axis, so nothing changes outside it.
    """
    rows = np.stack([success, -cost, -time], axis=1)
    right, top = _corner(rows)
    box = np.array([[1, 0, 0], [1, right, 0], [1, right, top], [1, 0, top]], dtype=float)
    regions = [clip_polygon(box, np.delete(row - rows, i, axis=0)) for i, row in enumerate(rows)]
    return Plane((right, top), [region[:, 1:] for region in regions])


def _corner(rows: Array) -> tuple[float, float]:
    """Far corner of the box: beyond all axis crossings and meeting points in the quadrant."""
    i, j = np.triu_indices(len(rows), 1)
    lines = [*(rows[i] - rows[j]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])]
    points = [_meeting(a, b) for n, a in enumerate(lines) for b in lines[n + 1 :]]
    inside = [p for p in points if p is not None and (p >= 0).all()]
    far = np.max([np.zeros(2), *inside], axis=0)
    return tuple(float(MARGIN * v) if v > 0 else 1.0 for v in far)  # type: ignore[return-value]


def _meeting(a: Array, b: Array) -> Array | None:
    """The (λ, μ) on both lines (1, λ, μ) · a = 0 = (1, λ, μ) · b; None where they are parallel."""
    matrix = np.array([a[1:], b[1:]])
    size = np.abs(matrix).max(axis=1).prod()
    if abs(np.linalg.det(matrix)) <= 1e-12 * size:
        return None
    point: Array = np.linalg.solve(matrix, -np.array([a[0], b[0]])) + 0.0
    return point
