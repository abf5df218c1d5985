"""Pictures of ``board``: who stands where, which pairs are resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.plots.pairs import forest, matrix
from tiebreak.plots.parts import View, data, height, labels, muted_text, named, score_x, side
from tiebreak.plots.theme import BLUE, INK, MUTED, STEP
from tiebreak.results.board import BoardResult

FIRST, LATER = "tier 1: not shown worse than the best", "a later tier"
UNRANKED = "grouped records: no tier"
TIERS = {FIRST: (BLUE, "circle"), LATER: (MUTED, "square"), UNRANKED: (INK, "diamond")}
RANK_WIDTH, FEW_RANKS = 230, 12
"""Up to so many ranks are all written on their axis."""


def standings(result: BoardResult) -> ChartType:
    """Score with interval, raw score, rank interval and tier of every configuration."""
    rows = _rows(result)
    source = data(rows, "no configuration has a score")
    names = [row["name"] for row in rows]
    panels = [_scores(source, names, rows)]
    if any(row["rank_low"] is not None for row in rows):
        panels += [_ranks(source, names, rows), _tiers(source, names)]
    return alt.hconcat(*panels, spacing=14)


def _rows(result: BoardResult) -> list[dict[str, Any]]:
    text = labels(s.configuration for s in result.standings)
    return [
        {
            "name": text[s.configuration],
            "score": s.score,
            "low": s.score_low,
            "high": s.score_high,
            "raw": s.score_observed,
            "rank": s.rank,
            "rank_low": s.rank_low,
            "rank_high": s.rank_high,
            "tier": s.tier,
            "group": UNRANKED if s.tier is None else FIRST if s.tier == 1 else LATER,
        }
        for s in result.standings
    ]


def _groups(rows: Sequence[dict[str, Any]]) -> tuple[alt.Color, alt.Shape]:
    found = {row["group"] for row in rows}
    domain = [g for g in TIERS if g in found]
    colours, shapes = ([TIERS[g][i] for g in domain] for i in (0, 1))
    return (
        alt.Color("group:N", title=None, scale=alt.Scale(domain=domain, range=colours)),
        alt.Shape("group:N", title=None, scale=alt.Scale(domain=domain, range=shapes)),
    )


def _scores(source: alt.InlineData, names: list[str], rows: list[dict[str, Any]]) -> ChartType:
    colour, shape = _groups(rows)
    base = alt.Chart(source).encode(y=named(names))
    bars = base.mark_rule(strokeWidth=2).encode(
        x=score_x("low", "score with interval; | raw score", side(names)), x2="high:Q", color=colour
    )
    raw = base.mark_tick(thickness=1.5, color=INK, size=STEP - 6).encode(x="raw:Q")
    dots = base.mark_point().encode(x="score:Q", color=colour, shape=shape)
    none = (
        base.transform_filter("datum.score === null")
        .mark_text(**muted_text(align="left", dx=8))
        .encode(x=alt.value(0), text=alt.value("no score under this target"))
    )
    return alt.layer(bars, raw, dots, none).properties(width=380, height=height(len(names)))


def _ranks(source: alt.InlineData, names: list[str], rows: list[dict[str, Any]]) -> ChartType:
    colour, shape = _groups(rows)
    base = alt.Chart(source).encode(y=named(names, shown=False))
    last = max(2, *(row["rank_high"] or 1 for row in rows))  # a part of a board ends later
    every = list(range(1, last + 1))
    whole: dict[str, Any] = {"values": every, "tickCount": last} if last <= FEW_RANKS else {}
    axis = alt.Axis(title="rank with interval", format="d", orient=side(names), **whole)
    low = alt.X("rank_low:Q", axis=axis, scale=alt.Scale(domain=[1, last], nice=False))
    bars = base.mark_rule(strokeWidth=2).encode(x=low, x2="rank_high:Q", color=colour)
    dots = base.mark_point().encode(x="rank:Q", color=colour, shape=shape)
    return alt.layer(bars, dots).properties(width=RANK_WIDTH, height=height(len(names)))


def _tiers(source: alt.InlineData, names: list[str]) -> ChartType:
    text = (
        alt.Chart(source)
        .mark_text(align="center")
        .encode(y=named(names, shown=False), text="tier:Q", x=alt.value(14))
    )
    title = alt.TitleParams("tier", fontSize=12, fontWeight="normal", anchor="middle", offset=2)
    shown: ChartType = text.properties(width=28, height=height(len(names)), title=title)
    return shown


def pair_forest(result: BoardResult) -> ChartType:
    """Gaps of the pairs, sorted, with the margin band (``rank-comparison``, Figure 2)."""
    return forest(result.comparisons)


def verdict_matrix(result: BoardResult) -> ChartType:
    """Row against column for every judged pair."""
    order = [s.configuration for s in result.standings]
    return matrix(result.comparisons, order)


VIEWS = (
    View("board", "Scores, rank intervals and tiers", standings),
    View("forest", "Gaps of the pairs, by verdict", pair_forest),
    View("matrix", "Verdict of every pair", verdict_matrix),
)
