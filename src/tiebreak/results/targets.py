"""Answer to ``targets``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tiebreak.display import Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict
from tiebreak.results.target_lines import CellCount, Hidden, PairVerdicts, TargetLine, TargetScore
from tiebreak.results.target_tables import (
    cell_table,
    hidden_table,
    labels_of,
    pair_table,
    score_table,
    target_table,
)
from tiebreak.results.weight_lines import (
    Crossover,
    PathLine,
    PathScore,
    Perturbation,
    RadiusLine,
    Regions,
    Segment,
)
from tiebreak.results.weight_tables import (
    crossover_table,
    envelope_table,
    frequency_table,
    move_table,
    top_table,
)

MAX_ROWS_SHOWN = 60
"""Longer tables are left to JSON."""


@dataclass(frozen=True, slots=True)
class TargetsResult(Rendered):
    """How a ranking depends on its target weights.

    ``scores``, ``verdicts`` and ``radii`` refer to ``targets`` (the observed mix first),
    ``path_scores``, ``crossovers`` and ``envelopes`` to ``paths``. ``perturbation`` is None unless
    asked for, ``regions`` where one cell leaves nothing to weigh, ``hidden`` where no count is
    stated.
    ``unit`` says what k and n count: tasks, or trials of grouped records.
    """

    targets: tuple[TargetLine, ...]
    cells: tuple[CellCount, ...]
    scores: tuple[TargetScore, ...]
    verdicts: tuple[PairVerdicts, ...]
    paths: tuple[PathLine, ...]
    path_scores: tuple[PathScore, ...]
    crossovers: tuple[Crossover, ...]
    envelopes: tuple[Segment, ...]
    radii: tuple[RadiusLine, ...]
    distance: str | None
    perturbation: Perturbation | None
    regions: Regions | None
    hidden: Hidden | None
    unit: str
    answer: str
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """What must be known beside the tables, what is not shown, and the provenance."""
        left_out = [t.caption for t in self._tables() if len(t.rows) > MAX_ROWS_SHOWN]
        rest = [f"shown     in --json only: {', '.join(left_out)}"] if left_out else []
        return [*(f"note      {n}" for n in self.notes), *rest, *self.provenance.lines]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per target and configuration."""
        return [as_dict(s) for s in self.scores]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``targets``."""
        return {
            **self.provenance.to_dict("targets"),
            "sentence": self.answer,
            "unit": self.unit,
            "targets": [as_dict(t) for t in self.targets],
            "cells": [as_dict(c) for c in self.cells],
            "scores": self.to_rows(),
            "verdicts": [v.to_dict() for v in self.verdicts],
            "paths": [as_dict(p) for p in self.paths],
            "path_scores": [as_dict(s) for s in self.path_scores],
            "crossovers": [as_dict(c) for c in self.crossovers],
            "envelopes": [as_dict(s) for s in self.envelopes],
            "radii": [r.to_dict() for r in self.radii],
            "distance": self.distance,
            "perturbation": None if self.perturbation is None else self.perturbation.to_dict(),
            "regions": None if self.regions is None else self.regions.to_dict(),
            "hidden": None if self.hidden is None else self.hidden.to_dict(),
            "notes": list(self.notes),
        }

    def tables(self) -> list[Table]:
        """Those short enough to read."""
        return [t for t in self._tables() if 0 < len(t.rows) <= MAX_ROWS_SHOWN]

    def _tables(self) -> list[Table]:
        labels, one = labels_of(s.configuration for s in self.scores), len(self.verdicts) == 1
        return [
            score_table(self.scores, self.targets),
            cell_table(self.cells, labels, self.unit),
            pair_table(self.verdicts, self.radii, self.perturbation, labels),
            *([move_table(self.radii, labels)] if one else []),
            crossover_table(self.crossovers, labels),
            *([] if one else [envelope_table(self.envelopes, labels)]),
            top_table(self.regions, self.perturbation),
            *([frequency_table(self.perturbation, labels)] if one else []),
            hidden_table(self.hidden, labels),
            target_table(self.targets, self.unit),
        ]
