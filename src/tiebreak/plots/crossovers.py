"""Scores along a path of weights: lines, who is on top, and where the data allow a tie."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.display import printable
from tiebreak.plots.parts import NothingToDrawError, data, labels
from tiebreak.plots.theme import DASHES, INK, LIGHT, MUTED, SERIES, STEP, WIDTH
from tiebreak.results.targets import TargetsResult

OTHERS = "others"
LINES_HEIGHT, STRIP_HEIGHT = 260, 20
NARROW = 0.05
"""A stretch of the path below this is drawn, but not labelled."""
NO_PATH = "no path: a crossover needs a second target, or a swept cell, over common cells"


def crossovers(result: TargetsResult) -> ChartType:
    """One panel per path."""
    if not result.paths:
        raise NothingToDrawError(NO_PATH)
    called = _called(result)
    panels = [_path(result, path.path, path.weight, called) for path in result.paths]
    return alt.vconcat(*panels, spacing=34)


def _called(result: TargetsResult) -> dict[str, str]:
    """Numbered names of the configurations with a colour: who is ever on top, then the best."""
    winners = [s.winner for s in result.envelopes]
    ranked = [s.configuration for s in result.path_scores]
    first = list(dict.fromkeys([*winners, *ranked]))[: len(SERIES)]
    text = labels(ranked)
    return {name: f"#{i} {text[name]}" for i, name in enumerate(first, 1)}


def _path(result: TargetsResult, path: str, weight: str, called: dict[str, str]) -> ChartType:
    changes = _changes(result, path, called)
    title = f"{printable(weight)} (path: {printable(path)})"
    parts = [_on_top(result, path, called), _lines(result, path, called, _x(title))]
    if changes:
        parts.append(_change_rows(changes))
    return alt.vconcat(*parts, spacing=8)


def _x(title: str | None) -> alt.X:
    axis = alt.Axis(title=title, format=".0%") if title else None
    return alt.X("weight:Q", axis=axis, scale=alt.Scale(domain=[0, 1], nice=False))


def _scale(result: TargetsResult, called: dict[str, str]) -> tuple[alt.Color, alt.StrokeDash]:
    others = any(s.configuration not in called for s in result.path_scores)
    domain = [*called.values(), *[OTHERS] * others]
    colours = [*SERIES[: len(called)], *[MUTED] * others]
    dashes = [*DASHES[: len(called)], *[DASHES[0]] * others]
    legend = alt.Legend(title=None, orient="right", symbolType="stroke", symbolSize=300)
    return (
        alt.Color("who:N", legend=legend, scale=alt.Scale(domain=domain, range=colours)),
        alt.StrokeDash("who:N", legend=legend, scale=alt.Scale(domain=domain, range=dashes)),
    )


def _lines(result: TargetsResult, path: str, called: dict[str, str], x: alt.X) -> ChartType:
    rows: list[dict[str, Any]] = [
        {"name": printable(s.configuration), "who": called.get(s.configuration, OTHERS)}
        | {"weight": weight, "score": score}
        for s in result.path_scores
        if s.path == path
        for weight, score in ((0, s.start), (1, s.end))
        if score is not None
    ]
    colour, dash = _scale(result, called)
    y = alt.Y("score:Q", title="score", scale=alt.Scale(zero=False))
    base = alt.Chart(data(rows, NO_PATH)).encode(
        x=x, y=y, detail="name:N", color=colour, strokeDash=dash
    )
    named = base.transform_filter(f"datum.who !== '{OTHERS}'").mark_line(strokeWidth=2.5)
    others = base.transform_filter(f"datum.who === '{OTHERS}'").mark_line(
        strokeWidth=0.8, strokeOpacity=0.6
    )
    return alt.layer(others, named).properties(width=WIDTH, height=LINES_HEIGHT)


def _on_top(result: TargetsResult, path: str, called: dict[str, str]) -> ChartType:
    """Who is on top on which stretch of the path."""
    rows = [
        {
            "who": called.get(s.winner, OTHERS),
            "number": called.get(s.winner, OTHERS).split()[0],
            "weight": s.weight_from,
            "weight_to": s.weight_to,
        }
        for s in result.envelopes
        if s.path == path
    ]
    colour, _ = _scale(result, called)
    base = alt.Chart(data(rows, NO_PATH)).encode(x=_x(None))
    boxes = base.mark_rect(stroke=LIGHT, strokeWidth=1).encode(x2="weight_to:Q", color=colour)
    wide = base.transform_filter(f"datum.weight_to - datum.weight > {NARROW}")
    texts = wide.mark_text(color=LIGHT, fontWeight="bold", fontSize=11, align="left", dx=4)
    return alt.layer(boxes, texts.encode(text="number:N")).properties(
        width=WIDTH, height=STRIP_HEIGHT, title=_caption("on top along the path")
    )


def _changes(result: TargetsResult, path: str, called: dict[str, str]) -> list[dict[str, Any]]:
    """Crossovers at which the top changes; for a single pair its own, also where it has none."""
    tops = [s.winner for s in result.envelopes if s.path == path]
    changes = {frozenset(pair) for pair in pairwise(tops)}
    one = len(result.verdicts) == 1
    found = [
        c for c in result.crossovers if c.path == path and (one or frozenset((c.a, c.b)) in changes)
    ]
    return [
        {
            "pair": " / ".join(called.get(n, OTHERS).split()[0] for n in (c.a, c.b)),
            "weight": c.weight,
            "low": c.weight_low,
            "high": c.weight_high,
        }
        for c in found
        if c.weight is not None or c.weight_low is not None
    ]


def _change_rows(rows: list[dict[str, Any]]) -> ChartType:
    base = alt.Chart(data(rows, NO_PATH)).encode(
        y=alt.Y("pair:N", axis=alt.Axis(title=None), sort=None)
    )
    x = alt.X("low:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    allowed = base.mark_rule(color=MUTED, strokeWidth=2).encode(x=x, x2="high:Q")
    at = base.transform_filter("isValid(datum.weight)").mark_point(
        shape="diamond", color=INK, size=70
    )
    title = _caption("change of the lead; the line spans the weights at which the data allow a tie")
    return alt.layer(allowed, at.encode(x=_x(None))).properties(
        width=WIDTH, height=STEP * len(rows), title=title
    )


def _caption(text: str) -> alt.TitleParams:
    return alt.TitleParams(text, fontSize=12, fontWeight="normal", offset=4, frame="group")
