"""Pictures of ``ranks``: rank intervals by adjusted effect, and who dominates whom."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import View, data, height, labels, named, side
from tiebreak.plots.theme import BLUE, INK, MUTED, STEP, TINTS, WIDTH
from tiebreak.results.ranks import RanksResult

LIMITS = [0.2, 0.4, 0.6, 0.8]
FEW = 24
"""Larger matrices are drawn without the numbers."""


def intervals(result: RanksResult) -> ChartType:
    """Rank of every model with its interval, and its rank by raw mean."""
    text = labels(m.model for m in result.models)
    rows = [
        {"name": text[m.model], "rank": m.median_rank, "low": m.rank_low, "high": m.rank_high}
        | {"raw": m.raw_rank}
        for m in result.models
    ]
    names = [text[m.model] for m in result.models]
    base = alt.Chart(data(rows, "no model has a rank")).encode(y=named(names))
    axis = alt.Axis(format="d", orient=side(names), tickMinStep=1)
    scale = alt.Scale(domain=[1, max(len(names), 2)], nice=False)
    title = "rank by adjusted effect, with interval; a tick at the rank by raw mean"
    x = alt.X("low:Q", title=title, axis=axis, scale=scale)
    return alt.layer(
        base.mark_rule(strokeWidth=2, color=BLUE).encode(x=x, x2="high:Q"),
        base.mark_tick(thickness=2, size=11, color=MUTED).encode(x="raw:Q"),
        base.mark_point(color=BLUE).encode(x="rank:Q"),
    ).properties(width=WIDTH, height=height(len(names)))


def dominance(result: RanksResult) -> ChartType:
    """Probability that the model of the row is above that of the column."""
    text = labels(m.model for m in result.models)
    names = [text[m.model] for m in result.models]
    rows = [
        {"above": a, "below": b, "probability": result.pairwise[i][j]}
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i != j
    ]
    order = alt.Scale(domain=names)
    axis = alt.Axis(title=None, orient="top", labelAngle=-90)
    base = alt.Chart(data(rows, "one model dominates nobody")).encode(
        x=alt.X("below:N", scale=order, axis=axis),
        y=alt.Y("above:N", scale=order, axis=alt.Axis(title=None)),
    )
    scale = alt.Scale(type="threshold", domain=LIMITS, range=list(TINTS))
    legend = alt.Legend(title=["probability that the row", "is above the column"], format=".1f")
    parts = [base.mark_rect().encode(color=alt.Color("probability:Q", scale=scale, legend=legend))]
    if len(names) <= FEW:
        said = base.mark_text(fontSize=9, color=INK)
        parts.append(said.encode(text=alt.Text("probability:Q", format=".2f")))
    size = height(len(names), STEP + 9)
    return alt.layer(*parts).properties(width=size, height=size)


VIEWS = (
    View("intervals", "Ranks of models by adjusted effect", intervals),
    View("dominance", "Who dominates whom", dominance),
)
