"""The one contract of every paper: sections that compute figures, and what was published.

A paper is a module (or package) with a ``PAPER``, its place in ``PAPERS`` of
``tiebreak.reproduce.registry``, and beside it ``parameters.toml`` (what the paper fixed, where the
records are) and ``expected.toml`` (every published figure, with its place and its tolerance).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tiebreak.results.provenance import Provenance
from tiebreak.results.reproduce import Status, Value


class Ledger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A known difference: our value (None where the records are not public) and the reason."""

    reason: str
    ours: Value | None = None
    tolerance: float = 0.0


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A published figure.

    ``id`` is ``section.name``. ``published`` None: a figure of ours that belongs beside the
    paper's, its value and reason in the ledger. ``tolerance`` bounds |ours − published|, per
    number of a list; ``because`` is its reason. ``digits`` is only how fractions are written.
    ``test`` names the test that holds our value.
    """

    id: str
    what: str
    place: str
    published: Value | None = None
    because: str
    test: str
    tolerance: float = 0.0
    digits: int = 3
    ledger: Ledger | None = None

    @property
    def section(self) -> str:
        """The section that computes it."""
        return self.id.partition(".")[0]

    def status(self, ours: Value | None) -> Status:
        """Does our value agree, or is it the difference that the ledger explains?"""
        if self.published is not None and near(ours, self.published, self.tolerance):
            return "agrees"
        ledger = self.ledger
        known = ledger is not None and near(ours, ledger.ours, ledger.tolerance)
        return "explained" if known else "differs"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a section works with: the paper's parameters for it, its records, the seed."""

    parameters: Mapping[str, Any]
    records: Mapping[str, Path]
    seed: int


@dataclass(frozen=True, slots=True)
class Found:
    """Our figures by name, and what the boards behind them were estimated from."""

    figures: Mapping[str, Value]
    provenances: tuple[Provenance, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a paper that stands on the same records."""

    name: str
    title: str
    run: Callable[[Setting], Found]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: ``folder`` holds its two TOML files."""

    name: str
    title: str
    folder: Path
    sections: tuple[Section, ...]

    def figures(self) -> tuple[Figure, ...]:
        """Every published figure, in the order of the file."""
        return msgspec.convert(self._toml("expected")["figure"], tuple[Figure, ...])

    def parameters(self) -> dict[str, Any]:
        """Parameters by section; ``records`` names paths below the data folder."""
        return self._toml("parameters")

    def _toml(self, name: str) -> dict[str, Any]:
        return tomllib.loads((self.folder / f"{name}.toml").read_text(encoding="utf-8"))


def near(ours: Value | None, other: Value | None, tolerance: float) -> bool:
    """Equal text, both absent, or numbers within the tolerance (and the dust of subtraction)."""
    if ours is None or other is None or isinstance(ours, str) or isinstance(other, str):
        return ours == other
    left, right = (v if isinstance(v, list) else [v] for v in (ours, other))
    return len(left) == len(right) and all(
        abs(a - b) <= tolerance + 1e-9 for a, b in zip(left, right, strict=True)
    )
