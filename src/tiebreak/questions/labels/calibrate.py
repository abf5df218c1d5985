"""Calibrations of every source and of all together, with what carries over to a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tiebreak.design import Design
from tiebreak.estimand import Estimand
from tiebreak.estimate.calibration import (
    Rows,
    bootstrap_bounds,
    bootstrap_size,
    held_out,
    loss_by_task,
    task_folds,
)
from tiebreak.kernels.calibration import Linear, auc, brier, log_loss, reliability
from tiebreak.panel import target_weights
from tiebreak.progress import track
from tiebreak.questions.judge import number
from tiebreak.questions.labels.features import Given, Prepared, prepared
from tiebreak.questions.labels.labelled import Array, Index, Labels
from tiebreak.results.label_lines import Bin, CalibrationLine, Difference, LeftOut

FOLDS = 5
NONE = Difference(None, None, None)
LACKING = "no paired label in a cell that the target weighs"


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """One calibration before its bootstrap.

    ``quantities`` are differences of Brier scores: of all trajectories, then of each
    configuration left out; empty where several sources stand together.
    """

    line: CalibrationLine
    quantities: Linear


def calibrate(
    labels: Labels, given: Sequence[Given], estimand: Estimand, design: Design
) -> tuple[tuple[CalibrationLine, ...], int]:
    """Calibrations, and the number of bootstrap draws behind their intervals.

    Tasks are dealt into five folds within cells, and all trajectories of a task are in one. A
    configuration left out is judged under the target's weights of the cells in which every
    configuration has labels (of all cells where full support is asked for).
    """
    against = labels.asked.against
    groups = [(s,) for s in against] + ([against] if len(against) > 1 else [])
    fold = task_folds(labels.task_cell, FOLDS, np.random.default_rng(design.seed))
    found = [
        _calibrated(labels, sources, given, fold, estimand)
        for sources in track(groups, len(groups), "calibrations")
    ]
    draws = bootstrap_size(design.draws, labels.task_cell.size)
    return _with_bounds(labels, found, draws, design), draws


def _calibrated(
    labels: Labels,
    sources: tuple[str, ...],
    given: Sequence[Given],
    fold: Index,
    estimand: Estimand,
) -> Calibrated:
    own = prepared(labels, sources, given)
    reason = _reason(own, labels.asked.reference)
    if reason is not None:
        return Calibrated(_refused(own, reason), _no_quantities(labels))
    overall, quantity = _overall(own, fold)
    without = prepared(labels, sources, [g for g in given if g != "configuration"])
    left_out, by_configuration = _left_out(labels, without, estimand)
    joined = Linear(*(np.concatenate(v) for v in zip(quantity, by_configuration, strict=True)))
    return Calibrated(replace(overall, leave_one_out=left_out), joined)


def _reason(own: Prepared, reference: str) -> str | None:
    """Why nothing can be calibrated, if so."""
    outcome = own.rows.outcome
    if not outcome.size:
        return f"no trial has labels of '{reference}' and of {own.name}"
    if np.unique(own.rows.task).size < 2 * FOLDS:
        return f"fewer than {2 * FOLDS} tasks with paired labels"
    if np.unique(outcome).size < 2:
        return f"'{reference}' has one class only where {own.name} has labels"
    return None


def _refused(own: Prepared, reason: str) -> CalibrationLine:
    rows = own.rows
    nothing = None, None, None, None, None
    return CalibrationLine(
        own.name, rows.outcome.size, np.unique(rows.task).size, *nothing, NONE, None, None, (), (),
        NONE, reason,
    )  # fmt: skip


def _no_quantities(labels: Labels) -> Linear:
    empty = np.zeros((0, labels.task_cell.size))
    return Linear(empty, empty, empty, np.zeros((0, len(labels.cells))))


def _overall(own: Prepared, fold: Index) -> tuple[CalibrationLine, Linear]:
    """Cross-fitted over all trajectories, each of the same weight."""
    rows, n = own.rows, own.rows.outcome.size
    held = held_out(rows, fold[rows.task], FOLDS, np.full(n, 1 / n))
    y, p, single = rows.outcome, held.predicted, len(own.sources) == 1
    share = np.bincount(rows.cell, minlength=int(rows.task_cell.max()) + 1) / n
    quantity = _quantities(rows, p, [np.ones(n, dtype=bool)], held.steps.sum(axis=0)[None], share)
    raw, now = brier(y, rows.raw), brier(y, p)
    line = CalibrationLine(
        source=own.name,
        n=n,
        n_tasks=np.unique(rows.task).size,
        mean=number(p.mean()),
        mean_raw=number(rows.raw.mean()),
        reference=number(y.mean()),
        brier=number(now),
        brier_raw=number(raw),
        difference=Difference(number(now - raw), None, None),
        log_loss=number(log_loss(y, p)),
        auc=number(auc(y, p)),
        reliability=_bins(y, p),
        leave_one_out=(),
        leave_one_out_mean=NONE,
    )
    return line, quantity if single else _some(quantity, 0)


def _bins(y: Array, p: Array) -> tuple[Bin, ...]:
    curve = reliability(y, p)
    return tuple(
        Bin(float(low), float(high), int(n), round(float(mean), 12), round(float(rate), 12))
        for low, high, n, mean, rate in zip(*curve, strict=True)
    )


def _quantities(
    rows: Rows, p: Array, groups: Sequence[np.ndarray], steps: Array, weights: Array
) -> Linear:
    """Differences of squared errors, calibrated − raw, of groups of rows."""
    loss = (p - rows.outcome) ** 2 - (rows.raw - rows.outcome) ** 2
    parts = [loss_by_task(rows, np.where(group, loss, np.nan)) for group in groups]
    total, n = (np.stack(v) for v in zip(*parts, strict=True))
    return Linear(total, n, steps, np.tile(weights, (len(groups), 1)))


def _some(quantities: Linear, n: int) -> Linear:
    return Linear(*(v[:n] for v in quantities))


def _left_out(
    labels: Labels, own: Prepared, estimand: Estimand
) -> tuple[tuple[LeftOut, ...], Linear]:
    """Every configuration predicted from the others, under the target."""
    rows, names = own.rows, labels.configurations
    counts = np.zeros((len(names), len(labels.cells)))
    np.add.at(counts, (own.configuration, rows.cell), 1)
    weights = _target(labels, counts, estimand)
    if len(names) < 2 or weights is None:
        return (), _no_quantities(labels)
    inside = weights[rows.cell] > 0
    able = ((counts > 0) | (weights == 0)).all(axis=1)
    row_weight = weights[rows.cell] / np.maximum(counts[own.configuration, rows.cell], 1)
    fold = np.where(inside, own.configuration, -1)
    held = held_out(rows, fold, len(names), row_weight)
    lines = tuple(
        _left_out_line(own, name, held.predicted, row_weight * (fold == a), bool(able[a]))
        for a, name in enumerate(names)
    )
    kept = np.flatnonzero(able) if len(own.sources) == 1 else np.zeros(0, dtype=np.intp)
    if not kept.size:
        return lines, _no_quantities(labels)
    groups = [fold == a for a in kept]
    return lines, _quantities(rows, held.predicted, groups, held.steps[kept], weights)


def _target(labels: Labels, counts: Array, estimand: Estimand) -> Array | None:
    """π over the cells, restricted to common support where that is the target."""
    weights = target_weights(estimand.target, labels.task_cell, labels.cells)
    if estimand.support == "common":
        weights = np.where((counts > 0).all(axis=0), weights, 0.0)
    total = float(weights.sum())
    return weights / total if total > 0 else None


def _left_out_line(own: Prepared, name: str, p: Array, weights: Array, able: bool) -> LeftOut:
    rows, used = own.rows, weights > 0
    if not able:
        nothing = None, None, None, None, None, None, None, None
        return LeftOut(name, int(used.sum()), *nothing, LACKING)
    w, y, p, raw = (v[used] for v in (weights, rows.outcome, p, rows.raw))
    now, before = float(w @ (p - y) ** 2), float(w @ (raw - y) ** 2)
    return LeftOut(
        configuration=name,
        n=int(used.sum()),
        mean=number(w @ p),
        mean_raw=number(w @ raw),
        reference=number(w @ y),
        brier=number(now),
        brier_raw=number(before),
        difference=number(now - before),
        difference_low=None,
        difference_high=None,
    )


def _with_bounds(
    labels: Labels, found: Sequence[Calibrated], draws: int, design: Design
) -> tuple[CalibrationLine, ...]:
    """Intervals of all differences from one set of draws over tasks with a paired label."""
    sizes = [len(c.quantities.weights) for c in found]
    joined = Linear(*(np.concatenate(v) for v in zip(*(c.quantities for c in found), strict=True)))
    if not sum(sizes):
        return tuple(c.line for c in found)
    used: Index = np.flatnonzero(joined.n.any(axis=0))
    average = _averages(sizes)
    low, high = bootstrap_bounds(
        joined.of_tasks(used), average, labels.task_cell[used], draws, design.alpha, design.seed
    )
    lines, start = [], 0
    for i, (c, size) in enumerate(zip(found, sizes, strict=True)):
        at, mean = slice(start, start + size), sum(sizes) + i
        own = [*zip(low[at], high[at], strict=True)]
        lines.append(_bounded(c.line, own, (low[mean], high[mean])))
        start += size
    return tuple(lines)


def _averages(sizes: Sequence[int]) -> Array:
    """Rows that average the configurations left out of each calibration."""
    average = np.zeros((len(sizes), sum(sizes)))
    start = 0
    for i, size in enumerate(sizes):
        average[i, start + 1 : start + size] = 1 / max(size - 1, 1)
        start += size
    return average


def _bounded(
    line: CalibrationLine, own: list[tuple[float, float]], mean: tuple[float, float]
) -> CalibrationLine:
    if not own:
        return line
    overall, *rest = own
    able = iter(rest)
    left_out = tuple(_with(c, next(able)) if c.reason is None else c for c in line.leave_one_out)
    told = [c.difference for c in left_out if c.difference is not None]
    return replace(
        line,
        difference=Difference(line.difference.difference, number(overall[0]), number(overall[1])),
        leave_one_out=left_out,
        leave_one_out_mean=Difference(number(np.mean(told)), number(mean[0]), number(mean[1]))
        if told
        else NONE,
    )


def _with(line: LeftOut, bounds: tuple[float, float]) -> LeftOut:
    low, high = bounds
    return replace(line, difference_low=number(low), difference_high=number(high))
