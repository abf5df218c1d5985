"""Pictures of ``runs``: every run a dot, components, pass@k and pass^k, claims of a pair, plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import (
    SIZES,
    NothingToDrawError,
    View,
    data,
    facets,
    height,
    kinds,
    labels,
    margin_band,
    muted_text,
    named,
    offsets,
    points_x,
    score_x,
    side,
    zero_line,
)
from tiebreak.plots.theme import BLUE, GREEN, INK, MUTED, VERMILLION, WIDTH
from tiebreak.results.run_tables import CLAIM_NAMES
from tiebreak.results.runs import ConfigurationLine, Plan, RunsResult

COMPONENTS = {
    "task": ("tasks", BLUE, "circle"),
    "run": ("runs, shared by their tasks", VERMILLION, "triangle-up"),
    "task_run": ("tasks × runs", GREEN, "square"),
}
TICKS = [-0.01, -0.0025, 0, 0.0025, 0.01, 0.04, 0.09, 0.16, 0.25]
"""Variances whose standard deviations are whole points."""
ROOTS = "(datum.value < 0 ? '−' : '') + format(100 * sqrt(abs(datum.value)), '.0f')"
CURVES = {"solved in some run (pass@k)": (BLUE, "circle")} | {
    "solved in every run (pass^k)": (VERMILLION, "triangle-up")
}
DECIDED = {"a winner": (BLUE, "circle"), "not settled": (MUTED, "square")}
DEVIATIONS = {
    "SD, population of tasks": (BLUE, "circle"),
    "SD, exactly these tasks": (VERMILLION, "triangle-up"),
    "detectable gap (power 0.8)": (INK, "diamond"),
}


def strip(result: RunsResult) -> ChartType:
    """Scores of single runs beside the score with its interval, and the components."""
    lines = result.lines_by_configuration
    text = labels(line.configuration for line in lines)
    names = list(text.values())
    dots = [
        {"name": text[line.configuration], "run": r.run, "score": r.score, "n_tasks": r.n_tasks}
        | {"place": f"{place}"}
        for line in lines
        for place, r in enumerate(line.run_scores)
        if r.score is not None
    ]
    parts = [_scores(lines, text)]
    if dots:
        places = [f"{i}" for i in range(max(len(line.run_scores) for line in lines))]
        runs = alt.Chart(alt.InlineData(values=dots)).encode(
            y=named(names), yOffset=offsets("place", places)
        )
        parts.append(
            runs.mark_point(filled=False, size=40, strokeWidth=1.5, color=INK).encode(x="score:Q")
        )
    panel = alt.layer(*parts).properties(width=330, height=height(len(lines)))
    return alt.hconcat(panel, _components(lines, text), spacing=26)


def _scores(lines: Sequence[ConfigurationLine], text: dict[str, str]) -> ChartType:
    rows = [
        {
            "name": text[line.configuration],
            "mean": line.claims["population"].value,
            "low": line.claims["population"].low,
            "high": line.claims["population"].high,
        }
        for line in lines
        if line.claims["population"].value is not None
    ]
    base = alt.Chart(data(rows, "no configuration has a score")).encode(
        y=named(list(text.values()))
    )
    title = "score: circles are runs, the bar their mean with its interval"
    bars = base.mark_rule(strokeWidth=2, color=BLUE).encode(
        x=score_x("low", title, side(list(text))), x2="high:Q"
    )
    return alt.layer(bars, base.mark_tick(color=BLUE, thickness=2.5, size=14).encode(x="mean:Q"))


def _components(lines: Sequence[ConfigurationLine], text: dict[str, str]) -> ChartType:
    rows = [
        {"name": text[line.configuration], "component": said, "variance": value}
        for line in lines
        for field, (said, _, _) in COMPONENTS.items()
        if (value := getattr(line.components, field)) is not None
    ]
    none = [
        {"name": text[line.configuration], "reason": line.components.reason}
        for line in lines
        if line.components.task is None
    ]
    marks = {said: (colour, shape) for said, colour, shape in COMPONENTS.values()}
    colour, shape = kinds("component", marks)
    names = list(text.values())
    title = "component, SD in points"
    axis = alt.Axis(values=TICKS, tickCount=len(TICKS), labelExpr=ROOTS, orient=side(names))
    x = alt.X(
        "variance:Q", title=title, axis=axis, scale=alt.Scale(type="sqrt", nice=False, padding=10)
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=named(names, shown=False))
    dots = base.mark_point().encode(x=x, color=colour, shape=shape)
    why = alt.Chart(alt.InlineData(values=none)).mark_text(**muted_text(align="left"))
    why = why.encode(y=named(names, shown=False), x=alt.value(8), text="reason:N")
    parts = [dots] * bool(rows) + [why] * bool(none)
    return alt.layer(*parts).properties(width=300, height=height(len(names)))


def curves(result: RunsResult) -> ChartType:
    """pass@k and pass^k with intervals, one panel per configuration."""
    text = labels(line.configuration for line in result.lines_by_configuration)
    rows: list[dict[str, Any]] = [
        {"name": text[line.configuration], "curve": curve, "k": p.k}
        | {"value": p.value, "low": p.low, "high": p.high}
        for line in result.lines_by_configuration
        if line.fewest_runs > 1
        for curve, points in zip(CURVES, (line.pass_at, line.pass_hat), strict=True)
        for p in points
        if p.value is not None
    ]
    source = data(rows, "pass@k and pass^k need several runs of every task, solved or not")
    colour, shape = kinds("curve", CURVES)
    ks = sorted({row["k"] for row in rows})
    axis = alt.Axis(title="k runs", values=ks, format="d", grid=False)
    x = alt.X("k:Q", axis=axis, scale=alt.Scale(nice=False, zero=False, padding=12))
    base = alt.Chart().encode(x=x, color=colour)
    y = alt.Y("value:Q", title="share of tasks", scale=alt.Scale(domain=[0, 1]))
    layered = alt.layer(
        base.mark_rule(strokeWidth=1.5).encode(
            y=alt.Y("low:Q", title="share of tasks"), y2="high:Q"
        ),
        base.mark_line(strokeWidth=1.5).encode(y=y),
        base.mark_point().encode(y=y, shape=shape),
        data=source,
    )
    return facets(layered, list(dict.fromkeys(row["name"] for row in rows)), 170)


def claims(result: RunsResult) -> ChartType:
    """The gap of a pair under each claim, over the margin band."""
    d = result.difference
    if d is None:
        raise NothingToDrawError("claims of a gap are drawn for a pair: name two configurations")
    rows: list[dict[str, Any]] = [
        {
            "name": CLAIM_NAMES[claim],
            "gap": e.value,
            "low": e.low,
            "high": e.high,
            "winner": "not settled" if d.winners[claim] is None else "a winner",
        }
        for claim, e in d.claims.items()
        if e.value is not None
    ]
    reasons = "; ".join(f"{claim}: {e.reason}" for claim, e in d.claims.items() if e.reason)
    source = data(rows, reasons)
    said = {row["winner"] for row in rows}
    colour, shape = kinds("winner", {k: v for k, v in DECIDED.items() if k in said})
    text = labels((d.a, d.b))
    base = alt.Chart(source).encode(y=named([row["name"] for row in rows]))
    title = [f"gap {text[d.a]} − {text[d.b]} (points)", "the band is the margin"]
    bars = base.mark_rule(strokeWidth=2).encode(x=points_x("low", title), x2="high:Q", color=colour)
    dots = base.mark_point(size=80).encode(x="gap:Q", color=colour, shape=shape)
    band = margin_band(result.provenance.design.margin)
    return alt.layer(band, zero_line(), bars, dots).properties(
        width=WIDTH, height=height(len(rows), 32)
    )


def plan(result: RunsResult) -> ChartType:
    """Standard deviation and detectable gap by number of runs, and what runs cannot lower."""
    d = result.difference
    if d is not None:
        text = labels((d.a, d.b))
        plans = {f"{text[d.a]} − {text[d.b]}": d.plan}
    else:
        lines = result.lines_by_configuration
        named_lines = labels(line.configuration for line in lines)
        plans = {named_lines[line.configuration]: line.plan for line in lines}
    known = {name: p for name, p in plans.items() if p is not None}
    rows = [row for name, p in known.items() for row in _steps(name, p)]
    source = data(rows, "a plan needs several runs: a single run shows no run noise")
    colour, shape = kinds("what", DEVIATIONS)
    axis = alt.Axis(title="runs", format="d", tickMinStep=1, grid=False)
    base = alt.Chart().encode(
        x=alt.X("runs:Q", axis=axis, scale=alt.Scale(nice=False, zero=False, padding=10))
    )
    sizes = alt.Axis(title=["points (dashed: what", "more runs cannot lower)"], labelExpr=SIZES)
    y = alt.Y("value:Q", axis=sizes, scale=alt.Scale(zero=True))
    layered = alt.layer(
        alt.Chart()
        .mark_rule(color=MUTED, strokeDash=[4, 3])
        .encode(y=alt.Y("floor:Q", axis=sizes)),
        base.mark_line(strokeWidth=1.5).encode(y=y, color=colour),
        base.mark_point().encode(y=y, color=colour, shape=shape),
        data=source,
    )
    return facets(layered, list(known), 220)


def _steps(name: str, p: Plan) -> list[dict[str, Any]]:
    return [
        {"name": name, "runs": s.runs, "what": what, "value": value, "floor": p.floor}
        for s in p.steps
        for what, value in zip(
            DEVIATIONS, (s.sd_population, s.sd_benchmark, s.detectable), strict=True
        )
    ]


VIEWS = (
    View("strip", "Single runs and where their spread comes from", strip),
    View("curves", "Solved at least once, and every time", curves),
    View("claims", "The gap under each claim", claims),
    View("plan", "What more runs would buy", plan),
)
