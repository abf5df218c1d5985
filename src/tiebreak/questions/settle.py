"""Near the top: which pairs are resolved, what verdicts depend on, what would settle the rest."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import TiebreakError
from tiebreak.estimand import Estimand
from tiebreak.kernels.planning import Components, detectable_gap, runs_for, tasks_for
from tiebreak.questions.opening import opening
from tiebreak.questions.runs.difference import pair_components
from tiebreak.results.board import BoardResult
from tiebreak.results.pairs import Comparison
from tiebreak.results.runs import ComponentLine
from tiebreak.results.settle import OpenPair, SettleResult
from tiebreak.trials import Trials

NEAR = 10
"""Configurations that are near the top: the first of these by raw score."""
POWER = 0.8


def settle(trials: Trials, board: BoardResult, *, near: int = NEAR) -> SettleResult:
    """Sum up the pairs near the top, and plan what would resolve those that are underpowered.

    Parameters
    ----------
    trials
        The records the board was made of.
    board
        Its result: estimand, design and comparisons are taken from it.
    near
        Number of configurations, by raw score.

    Returns
    -------
    SettleResult
        Per underpowered pair the least number of tasks (same mix, same runs) and of runs (same
        tasks) at which the gap sought, the one seen but at least the margin, would be found with
        power 0.8 at the design's level: (z_{(1+level)/2} + z_power) · √V(n, R) ≤ gap. V is the
        pair's own variance, split by its run components where it has several runs. A plan
        rests on the gap seen, so it is a guide and no promise.
    """
    names = _near(board, near)
    pairs = [c for c in board.comparisons if c.a in names and c.b in names]
    estimand, design = board.provenance.estimand, board.provenance.design
    missing = "fail" if estimand.missing == "unset" and trials.missing else estimand.missing
    stated = Estimand(estimand.label_source, target=estimand.target, missing=missing)
    runs = _runs(trials)
    planned = tuple(
        _plan(c, c.gap, c.gap_se, _components(trials, c, stated, design), runs, design)
        for c in pairs
        if c.verdict == "underpowered" and c.gap is not None and c.gap_se is not None
    )
    better = {n: tuple(_loser(c) for c in pairs if c.winner == n) for n in names}
    verdicts = dict(Counter(c.verdict for c in pairs))
    resolved = sum(c.winner is not None for c in pairs)
    sentences = opening(board, pairs, better, planned, POWER)
    return SettleResult(
        answer=sentences[0].sentence,
        sentences=sentences,
        near=names,
        n_pairs=len(pairs),
        resolved=resolved,
        verdicts=verdicts,
        better=better,
        open_pairs=planned,
        power=POWER,
        provenance=board.provenance,
    )


def _near(board: BoardResult, near: int) -> tuple[str, ...]:
    """The first by raw score, among those whose pairs were judged."""
    judged = {n for c in board.comparisons for n in (c.a, c.b)}
    scored = [s for s in board.standings if s.configuration in judged]
    scored.sort(key=lambda s: (-(s.score_observed or 0.0), s.configuration))
    return tuple(s.configuration for s in scored[:near])


def _loser(c: Comparison) -> str:
    return c.b if c.winner == c.a else c.a


def _runs(trials: Trials) -> dict[str, int]:
    """Most runs of a task, per configuration."""
    per_task = trials.frame.group_by("configuration", "task").len()
    most = per_task.group_by("configuration").max().select("configuration", "len")
    return {str(name): int(n) for name, n in most.iter_rows()}


def _components(trials: Trials, c: Comparison, estimand: Estimand, design: Design) -> ComponentLine:
    """The pair's run components, or the reason why it has none."""
    if "single_run" in c.flags or trials.kind != "item":
        return ComponentLine(reason="a single run shows no run noise")
    try:
        return pair_components(trials, (c.a, c.b), estimand, design)
    except TiebreakError as fault:
        return ComponentLine(reason=fault.what)


def _plan(
    c: Comparison,
    gap: float,
    se: float,
    found: ComponentLine,
    runs: dict[str, int],
    design: Design,
) -> OpenPair:
    sought, n_runs = max(abs(gap), c.margin), min(runs[c.a], runs[c.b])
    if sought == 0.0:
        nothing = dict.fromkeys(("tasks", "runs"), "no gap to find: 0 seen and a margin of 0")
        return OpenPair(c.a, c.b, gap, se, sought, c.n_tasks, None, n_runs, None, nothing)
    sd = sought / float(detectable_gap(np.array(1.0), level=design.level, power=POWER))
    parts = _scaled(found, se, c.n_tasks, n_runs)
    tasks = tasks_for(parts, n_runs, sd)
    more = math.inf if found.reason and found.task is None else runs_for(parts, c.n_tasks, sd)
    why_runs = found.reason or "these tasks are too few, whatever the number of runs"
    reasons = {
        **({} if math.isfinite(tasks) else {"tasks": "the runs' shared shock sets a floor"}),
        **({} if math.isfinite(more) else {"runs": why_runs}),
    }
    return OpenPair(
        c.a, c.b, gap, se, sought, c.n_tasks, _whole(tasks), n_runs, _whole(more), reasons
    )


def _scaled(found: ComponentLine, se: float, tasks: int, runs: int) -> Components:
    """Components in the proportions found that give the standard error of the comparison.

    The comparison weighs its cells by the target, components weigh all tasks the same.
    """
    c = Components(found.task or 0.0, found.run or 0.0, found.task_run or 0.0).positive
    whole = c.task / tasks + c.run / runs + c.task_run / (tasks * runs)
    if found.task is None or whole == 0.0:
        return Components(se**2 * tasks, 0.0, 0.0)
    scale = se**2 / whole
    return Components(c.task * scale, c.run * scale, c.task_run * scale)


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None
