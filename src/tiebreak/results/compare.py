"""Answer to ``compare``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiebreak.display import Column, Rendered, Table, write
from tiebreak.results.pairs import SCORE_COLUMNS, Comparison, Standing
from tiebreak.results.provenance import Provenance, as_dict

QUANTITY_COLUMNS = [Column("quantity"), Column("value"), Column("low"), Column("high")]
CELL_COLUMNS = [
    Column("cell"),
    Column("weight", kind="score"),
    Column("n_a", "tasks a", "whole"),
    Column("n_b", "tasks b", "whole"),
    Column("rate_a", "rate a", "score"),
    Column("rate_b", "rate b", "score"),
    Column("gap", kind="points"),
]


@dataclass(frozen=True, slots=True)
class CellLine:
    """One cell of a compared pair: target weight, tasks, rates, gap."""

    cell: str
    weight: float
    n_a: int
    n_b: int
    rate_a: float | None
    rate_b: float | None
    gap: float | None


@dataclass(frozen=True, slots=True)
class CompareResult(Rendered):
    """One pair in full.

    ``label_sources`` names, per further source, whom the primary source and it select on the
    tasks that both have labelled. ``shock_to_undo``: where one of them has a single run, the SD
    of an unseen run shock in either that would take the interval to 0.
    """

    comparison: Comparison
    scores: tuple[Standing, Standing]
    cells: tuple[CellLine, ...]
    label_sources: Mapping[str, Mapping[str, str | None]]
    provenance: Provenance
    shock_to_undo: float | None = None

    def __getattr__(self, name: str) -> Any:
        """The fields of the comparison read directly: ``result.gap``, ``result.verdict``."""
        if name in Comparison.__slots__:
            return getattr(self.comparison, name)
        raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")

    @property
    def headline(self) -> str:
        """The plain sentence."""
        return self.comparison.sentence

    @property
    def lines(self) -> list[str]:
        """Verdict, flags, the readings of the label sources, and the provenance."""
        c = self.comparison
        readings = [
            "labels    " + ", ".join(f"{s} selects {w or 'nobody'}" for s, w in chosen.items())
            for chosen in self.label_sources.values()
        ]
        return [
            f"verdict   {c.verdict}; winner: {c.winner or 'none'}",
            f"flags     {', '.join(c.flags)}",
            *readings,
            *self._unseen(),
            *self.provenance.lines,
        ]

    def _unseen(self) -> list[str]:
        if self.shock_to_undo is None:
            return []
        sd = f"{100 * self.shock_to_undo:.2f} points"
        return [f"unseen    a run shock with an SD of {sd} in either would take the interval to 0"]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row: the comparison."""
        return [self.comparison.to_dict()]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``compare``."""
        return {
            **self.provenance.to_dict("compare"),
            **self.comparison.to_dict(),
            "scores": [as_dict(s) for s in self.scores],
            "cells": [as_dict(c) for c in self.cells],
            "label_sources": {k: dict(v) for k, v in self.label_sources.items()},
            "shock_to_undo": self.shock_to_undo,
        }

    def tables(self) -> list[Table]:
        """Scores, the quantities of the comparison, and its cells."""
        tables = [
            Table("Scores", SCORE_COLUMNS, [as_dict(s) for s in self.scores]),
            Table("Comparison (a − b, points)", QUANTITY_COLUMNS, self._quantities()),
        ]
        cells = [as_dict(c) for c in self.cells]
        return [*tables, Table("Cells", CELL_COLUMNS, cells)] if len(cells) > 1 else tables

    def _quantities(self) -> list[dict[str, str]]:
        c = self.comparison
        lines = [
            _quantity("gap on matched tasks, target", c.gap, c.gap_low, c.gap_high),
            _quantity("gap on matched tasks, observed mix", c.gap_observed),
            _quantity("movement", c.movement, c.movement_low, c.movement_high),
        ]
        if c.gap_standardized is not None and c.gap_standardized != c.gap:
            lines.append(_quantity("difference of standardized scores", c.gap_standardized))
        for name, value, key in (
            ("sign-flip radius (L1)", c.radius, "radius"),
            ("margin-flip radius (L1)", c.margin_radius, "margin_radius"),
        ):
            text = c.reasons[key] if value is None and key in c.reasons else write(value, "score")
            lines.append({"quantity": name, "value": text, "low": "", "high": ""})
        return lines


def _quantity(
    name: str, value: float | None, low: float | None = None, high: float | None = None
) -> dict[str, str]:
    bounds = ("", "") if low is None else (write(low, "points"), write(high, "points"))
    return {"quantity": name, "value": write(value, "points"), "low": bounds[0], "high": bounds[1]}
