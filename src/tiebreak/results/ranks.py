"""Answer to ``ranks``: adjusted model effects, their ranks, who dominates whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiebreak.design import ComponentDesign
from tiebreak.display import Column, Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict, finite, stated, told

COLUMNS = [
    Column("median_rank", "rank"),
    Column("rank_low", "low"),
    Column("rank_high", "high"),
    Column("model"),
    Column("effect", kind="score"),
    Column("effect_low", "low", "score"),
    Column("effect_high", "high", "score"),
    Column("dominance", kind="score"),
    Column("first", "P(first)", "score"),
    Column("raw_mean", "raw mean", "score"),
    Column("raw_rank", "raw rank"),
    Column("pairs", "scaffolds", "whole"),
]


@dataclass(frozen=True, slots=True)
class RankLine:
    """A model: adjusted effect on the engine's scale with its interval, and its rank distribution.

    ``dominance`` is the mean probability to be above another model; ``probabilities`` those of
    rank 1, 2, …; ``raw_mean`` the mean over its scaffolds and benchmarks of its mean scores.
    """

    model: str
    effect: float | None
    effect_low: float | None
    effect_high: float | None
    median_rank: float
    rank_low: int
    rank_high: int
    dominance: float
    first: float
    probabilities: tuple[float, ...]
    raw_mean: float | None
    raw_rank: float
    pairs: int


@dataclass(frozen=True, slots=True)
class RanksResult(Rendered):
    """Models by adjusted effect; ``pairwise`` [i][j] is the probability that i is above j."""

    engine: str
    scale: str
    facet: str
    models: tuple[RankLine, ...]
    pairwise: tuple[tuple[float, ...], ...]
    agreement: Mapping[str, float | None]
    notes: tuple[str, ...]
    answer: str
    design: ComponentDesign
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """What the effects are, notes, and the provenance."""
        notes = [f"note      {note}" for note in self.notes]
        return [
            f"effects   {self.facet} on the {self.scale} scale ({self.engine})",
            *notes,
            *told(self.design, self.provenance),
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per model."""
        return [as_dict(line) for line in self.models]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``ranks``."""
        head = self.provenance.to_dict("ranks") | {"design": stated(self.design)}
        return {
            **head,
            "sentence": self.answer,
            "engine": self.engine,
            "scale": self.scale,
            "facet": self.facet,
            "models": self.to_rows(),
            "pairwise": finite(self.pairwise),
            "agreement": finite(dict(self.agreement)),
            "notes": list(self.notes),
        }

    def tables(self) -> list[Table]:
        """Ranks, the likely best first."""
        rows = [
            {**as_dict(m), "median_rank": f"{m.median_rank:g}", "raw_rank": f"{m.raw_rank:g}"}
            for m in self.models
        ]
        return [Table("Models by adjusted effect", COLUMNS, rows)]
