"""``tiebreak concord``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiebreak.arguments import OUTPUT, SETTINGS, SOURCE, Output, Settings, Source


def concord(
    path: Path,
    *,
    other: Annotated[Path, Parameter(name="--with")],
    by: str | None = None,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """Does another ranking agree: Kendall, Spearman and distance correlation with intervals.

    Parameters
    ----------
    path
        Records in any readable layout.
    other
        The other ranking: a table of names and numbers, JSON, or records in any readable layout.
    by
        What names are matched by: configuration, or a column such as model; by default whichever
        shares most names.
    """
    from tiebreak.questions.concord import concord as question
    from tiebreak.readers.ranking import read_ranking

    ranking = read_ranking(other)
    against = source.read(other) if ranking is None else ranking
    options = settings.options()
    output.show(question(source.read(path), against, by=by, named=other.name, **options))
