"""``tiebreak pairs``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, PAIR_COUNTING, SOURCE, Output, PairCounting, Source


def pairs(
    path: Path,
    *,
    source: Source = SOURCE,
    settings: PairCounting = PAIR_COUNTING,
    output: Output = OUTPUT,
) -> None:
    """What a fraction of all pairs says: exact for this board, an interval for what is sampled.

    Parameters
    ----------
    path
        Records in any readable layout.
    """
    from tiebreak.questions.pairs import pairs as question

    output.show(question(source.read(path), **settings.keywords()))
