"""Judged pairs: the forest of their gaps and the matrix of their verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import (
    data,
    height,
    labels,
    margin_band,
    named,
    pair_labels,
    points_x,
    side,
    verdict_colour,
    verdict_shape,
    zero_line,
)
from tiebreak.plots.theme import BAND, STEP, WIDTH
from tiebreak.results.pairs import Comparison

MOST_PAIRS, FOREST_TOP = 120, 16
"""A forest of more pairs than this shows those among the first 16 configurations, and says so."""
DENSE, DENSE_STEP = 40, 12
"""From so many configurations on a matrix has smaller rows."""
NO_PAIRS = "one configuration: there is no pair to draw"


def forest(comparisons: Sequence[Comparison]) -> ChartType:
    """Gaps with intervals, sorted, coloured and shaped by verdict, over the margin band."""
    shown, note = _shown(comparisons)
    rows = _rows(shown)
    source = data(rows, NO_PAIRS if not comparisons else "no pair shares a scored task")
    verdicts = [row["verdict"] for row in rows]
    colour, shape = verdict_colour(verdicts), verdict_shape(verdicts)
    names = [row["name"] for row in rows]
    base = alt.Chart(source).encode(y=named(names))
    bars = base.mark_rule(strokeWidth=2).encode(
        x=points_x("low", f"gap a − b (points){note}; the band is the margin", side(names)),
        x2="high:Q",
        color=colour,
    )
    dots = base.mark_point().encode(x="gap:Q", color=colour, shape=shape)
    band = margin_band(shown[0].margin)
    return alt.layer(band, zero_line(), bars, dots).properties(
        width=WIDTH, height=height(len(rows))
    )


def _shown(comparisons: Sequence[Comparison]) -> tuple[list[Comparison], str]:
    """The pairs that fit a picture, and which these are."""
    if len(comparisons) <= MOST_PAIRS:
        return list(comparisons), ""
    first = set(_names(comparisons)[:FOREST_TOP])
    kept = [c for c in comparisons if c.a in first and c.b in first]
    return kept, f", pairs of the first {FOREST_TOP}"


def _names(comparisons: Sequence[Comparison]) -> list[str]:
    """Names in the order of the pairs."""
    return list(dict.fromkeys([c.a for c in comparisons] + [c.b for c in comparisons]))


def _rows(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    text = pair_labels((c.a, c.b) for c in comparisons)
    found = [c for c in comparisons if c.gap is not None]
    return [
        {
            "name": text[c.a, c.b],
            "gap": c.gap,
            "low": c.gap_low,
            "high": c.gap_high,
            "verdict": c.verdict,
        }
        for c in sorted(found, key=lambda c: -(c.gap or 0.0))
    ]


def matrix(comparisons: Sequence[Comparison], order: Sequence[str]) -> ChartType:
    """One mark per judged pair, in the row of one and the column of the other."""
    text, place = labels(order), {name: i for i, name in enumerate(order)}
    pairs = [(c, sorted((c.a, c.b), key=place.__getitem__)) for c in comparisons]
    rows: list[dict[str, Any]] = [
        {"row": text[first], "column": text[second], "verdict": c.verdict, "gap": c.gap}
        for c, (first, second) in pairs
    ]
    source = data(rows, NO_PAIRS)
    judged = {name for _, both in pairs for name in both}
    names = [text[name] for name in order if name in judged]
    step, size = (DENSE_STEP, 10) if len(names) > DENSE else (STEP + 3, 12)
    axis: dict[str, Any] = {"title": None, "labelFontSize": size, "grid": True}
    verdicts = [row["verdict"] for row in rows]
    marks = alt.Chart(source).mark_point(size=0.3 * step * step)
    shown: ChartType = marks.encode(
        x=alt.X(
            "column:N",
            scale=alt.Scale(domain=names[1:]),
            axis=alt.Axis(labelAngle=-90, orient="top", gridColor=BAND, **axis),
        ),
        y=alt.Y("row:N", scale=alt.Scale(domain=names[:-1]), axis=alt.Axis(gridColor=BAND, **axis)),
        color=verdict_colour(verdicts, orient="right"),
        shape=verdict_shape(verdicts, orient="right"),
    ).properties(width=alt.Step(step), height=alt.Step(step))
    return shown
