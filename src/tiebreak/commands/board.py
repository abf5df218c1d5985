"""``tiebreak board``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, SETTINGS, SOURCE, Output, Settings, Source


def board(
    path: Path,
    *,
    top: int | None = None,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """Every configuration: score, interval, rank interval, tier; how many pairs are resolved.

    Parameters
    ----------
    path
        Records in any readable layout.
    top
        Judge the pairs among the best N by raw score.
    """
    from tiebreak.questions.board import board as question

    output.show(question(source.read(path), top=top, **settings.options()))
