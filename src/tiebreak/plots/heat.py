"""Configurations × cells: how much was solved of what (``rank-comparison``, Figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import data, muted_text
from tiebreak.plots.theme import GRID, PAPER, TINTS

CELL_HEIGHT, LETTER, LEAST = 24, 7, 54
"""Rows of a heat map, and the room of a letter inside it, in pixels."""
NO_RUNS = "no runs"
LIMITS = [0.2, 0.4, 0.6, 0.8]


def heat_map(
    rows: Sequence[dict[str, Any]], names: Sequence[str], cells: Sequence[str], tint: alt.Color
) -> ChartType:
    """Rows hold ``name``, ``cell``, ``text`` and what the tint shows."""
    source = data(rows, "no cell holds a trial")
    step = max(LEAST, LETTER * max(len(str(row["text"])) for row in rows))
    base = alt.Chart(source).encode(
        x=alt.X(
            "cell:N",
            scale=alt.Scale(domain=list(cells)),
            axis=alt.Axis(title=None, orient="top", labelAngle=-45, labelAlign="left"),
        ),
        y=alt.Y("name:N", scale=alt.Scale(domain=list(names)), axis=alt.Axis(title=None)),
    )
    boxes = base.mark_rect(stroke=GRID, strokeWidth=1).encode(color=tint)
    ran = base.transform_filter(f"datum.text !== '{NO_RUNS}'").mark_text(fontSize=11)
    lost = base.transform_filter(f"datum.text === '{NO_RUNS}'")
    texts = [
        ran.encode(text="text:N"),
        lost.mark_text(**muted_text(fontStyle="italic")).encode(text="text:N"),
    ]
    return alt.layer(boxes, *texts).properties(width=alt.Step(step), height=alt.Step(CELL_HEIGHT))


def rate_tint() -> alt.Color:
    """Five steps from rarely to mostly solved; no colour where nothing ran."""
    return alt.Color(
        "rate:Q",
        scale=alt.Scale(type="threshold", domain=LIMITS, range=list(TINTS)),
        legend=alt.Legend(title="share solved", format=".0%", symbolStrokeWidth=0),
        condition=alt.when("datum.rate === null").then(alt.value(PAPER)).to_dict()["condition"],
    )


def plain_tint() -> alt.Color:
    """One tint where something ran."""
    empty = alt.when(f"datum.text === '{NO_RUNS}'").then(alt.value(PAPER))
    return alt.Color(condition=empty.to_dict()["condition"], value=TINTS[1])
