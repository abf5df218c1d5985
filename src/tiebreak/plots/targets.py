"""Pictures of ``targets``: crossovers, cells, radii, scores by target, who is on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.crossovers import crossovers
from tiebreak.plots.heat import NO_RUNS, heat_map, rate_tint
from tiebreak.plots.pairs import FOREST_TOP, MOST_PAIRS, NO_PAIRS
from tiebreak.plots.parts import (
    View,
    data,
    height,
    kinds,
    labels,
    muted_text,
    named,
    offsets,
    pair_labels,
    score_x,
    side,
)
from tiebreak.plots.theme import (
    BLUE,
    SERIES,
    SHAPES,
    STEP,
    VERMILLION,
    WIDTH,
)
from tiebreak.results.target_lines import CellCount
from tiebreak.results.target_tables import count_text
from tiebreak.results.targets import TargetsResult
from tiebreak.results.weight_lines import RadiusLine

RADII = {
    "lead gone": (BLUE, "circle"),
    "lead down to the margin": (VERMILLION, "triangle-up"),
}
FARTHEST = 2
"""The largest L1 distance of two sets of weights."""


def cells(result: TargetsResult) -> ChartType:
    """k/n of every configuration in every cell, and where nothing ran."""
    text = labels(s.configuration for s in result.scores)
    columns = labels(sorted({c.cell for c in result.cells}))
    found = {(c.configuration, c.cell): c for c in result.cells}
    rows = [
        {"name": text[name], "cell": columns[cell]} | _counted(found.get((name, cell)))
        for name in text
        for cell in columns
    ]
    return heat_map(rows, list(text.values()), list(columns.values()), rate_tint())


def _counted(c: CellCount | None) -> dict[str, Any]:
    if c is None or c.rate is None:
        return {"rate": None, "text": NO_RUNS}
    return {"rate": c.rate, "text": count_text(c.k, c.n, c.rate)}


def radii(result: TargetsResult) -> ChartType:
    """How far the weights must move until a lead is gone, per pair and target."""
    shown, note = _fitting(result.radii)
    text = pair_labels((r.a, r.b) for r in shown)
    rows: list[dict[str, Any]] = [
        {"name": text[r.a, r.b], "target": r.target, "kind": kind, "radius": value}
        | {"infinite": "infinite" in r.reasons.get(field, "")}
        for r in shown
        for kind, field, value in zip(
            RADII, ("radius", "margin_radius"), (r.radius, r.margin_radius), strict=True
        )
    ]
    source = data(rows, NO_PAIRS)
    names = list(dict.fromkeys(row["name"] for row in rows))
    targets = list(dict.fromkeys(row["target"] for row in rows))
    panels = [_radius_panel(source, names, t, i == 0, note) for i, t in enumerate(targets)]
    return alt.hconcat(*panels, spacing=26)


def _fitting(lines: Sequence[RadiusLine]) -> tuple[list[RadiusLine], str]:
    pairs = {(r.a, r.b) for r in lines}
    if len(pairs) <= MOST_PAIRS:
        return list(lines), ""
    first = set(list(dict.fromkeys([r.a for r in lines] + [r.b for r in lines]))[:FOREST_TOP])
    kept = [r for r in lines if r.a in first and r.b in first]
    return kept, f"; pairs of the first {FOREST_TOP}"


def _radius_panel(
    source: alt.InlineData, names: list[str], target: str, first: bool, note: str
) -> ChartType:
    colour, shape = kinds("kind", RADII)
    base = alt.Chart(source).encode(y=named(names, shown=first))
    own = base.transform_filter(alt.FieldEqualPredicate(target, "target"))
    axis = alt.Axis(title=f"L1 distance from {target}{note}", format="~f", orient=side(names))
    x = alt.X("radius:Q", axis=axis, scale=alt.Scale(domain=[0, FARTHEST]))
    dots = own.transform_filter("isValid(datum.radius)").mark_point(size=50)
    never = own.transform_filter("datum.infinite && datum.kind === 'lead gone'")
    endless = never.mark_text(**muted_text(align="right", dx=-4)).encode(
        x=alt.value("width"), text=alt.value("∞")
    )
    return alt.layer(dots.encode(x=x, color=colour, shape=shape), endless).properties(
        width=260, height=height(len(names))
    )


def scores(result: TargetsResult) -> ChartType:
    """Scores with intervals, one mark per target."""
    text = labels(s.configuration for s in result.scores)
    names, targets = list(text.values()), [t.target for t in result.targets]
    rows = [
        {
            "name": text[s.configuration],
            "target": s.target,
            "score": s.score,
            "low": s.score_low,
            "high": s.score_high,
        }
        for s in result.scores
        if s.score is not None
    ]
    source = data(rows, "no configuration has a score under these targets")
    marks = {t: (SERIES[i % len(SERIES)], SHAPES[i % len(SHAPES)]) for i, t in enumerate(targets)}
    colour, shape = kinds("target", marks)
    base = alt.Chart(source).encode(
        y=named(names), yOffset=offsets("target", targets), color=colour
    )
    bars = base.mark_rule(strokeWidth=1.5).encode(
        x=score_x("low", "score", side(names)), x2="high:Q"
    )
    dots = base.mark_point(size=45).encode(x="score:Q", shape=shape)
    none = [{"name": name} for name in names if name not in {row["name"] for row in rows}]
    why = alt.Chart(alt.InlineData(values=none)).mark_text(**muted_text(align="left", dx=8))
    why = why.encode(y=named(names), x=alt.value(0), text=alt.value("no score under these targets"))
    step = STEP + 6 * (len(targets) - 1)
    return alt.layer(bars, dots, *[why] * bool(none)).properties(
        width=WIDTH, height=height(len(names), step)
    )


def on_top(result: TargetsResult) -> ChartType:
    """Share of the weights under which each configuration is on top."""
    rows: list[dict[str, Any]] = []
    drawn = result.perturbation
    if result.regions is not None:
        rows += [
            {"who": s.configuration, "share": s.share, "of": "all weights"}
            for s in result.regions.shares
        ]
    if drawn is not None:
        near = f"weights around {drawn.target}"
        rows += [{"who": who, "share": share, "of": near} for who, share in drawn.top.items()]
    text = labels(row["who"] for row in rows)
    named_rows = [row | {"name": text[row["who"]]} for row in rows]
    source = data(named_rows, "one cell: there are no weights to move")
    groups = list(dict.fromkeys(row["of"] for row in rows))
    colour, shape = kinds(
        "of", dict(zip(groups, ((BLUE, "circle"), (VERMILLION, "triangle-up")), strict=False))
    )
    base = alt.Chart(source).encode(y=named(list(text.values())), yOffset=offsets("of", groups))
    axis = alt.Axis(title="share of the weights under which it is on top", format=".0%")
    x = alt.X("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1]))
    dots = base.mark_point(size=50).encode(x=x, color=colour, shape=shape)
    found: ChartType = dots.properties(width=WIDTH, height=height(len(text), STEP + 4))
    return found


VIEWS = (
    View("crossovers", "Who wins as the weights move", crossovers),
    View("cells", "Solved by cell", cells),
    View("scores", "Scores under each target", scores),
    View("radii", "How far the weights must move", radii),
    View("top", "On top, over all weights", on_top),
)
