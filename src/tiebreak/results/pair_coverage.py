"""Answer to ``simulate pairs``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tiebreak.display import Column, Rendered, Table
from tiebreak.version import __version__

COLUMNS = [
    Column("m", "M", "whole"),
    Column("pairs", kind="whole"),
    Column("method"),
    Column("coverage"),
    Column("pass", "P(pass)"),
    Column("conditional", "given pass"),
    Column("covering", "covering states"),
]


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Exact coverage of a method at M configurations.

    ``passes`` is the probability that the diagnostic passes, None for independent edges, which
    have no configurations; ``conditional`` is the coverage given that, None where it never does.
    ``covering`` lists runs (first, last) of covering states: the number of ones among the
    configurations, or of ones among the edges.
    """

    m: int
    pairs: int
    method: str
    coverage: float
    passes: float | None
    conditional: float | None
    covering: tuple[tuple[int, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values; the diagnostic's probability is called ``pass``."""
        return {
            "m": self.m,
            "pairs": self.pairs,
            "method": self.method,
            "coverage": self.coverage,
            "pass": self.passes,
            "conditional": self.conditional,
            "covering": [list(run) for run in self.covering],
            "reasons": self._reasons,
        }

    @property
    def _reasons(self) -> dict[str, str]:
        if self.passes is None:
            why = "independent edges have no configurations to diagnose"
            return {"pass": why, "conditional": why}
        if self.conditional is None:
            return {"conditional": "the diagnostic never passes"}
        return {}


@dataclass(frozen=True, slots=True)
class PairCoverageResult(Rendered):
    """Exact coverage of the interval families; ``p`` and ``truth`` are exact ratios."""

    kernel: str
    p: str | None
    truth: str
    level: float
    rows: tuple[CoverageRow, ...]

    @property
    def headline(self) -> str:
        """What sharing configurations does to intervals that take pairs as independent."""
        last = self.rows[-1].m
        at = {r.method: r.coverage for r in self.rows if r.m == last}
        if self.kernel == "constant":
            return (
                "Every pair is alike: all intervals are [1, 1] and cover, and the diagnostic never "
                "passes, so this says nothing about calibration."
            )
        shared = [at[m] for m in ("hoeffding", "dyadic", "jackknife")]
        return (
            f"At M = {last:,} a nominal {100 * self.level:g} % pair-iid interval covers "
            f"{100 * at['pair-iid']:.1f} %; those that know configurations are shared "
            f"{_span(shared)} %; the pair-iid formula on independent edges "
            f"{100 * at['independent']:.1f} %."
        )

    @property
    def lines(self) -> list[str]:
        """The model."""
        model = (
            f"configurations iid Bernoulli({self.p}), a pair is 1 where both are alike"
            if self.p
            else "every pair is 1"
        )
        return [
            f"model     {self.kernel}: {model}; target {self.truth}",
            "exact     every state, classified in rational numbers; nothing is drawn",
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per M and method."""
        return [r.to_dict() for r in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``simulate pairs``."""
        return {
            "tiebreak": __version__,
            "question": "simulate pairs",
            "kernel": self.kernel,
            "p": self.p,
            "truth": self.truth,
            "level": self.level,
            "sentence": self.headline,
            "rows": self.to_rows(),
        }

    def tables(self) -> list[Table]:
        """The grid."""
        rows = [
            row
            | {name: _six(row[name]) for name in ("coverage", "pass", "conditional")}
            | {"covering": ", ".join(f"{a}–{b}" for a, b in row["covering"]) or "none"}
            for row in self.to_rows()
        ]
        return [Table("Exact coverage", COLUMNS, rows)]


def _six(value: float | None) -> str | None:
    return None if value is None else f"{value:.6f}"


def _span(values: list[float]) -> str:
    low, high = f"{100 * min(values):.1f}", f"{100 * max(values):.1f}"
    return low if low == high else f"{low} to {high}"
