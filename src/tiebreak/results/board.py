"""Answer to ``board``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiebreak.display import Column, Rendered, Table
from tiebreak.results.pairs import SCORE_COLUMNS, Comparison, Standing, pair_table
from tiebreak.results.provenance import Provenance, as_dict

MAX_PAIRS_SHOWN = 60
"""A longer pair table is left to JSON."""

BOARD_COLUMNS = [
    Column("rank", kind="whole"),
    *SCORE_COLUMNS,
    Column("rank_low", "rank low", "whole"),
    Column("rank_high", "rank high", "whole"),
    Column("tier", kind="whole"),
]


@dataclass(frozen=True, slots=True)
class BoardResult(Rendered):
    """Every configuration, the pairs among the top, and how many of them are resolved.

    ``top`` is the number of configurations (by raw score) whose pairs were judged.
    """

    standings: tuple[Standing, ...]
    comparisons: tuple[Comparison, ...]
    summary: Mapping[str, Any]
    answer: str
    top: int
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """What is not shown, and the provenance."""
        rest = len(self.standings) - self.top
        hidden = (
            [f"shown     the top {self.top}; {rest} more configurations in --json"] if rest else []
        )
        verdicts = ", ".join(f"{n:,} {verdict}" for verdict, n in self.summary["verdicts"].items())
        return [f"verdicts  {verdicts}", *hidden, *self.provenance.lines]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per configuration."""
        return [as_dict(s) for s in self.standings]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``board``."""
        return {
            **self.provenance.to_dict("board"),
            "configurations": self.to_rows(),
            "comparisons": [c.to_dict() for c in self.comparisons],
            "summary": dict(self.summary),
        }

    def tables(self) -> list[Table]:
        """The board (its top, where one was asked for) and, where they are few, its pairs."""
        names = {name for c in self.comparisons for name in (c.a, c.b)}
        partial = self.top < len(self.standings)
        rows = [row for row in self.to_rows() if not partial or row["configuration"] in names]
        board = Table("Board", BOARD_COLUMNS, rows)
        if len(self.comparisons) > MAX_PAIRS_SHOWN:
            return [board]
        return [board, pair_table(self.comparisons)]
