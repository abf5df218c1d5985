"""``tiebreak labels``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tiebreak.arguments import OUTPUT, SETTINGS, SOURCE, Output, Settings, Source
from tiebreak.errors import SpecError


def labels(
    path: Path,
    *,
    reference: str,
    against: tuple[str, ...] = (),
    threshold: tuple[str, ...] = (),
    given: tuple[str, ...] = (),
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """Who says it was solved: errors of label sources, whom they select, how they can help.

    Parameters
    ----------
    path
        Records in any readable layout, with a column per label source.
    reference
        The source that counts as the truth, for example expert.
    against
        Sources to compare with it: NAME,NAME; by default all others.
    threshold
        From which score a graded source says success: 0.5 for all, or NAME=0.5,NAME=0.7.
    given
        What calibrations know beside labels and cell: configuration, score.
    """
    from tiebreak.questions.labels import labels as question

    found = question(
        source.read(path),
        reference,
        against=_names(against) or None,
        threshold=_thresholds(threshold),
        given=_names(given),
        **settings.options(),
    )
    output.show(found)


def _names(values: tuple[str, ...]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def _thresholds(values: tuple[str, ...]) -> float | Mapping[str, float] | None:
    """One number for all, or numbers by source."""
    parts = _names(values)
    if not parts:
        return None
    if len(parts) == 1 and "=" not in parts[0]:
        return _number(parts[0])
    pairs = [part.rpartition("=") for part in parts]
    twice = len({name for name, _, _ in pairs}) < len(pairs)
    if twice or not all(name for name, _, _ in pairs):
        raise _refused(", ".join(parts))
    return {name: _number(text) for name, _, text in pairs}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise _refused(text) from None


def _refused(got: str) -> SpecError:
    return SpecError(
        "--threshold takes a number, or one per source",
        allowed="0.5, or NAME=0.5,NAME=0.7",
        got=got,
    )
