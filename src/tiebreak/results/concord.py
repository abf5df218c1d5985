"""Answer to ``concord``: do two rankings of the same objects agree?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiebreak.display import Column, Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict

STATISTICS = [
    Column("statistic"),
    Column("value", kind="score"),
    Column("low", kind="score"),
    Column("high", kind="score"),
    Column("least", "least without one", "score"),
    Column("most", "most without one", "score"),
]
OBJECTS = [
    Column("name", "name"),
    Column("score", kind="score"),
    Column("rank"),
    Column("other"),
    Column("other_rank", "its rank"),
]
MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """A statistic of agreement, its interval, and its range with one object left out.

    A bound without a value has its reason under ``reasons``.
    """

    statistic: str
    value: float | None
    low: float | None
    high: float | None
    least: float | None
    most: float | None
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RankedObject:
    """An object with both values and its mid-ranks from 1, the best, among the shared."""

    name: str
    score: float
    rank: float
    other: float
    other_rank: float


@dataclass(frozen=True, slots=True)
class ConcordResult(Rendered):
    """Agreement of a board with another ranking over the objects that both hold.

    ``only_here`` and ``only_there`` name what one of them holds alone.
    """

    by: str
    other: str
    agreements: tuple[AgreementLine, ...]
    objects: tuple[RankedObject, ...]
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    answer: str
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """What was matched, what was not, and the provenance."""
        alone = (("only here", self.only_here), ("elsewhere", self.only_there))
        unmatched = [f"{where:<10}{_named(names)}" for where, names in alone if names]
        rest = len(self.objects) - MOST_SHOWN
        hidden = [f"shown     {MOST_SHOWN}; {rest} more in --json"] if rest > 0 else []
        return [
            f"matched   {len(self.objects)} names by {self.by}, with {self.other}",
            *unmatched,
            *hidden,
            *self.provenance.lines,
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per statistic."""
        return [as_dict(a) for a in self.agreements]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``concord``."""
        return {
            **self.provenance.to_dict("concord"),
            "sentence": self.answer,
            "by": self.by,
            "other": self.other,
            "agreements": self.to_rows(),
            "objects": [as_dict(o) for o in self.objects],
            "only_here": list(self.only_here),
            "only_there": list(self.only_there),
        }

    def tables(self) -> list[Table]:
        """Statistics, and the objects in the order of this board."""
        shown = [
            as_dict(o) | {k: f"{getattr(o, k):g}" for k in ("rank", "other", "other_rank")}
            for o in self.objects[:MOST_SHOWN]
        ]
        return [
            Table("Agreement", STATISTICS, self.to_rows()),
            Table("Both rankings", OBJECTS, shown),
        ]


def _named(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return f"{len(names)}: {', '.join(names[:6])}{more}"
