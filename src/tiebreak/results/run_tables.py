"""How an answer to ``runs`` is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tiebreak.display import Column, Table, write

if TYPE_CHECKING:
    from tiebreak.results.runs import (
        ComponentLine,
        ConfigurationLine,
        CurvePoint,
        Plan,
        RunsResult,
    )

CLAIM_NAMES = {
    "population": "population of tasks",
    "benchmark": "exactly these tasks",
    "reliability": "solved every time",
}
SCORES = [
    Column("configuration"),
    Column("claim"),
    Column("score", kind="score"),
    Column("low", kind="score"),
    Column("high", kind="score"),
    Column("runs"),
]
COMPONENTS = [
    Column("configuration"),
    Column("task", "sd tasks"),
    Column("run", "sd run"),
    Column("task_run", "sd task×run"),
    Column("p", "p shared shock"),
]
FAILURES = [
    Column("configuration"),
    Column("count", "harness failures", "whole"),
    Column("rate", "% of trials"),
    Column("score_fail", "score, as failures", "score"),
    Column("score_drop", "score, left out", "score"),
    Column("effect", kind="points"),
    Column("cost", "USD per resolved task"),
]
GAPS = [
    Column("claim"),
    Column("gap", kind="points"),
    Column("low", kind="points"),
    Column("high", kind="points"),
    Column("df"),
    Column("p"),
    Column("winner"),
]
PLAN = [
    Column("runs", kind="whole"),
    Column("benchmark", "sd, these tasks"),
    Column("population", "sd, population"),
    Column("detectable", "detectable gap"),
]


def run_tables(result: RunsResult) -> Iterator[Table]:
    """Tables in reading order."""
    lines = result.lines_by_configuration
    if result.difference is not None:
        gaps = [
            {
                "claim": CLAIM_NAMES[claim],
                "gap": e.value,
                "low": e.low,
                "high": e.high,
                "df": _plain(e.df, 1),
                "p": _plain(e.p, 4),
                "winner": result.difference.winners[claim] or "–",
            }
            for claim, e in result.difference.claims.items()
        ]
        yield Table("Difference (a − b, points)", GAPS, gaps)
    yield Table("Claims (pass@1; solved every time: pass^k)", SCORES, list(_scores(lines)))
    yield Table("Run-to-run components (points)", COMPONENTS, list(_components(result)))
    for symbol, name in (("pass@", "pass_at"), ("pass^", "pass_hat")):
        yield from _curves(lines, symbol, name)
    yield Table("Harness failures and cost", FAILURES, [_failures(line) for line in lines])
    plan = result.difference.plan if result.difference else lines[0].plan
    if plan is not None and (result.difference or len(lines) == 1):
        what = "difference" if result.difference else "score"
        yield Table(f"Planning the {what} (points, {plan.n_tasks} tasks)", PLAN, _steps(plan))


def _scores(lines: Sequence[ConfigurationLine]) -> Iterator[dict[str, Any]]:
    for line in lines:
        few, many = line.fewest_runs, line.most_runs
        count = str(few) if few == many else f"{few} to {many}"
        kind = "" if line.runs_are == "single" else f" {line.runs_are}"
        for claim, e in line.claims.items():
            runs = f"k = {few}" if claim == "reliability" else count + kind
            row = {"score": e.value, "low": e.low, "high": e.high, "runs": e.reason or runs}
            yield {"configuration": line.configuration, "claim": CLAIM_NAMES[claim], **row}


def _components(result: RunsResult) -> Iterator[dict[str, Any]]:
    for line in result.lines_by_configuration:
        yield _component(line.configuration, line.components)
    if result.difference is not None:
        yield _component("difference", result.difference.components)


def _component(name: str, found: ComponentLine) -> dict[str, Any]:
    """Standard deviations; the root of a negative estimate keeps its sign."""
    roots = {c: _root(getattr(found, c)) for c in ("task", "run", "task_run")}
    return {"configuration": name, **roots, "p": _plain(found.run_is_shared, 3)}


def _root(variance: float | None) -> str:
    if variance is None:
        return "–"
    return f"{100 * math.copysign(math.sqrt(abs(variance)), variance):.1f}"


def _curves(lines: Sequence[ConfigurationLine], symbol: str, name: str) -> Iterator[Table]:
    most = max((len(getattr(line, name)) for line in lines), default=0)
    if most < 2:
        return
    columns = [
        Column("configuration"),
        *(Column(str(k), f"{symbol}{k}") for k in range(1, most + 1)),
    ]
    rows = [
        {"configuration": line.configuration} | {str(p.k): _point(p) for p in getattr(line, name)}
        for line in lines
    ]
    yield Table(f"{symbol}k (with intervals over the population of tasks)", columns, rows)


def _point(point: CurvePoint) -> str:
    low, high = write(point.low, "score"), write(point.high, "score")
    return f"{write(point.value, 'score')} [{low}, {high}]"


def _failures(line: ConfigurationLine) -> dict[str, Any]:
    found, cost = line.infrastructure, line.cost_per_resolved
    bounds = f" [{_plain(cost.low, 3)}, {_plain(cost.high, 3)}]"
    return {
        "configuration": line.configuration,
        "count": found.count,
        "rate": f"{100 * found.rate:.1f}",
        "score_fail": found.score_fail,
        "score_drop": found.score_drop,
        "effect": found.effect,
        "cost": cost.reason if cost.value is None else _plain(cost.value, 3) + bounds,
    }


def _steps(plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "runs": s.runs,
            "benchmark": _points(s.sd_benchmark),
            "population": _points(s.sd_population),
            "detectable": _points(s.detectable),
        }
        for s in plan.steps
    ]


def run_lines(result: RunsResult) -> list[str]:
    """Outages, uneven runs, unseen noise, and where more runs stop buying."""
    return [*_noted(result.lines_by_configuration), *_unseen(result), *_planned(result)]


def _noted(lines: Sequence[ConfigurationLine]) -> Iterator[str]:
    for line in lines:
        for o in line.infrastructure.outages:
            yield (
                f"outage    {line.configuration}, run {o.run}: {o.length} harness failures in a "
                f"row, {o.first_task} to {o.last_task}"
            )
        if line.short_tasks:
            names = ", ".join(line.short_tasks[:4])
            more = f" and {len(line.short_tasks) - 4} more" if len(line.short_tasks) > 4 else ""
            yield (
                f"runs      {line.configuration}: {line.fewest_runs} to {line.most_runs} outcomes "
                f"per task; fewest for {names}{more}"
            )
        if line.graded:
            yield f"graded    {line.configuration}: graded scores have no pass@k"


def _unseen(result: RunsResult) -> Iterator[str]:
    single = [line.configuration for line in result.lines_by_configuration if line.most_runs == 1]
    if single and result.provenance.design.assume_run_sd is None:
        yield (
            f"unseen    {len(single)} with a single run: intervals leave run noise out "
            "(--assume-run-sd puts a stated one in)"
        )
    d = result.difference
    if d is not None and d.shock_to_undo is not None:
        yield (
            f"undo      a run shock with an SD of {_points(d.shock_to_undo)} points in either "
            "would take the interval to 0"
        )


def _planned(result: RunsResult) -> Iterator[str]:
    d, lines = result.difference, result.lines_by_configuration
    plan = d.plan if d is not None else lines[0].plan if len(lines) == 1 else None
    if plan is not None:
        yield (
            f"plan      after {plan.enough} runs another buys less than {_points(plan.gain)} "
            f"points of SD; more runs never go below {_points(plan.floor)} "
            f"with {plan.n_tasks} tasks"
        )


def _points(value: float) -> str:
    return f"{100 * value:.2f}"


def _plain(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
