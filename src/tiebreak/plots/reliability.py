"""Pictures of ``reliability``: components, coefficients, and what other designs would give."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import View, data, height, kinds, labels, named, offsets, score_x
from tiebreak.plots.theme import CROSS, INK, MUTED, SERIES, SHAPES, STEP, WIDTH
from tiebreak.results.reliability import FitLines, Part, ReliabilityResult

STUDIED = {
    "tasks": "tasks",
    "scaffolds": "scaffolds",
    "benchmarks": "benchmarks",
    "runs": "runs of every task",
}
"""Sizes that a design study varies, and how its axis is titled."""
BOUNDARY = "at zero: not distinguishable from it here"
SHOWN = "estimated"


def components(result: ReliabilityResult) -> ChartType:
    """Variance components with intervals; a panel per part and engine, for scales differ."""
    rows = [(_titled(result, p, f), _components(f)) for p in result.parts for f in p.fits]
    data([row for _, part in rows for row in part], "no component was estimated")
    return alt.vconcat(*(_panel(title, part) for title, part in rows), spacing=20)


def _titled(result: ReliabilityResult, part: Part, fit: FitLines) -> str:
    of = "" if result.per is None else f"{labels([part.name])[part.name]}: "
    return f"{of}{fit.engine}, variance on the {fit.scale} scale"


def _components(fit: FitLines) -> list[dict[str, Any]]:
    return [
        {"name": c.facet, "variance": c.variance, "low": c.low, "high": c.high}
        | {"stands": BOUNDARY if c.at_boundary else SHOWN, "share": c.share}
        for c in fit.components
    ]


def _panel(title: str, rows: list[dict[str, Any]]) -> ChartType:
    names = [row["name"] for row in rows]
    marks = {SHOWN: (SERIES[0], "circle"), BOUNDARY: (MUTED, CROSS)}
    found = {row["stands"] for row in rows}
    colour, shape = kinds("stands", {k: m for k, m in marks.items() if k in found})
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=named(names), color=colour)
    x = alt.X("variance:Q", title=title, scale=alt.Scale(zero=True, nice=True))
    known = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    return alt.layer(
        known.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(size=60).encode(x=x, shape=shape),
    ).properties(width=WIDTH, height=height(len(names)))


def coefficients(result: ReliabilityResult) -> ChartType:
    """Reliability by what is ranked, at the stated sizes, with the limit of unlimited tasks."""
    rows = _coefficients(result)
    names = list(dict.fromkeys(row["name"] for row in rows))
    engines = list(dict.fromkeys(row["scale"] for row in rows))
    marks = {e: (SERIES[i % 6], SHAPES[i % 6]) for i, e in enumerate(engines)}
    colour, shape = kinds("scale", marks)
    base = alt.Chart(data(rows, "no coefficient has a value")).encode(
        y=named(names), yOffset=offsets("scale", engines)
    )
    x = score_x("low", "reliability, with interval; a tick where tasks are unlimited")
    limit = base.transform_filter("isValid(datum.unlimited)")
    known = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    return alt.layer(
        known.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", color=colour),
        limit.mark_tick(thickness=2, size=11, color=INK).encode(x="unlimited:Q"),
        base.mark_point(size=50).encode(x="value:Q", color=colour, shape=shape),
    ).properties(width=WIDTH, height=height(len(names), STEP + 9 * (len(engines) - 1)))


def _coefficients(result: ReliabilityResult) -> list[dict[str, Any]]:
    return [
        {
            "name": c.object if result.per is None else f"{p.name}: {c.object}",
            "scale": f"{f.engine} ({f.scale} scale)",
            "value": c.value,
            "low": c.low,
            "high": c.high,
            "unlimited": c.unlimited_tasks,
        }
        for p in result.parts
        for f in p.fits
        for c in f.coefficients
        if c.value is not None
    ]


def design(result: ReliabilityResult) -> ChartType:
    """Reliability by one size at a time; dashed: the limit as that size grows without end."""
    rows = _study(result)
    data(rows, "no design was studied")
    lines = list(dict.fromkeys(row["line"] for row in rows))
    scales = list(dict.fromkeys(row["scale"] for row in rows))
    found = [
        ([r for r in rows if (r["vary"], r["scale"]) == (vary, scale)], f"{title} ({scale} scale)")
        for scale in scales
        for vary, title in STUDIED.items()
    ]
    panels = [
        _curves(part, lines, title)
        for part, title in found
        if any(row["size"] is not None for row in part)
    ]
    shown: ChartType = alt.concat(*panels, columns=len(panels) // len(scales), spacing=26)
    return shown


def _study(result: ReliabilityResult) -> list[dict[str, Any]]:
    """Points of curves and their limits, which have no size."""
    return [
        {
            "line": f"{_prefix(result, p)}{row.object}",
            "scale": f.scale,
            "vary": row.vary,
            "size": None if row.limit else getattr(row, f"n_{row.vary}"),
            "value": row.value,
        }
        for p in result.parts
        for f in p.fits
        if f.study is not None
        for row in f.study.rows
        if row.vary in STUDIED and row.value is not None
    ]


def _prefix(result: ReliabilityResult, part: Part) -> str:
    return "" if result.per is None else f"{part.name}: "


def _curves(rows: list[dict[str, Any]], lines: list[str], title: str) -> ChartType:
    marks = {name: (SERIES[i % 6], SHAPES[i % 6]) for i, name in enumerate(lines)}
    colour, shape = kinds("line", marks)
    points = [r for r in rows if r["size"] is not None]
    limits = [r for r in rows if r["size"] is None]
    y = alt.Y("value:Q", title="reliability", scale=alt.Scale(domain=[0, 1]))
    x = alt.X("size:Q", title=title, scale=alt.Scale(type="log", nice=False))
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=y, color=colour)
    ends = alt.Chart(alt.InlineData(values=limits)).encode(y=y, color=colour)
    return alt.layer(
        ends.mark_rule(strokeDash=[4, 3], strokeWidth=1),
        base.mark_line(strokeWidth=1.5),
        base.mark_point(size=26).encode(shape=shape),
    ).properties(width=230, height=190)


VIEWS = (
    View("components", "Variance components", components),
    View("coefficients", "Reliability by what is ranked", coefficients),
    View("design", "Reliability of other designs", design),
)
