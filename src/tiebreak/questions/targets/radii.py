"""How far every target's weights must move until a lead is gone: L1, and with a ground distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tiebreak.distance import Distance
from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimate.contract import Array, Index
from tiebreak.estimate.pairs import PairEstimates
from tiebreak.kernels.gower import gower
from tiebreak.kernels.radius import DUST, Witness, l1_witness
from tiebreak.kernels.transport import wasserstein_radius
from tiebreak.progress import track
from tiebreak.questions.judge import number
from tiebreak.questions.targets.paths import target_name
from tiebreak.questions.targets.setup import Setup
from tiebreak.results.weight_lines import Mass, RadiusLine
from tiebreak.trials import Trials

INFINITE = "infinite: no supported cell takes the lead away"
NO_TASK = "no shared scored task"
Points = Callable[[int, int], tuple[Array, Array]]
"""(target, pair) → gaps and weights of the points that mass moves between."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A ground distance ready for use: costs between points, and what each pair has there."""

    cost: Array
    points: Points
    note: str | None = None


def radii(setup: Setup, ground: Ground | None) -> tuple[RadiusLine, ...]:
    """Every pair under every target; the leader's lead is what the radius takes away."""
    total = len(setup.judged) * setup.left.size
    lines = ((t, p) for t in range(len(setup.judged)) for p in range(setup.left.size))
    witnesses = [_witnesses(setup, t) for t in range(len(setup.judged))]
    tracked = lines if ground is None else track(lines, total, "Wasserstein radii")
    return tuple(_line(setup, t, p, witnesses[t], ground) for t, p in tracked)


def _witnesses(setup: Setup, t: int) -> tuple[Witness, Witness]:
    """Sign-flip and margin-flip radii of all pairs at once."""
    e = setup.judged[t].estimates
    lead = _sign(e.gap)[:, None] * e.cell_gaps
    levels = (0.0, setup.design.margin)
    flip, margin = (l1_witness(lead, e.cell_weights, level) for level in levels)
    return flip, margin


def _sign(gap: Array) -> Array:
    return np.where(gap < 0, -1.0, 1.0)


def _line(
    setup: Setup, t: int, p: int, found: tuple[Witness, Witness], ground: Ground | None
) -> RadiusLine:
    e, names = setup.judged[t].estimates, setup.names
    a, b = names[e.left[p]], names[e.right[p]]
    flip, margin = found
    values = {"radius": flip.radius[p], "margin_radius": margin.radius[p]}
    if ground is not None:
        values |= _wasserstein(setup, t, p, ground)
    moved, leader = flip.moved[p], _leader(e, p, a, b)
    reasons = {
        name: INFINITE if np.isinf(v) else NO_TASK
        for name, v in values.items()
        if not np.isfinite(v)
    }
    if leader is None:
        reasons["leader"] = NO_TASK if np.isnan(e.gap[p]) else "a tie"
    return RadiusLine(
        a=a,
        b=b,
        target=target_name(setup, t),
        leader=leader,
        moved_from=_masses(setup, t, -moved),
        moved_to=_masses(setup, t, moved),
        reasons=reasons,
        **{name: number(v) for name, v in values.items()},
    )


def _leader(e: PairEstimates, p: int, a: str, b: str) -> str | None:
    if np.isnan(e.gap[p]) or abs(e.gap[p]) <= DUST:
        return None
    return a if e.gap[p] > 0 else b


def _masses(setup: Setup, t: int, moved: Array) -> tuple[Mass, ...]:
    names = setup.prepared[t].panel.cell_names
    cells = np.flatnonzero(np.nan_to_num(moved) > DUST)
    return tuple(Mass(names[x], round(float(moved[x]), 12)) for x in cells)


def _wasserstein(setup: Setup, t: int, p: int, ground: Ground) -> dict[str, float]:
    """Least costs at which the lead falls to 0 and to the margin."""
    gaps, weights = ground.points(t, p)
    sign = float(_sign(setup.judged[t].estimates.gap[p]))
    names = ("wasserstein_radius", "wasserstein_margin_radius")
    return {
        name: wasserstein_radius(sign * gaps, weights, ground.cost, level).radius
        for name, level in zip(names, (0.0, setup.design.margin), strict=True)
    }


def ground_of(setup: Setup, trials: Trials, distance: Distance | None) -> Ground | None:
    """Costs between cells, or between tasks by their columns.

    Raises
    ------
    SpecError
        A matrix that misses a cell or names others, an unknown column.
    InputError
        Grouped records for a distance between tasks; tasks that share no known column.
    """
    if distance is None:
        return None
    if distance.columns:
        cost = _between_tasks(setup, trials, distance)
        return Ground(cost, _task_points(setup), _free_moves(cost, distance))
    return Ground(_between_cells(setup, distance), _cell_points(setup))


def _free_moves(cost: Array, distance: Distance) -> str | None:
    """Tasks that the columns do not tell apart make a small radius; that must be said."""
    columns = ", ".join(distance.columns)
    alike = int(((cost <= 0).sum(axis=1) > 1).sum())
    if not alike:
        return None
    return (
        f"{alike:,} of {len(cost):,} tasks agree with another one in {columns}: "
        "weight moves between them at no cost, so Wasserstein radii may be 0"
    )


def _between_cells(setup: Setup, distance: Distance) -> Array:
    names = setup.panel.cell_names
    lacking, other = (
        [c for c in one if c not in two]
        for one, two in ((names, distance.cells), (distance.cells, names))
    )
    if lacking or other:
        raise SpecError(
            "the distance matrix misses a cell" if lacking else "the distance matrix names others",
            allowed=listed(names, 20),
            got=f"none for {listed(lacking)}" if lacking else listed(other),
        )
    at = [distance.cells.index(c) for c in names]
    return np.array(distance.matrix)[np.ix_(at, at)]


def _cell_points(setup: Setup) -> Points:
    def points(t: int, p: int) -> tuple[Array, Array]:
        e = setup.judged[t].estimates
        return e.cell_gaps[p], e.cell_weights[p]

    return points


def _task_points(setup: Setup) -> Points:
    """Gaps of matched tasks; a cell's weight is spread evenly over its matched tasks."""

    def points(t: int, p: int) -> tuple[Array, Array]:
        panel, e = setup.prepared[t].panel, setup.judged[t].estimates
        gaps = panel.values[e.left[p]] - panel.values[e.right[p]]
        matched = ~np.isnan(gaps)
        n = np.bincount(panel.cells[matched], minlength=len(panel.cell_names))
        each = np.divide(e.cell_weights[p], n, out=np.zeros(n.size), where=n > 0)[panel.cells]
        return _universe(setup, t, gaps, np.nan), _universe(setup, t, np.where(matched, each, 0), 0)

    return points


def _universe(setup: Setup, t: int, values: Array, filler: float) -> Array:
    """Values on the tasks of the main panel: a restricted target has fewer."""
    own, every = setup.prepared[t].panel.tasks, setup.panel.tasks
    if own == every:
        return values
    at = {task: i for i, task in enumerate(every)}
    full = np.full(len(every), filler)
    full[[at[task] for task in own]] = values
    return full


def _between_tasks(setup: Setup, trials: Trials, distance: Distance) -> Array:
    if setup.grouped:
        raise InputError(
            "grouped records hold no tasks to put a distance between",
            where=trials.origin,
            allowed="a file with distances between cells",
            got=str(distance),
        )
    numeric, codes = _features(setup, trials, distance.columns)
    cost = gower(numeric, codes)
    if np.isnan(cost).any():
        i, j = (setup.panel.tasks[int(x)] for x in np.argwhere(np.isnan(cost))[0])
        raise InputError(
            "two tasks share no known value in the columns of the distance",
            where=trials.origin,
            got=f"{i} and {j}",
            allowed="columns with values",
        )
    return cost


def _features(setup: Setup, trials: Trials, columns: tuple[str, ...]) -> tuple[Array, Index]:
    """Columns as numbers where every value is one, else as category codes."""
    unknown = [c for c in columns if c not in trials.task_columns]
    if unknown:
        raise SpecError(
            f"no task column '{unknown[0]}' for the distance",
            where=trials.origin,
            allowed=listed(trials.task_columns),
            got=listed(unknown),
        )
    place = {task: i for i, task in enumerate(trials.tasks["task"].to_list())}
    at = [place[task] for task in setup.panel.tasks]
    read = [column_values(trials.tasks[c].to_list()) for c in columns]
    numeric = [np.array(v)[at] for v in read if isinstance(v, list)]
    codes = [v[at] for v in read if not isinstance(v, list)]
    n = len(at)
    return (
        np.column_stack(numeric) if numeric else np.zeros((n, 0)),
        np.column_stack(codes) if codes else np.zeros((n, 0), dtype=np.intp),
    )


def column_values(values: list[object]) -> list[float] | Index:
    """Numbers (NaN where missing) if every value is one, else codes (−1 where missing)."""
    try:
        return [np.nan if v is None else float(str(v)) for v in values]
    except ValueError:
        names = sorted({str(v) for v in values if v is not None})
        code = {name: i for i, name in enumerate(names)}
        return np.array([-1 if v is None else code[str(v)] for v in values], dtype=np.intp)
