"""Answer to ``settle``: who is told apart near the top, and what would settle the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tiebreak.display import Column, Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict

COLUMNS = [
    Column("a"),
    Column("b"),
    Column("gap", kind="points"),
    Column("sought", "gap to find", "points"),
    Column("n_tasks", "tasks now", "whole"),
    Column("tasks", "tasks needed", "whole"),
    Column("n_runs", "runs now", "whole"),
    Column("runs", "runs needed", "whole"),
]


class Said(NamedTuple):
    """A sentence of the answer and what it is about."""

    topic: str
    sentence: str


@dataclass(frozen=True, slots=True)
class OpenPair:
    """An underpowered pair and the evaluation that would find its gap with the stated power.

    ``sought`` is the gap to be found: the one seen, at least the margin. ``tasks`` is the number
    of tasks of the same mix with as many runs as now, ``runs`` the number of runs on the tasks
    of now. A null has its reason under ``reasons``.
    """

    a: str
    b: str
    gap: float
    gap_se: float
    sought: float
    n_tasks: int
    tasks: int | None
    n_runs: int
    runs: int | None
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SettleResult(Rendered):
    """Pairs near the top: resolved or not, by verdict, and the plan for those that are open.

    ``near`` names the configurations meant, by raw score; ``better`` who is shown better than
    whom among them; ``sentences`` is the answer at length, its first sentence ``answer``.
    """

    answer: str
    sentences: tuple[Said, ...]
    near: tuple[str, ...]
    n_pairs: int
    resolved: int
    verdicts: Mapping[str, int]
    better: Mapping[str, tuple[str, ...]]
    open_pairs: tuple[OpenPair, ...]
    power: float
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """The provenance."""
        return self.provenance.lines

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per open pair."""
        return [as_dict(p) for p in self.open_pairs]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return {
            **self.provenance.to_dict("settle"),
            "sentences": [s._asdict() for s in self.sentences],
            "near": list(self.near),
            "n_pairs": self.n_pairs,
            "resolved": self.resolved,
            "verdicts": dict(self.verdicts),
            "better": {name: list(others) for name, others in self.better.items()},
            "open": self.to_rows(),
            "power": self.power,
        }

    def tables(self) -> list[Table]:
        """The open pairs, if any."""
        if not self.open_pairs:
            return []
        caption = f"What would settle the open pairs (power {self.power:g}; gaps in points)"
        return [Table(caption, COLUMNS, self.to_rows())]
