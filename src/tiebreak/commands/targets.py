"""``tiebreak targets``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, REWEIGHTING, SOURCE, Output, Reweighting, Source


def targets(
    path: Path,
    a: str | None = None,
    b: str | None = None,
    *,
    top: int | None = None,
    source: Source = SOURCE,
    settings: Reweighting = REWEIGHTING,
    output: Output = OUTPUT,
) -> None:
    """Which weighting makes whom win: scores by target, crossovers, radii, who wins where.

    Parameters
    ----------
    path
        Records in any readable layout.
    a
        A configuration, or a fragment of its name: its pairs with all others.
    b
        Another one: this pair alone.
    top
        Show the best N by raw score.
    """
    from tiebreak.questions.targets import targets as question

    options = settings.options()
    output.show(question(source.read(path), a, b, top=top, **settings.asked(), **options))
