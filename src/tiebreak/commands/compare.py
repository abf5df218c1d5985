"""``tiebreak compare``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, SETTINGS, SOURCE, Output, Settings, Source


def compare(
    path: Path,
    a: str,
    b: str,
    *,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """One pair in full: estimand, support, scores, gap, interval, radius, flags, verdict.

    Parameters
    ----------
    path
        Records in any readable layout.
    a
        A configuration, or a fragment that matches one name.
    b
        The other configuration.
    """
    from tiebreak.questions.compare import compare as question

    output.show(question(source.read(path), a, b, **settings.options()))
