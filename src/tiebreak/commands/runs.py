"""``tiebreak runs``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, SETTINGS, SOURCE, Output, Settings, Source


def runs(
    path: Path,
    a: str | None = None,
    b: str | None = None,
    *,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """What repeated runs can claim: components, three claims, pass@k and pass^k, failures, cost.

    Parameters
    ----------
    path
        Records in any readable layout.
    a
        A configuration, or a fragment that matches one name; by default everybody.
    b
        Another one: adds the difference under each claim.
    """
    from tiebreak.questions.runs import runs as question

    output.show(question(source.read(path), a, b, **settings.options()))
