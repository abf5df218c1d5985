"""Who is dominated, how sure that is, and what a budget buys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tiebreak.estimate.contract import Index
from tiebreak.estimate.ratios import own_means, resampled
from tiebreak.kernels.frontier import dominators, on_frontier, plane
from tiebreak.kernels.ustatistics import protocol_values
from tiebreak.panel import Panel
from tiebreak.questions.cost.setup import Spending, means
from tiebreak.questions.judge import number
from tiebreak.results.cost_lines import (
    BoundaryLine,
    BudgetLine,
    DominatedLine,
    FrontierLine,
    PlaneResult,
)
from tiebreak.spending import SECONDS, USD

DIGITS = 12
"""Successes and costs that agree to this many digits are ties."""


def frontier(spent: Spending) -> tuple[tuple[FrontierLine, ...], tuple[DominatedLine, ...]]:
    """The frontier of success against mean cost from the cheapest up, and the dominated."""
    panels = spent.success, spent.amounts[USD]
    success, cost = (np.round(means(panel), DIGITS) for panel in panels)
    known = np.flatnonzero(~np.isnan(success + cost))
    chance = _chances(spent, known)
    by = dominators(success[known], cost[known])
    lines = [
        (spent.names[i], float(success[i]), float(cost[i]), by[n], chance[n])
        for n, i in enumerate(known)
    ]
    on = sorted((line for line in lines if line[3] < 0), key=lambda line: (line[2], line[0]))
    off = sorted((line for line in lines if line[3] >= 0), key=lambda line: (-line[1], line[0]))
    return (
        tuple(FrontierLine(name, s, c, p) for name, s, c, _, p in on),
        tuple(DominatedLine(n, s, c, spent.names[known[j]], p) for n, s, c, j, p in off),
    )


def _chances(spent: Spending, known: Index) -> list[float | None]:
    """How often each is on the frontier when tasks (or cells) are resampled."""
    if spent.success.counts is not None:
        return [None] * len(known)
    rows = [int(i) for i in known]
    panels = spent.success.take(rows), spent.amounts[USD].take(rows)
    success, cost = (np.round(draws, DIGITS) for draws in resampled(panels, spent.design))
    return [number(p) for p in on_frontier(success, cost).mean(axis=1)]


def budgets(spent: Spending) -> tuple[BudgetLine, ...]:
    """The staircase of what solves most for a spend per task, single attempts and retries.

    A strategy is a configuration and k attempts at every task: it solves pass@k and costs k times
    the mean cost, for it does not know when to stop.
    """
    found = [line for row in range(len(spent.names)) for line in _strategies(spent, row)]
    found.sort(key=lambda line: (line.spend, -line.success, line.attempts, line.configuration))
    stairs: list[BudgetLine] = []
    for line in found:
        if not stairs or line.success > stairs[-1].success:
            stairs.append(line)
    return tuple(stairs)


def _strategies(spent: Spending, row: int) -> list[BudgetLine]:
    """One attempt, and as many as every task has runs of outcomes 0 and 1."""
    success, cost = (means(p)[row] for p in (spent.success, spent.amounts[USD]))
    if np.isnan(success + cost):
        return []
    name = spent.names[row]
    solved = [success, *_retries(spent.success, row)]
    return [
        BudgetLine(round(k * float(cost), DIGITS), name, k, round(float(s), DIGITS))
        for k, s in enumerate(solved, start=1)
    ]


def _retries(panel: Panel, row: int) -> list[float]:
    """pass@2, pass@3, … as far as the runs allow."""
    if panel.repeats is None:
        return []
    one = panel.take([row])
    if one.repeats is None:
        return []
    runs, sums = one.repeats.counts, one.repeats.counts * np.nan_to_num(one.repeats.means)
    kept = runs > 0
    seen, solved = runs[kept], sums[kept]
    binary = np.allclose(one.repeats.within[kept], solved * (1 - solved / seen))
    if not seen.size or not binary:
        return []
    values = (protocol_values(sums, runs, "pass@", k) for k in range(2, int(seen.min()) + 1))
    return [float(own_means(replace(one, values=v))[0]) for v in values]


def plane_of(spent: Spending) -> PlaneResult | None:
    """Who is on top at which (λ, μ), for two or three configurations with both amounts."""
    success, cost, time = (
        means(p) for p in (spent.success, spent.amounts[USD], spent.amounts[SECONDS])
    )
    if len(spent.names) not in (2, 3) or np.isnan(success + cost + time).any():
        return None
    found = plane(success, cost, time)
    pairs = [(i, j) for i in range(len(spent.names)) for j in range(i + 1, len(spent.names))]
    boundaries = (
        BoundaryLine(
            spent.names[i],
            spent.names[j],
            *(float(round(v[i] - v[j], DIGITS)) for v in (success, cost, time)),
        )
        for i, j in pairs
    )
    polygons = {
        name: tuple((float(x), float(y)) for x, y in np.round(polygon, DIGITS))
        for name, polygon in zip(spent.names, found.polygons, strict=True)
    }
    return PlaneResult(found.corner, tuple(boundaries), polygons)
