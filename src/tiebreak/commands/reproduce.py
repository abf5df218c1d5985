"""``tiebreak reproduce``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, Output


def reproduce(
    paper: str, *, data: Path | None = None, seed: int = 0, output: Output = OUTPUT
) -> int:
    """Every published figure of a paper beside ours, and the ledger of what differs and why.

    Parameters
    ----------
    paper
        rank-comparison, ranking-reversal, one-run or pair-count.
    data
        Folder of the public records; by default TIEBREAK_DATA, else ../shared/data.
    seed
        Seed of every draw.
    """
    from tiebreak.reproduce.run import reproduce as run_paper

    result = run_paper(paper, data=data, seed=seed)
    output.show(result)
    return 0 if result.reproduced else 1
