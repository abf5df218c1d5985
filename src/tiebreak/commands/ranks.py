"""``tiebreak ranks``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import DECOMPOSING, OUTPUT, SOURCE, Decomposing, Output, Source


def ranks(
    path: Path,
    *,
    source: Source = SOURCE,
    settings: Decomposing = DECOMPOSING,
    output: Output = OUTPUT,
) -> None:
    """Models by adjusted effect: rank distributions, intervals, who dominates whom.

    Parameters
    ----------
    path
        Records in any readable layout whose configurations state a model and a scaffold.
    """
    from tiebreak.questions.reliability import ranks as question

    output.show(question(source.read(path), **settings.keywords()))
