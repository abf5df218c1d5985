"""One rendering of every result: rows become text, Markdown, HTML and JSON, and nothing else."""

from __future__ import annotations

import html
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from altair.typing import ChartType

CellKind = Literal["text", "score", "points", "whole"]
MARKUP = re.compile(r"([\\|*_`~\[\]])")
"""Characters with a meaning inside a line of Markdown."""


@dataclass(frozen=True, slots=True)
class Column:
    """A shown field: its key in the row, its header and how it is written."""

    key: str
    header: str = ""
    kind: CellKind = "text"

    @property
    def title(self) -> str:
        """Header, or the key itself."""
        return self.header or self.key


@dataclass(frozen=True, slots=True)
class Table:
    """Rows to show under a caption."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]

    def cells(self) -> list[list[str]]:
        """Every shown cell as text."""
        return [[write(row.get(c.key), c.kind) for c in self.columns] for row in self.rows]


def write(value: Any, kind: CellKind) -> str:
    """Scores with three decimals, gaps in signed points with one, a dash where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if value == math.inf:
        return "∞"
    if kind == "score":
        return f"{value:.3f}"
    if kind == "points":
        return f"{100 * value:+.1f}"
    return f"{value:,}" if kind == "whole" else str(value)


def printable(text: str) -> str:
    """Control characters of untrusted names are shown, not sent to a terminal or a page."""
    return "".join(ch if ch.isprintable() else "�" for ch in text)


class Rendered(ABC):
    """Mixin: implement the rows and tables once, get every representation from them."""

    __slots__ = ()

    answer: str

    @property
    def headline(self) -> str:
        """The answer in one sentence: the field ``answer``, unless a result has its own."""
        return self.answer

    @abstractmethod
    def to_rows(self) -> list[dict[str, Any]]:
        """The main table as plain rows."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Strict JSON: no NaN, infinities as null with a reason."""

    @abstractmethod
    def tables(self) -> list[Table]:
        """What to show, in order."""

    @property
    @abstractmethod
    def lines(self) -> list[str]:
        """What it was estimated from and how, in words."""

    def to_json(self) -> str:
        """Indented JSON, one trailing newline; the same result gives the same bytes."""
        import msgspec

        return msgspec.json.format(msgspec.json.encode(self.to_dict()), indent=1).decode() + "\n"

    def to_markdown(self) -> str:
        """Headline, tables and provenance as Markdown."""
        parts = [f"**{_escape_markdown(self.headline)}**"]
        parts += [f"### {t.caption}\n\n{_markdown_table(t)}" for t in self.tables()]
        parts += ["\n".join(f"- {_escape_markdown(line)}" for line in self.lines)]
        return "\n\n".join(parts) + "\n"

    def plot(self, view: str | None = None) -> ChartType:
        """The result as an Altair chart; ``tiebreak.plots.views(result)`` names its views.

        Raises
        ------
        SpecError, InputError
            No such view, nothing to draw in it, or the extra ``plots`` is not installed.
        """
        # pictures stand above results and know their fields, so they are found when asked for
        chart: ChartType = import_module("tiebreak.plots").plot(self, view)
        return chart

    def _repr_html_(self) -> str:
        """Notebook view; every value is escaped."""
        tables = "".join(_html_table(t) for t in self.tables())
        lines = "".join(f"<li>{_escape_html(line)}</li>" for line in self.lines)
        return f"<p><strong>{_escape_html(self.headline)}</strong></p>{tables}<ul>{lines}</ul>"

    def __str__(self) -> str:
        lines = "\n".join(printable(line) for line in self.lines)
        parts = [printable(self.headline), *(_text_table(t) for t in self.tables()), lines]
        return "\n\n".join(part for part in parts if part)


def _markdown_table(table: Table) -> str:
    header = "| " + " | ".join(_escape_markdown(c.title) for c in table.columns) + " |"
    rule = "|" + "|".join(":--" if c.kind == "text" else "--:" for c in table.columns) + "|"
    body = (
        "| " + " | ".join(_escape_markdown(cell) for cell in row) + " |" for row in table.cells()
    )
    return "\n".join([header, rule, *body])


def _escape_markdown(text: str) -> str:
    safe = printable(" ".join(html.escape(text, quote=False).split()))
    return MARKUP.sub(r"\\\1", safe)


def _escape_html(text: str) -> str:
    return html.escape(printable(text))


def _html_table(table: Table) -> str:
    align = ["left" if c.kind == "text" else "right" for c in table.columns]
    head = "".join(f"<th>{_escape_html(c.title)}</th>" for c in table.columns)
    rows = (
        "".join(
            f'<td style="text-align:{a}">{_escape_html(v)}</td>'
            for a, v in zip(align, row, strict=True)
        )
        for row in table.cells()
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    caption = f"<caption>{html.escape(table.caption)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text_table(table: Table) -> str:
    """Aligned columns, names whole."""
    grid = [[c.title for c in table.columns], *table.cells()]
    grid = [[printable(cell) for cell in row] for row in grid]
    widths = [max(len(row[i]) for row in grid) for i in range(len(table.columns))]
    text = [c.kind == "text" for c in table.columns]
    lines = [
        "  ".join(
            v.ljust(w) if t else v.rjust(w) for v, w, t in zip(row, widths, text, strict=True)
        ).rstrip()
        for row in grid
    ]
    return "\n".join([f"{table.caption}", lines[0], "  ".join("─" * w for w in widths), *lines[1:]])
