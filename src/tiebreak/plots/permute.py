"""Picture of ``permute``: the board against boards whose labels are permuted."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.parts import SIZES, View
from tiebreak.plots.theme import INK, MUTED, VERMILLION, WIDTH
from tiebreak.results.permute import PermuteResult

LEGEND = "diamond: this board; bar: 5 to 95 % of permuted boards, ticks at 50, 90 and 99 %"


def reference(result: PermuteResult) -> ChartType:
    """Both statistics: observed, and the quantiles of the permuted boards."""
    margin = f"{100 * result.provenance.design.margin:g}"
    return alt.vconcat(
        _panel(
            result.max_gap_reference, result.max_gap, f"largest {result.gap} gap (points)", SIZES
        ),
        _panel(
            result.practical_gaps_reference,
            result.practical_gaps,
            f"pairs apart by {margin} points or more",
            None,
        ),
        spacing=24,
    )


def _panel(
    quantiles: Mapping[str, float], observed: float, title: str, expression: str | None
) -> ChartType:
    said = [title, LEGEND]
    axis = (
        alt.Axis(title=said) if expression is None else alt.Axis(title=said, labelExpr=expression)
    )
    scale = alt.Scale(zero=True, nice=True)
    marks: list[dict[str, float | str]] = [
        {"value": v, "quantile": f"{q}"} for q, v in quantiles.items()
    ]
    span = [{"low": quantiles["0.05"], "high": quantiles["0.95"]}]
    bar = (
        alt.Chart(alt.InlineData(values=span))
        .mark_bar(color=MUTED, size=10)
        .encode(x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q", y=alt.value(30))
    )
    ticks = alt.Chart(alt.InlineData(values=marks)).encode(x="value:Q", y=alt.value(30))
    at = alt.Chart(alt.InlineData(values=[{"value": observed}])).encode(
        x="value:Q", y=alt.value(30)
    )
    return alt.layer(
        bar,
        ticks.mark_tick(color=INK, size=20, thickness=1.5),
        at.mark_point(shape="diamond", size=130, color=VERMILLION),
    ).properties(width=WIDTH, height=60)


VIEWS = (View("reference", "The board against permuted boards", reference),)
