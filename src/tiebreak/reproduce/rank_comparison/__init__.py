"""What Does an LLM-Agent Leaderboard Rank Actually Compare?

Section numbers, tables and equations in this package are those of the paper.
"""

from __future__ import annotations

from pathlib import Path

from tiebreak.reproduce.contract import Found, Paper, Section
from tiebreak.reproduce.rank_comparison import (
    agent_reward_bench,
    known_target,
    labels,
    open_agent,
    permutation,
    simulation,
    swebench,
    tau2,
    utility,
)

PAPER = Paper(
    name="rank-comparison",
    title="What Does an LLM-Agent Leaderboard Rank Actually Compare?",
    folder=Path(__file__).parent,
    sections=(
        Section("simulation", "Table I: recovery of known states", simulation.run),
        Section("known_target", "Recovery of a known target", known_target.run),
        Section("permutation", "AgentRewardBench: permuted, perturbed", permutation.run),
        Section("swebench", "SWE-bench Verified", swebench.run),
        Section("agent_reward_bench", "AgentRewardBench", agent_reward_bench.run),
        Section("labels", "AgentRewardBench: label sources", labels.run),
        Section("tau2", "tau2-bench", tau2.run),
        Section("utility", "tau2-bench: utility", utility.run),
        Section("open_agent", "Open Agent", open_agent.run),
        Section("not_public", "Figures whose records are not public", lambda _: Found({})),
    ),
)
