"""Pictures of ``compare``: the gap with its interval, and the cells behind it."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import (
    NothingToDrawError,
    View,
    data,
    height,
    kinds,
    labels,
    margin_band,
    named,
    points_x,
    score_x,
    verdict_colour,
    verdict_shape,
    zero_line,
)
from tiebreak.plots.theme import BLUE, GRID, MUTED, VERMILLION, WIDTH
from tiebreak.results.compare import CompareResult

SIDES = ((BLUE, "circle"), (VERMILLION, "triangle-up"))


def gap(result: CompareResult) -> ChartType:
    """Gap under the target by its verdict, beside the observed mix and the movement."""
    c = result.comparison
    text = labels((c.a, c.b))
    rows: list[dict[str, Any]] = [
        {"name": name, "gap": value, "low": low, "high": high}
        for name, value, low, high in (
            (f"gap under {result.provenance.estimand.target}", c.gap, c.gap_low, c.gap_high),
            ("gap in the observed mix", c.gap_observed, None, None),
            ("movement between the two", c.movement, c.movement_low, c.movement_high),
        )
        if value is not None
    ]
    if not rows:
        raise NothingToDrawError("they share no scored task")
    names = labels(row["name"] for row in rows)
    judged = alt.InlineData(values=[rows[0] | {"verdict": c.verdict}])
    y = named(list(names.values()))
    title = [f"{text[c.a]} − {text[c.b]} (points)", "the band is the margin"]
    others = alt.Chart(alt.InlineData(values=rows[1:])).encode(y=y)
    bars = others.mark_rule(strokeWidth=2, color=MUTED).encode(
        x=points_x("low", title), x2="high:Q"
    )
    dots = others.mark_point(color=MUTED, filled=False).encode(x="gap:Q")
    own = alt.Chart(judged).encode(y=y, color=verdict_colour([c.verdict]))
    own_bar = own.mark_rule(strokeWidth=3).encode(x="low:Q", x2="high:Q")
    own_dot = own.mark_point(size=110).encode(x="gap:Q", shape=verdict_shape([c.verdict]))
    return alt.layer(margin_band(c.margin), zero_line(), bars, dots, own_bar, own_dot).properties(
        width=WIDTH, height=height(len(rows), 32)
    )


def cells(result: CompareResult) -> ChartType:
    """Rates of both in every cell, with target weight and number of tasks."""
    c = result.comparison
    text = labels((c.a, c.b))
    named_cells = labels(line.cell for line in result.cells)
    rows = [
        {
            "name": named_cells[line.cell],
            "who": text[who],
            "rate": rate,
            "rate_a": line.rate_a,
            "rate_b": line.rate_b,
            "weight": line.weight,
            "tasks": f"{line.n_a:,}" if line.n_a == line.n_b else f"{line.n_a:,} / {line.n_b:,}",
        }
        for line in result.cells
        for who, rate in ((c.a, line.rate_a), (c.b, line.rate_b))
    ]
    source = data(rows, "no cell")
    names = list(named_cells.values())
    colour, shape = kinds("who", dict(zip(text.values(), SIDES, strict=True)))
    base = alt.Chart(source).encode(y=named(names))
    line = base.mark_rule(color=GRID, strokeWidth=4).encode(
        x=score_x("rate_a", "share solved", domain=[0, 1]), x2="rate_b:Q"
    )
    dots = base.mark_point().encode(x="rate:Q", color=colour, shape=shape)
    panel = alt.layer(line, dots).properties(width=WIDTH, height=height(len(names)))
    once = data(rows[::2], "no cell")
    return alt.hconcat(panel, _weights(once, names), _tasks(once, names), spacing=18)


def _weights(source: alt.InlineData, names: list[str]) -> ChartType:
    first = alt.Chart(source).encode(y=named(names, shown=False))
    axis = alt.Axis(title="target weight", format=".0%", tickCount=3)
    bars = first.mark_point(shape="square", color=MUTED, size=45).encode(
        x=alt.X("weight:Q", axis=axis, scale=alt.Scale(zero=True))
    )
    shown: ChartType = bars.properties(width=110, height=height(len(names)))
    return shown


def _tasks(source: alt.InlineData, names: list[str]) -> ChartType:
    text = alt.Chart(source).mark_text(align="center")
    text = text.encode(y=named(names, shown=False), x=alt.value(30), text="tasks:N")
    title = alt.TitleParams("tasks", fontSize=12, fontWeight="normal", anchor="middle", offset=2)
    shown: ChartType = text.properties(width=60, height=height(len(names)), title=title)
    return shown


VIEWS = (
    View("gap", "The gap and its verdict", gap),
    View("cells", "Where the gap comes from", cells),
)
