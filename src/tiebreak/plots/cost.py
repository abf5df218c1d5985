"""Pictures of ``cost``: frontier, switch points of a price, spending, what a budget buys."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import (
    View,
    data,
    height,
    kinds,
    labels,
    muted_text,
    named,
    score_x,
    side,
)
from tiebreak.plots.theme import BLUE, INK, MUTED, STEP, WIDTH
from tiebreak.results.cost import CostResult
from tiebreak.results.cost_lines import SwitchLine

BEST, BEATEN = "on the frontier: nobody is as good for less", "beaten in success and in cost"
STANDS = {BEST: (BLUE, "circle"), BEATEN: (MUTED, "square")}
LOG = alt.Scale(type="log", nice=False, padding=24)
NUMBER: dict[str, Any] = {"dx": 9, "dy": -10, "fontWeight": "bold"}
PRICES = ("success per USD", "success per second")


def frontier(result: CostResult) -> ChartType:
    """Success against cost with intervals; those that nobody beats are numbered and named."""
    rows = _rows(result)
    source = data(rows, "no configuration has a price")
    colour, shape = _stands(rows)
    x = alt.X("cost:Q", title="USD per task", scale=_dollars(rows))
    y = alt.Y("success:Q", title="success", scale=alt.Scale(zero=False))
    base = alt.Chart(source).encode(color=colour)
    line = base.transform_filter(alt.FieldEqualPredicate(BEST, "stands")).mark_line(strokeWidth=1)
    parts = [
        line.encode(x=x, y=y, order="cost:Q"),
        base.mark_rule(strokeWidth=1).encode(x=alt.X("cost_low:Q"), x2="cost_high:Q", y=y),
        base.mark_rule(strokeWidth=1).encode(x=x, y=alt.Y("success_low:Q"), y2="success_high:Q"),
        base.mark_point(size=70).encode(x=x, y=y, shape=shape),
        alt.Chart(source).mark_text(**NUMBER).encode(x=x, y=y, text="number:N"),
    ]
    panel = alt.layer(*parts).properties(width=WIDTH, height=320)
    return alt.hconcat(panel, _list_of(rows), spacing=24)


def _dollars(rows: list[dict[str, Any]]) -> alt.Scale:
    """Prices differ by factors; one of nothing has no logarithm."""
    known = [v for row in rows for v in (row["cost"], row["cost_low"]) if v is not None]
    return LOG if min(known) > 0 else alt.Scale(zero=True, nice=True)


def _rows(result: CostResult) -> list[dict[str, Any]]:
    """Cheapest first; the frontier first in number."""
    lines = sorted(result.configurations, key=lambda c: (c.cost, -c.success))
    text = labels(c.configuration for c in lines)
    best = {f.configuration for f in result.frontier}
    first = [c.configuration for c in lines if c.configuration in best]
    order = first + [c.configuration for c in lines if c.configuration not in best]
    per = {r.configuration: r for r in result.cost_per_resolved}
    return [
        {
            "name": text[c.configuration],
            "number": f"{order.index(c.configuration) + 1}",
            "stands": BEST if c.configuration in best else BEATEN,
            "success": c.success,
            "success_low": c.success_low,
            "success_high": c.success_high,
            "cost": c.cost,
            "cost_low": c.cost_low,
            "cost_high": c.cost_high,
            "resolved": per[c.configuration].value,
            "resolved_low": per[c.configuration].low,
            "resolved_high": per[c.configuration].high,
        }
        for c in lines
    ]


def _stands(rows: list[dict[str, Any]]) -> tuple[alt.Color, alt.Shape]:
    found = {row["stands"] for row in rows}
    return kinds("stands", {name: mark for name, mark in STANDS.items() if name in found})


def _list_of(rows: list[dict[str, Any]]) -> ChartType:
    """What the numbers in the picture stand for."""
    listed = sorted(rows, key=lambda row: int(row["number"]))
    written = [{"at": i, "text": f"{row['number']}  {row['name']}"} for i, row in enumerate(listed)]
    scale = alt.Scale(domain=list(range(len(written))))
    text = alt.Chart(alt.InlineData(values=written)).mark_text(align="left")
    text = text.encode(x=alt.value(0), y=alt.Y("at:O", axis=None, scale=scale), text="text:N")
    shown: ChartType = text.properties(width=40, height=height(len(written)))
    return shown


def switches(result: CostResult) -> ChartType:
    """Who takes the top at which price, with intervals; a panel per price."""
    timed = result.duration_switches
    found = [(result.switches, PRICES[0]), *([(timed, PRICES[1])] if timed is not None else [])]
    rows = [row for s, price in found for row in _switch_rows(s.first, s.lines, price)]
    data([row for row in rows if row["price"] is not None], "nobody takes the top at any price")
    panels = [_switch_panel([r for r in rows if r["of"] == price], price) for _, price in found]
    return alt.vconcat(*panels, spacing=24)


def _switch_rows(
    first: str | None, lines: tuple[SwitchLine, ...], price: str
) -> list[dict[str, Any]]:
    text = labels([first or "nobody", *(line.after for line in lines)])
    start = {"name": f"at first: {text[first or 'nobody']}", "of": price, "price": None}
    return [start | {"low": None, "high": None}] + [
        {"name": f"then: {text[line.after]}", "of": price, "price": line.price}
        | {"low": line.low, "high": line.high}
        for line in lines
    ]


def _switch_panel(rows: list[dict[str, Any]], price: str) -> ChartType:
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=named([row["name"] for row in rows]))
    title = f"price ({price}) from which on it is best, with interval"
    x = alt.X("price:Q", title=title, scale=alt.Scale(type="symlog", constant=0.01, zero=True))
    known = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    endless = base.transform_filter("isValid(datum.low) && !isValid(datum.high)")
    open_bar = endless.mark_rule(color=MUTED, strokeWidth=2, strokeDash=[4, 3])
    return alt.layer(
        known.mark_rule(color=MUTED, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        open_bar.encode(x=alt.X("low:Q"), x2=alt.value("width")),
        base.transform_filter("isValid(datum.price)")
        .mark_point(shape="diamond", size=80, color=INK)
        .encode(x=x),
    ).properties(width=WIDTH, height=height(len(rows)))


def spending(result: CostResult) -> ChartType:
    """Cost per task, success and cost per resolved task of everybody, cheapest first."""
    rows = _rows(result)
    source = data(rows, "no configuration has a price")
    names = [row["name"] for row in rows]
    panels = [
        _panel(source, rows, names, field, title)
        for field, title in (
            ("cost", "USD per task"),
            ("success", "success"),
            ("resolved", "USD per resolved task"),
        )
    ]
    return alt.hconcat(*panels, spacing=22)


def _panel(
    source: alt.InlineData, rows: list[dict[str, Any]], names: list[str], field: str, title: str
) -> ChartType:
    colour, shape = _stands(rows)
    base = alt.Chart(source).encode(y=named(names, shown=field == "cost"), color=colour)
    x = score_x(f"{field}_low", title, side(names))
    bars = base.mark_rule(strokeWidth=2).encode(x=x, x2=f"{field}_high:Q")
    dots = base.mark_point().encode(x=f"{field}:Q", shape=shape)
    return alt.layer(bars, dots).properties(width=230, height=height(len(names)))


def budget(result: CostResult) -> ChartType:
    """What solves most within a budget, attempts at every task counted."""
    text = labels(b.configuration for b in result.budgets)
    rows = [
        {"spend": b.spend, "success": b.success, "name": text[b.configuration]}
        | {"said": f"{b.attempts} × {text[b.configuration]}"}
        for b in result.budgets
    ]
    data(rows, "no budget line: prices are missing")
    lines = [f"{i}" for i in range(len(rows))]
    listed = [row | {"at": at} for at, row in zip(lines, rows, strict=True)]
    base = alt.Chart(alt.InlineData(values=listed)).encode(
        y=alt.Y("at:N", axis=None, scale=alt.Scale(domain=lines[::-1]))
    )
    free = any(row["spend"] == 0 for row in rows)
    scale = alt.Scale(zero=True) if free else LOG
    dollars = alt.X("spend:Q", title="budget from (USD per task)", scale=scale)
    cost_panel = base.mark_point(shape="square", color=MUTED).encode(x=dollars)
    words = base.mark_text(**muted_text(align="left", color=INK, fontSize=12))
    steps = base.mark_point().encode(x=score_x("success", "solved"))
    size = height(len(rows), STEP + 2)
    return alt.hconcat(
        cost_panel.properties(width=260, height=size),
        steps.properties(width=260, height=size),
        words.encode(x=alt.value(0), text="said:N").properties(width=40, height=size),
        spacing=22,
    )


VIEWS = (
    View("frontier", "Success against cost", frontier),
    View("switches", "Who is best at which price", switches),
    View("spending", "Cost, success and cost per resolved task", spending),
    View("budget", "What a budget buys", budget),
)
