"""Trials + Estimand → dense arrays: task-level values of every configuration, cells, weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimand import Estimand, Target
from tiebreak.kernels.ustatistics import protocol_values, shock_sensitivity
from tiebreak.repeats import Repeats, make_repeats
from tiebreak.spending import penalties
from tiebreak.trials import Trials, label_column, solved_columns

Array = NDArray[np.float64]
Scale = Literal["unit", "utility", "amount"]
ALL = "all"
"""Name of the single cell where no column forms cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Dense arrays of one estimand; tasks are ordered by cell.

    ``values`` (configurations × tasks) holds task-level values, NaN where there is none;
    ``ran`` says where a configuration has trials, also such whose outcome was dropped.
    ``cells`` (tasks) indexes ``cell_names``; ``weights`` (cells) is the target.
    ``by_task``: the target weighs each task by itself (observed mix), so a task that was not
    run is weight outside support. ``max_runs`` is the largest number of runs of a task.
    For grouped records a task is a reported group, ``counts`` the trials behind its rate.
    ``repeats`` holds outcomes by run where some task has several. ``scale``: values lie in
    [0, 1] (unit), are such less a price (utility), or are dollars or seconds (amount).
    """

    estimand: Estimand
    configurations: tuple[str, ...]
    tasks: tuple[str, ...]
    values: Array
    ran: NDArray[np.bool_]
    cells: NDArray[np.intp]
    cell_names: tuple[str, ...]
    weights: Array
    by_task: bool
    max_runs: int
    counts: Array | None = None
    repeats: Repeats | None = None
    scale: Scale = "unit"

    @property
    def support(self) -> NDArray[np.intp]:
        """Number of tasks run, configurations × cells."""
        hot = self.cells[:, None] == np.arange(len(self.cell_names))
        counts: NDArray[np.intp] = (self.ran.astype(float) @ hot).astype(np.intp)
        return counts

    @property
    def single_runs(self) -> NDArray[np.bool_]:
        """Configurations without a task that ran twice."""
        if self.repeats is None:
            return np.ones(len(self.configurations), dtype=bool)
        single: NDArray[np.bool_] = ~self.repeats.several
        return single

    def take(self, rows: list[int]) -> Panel:
        """The same target for some of the configurations."""
        return replace(
            self,
            configurations=tuple(self.configurations[r] for r in rows),
            values=self.values[rows],
            ran=self.ran[rows],
            counts=None if self.counts is None else self.counts[rows],
            repeats=None if self.repeats is None else self.repeats.take(rows),
        )


def build_panel(trials: Trials, estimand: Estimand, lost: Array | None = None) -> Panel:
    """Dense task-level values under an estimand.

    ``lost`` (trials,) is taken off every trial's score in the place of what the estimand's
    utility takes; a trial where it is NaN is left out.

    Raises
    ------
    SpecError
        An unknown label source, cell column or cell name, or k above a task's runs.
    InputError
        Missing outcomes under a rule that does not allow them; nothing scored at all.
    """
    source = estimand.label_source or trials.sources[0]
    if source not in trials.sources:
        raise SpecError(
            "unknown label source", where=trials.origin, allowed=listed(trials.sources), got=source
        )
    estimand = replace(estimand, label_source=source)
    lost = penalties(trials, estimand) if lost is None else lost
    values, ran, max_runs, repeats = _task_values(trials, estimand, lost)
    cells, names = _cells(trials, estimand.target)
    order = np.argsort(cells, kind="stable")
    tasks = trials.tasks["task"].to_list()
    counts = _counts(trials, order)
    panel = Panel(
        estimand=estimand,
        configurations=tuple(trials.configurations["configuration"].to_list()),
        tasks=tuple(tasks[i] for i in order),
        values=values[:, order],
        ran=ran[:, order],
        cells=cells[order],
        cell_names=names,
        weights=target_weights(estimand.target, cells[order], names, trial_mass(counts)),
        by_task=estimand.target.kind == "observed" and trials.kind == "item",
        max_runs=max_runs,
        counts=counts,
        repeats=None if repeats is None else repeats.of_tasks(order),
        scale="unit" if lost is None else "utility",
    )
    return common_support(panel) if estimand.support == "common" else panel


def combined(panel: Panel, other: Panel, factor: float, scale: Scale = "utility") -> Panel:
    """panel + factor · other, task by task and run by run; the panels are of the same trials."""
    repeats = panel.repeats
    if repeats is not None and other.repeats is not None:
        repeats = repeats.plus(other.repeats, factor)
    values = panel.values + factor * other.values
    return replace(panel, values=values, repeats=repeats, scale=scale)


def target_weights(
    target: Target, cells: NDArray[np.intp], names: tuple[str, ...], mass: Array | None = None
) -> Array:
    """π over the cells: observed n_x/n, equal 1/C, or as stated (cells not named weigh 0).

    ``mass`` counts the trials of every task, where a task is a reported group.
    """
    sizes: Array = np.bincount(cells, weights=mass, minlength=len(names)).astype(float)
    if target.kind == "observed":
        return sizes / float(sizes.sum())
    if target.kind == "equal":
        return np.full(len(names), 1.0 / len(names))
    stated = dict(target.weights)
    unknown = sorted(set(stated) - set(names))
    if unknown:
        raise SpecError(
            "the target names cells that no task is in",
            allowed=listed(names, 20),
            got=listed(unknown),
        )
    weights: Array = np.array([stated.get(name, 0.0) for name in names])
    return weights / float(weights.sum())


def common_support(panel: Panel) -> Panel:
    """Restrict the target to what every configuration covers: cells, or tasks if it weighs tasks.

    Raises
    ------
    InputError
        No common support at all.
    """
    if panel.by_task:
        shared: NDArray[np.bool_] = np.all(panel.ran, axis=0)
        kept = replace(_tasks_of(panel, shared), weights=panel.weights) if shared.any() else None
        sizes = np.bincount(panel.cells[shared], minlength=len(panel.cell_names))
        weights = sizes.astype(float)
    else:
        covered = (panel.support > 0).all(axis=0)
        weights = np.where(covered, panel.weights, 0.0)
        kept = panel if weights.sum() > 0 else None
    if kept is None:
        raise InputError(
            "the compared configurations have no common support",
            got=listed(panel.configurations),
            hint="compare fewer configurations, or state another target",
        )
    return replace(kept, weights=weights / weights.sum())


def _tasks_of(panel: Panel, keep: NDArray[np.bool_]) -> Panel:
    return replace(
        panel,
        tasks=tuple(t for t, k in zip(panel.tasks, keep, strict=True) if k),
        values=panel.values[:, keep],
        ran=panel.ran[:, keep],
        cells=panel.cells[keep],
        counts=None if panel.counts is None else panel.counts[:, keep],
        repeats=None if panel.repeats is None else panel.repeats.of_tasks(keep),
    )


def _cells(trials: Trials, target: Target) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    if target.column is None:
        return np.zeros(trials.tasks.height, dtype=np.intp), (ALL,)
    values = trials.cells(target.column)
    names = tuple(values.unique().sort().to_list())
    index = {name: i for i, name in enumerate(names)}
    return np.array([index[v] for v in values], dtype=np.intp), names


def _task_values(
    trials: Trials, estimand: Estimand, lost: Array | None
) -> tuple[Array, NDArray[np.bool_], int, Repeats | None]:
    """Mean, pass@k or pass^k of each configuration's runs on each task; every run is used."""
    shape = (trials.configurations.height, trials.tasks.height)
    frame = trials.frame
    cell = _codes(frame["configuration"]) * shape[1] + _codes(frame["task"])
    score: Any = frame[label_column(estimand.label_source or "score")].to_numpy().copy()
    absent = _absent(trials, score)
    _apply_missing_rule(score, absent, trials, estimand)
    size = shape[0] * shape[1]
    ran = np.bincount(cell[~(absent & np.isnan(score))], minlength=size).reshape(shape) > 0
    if lost is not None:
        score[np.isnan(lost)] = np.nan
        _check_priced(score, trials, estimand)
    scored = ~np.isnan(score)
    runs = np.bincount(cell[scored], minlength=size)
    sums = np.zeros(size)
    sums += np.bincount(cell[scored], weights=score[scored], minlength=size)
    if trials.kind != "item":
        grouped = _group_values(trials, estimand, sums, runs)
        grouped -= _task_penalties(lost, cell, scored, runs, estimand)
        return grouped.reshape(shape), ran, 1, None
    _check_runs(trials, estimand, runs.reshape(shape), score[scored])
    values = protocol_values(sums, runs, estimand.protocol.kind, estimand.protocol.k)
    values -= _task_penalties(lost, cell, scored, runs, estimand)
    repeats = None
    if runs.max(initial=0) > 1:
        repeats = _repeats(trials, estimand, score, cell, sums.reshape(shape), lost)
    return values.reshape(shape), ran, int(runs.max(initial=0)), repeats


def _check_priced(score: Array, trials: Trials, estimand: Estimand) -> None:
    if np.isnan(score).all():
        raise InputError(
            f"no trial has both an outcome and what {estimand.utility} needs",
            where=trials.origin,
            hint="--unpriced zero counts unknown costs as 0",
        )


def _task_penalties(
    lost: Array | None,
    cell: NDArray[np.int64],
    scored: NDArray[np.bool_],
    runs: NDArray[np.intp],
    estimand: Estimand,
) -> Array | float:
    """Mean penalty of the scored runs of every task, k times for k attempts."""
    if lost is None:
        return 0.0
    total = np.bincount(cell[scored], weights=lost[scored], minlength=runs.size)
    mean: Array = estimand.protocol.k * total / np.maximum(runs, 1)
    return mean


def _repeats(
    trials: Trials,
    estimand: Estimand,
    score: Array,
    cell: NDArray[np.int64],
    sums: Array,
    lost: Array | None,
) -> Repeats:
    """Outcomes by run, scaled to the protocol; a penalty so that after scaling it counts k-fold."""
    run, protocol = trials.frame["run"], estimand.protocol
    names = tuple(run.dtype.categories)  # type: ignore[attr-defined]
    counts = np.bincount(cell[~np.isnan(score)], minlength=sums.size).reshape(sums.shape)
    scale = shock_sensitivity(sums, counts.astype(float), protocol.kind, protocol.k)
    if lost is not None:
        own = scale[cell // sums.shape[1]]
        score = score - np.divide(protocol.k * lost, own, out=np.zeros_like(own), where=own > 0)
    repeats = make_repeats(score, cell, _codes(run), names, sums.shape, counted=trials.counted)
    return replace(repeats, scale=scale)


def _group_values(
    trials: Trials, estimand: Estimand, sums: Array, records: NDArray[np.intp]
) -> Array:
    """Rates of groups; pass@k and pass^k where the records count tasks by their successes.

    Of n_c tasks with c successes in K trials: Σ_c n_c · estimator(c, K) / Σ_c n_c.
    """
    protocol = estimand.protocol
    if protocol.k == 1:
        return protocol_values(sums, records, protocol.kind, 1)
    names = solved_columns(trials.frame.columns)
    most = len(names) - 1
    if protocol.k > most:
        raise SpecError(
            f"{protocol} needs more than a rate per group",
            where=trials.origin,
            allowed=f"k ≤ {most}" if names else "pass@1, or counts of tasks solved 0 to K times",
        )
    solved = trials.frame.select(names).to_numpy().astype(float)
    each = protocol_values(np.arange(most + 1), np.full(most + 1, most), protocol.kind, protocol.k)
    values = np.full(sums.shape, np.nan)
    cell = _codes(trials.frame["configuration"]) * trials.tasks.height + _codes(
        trials.frame["task"]
    )
    values[cell] = solved @ each / solved.sum(axis=1)
    return values


def _codes(column: Any) -> NDArray[np.int64]:
    codes: NDArray[np.int64] = column.to_physical().to_numpy().astype(np.int64)
    return codes


def _absent(trials: Trials, score: Array) -> NDArray[np.bool_]:
    """Records that state the lack of a trial: listed but not run, or a group without a rate.

    They are a matter of support, so they call for no rule about missing outcomes.
    """
    listed_only: NDArray[np.bool_] = (trials.frame["status"] == "not_run").to_numpy()
    return np.isnan(score) & (listed_only | (trials.kind != "item"))


def _apply_missing_rule(
    score: Array, absent: NDArray[np.bool_], trials: Trials, estimand: Estimand
) -> None:
    """Count missing outcomes by the estimand's rule, in place; ``fail`` also counts absent ones."""
    lost = np.isnan(score)
    if (lost & ~absent).any() and estimand.missing in ("unset", "error"):
        found = {s: n for s, n in trials.missing.items() if s != "not_run"}
        raise InputError(
            f"{int((lost & ~absent).sum())} of {score.size} trials have no outcome",
            where=trials.origin,
            got=", ".join(f"{n} {status}" for status, n in found.items()),
            allowed="no missing outcome under this rule",
            hint="say how to count them: --missing fail (as 0) or --missing drop (left out)",
        )
    if estimand.missing == "fail":
        score[lost] = 0.0
    if np.isnan(score).all():
        raise InputError("no trial has an outcome", where=trials.origin)


def _check_runs(trials: Trials, estimand: Estimand, runs: NDArray[np.intp], scores: Array) -> None:
    protocol = estimand.protocol
    if protocol.k == 1:
        return
    if not np.isin(scores, (0.0, 1.0)).all():
        raise SpecError(
            f"{protocol} needs outcomes that are 0 or 1", where=trials.origin, got="graded scores"
        )
    short = (runs > 0) & (runs < protocol.k)
    if short.any():
        names = [trials.tasks["task"][int(t)] for t in np.flatnonzero(short.any(axis=0))]
        raise SpecError(
            f"{protocol} asks for more runs than {len(names)} tasks have",
            where=trials.origin,
            allowed=f"k ≤ {int(runs[runs > 0].min())}",
            got=listed(names),
        )


def trial_mass(counts: Array | None) -> Array | None:
    """Trials of each group over all configurations; 1 for each where no count is stated."""
    if counts is None:
        return None
    stated: Array = np.where(np.isnan(counts), 0.0, counts).sum(axis=0)
    return stated if (stated > 0).all() else np.ones(counts.shape[1])


def _counts(trials: Trials, order: NDArray[np.intp]) -> Array | None:
    """Trials behind each grouped rate, NaN where the records state none; None for item records."""
    if trials.kind == "item":
        return None
    shape = (trials.configurations.height, trials.tasks.height)
    counts = np.full(shape, np.nan)
    if "count" in trials.frame.columns:
        rows, columns = _codes(trials.frame["configuration"]), _codes(trials.frame["task"])
        counts[rows, columns] = trials.frame["count"].cast(float).to_numpy()
    return counts[:, order]
