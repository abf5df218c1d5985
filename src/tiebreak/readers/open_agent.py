"""Open Agent leaderboard: one row per agent, model and benchmark, as CSV or Parquet.

Aggregate rows: a rate and the number of sessions behind it. The rows hold several scores that
rank differently, so the user says which one is meant.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.counts import with_rates
from tiebreak.readers.scores import to_unit
from tiebreak.readers.table import column_names, load, text

IDS = ("agent", "model", "benchmark")


class Layout(NamedTuple):
    """Columns of one release: scores to choose from, sessions behind a rate, cost per session."""

    scores: tuple[str, ...]
    sessions: str
    cost: str


LAYOUTS = (
    Layout(
        ("percent_successful", "benchmark_score", "average_score"),
        "total_sessions",
        "average_agent_cost",
    ),
    Layout(("score",), "num_tasks", "avg_cost"),
)


def _layout(path: Path) -> Layout | None:
    """The release with all of its columns there: the names alone say little, together enough."""
    names = column_names(path) if path.is_file() else frozenset()
    wanted = {la: {*IDS, *la.scores, la.sessions, la.cost, *_MARKS[la]} for la in LAYOUTS}
    return next((la for la in LAYOUTS if wanted[la] <= names), None)


_MARKS = {LAYOUTS[0]: ("planned_sessions",), LAYOUTS[1]: ("agent_normalized", "finished_pct")}
"""Further columns that tell an Open Agent file from any other table of the same shape."""


def _recognise(path: Path) -> str | None:
    layout = _layout(path)
    if layout is None:
        return None
    return f"Open Agent columns ({', '.join((*IDS, layout.sessions, *layout.scores))})"


def _read(path: Path, options: ReadOptions) -> Records:
    layout = _layout(path)
    if layout is None:
        raise InputError(
            "not an Open Agent table",
            where=str(path),
            allowed=" or ".join(listed((*IDS, *la.scores, la.sessions), 20) for la in LAYOUTS),
            got=listed(sorted(column_names(path)), 20) or "no columns",
        )
    chosen = _chosen(layout, options, str(path))
    table = load(path)
    frame = _rows(table, layout, str(path))
    score, note = to_unit(table[chosen], frame["configuration"], str(path))
    return Records(
        with_rates(frame.with_columns(score.alias("score")), str(path)),
        kind="grouped",
        mapping={"scaffold": "agent", "score": chosen, "count": layout.sessions},
        notes=(
            f"one rate of {layout.sessions} sessions per configuration and benchmark",
            *([note] if note else []),
        ),
    )


def _chosen(layout: Layout, options: ReadOptions, where: str) -> str:
    """The score column: the only one, or the one that the user names."""
    stated = options.mapping.get("score", layout.scores[0] if len(layout.scores) == 1 else None)
    if stated not in layout.scores:
        several = stated is None
        raise InputError(
            f"{len(layout.scores)} columns could be the score" if several else "not a score column",
            where=where,
            allowed=listed(layout.scores),
            got=stated,
            hint=f"name one: --score {layout.scores[0]}",
        )
    return stated


def _rows(table: pl.DataFrame, layout: Layout, where: str) -> pl.DataFrame:
    ids = table.select(
        text("agent").alias("scaffold"),
        text("model").alias("model"),
        text("benchmark").alias("task"),
        text("benchmark").alias("benchmark"),
        _numbers(table[layout.sessions], where).alias("count"),
        _numbers(table[layout.cost], where).alias("cost_usd"),
    )
    if not ids.height:
        raise InputError("the table has no rows", where=where, allowed="at least one record")
    name = pl.concat_str("scaffold", "model", separator=" | ")
    return ids.select(name.alias("configuration"), pl.all())


def _numbers(values: pl.Series, where: str) -> pl.Series:
    numbers = values.cast(pl.Float64, strict=False)
    lost = values.filter(numbers.is_null() & values.is_not_null())
    if lost.len():
        raise InputError(
            f"column '{values.name}' holds no numbers",
            where=where,
            allowed="numbers",
            got=listed(lost, 3),
        )
    return numbers


READER = Reader(
    "open_agent",
    "Open Agent leaderboard rows (agent × model × benchmark)",
    _recognise,
    _read,
    roles=("score",),
)
