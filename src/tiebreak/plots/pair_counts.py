"""Pictures of ``pairs``: intervals by what is sampled, and their widths by near-tie margin."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import SIZES, NothingToDrawError, View, data, height, named
from tiebreak.plots.theme import BLUE, CROSS, DASHES, INK, MUTED, SERIES, SHAPES, WIDTH
from tiebreak.results.pair_counts import Curve, PairCountResult, PairInterval

COLOURS = (*SERIES, INK, MUTED)
"""As many as there can be lines; shapes and dashes go round at other lengths."""


def intervals(result: PairCountResult) -> ChartType:
    """The exact fraction, and an interval for everything that may be taken as sampled."""
    rows = [
        {"name": _called(i), "low": i.low, "high": i.high, "width": i.width}
        for i in result.intervals
    ]
    exact = {"name": "this board and these tasks (exact)", "fraction": result.fraction.value}
    names = [str(exact["name"]), *(str(row["name"]) for row in rows)]
    title = "fraction of all pairs" if result.design.rule != "gap" else "mean absolute gap"
    x = alt.X("fraction:Q", title=title, scale=alt.Scale(zero=False, nice=True))
    point = alt.Chart(alt.InlineData(values=[exact]))
    parts = [
        point.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=x),
        point.mark_point(shape=CROSS, color=INK).encode(x=x, y=named(names)),
    ]
    if rows:
        bars = alt.Chart(alt.InlineData(values=rows)).encode(y=named(names))
        parts.append(bars.mark_rule(strokeWidth=4, color=BLUE).encode(x="low:Q", x2="high:Q"))
    return alt.layer(*parts).properties(width=WIDTH, height=height(len(names), 22))


def _called(i: PairInterval) -> str:
    return f"{i.method}: {i.sampled} sampled"


def curve(result: PairCountResult) -> ChartType:
    """Fraction and widths of all intervals by near-tie margin (``pair-count``, Figure 1)."""
    if result.curve is None:
        raise NothingToDrawError("no curve: ask for margins, for instance --curve 0:0.1:0.01")
    return alt.vconcat(_fractions(result.curve), _widths(result.curve), spacing=20)


def _margin(title: str) -> alt.X:
    axis = alt.Axis(title=title, labelExpr=SIZES)
    return alt.X("near:Q", axis=axis, scale=alt.Scale(zero=True, nice=False))


def _fractions(found: Curve) -> ChartType:
    rows = [{"near": p.near, "fraction": p.fraction.value} for p in found.points]
    base = alt.Chart(data(rows, "no margin")).encode(
        x=_margin("near-tie margin (points)"), y=alt.Y("fraction:Q", title="fraction of pairs")
    )
    line, dots = base.mark_line(color=INK, strokeWidth=1.5), base.mark_point(color=INK)
    return alt.layer(line, dots).properties(width=WIDTH, height=160)


def _widths(found: Curve) -> ChartType:
    rows: list[dict[str, Any]] = [
        {"near": p.near, "interval": _called(i), "width": i.width}
        for p in found.points
        for i in p.widths
    ]
    reference = alt.InlineData(values=[{"reference": found.reference_width}])
    rule = alt.Chart(reference).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(y="reference:Q")
    title = ["width of the interval", "(dashed: reference)"]
    if not rows:
        raise NothingToDrawError("a fixed board has no interval: say what is --sampled")
    lines = list(dict.fromkeys(row["interval"] for row in rows))
    legend = alt.Legend(title=None, orient="right")
    colour, shape, dash = (
        alt.Scale(domain=lines, range=_cycle(marks, lines)) for marks in (COLOURS, SHAPES, DASHES)
    )
    field: dict[str, Any] = {"shorthand": "interval:N", "legend": legend}
    base = alt.Chart(data(rows, "no margin")).encode(
        x=_margin("near-tie margin (points)"),
        y=alt.Y("width:Q", title=title),
        color=alt.Color(scale=colour, **field),
    )
    parts = [
        rule,
        base.mark_line().encode(strokeDash=alt.StrokeDash(scale=dash, **field)),
        base.mark_point().encode(shape=alt.Shape(scale=shape, **field)),
    ]
    return alt.layer(*parts).properties(width=WIDTH, height=280)


def _cycle(marks: Any, lines: list[str]) -> list[Any]:
    return [marks[i % len(marks)] for i in range(len(lines))]


VIEWS = (
    View("intervals", "A fraction of all pairs, by what is sampled", intervals),
    View("curve", "Fraction and widths by near-tie margin", curve),
)
