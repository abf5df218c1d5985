"""Answer to ``reproduce``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from tiebreak.display import Column, Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict
from tiebreak.version import __version__

Value = int | float | str | list[int | float]
Status = Literal["agrees", "explained", "differs", "skipped"]
STATUSES: tuple[Status, ...] = ("agrees", "explained", "differs", "skipped")

FIGURE_COLUMNS = [
    Column("what", "figure"),
    Column("place"),
    Column("published_text", "published"),
    Column("ours_text", "ours"),
    Column("status"),
]


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A published figure (None: the paper does not state it) beside ours.

    ``reason`` is that of the tolerance where they agree, the ledger's where it explains the
    difference, else why there is none.
    """

    id: str
    what: str
    place: str
    published: Value | None
    ours: Value | None
    tolerance: float
    digits: int
    status: Status
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return {name: value for name, value in as_dict(self).items() if name != "digits"}


@dataclass(frozen=True, slots=True)
class SectionLines:
    """Figures that stand on the same records; ``skipped`` says why none could be computed."""

    name: str
    title: str
    figures: tuple[FigureLine, ...]
    provenances: tuple[Provenance, ...] = ()
    skipped: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return {
            "section": self.name,
            "title": self.title,
            "skipped": self.skipped,
            "figures": [f.to_dict() for f in self.figures],
            "boards": [_board(p) for p in self.provenances],
        }


@dataclass(frozen=True, slots=True)
class ReproduceResult(Rendered):
    """Every published figure of a paper beside ours."""

    paper: str
    title: str
    seed: int
    sections: tuple[SectionLines, ...]

    @property
    def figures(self) -> tuple[FigureLine, ...]:
        """All figures, in the paper's order."""
        return tuple(f for s in self.sections for f in s.figures)

    @property
    def summary(self) -> dict[str, int]:
        """Number of figures by status."""
        found = Counter(f.status for f in self.figures)
        return {status: found[status] for status in STATUSES}

    @property
    def reproduced(self) -> bool:
        """No figure that should agree differs."""
        return self.summary["differs"] == 0

    @property
    def headline(self) -> str:
        """How many figures agree, are explained, differ or could not be computed."""
        counts = self.summary
        skipped = counts["skipped"]
        tail = f", {skipped} skipped because their records are absent" if skipped else ""
        return (
            f"{self.paper}: of {len(self.figures)} figures {counts['agrees']} agree, "
            f"{counts['explained']} differ for a reason in the ledger, "
            f"{counts['differs']} differ without one{tail}."
        )

    @property
    def lines(self) -> list[str]:
        """What was skipped, the reason of every difference, and the records."""
        skipped = [f"skipped   {s.title}: {s.skipped}" for s in self.sections if s.skipped]
        reasons = [
            f"{'ledger' if f.status == 'explained' else 'differs':<10}{f.what}: {f.reason}"
            for f in self.figures
            if f.status in ("explained", "differs")
        ]
        records = {p.data.text: s.title for s in self.sections for p in s.provenances}
        read = [f"data      {title}: {text}" for text, title in records.items()]
        return [*skipped, *reasons, *read, f"seed      {self.seed}"]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per figure."""
        return [f.to_dict() for f in self.figures]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``reproduce``."""
        return {
            "tiebreak": __version__,
            "question": "reproduce",
            "paper": self.paper,
            "title": self.title,
            "seed": self.seed,
            "summary": self.summary,
            "sections": [s.to_dict() for s in self.sections],
        }

    def tables(self) -> list[Table]:
        """One table per section."""
        return [
            Table(s.title, FIGURE_COLUMNS, [_shown(f) for f in s.figures]) for s in self.sections
        ]


def _board(provenance: Provenance) -> dict[str, Any]:
    stated = provenance.to_dict("board")
    return {name: stated[name] for name in ("estimand", "design", "data")}


def _shown(figure: FigureLine) -> dict[str, Any]:
    return {
        "what": figure.what,
        "place": figure.place,
        "published_text": value_text(figure.published, figure.digits),
        "ours_text": value_text(figure.ours, figure.digits),
        "status": figure.status,
    }


def value_text(value: Value | None, digits: int) -> str:
    """``0.792``; ``38/31/7``; ``[0.690, 0.833]``; a dash where there is none."""
    if value is None:
        return "–"
    if not isinstance(value, list):
        return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
    if all(isinstance(v, int) for v in value):
        return "/".join(str(v) for v in value)
    return "[" + ", ".join(f"{v:.{digits}f}" for v in value) + "]"
