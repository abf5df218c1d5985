"""Where the public records are: never part of the package, so they may be absent."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

VARIABLE = "TIEBREAK_DATA"
BESIDE = Path("shared/data")
"""Place of the records beside a checkout."""


def data_folder(stated: Path | None = None) -> Path | None:
    """The records' folder: stated, else ``TIEBREAK_DATA``, else ``../shared/data``."""
    if stated is not None:
        return stated
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    return next((place for place in _places() if place.is_dir()), None)


def _places() -> Iterator[Path]:
    yield Path.cwd().parent / BESIDE
    yield Path(__file__).parents[3].parent / BESIDE  # a checkout: src/tiebreak/reproduce


def locate(wanted: Mapping[str, str], folder: Path | None) -> dict[str, Path] | str:
    """Paths of the records that a section needs, or why it has to be skipped."""
    if not wanted:
        return {}
    if folder is None:
        return f"the public records are not here (set {VARIABLE} to their folder)"
    found = {name: folder / path for name, path in wanted.items()}
    absent = [wanted[name] for name, path in found.items() if not path.exists()]
    return f"not in {folder}: {', '.join(absent)}" if absent else found
