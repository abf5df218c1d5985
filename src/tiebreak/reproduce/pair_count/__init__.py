"""When pair count is not the sample size: exact coverage, and widths on SWE-bench Verified."""

from __future__ import annotations

from pathlib import Path

from tiebreak.reproduce.contract import Paper, Section
from tiebreak.reproduce.pair_count import exact, panels, swebench

PAPER = Paper(
    name="pair-count",
    title="When pair count is not the sample size",
    folder=Path(__file__).parent,
    sections=(
        Section("coverage", "Exact coverage, shared and independent edges", exact.coverage),
        Section("constant", "The constant kernel, a boundary", exact.constant),
        Section("oracle", "Rational oracle against binary64", exact.oracle),
        Section("board", "SWE-bench Verified as a fixed board", swebench.board),
        Section("widths", "Widths of intervals at the five-point margin", swebench.widths),
        Section("curve", "Widths by margin", swebench.curve),
        Section("thinning", "Half of the tasks", swebench.thinned),
        Section("panels", "Panels whose records are not public", panels.run),
    ),
)
