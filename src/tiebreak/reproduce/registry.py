"""All papers, and how one is chosen."""

from __future__ import annotations

from tiebreak.errors import SpecError, listed
from tiebreak.reproduce import (
    evaluation_reliability,
    one_run,
    pair_count,
    rank_comparison,
    ranking_reversal,
)
from tiebreak.reproduce.contract import Paper

PAPERS: tuple[Paper, ...] = (
    rank_comparison.PAPER,
    ranking_reversal.PAPER,
    one_run.PAPER,
    pair_count.PAPER,
    evaluation_reliability.PAPER,
)


def choose(name: str) -> Paper:
    """The paper of this name.

    Raises
    ------
    SpecError
        No such paper.
    """
    found = next((p for p in PAPERS if p.name == name), None)
    if found is None:
        raise SpecError("unknown paper", allowed=listed(p.name for p in PAPERS), got=name)
    return found
