"""Lines that several questions share: a configuration's standing and a judged pair."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiebreak.display import Column, Table
from tiebreak.results.provenance import as_dict


@dataclass(frozen=True, slots=True)
class Comparison:
    """One pair: a − b under the estimand. Scores and gaps are on the score scale (0 to 1).

    ``gap`` is that of matched tasks under the target; ``gap_matched`` repeats it where records
    are item-level and is null where they are grouped; ``gap_standardized`` is the difference of
    the two standardized scores. ``gap_observed`` is the matched gap in the observed mix, so that
    ``movement`` = ``gap`` − ``gap_observed``. ``support`` is the share of the target's weight
    inside common support; below 1 the gap is that of the restricted target.
    A null has its reason under ``reasons``.
    """

    a: str
    b: str
    gap: float | None
    gap_low: float | None
    gap_high: float | None
    gap_se: float | None
    df: float | None
    gap_observed: float | None
    gap_matched: float | None
    gap_standardized: float | None
    movement: float | None
    movement_low: float | None
    movement_high: float | None
    margin: float
    radius: float | None
    margin_radius: float | None
    n_tasks: int
    support: float
    flags: tuple[str, ...]
    verdict: str
    winner: str | None
    sentence: str
    reasons: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self)


@dataclass(frozen=True, slots=True)
class Standing:
    """One configuration's line of a board.

    ``score`` is null where the target puts weight on what the configuration never ran; the
    interval, the rank interval and the tier are null where records are grouped.
    """

    configuration: str
    score_observed: float | None
    score: float | None
    score_low: float | None
    score_high: float | None
    score_se: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    tier: int | None
    n_tasks: int


def pair_table(comparisons: Sequence[Comparison]) -> Table:
    """The pairs to read: an infinite radius is shown as such, not as a null."""
    rows = [
        c.to_dict() | ({"radius": math.inf} if "infinite" in c.reasons.get("radius", "") else {})
        for c in comparisons
    ]
    return Table("Pairs (a − b, points)", PAIR_COLUMNS, rows)


SCORE_COLUMNS = [
    Column("configuration"),
    Column("score_observed", "observed", "score"),
    Column("score", kind="score"),
    Column("score_low", "low", "score"),
    Column("score_high", "high", "score"),
    Column("n_tasks", "tasks", "whole"),
]
PAIR_COLUMNS = [
    Column("a"),
    Column("b"),
    Column("gap", kind="points"),
    Column("gap_low", "low", "points"),
    Column("gap_high", "high", "points"),
    Column("gap_observed", "observed", "points"),
    Column("movement", kind="points"),
    Column("radius", kind="score"),
    Column("verdict"),
]
