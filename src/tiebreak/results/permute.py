"""Answer to ``permute``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiebreak.display import Column, Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict

COLUMNS = [
    Column("statistic"),
    Column("observed"),
    Column("median", "permuted, median"),
    Column("high", "permuted, 95 %"),
    Column("p", "p (plus one)"),
]


@dataclass(frozen=True, slots=True)
class PermuteResult(Rendered):
    """A board against boards whose labels are permuted within tasks.

    ``gap`` says which gap: ``matched`` or ``standardized``. ``max_gap`` is the largest absolute
    one of ``n_pairs``, that of ``max_gap_a`` over ``max_gap_b``; ``practical_gaps`` counts those
    of at least the margin. The references map quantiles over ``n`` permuted boards.
    """

    n: int
    gap: str
    n_pairs: int
    max_gap: float
    max_gap_a: str
    max_gap_b: str
    max_gap_reference: Mapping[str, float]
    max_gap_reference_95: float
    max_gap_p: float
    practical_gaps: int
    practical_gaps_reference: Mapping[str, float]
    practical_gaps_p: float
    answer: str
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """Which gap was taken, between whom it is largest, and the provenance."""
        floor = 1 / (self.n + 1)
        return [
            f"gap       {self.gap}, over {self.n_pairs:,} pairs; "
            f"largest: {self.max_gap_a} over {self.max_gap_b}",
            f"permuted  {self.n:,} times within tasks; the least possible p is {floor:.4f}",
            *self.provenance.lines,
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """The two statistics."""
        parts = (("largest gap", "max_gap"), ("practical gaps", "practical_gaps"))
        return [
            {
                "statistic": what,
                "observed": getattr(self, name),
                "median": getattr(self, f"{name}_reference")["0.5"],
                "high": getattr(self, f"{name}_reference")["0.95"],
                "p": getattr(self, f"{name}_p"),
            }
            for what, name in parts
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``permute``."""
        fields = as_dict(self)
        for name in ("answer", "provenance"):
            del fields[name]
        return {**self.provenance.to_dict("permute"), "sentence": self.answer, **fields}

    def tables(self) -> list[Table]:
        """Observed against permuted."""
        rows = [_written(row) for row in self.to_rows()]
        return [Table("Board against permuted boards (gaps in points)", COLUMNS, rows)]


def _written(row: dict[str, Any]) -> dict[str, str]:
    """Gaps in points, counts whole."""
    gaps = row["statistic"] == "largest gap"
    shown = {
        k: f"{100 * row[k]:.1f}" if gaps else f"{row[k]:,g}" for k in ("observed", "median", "high")
    }
    return {"statistic": row["statistic"], **shown, "p": f"{row['p']:.4f}"}
