"""When benchmark averages reverse an agent ranking: the four-family fixture, computed exactly."""

from __future__ import annotations

from pathlib import Path

from tiebreak.reproduce.contract import Paper, Section
from tiebreak.reproduce.ranking_reversal import bootstrap, families

PAPER = Paper(
    name="ranking-reversal",
    title="When benchmark averages reverse an agent ranking",
    folder=Path(__file__).parent,
    sections=(
        Section("families", "Scores and crossover of the four families", families.run),
        Section("bootstrap", "Paired bootstrap within families", bootstrap.run),
    ),
)
