"""Harness failures beside the score under either rule, outages, and cost per resolved task."""

from __future__ import annotations

import numpy as np
import polars as pl

from tiebreak.estimand import Estimand
from tiebreak.kernels.ratio import fieller, longest_streak, streak_probability
from tiebreak.panel import Panel
from tiebreak.questions.judge import number
from tiebreak.results.runs import CostLine, FailureLine, Outage
from tiebreak.trials import Trials, label_column

HARNESS = "infrastructure"
UNLIKELY = 1e-3
"""A streak of failures less likely than this, were they scattered, is an outage."""


def failures(trials: Trials, estimand: Estimand) -> FailureLine:
    """Counts, and the raw score with harness failures as failures and left out.

    Other missing outcomes count as 0 under both, so that the effect is the harness's alone.
    """
    column = label_column(estimand.label_source or trials.sources[0])
    ran = trials.frame.filter(pl.col("status") != "not_run")
    harness = pl.col("status") == HARNESS
    counted = ran.with_columns(pl.col(column).fill_null(0.0).alias("value"))
    as_failure = _raw(counted.with_columns(pl.when(~harness).then("value").otherwise(0.0)))
    dropped = _raw(counted.filter(~harness))
    count = ran.filter(harness).height
    effect = None if as_failure is None or dropped is None else number(dropped - as_failure)
    return FailureLine(
        count=count,
        rate=count / max(ran.height, 1),
        score_fail=number(as_failure) if as_failure is not None else None,
        score_drop=number(dropped) if dropped is not None else None,
        effect=effect,
        missing=trials.missing,
        outages=_outages(ran),
    )


def _raw(frame: pl.DataFrame) -> float | None:
    """Mean over tasks of the mean over runs."""
    name = "value" if "value" in frame.columns else "literal"
    found = frame.group_by("task").agg(pl.col(name).mean())[name].mean()
    return None if found is None else float(found)  # type: ignore[arg-type]


def _outages(ran: pl.DataFrame) -> tuple[Outage, ...]:
    """Runs with a streak of harness failures that scattered ones would not make."""
    found = []
    for (run,), part in ran.group_by("run", maintain_order=True):
        marked = (part["status"] == HARNESS).to_numpy()
        start, length = longest_streak(marked)
        if length < 3 or streak_probability(length, int(marked.sum()), marked.size) > UNLIKELY:
            continue
        tasks = part["task"].cast(pl.String)
        found.append(Outage(str(run), length, tasks[start], tasks[start + length - 1]))
    return tuple(found)


def cost_per_resolved(trials: Trials, panel: Panel, level: float) -> CostLine:
    """Ratio of mean cost to mean score over tasks, where every trial has a price."""
    ran = trials.frame.filter(pl.col("status") != "not_run")
    if "cost_usd" not in ran.columns:
        return CostLine(priced=0.0, reason="no cost is stated")
    priced = 1 - ran["cost_usd"].null_count() / max(ran.height, 1)
    free = ran.filter(pl.col("cost_usd") == 0).height
    priced -= free / max(ran.height, 1)
    if priced < 1:
        return CostLine(
            priced=max(priced, 0.0),
            reason=f"{100 * (1 - priced):.1f} % of trials are unpriced",
        )
    means = ran.group_by("task").agg(pl.col("cost_usd").mean())
    cost = dict(zip(means["task"].cast(pl.String), means["cost_usd"], strict=True))
    paid = np.array([task in cost for task in panel.tasks])  # not: listed, but never run
    at = np.flatnonzero(paid & ~np.isnan(panel.values[0]))
    costs = np.array([cost[panel.tasks[int(t)]] for t in at], dtype=float)
    value, low, high = fieller(costs, panel.values[0][at], level)
    reason = None if np.isfinite(value) else "nothing is resolved"
    if np.isfinite(value) and not np.isfinite(high):
        reason = "unbounded above: the score cannot be told from 0"
    return CostLine(number(value), number(low), number(high), 1.0, reason)
