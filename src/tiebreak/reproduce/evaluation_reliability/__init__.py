"""Agent Evaluation Reliability: what a leaderboard ranks, and what more tasks cannot mend."""

from __future__ import annotations

from pathlib import Path

from tiebreak.reproduce.contract import Paper, Section
from tiebreak.reproduce.evaluation_reliability import boards, tables

PAPER = Paper(
    name="evaluation-reliability",
    title="Agent Evaluation Reliability: more tasks won't always fix an agent leaderboard",
    folder=Path(__file__).parent,
    sections=(
        Section("intervals", "Intervals of Kendall's tau with external benchmarks", tables.taus),
        Section("facts", "What Table 16 says", tables.facts),
        Section("coefficients", "Table 16 on the public records", boards.coefficients),
        Section("shares", "Table 20 on the public records: SciCode", boards.shares),
        Section("transport", "Table 18 on the public records", boards.transported),
        Section("subsampling", "Table 19 on the public records", boards.subsampled),
    ),
)
