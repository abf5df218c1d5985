"""Answer to ``labels``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tiebreak.display import Rendered, Table
from tiebreak.results.label_lines import Annotators, CalibrationLine, Powered, SourceLine
from tiebreak.results.label_tables import (
    calibration_table,
    error_table,
    left_out_table,
    powered_tables,
    source_table,
)
from tiebreak.results.provenance import Provenance, as_dict

MAX_ROWS_SHOWN = 40
"""Longer tables are left to JSON."""
MAX_PAIRS_NAMED = 6


@dataclass(frozen=True, slots=True)
class LabelsResult(Rendered):
    """Label sources against a reference.

    ``given`` names what calibrations know beside the labels; ``bootstrap_draws`` is the size of
    their bootstrap. ``annotators`` is None where no trajectory has several labels.
    """

    reference: str
    sources: tuple[SourceLine, ...]
    calibration: tuple[CalibrationLine, ...]
    ppi: tuple[Powered, ...]
    annotators: tuple[Annotators, ...]
    given: tuple[str, ...]
    folds: int
    bootstrap_draws: int
    answer: str
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """Tests, reversed pairs, annotators, notes, what is not shown, and the provenance."""
        left_out = [t.caption for t in self._tables() if len(t.rows) > MAX_ROWS_SHOWN]
        rest = [f"shown     in --json only: {', '.join(left_out)}"] if left_out else []
        reasons = [f"calibrate {c.source}: {c.reason}" for c in self.calibration if c.reason]
        return [
            *self._equality_lines(),
            *self._reversed_lines(),
            *(_annotator_line(a) for a in self.annotators),
            *reasons,
            *(f"note      {n}" for n in self.notes),
            *rest,
            *self.provenance.lines,
        ]

    def _equality_lines(self) -> Iterator[str]:
        for s in self.sources:
            told = [f"{n} {_p(t.p)}" for n, t in s.differs.items() if t.p is not None]
            if told:
                yield f"differ    {s.source}, over configurations: {', '.join(told)}"

    def _reversed_lines(self) -> Iterator[str]:
        for s in self.sources:
            chosen = s.selection
            if chosen.reason is not None:
                yield f"selects   {s.source}: not told ({chosen.reason})"
                continue
            pairs = [f"{p.a} / {p.b}" for p in chosen.reversed_pairs[:MAX_PAIRS_NAMED]]
            more = len(chosen.reversed_pairs) - len(pairs)
            named = f": {'; '.join(pairs)}" + (f" and {more} more" if more else "") if pairs else ""
            yield (
                f"selects   {s.source} puts {chosen.top} on top ({self.reference}: "
                f"{chosen.top_reference}); {len(chosen.reversed_pairs)} of {chosen.n_pairs} signs "
                f"reversed{named}; of {chosen.decided} decisions {chosen.kept} kept, "
                f"{chosen.lost} left open, {len(chosen.reversed_decisions)} reversed"
            )

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per source."""
        return [s.to_dict() for s in self.sources]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``labels``."""
        return {
            **self.provenance.to_dict("labels"),
            "sentence": self.answer,
            "reference": self.reference,
            "sources": self.to_rows(),
            "calibration": [c.to_dict() for c in self.calibration],
            "ppi": [p.to_dict() for p in self.ppi],
            "annotators": [as_dict(a) for a in self.annotators],
            "given": list(self.given),
            "folds": self.folds,
            "bootstrap_draws": self.bootstrap_draws,
            "notes": list(self.notes),
        }

    def tables(self) -> list[Table]:
        """Those short enough to read."""
        return [t for t in self._tables() if 0 < len(t.rows) <= MAX_ROWS_SHOWN]

    def _tables(self) -> list[Table]:
        by_cell = any(s.cells for s in self.sources)
        return [
            source_table(self.sources, self.reference),
            error_table(self.sources, "configuration"),
            *([error_table(self.sources, "cell")] if by_cell else []),
            calibration_table(self.calibration),
            left_out_table(self.calibration),
            *powered_tables(self.ppi),
        ]


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _annotator_line(a: Annotators) -> str:
    agreed = "–" if a.agreement is None else f"{100 * a.agreement:.1f} %"
    pi = "" if a.pi is None else f" (Scott's π {a.pi:.2f})"
    unsure = f"; missing or Unsure: {a.missing}" if a.missing else ""
    return (
        f"annotated {a.n} trajectories have several {a.source} labels, merged by '{a.rule}': "
        f"{agreed} of {a.n_pairs} pairs agree{pi}, {a.disagree} do not{unsure}"
    )
