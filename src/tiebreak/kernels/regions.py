"""Who wins where on the simplex of weights, from cell rates r (configurations, cells).

Configuration a is on top where Σ_x π_x (r_ax − r_bx) ≥ 0 for all b: a polytope. Boundaries have
no volume; configurations that agree in every cell (to within ``DUST``) are on top together and
split their region, so shares sum to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.moments import blocks
from tiebreak.kernels.perturbation import top_shares
from tiebreak.kernels.radius import DUST

Array = NDArray[np.float64]
TOLERANCE = 1e-9
"""A best margin above −TOLERANCE is a tie on top: what linear programming can tell from 0."""
PROBES = 4096
"""Weights tried before linear programming; they decide the cost, not the answer."""


class HalfSpace(NamedTuple):
    """{π on the simplex: normal · π ≥ offset}, where a pair's gap is not negative.

    The normal, (cells,), lies in the plane of the simplex (it sums to 0) and has length 1, so
    normal · π − offset is the Euclidean distance of π from the boundary. For a gap that is the
    same in all cells both are NaN: there is no boundary.
    """

    normal: Array
    offset: float


class Thresholds(NamedTuple):
    """Where a lead begins or ends as one cell's weight is swept, (pairs, cells) each.

    ``side`` is 1 where the left one leads above ``weight``, −1 where it leads below, and 0
    where no weight in [0, 1] changes the leader; there ``weight`` is NaN.
    """

    weight: Array
    side: NDArray[np.intp]


def simplex_shares_exact(rates: Array) -> Array:
    """Area shares of the regions in which each configuration is on top, for three cells.

    The triangle is clipped by one half-plane per rival (Sutherland & Hodgman 1974).
    """
    gaps = rates[:, None] - rates
    gaps[np.abs(gaps) <= DUST] = 0.0
    strongest = np.argsort(-rates.mean(axis=1))  # they cut most: regions are soon empty
    area = np.array([_clipped_area(row[strongest]) for row in gaps])
    shares: Array = area / (~gaps.any(axis=2)).sum(axis=1)
    return shares


def _clipped_area(gaps: Array) -> float:
    """Share of the triangle where all gaps (rivals, 3) are ≥ 0; corners are weight vectors."""
    polygon = clip_polygon(np.eye(3), gaps)
    if not len(polygon):
        return 0.0
    x, y = polygon[:, 0], polygon[:, 1]
    area = float(x @ np.roll(y, -1) - y @ np.roll(x, -1))  # twice the area; the triangle's is 1/2
    return area if area > DUST else 0.0


def clip_polygon(polygon: Array, gaps: Array) -> Array:
    """Corners, (corners, 3), of the part of a convex polygon where all gaps (rivals, 3) are ≥ 0.

    A gap is linear in the corners' three coordinates; empty where fewer than three are left.
    """
    for d in gaps:
        if d.any():
            polygon = _clip(polygon, polygon @ d)
        if len(polygon) < 3:
            return np.empty((0, 3))
    return polygon


def _clip(polygon: Array, value: Array) -> Array:
    """The part of a convex polygon where a linear function, given at its corners, is ≥ 0."""
    following, ahead = np.roll(polygon, -1, axis=0), np.roll(value, -1)
    crossed = value * ahead < 0
    step = np.divide(value, value - ahead, out=np.zeros_like(value), where=crossed)
    cut = polygon + step[:, None] * (following - polygon)
    corners = np.stack([polygon, cut], axis=1).reshape(-1, 3)
    return corners[np.stack([value >= 0, crossed], axis=1).ravel()]


def simplex_shares_sampled(rates: Array, draws: int, rng: np.random.Generator) -> Array:
    """Shares of uniform weights, Dirichlet(1, …, 1), under which each configuration is on top.

    The Monte Carlo standard error of a share s is at most sqrt(s (1 − s) / draws).
    """
    total = np.zeros(len(rates))
    for part in blocks(draws, max(rates.shape)):
        weights = rng.dirichlet(np.ones(rates.shape[1]), size=part.stop - part.start)
        total += len(weights) * top_shares(weights @ rates.T)
    return total / draws


def never_wins(rates: Array) -> NDArray[np.bool_]:
    """Configurations that are on top for no weights at all, (configurations,).

    A shared top is a top. Out of question are those on top in a cell or under some sampled
    weights, and beyond hope those that one rival beats in every cell; :func:`best_margin`
    decides on the others.
    """
    rng = np.random.default_rng(0)
    weights = np.concatenate(
        [np.eye(rates.shape[1]), rng.dirichlet(np.ones(rates.shape[1]), size=PROBES)]
    )
    open_ = np.ones(len(rates), dtype=bool)
    for part in blocks(len(weights), len(rates)):
        scores = weights[part] @ rates.T
        open_ &= ~(scores >= scores.max(axis=1, keepdims=True) - DUST).any(axis=0)
    never = open_ & _beaten_everywhere(rates)
    for i in np.flatnonzero(open_ & ~never):
        never[i] = best_margin(rates, int(i))[0] < -TOLERANCE
    return never


def best_margin(rates: Array, configuration: int) -> tuple[float, Array]:
    """Largest lead over the best rival that any weights give, and such weights, (cells,).

    max ε s.t. Σ_x π_x (r_ax − r_bx) ≥ ε for all b ≠ a, π on the simplex (HiGHS). Needs a rival.
    """
    from scipy.optimize import linprog

    cells = rates.shape[1]
    lead = rates[configuration] - np.delete(rates, configuration, axis=0)
    found = linprog(
        c=np.append(np.zeros(cells), -1.0),
        A_ub=np.column_stack([-lead, np.ones(len(lead))]),
        b_ub=np.zeros(len(lead)),
        A_eq=np.append(np.ones(cells), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0, None)] * cells + [(None, None)],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:  # rates that are no numbers
        raise ArithmeticError(f"linear programming found no weights: {found.message}")
    weights = np.maximum(found.x[:cells], 0.0)
    weights /= weights.sum()
    return float((lead @ weights).min()), weights


def half_space(gaps: Array) -> HalfSpace:
    """Where a pair's gap, Σ_x π_x d_x with cell gaps d (cells,), is not negative."""
    centred = gaps - gaps.mean()
    length = float(np.linalg.norm(centred))
    if length <= DUST:
        return HalfSpace(np.full(gaps.shape, np.nan), np.nan)
    return HalfSpace(centred / length, -float(gaps.mean()) / length)


def sweep_thresholds(gaps: Array, weights: Array) -> Thresholds:
    """Weight of each cell at which the lead changes, the rest split as in ``weights``.

    With the rest's gap r_x = Σ_{y≠x} π_y d_y / (1 − π_x), Δ(w) = w d_x + (1 − w) r_x is zero at
    w = r_x / (r_x − d_x). Reads: the left one leads only where cell x is more (less) than w of
    the work.

    Parameters
    ----------
    gaps, weights
        d and π, (pairs, cells); NaN gaps and zero weights outside support.
    """
    d = np.where(weights != 0, gaps, 0.0)
    others = 1.0 - np.eye(d.shape[1])
    rest, left = (weights * d) @ others, weights @ others
    r = np.divide(rest, left, out=np.full_like(rest, np.nan), where=left > DUST)
    r, last = (np.where(np.abs(v) <= DUST, 0.0, v) for v in (r, gaps))
    with np.errstate(invalid="ignore"):
        found = (r * last <= 0) & (np.abs(r - last) > DUST)
    weight = np.divide(r, r - last, out=np.full_like(r, np.nan), where=found)
    return Thresholds(weight, np.where(found, np.sign(last - r), 0).astype(np.intp))


def _beaten_everywhere(rates: Array) -> NDArray[np.bool_]:
    """Rows below one and the same rival in every cell, by more than TOLERANCE."""
    beaten = np.zeros(len(rates), dtype=bool)
    for rival in rates:
        beaten |= (rates < rival - TOLERANCE).all(axis=1)
    return beaten
