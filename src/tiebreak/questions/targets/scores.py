"""Scores, ranks and shifts per target; verdicts of every pair under every target."""

from __future__ import annotations

from tiebreak.questions.board import ranks
from tiebreak.questions.judge import number
from tiebreak.questions.targets.paths import target_name
from tiebreak.questions.targets.setup import Setup
from tiebreak.results.pairs import Comparison
from tiebreak.results.target_lines import PairVerdicts, TargetScore, TargetVerdict

UNSAFE = ("unsupported", "verifier-sensitive")
"""A winner under such a verdict is no winner that survives."""


def target_scores(setup: Setup) -> tuple[TargetScore, ...]:
    """One line per target and configuration."""
    return tuple(line for t in range(len(setup.judged)) for line in _scores(setup, t))


def _scores(setup: Setup, t: int) -> list[TargetScore]:
    s, rank = setup.judged[t].scores, ranks(setup.judged[t].scores.score)
    raw = setup.judged[setup.main].scores.observed
    return [
        TargetScore(
            target=target_name(setup, t),
            configuration=name,
            score_observed=number(raw[i]),
            score=number(s.score[i]),
            score_low=number(s.bounds.low[i]),
            score_high=number(s.bounds.high[i]),
            rank=int(rank[i]) or None,
            shift=number(s.score[i] - raw[i]),
        )
        for i, name in enumerate(setup.names)
    ]


def pair_verdicts(setup: Setup) -> tuple[PairVerdicts, ...]:
    """One line per pair, with its verdict under every target."""
    columns = [judged.comparisons() for judged in setup.judged]
    names = [target_name(setup, t) for t in range(len(columns))]
    return tuple(_pair(row, names) for row in zip(*columns, strict=True))


def _pair(row: tuple[Comparison, ...], names: list[str]) -> PairVerdicts:
    verdicts = tuple(
        TargetVerdict(t, c.gap, c.gap_low, c.gap_high, c.movement, c.verdict, c.winner)
        for t, c in zip(names, row, strict=True)
    )
    winners = {None if c.verdict in UNSAFE else c.winner for c in row}
    survives = winners.pop() if len(winners) == 1 else None
    return PairVerdicts(row[0].a, row[0].b, verdicts, survives)
