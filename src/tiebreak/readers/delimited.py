"""CSV and TSV: a lazy frame, and a name and a line for what is wrong with the file.

Polars refuses most broken quoting, but tells neither line nor reason, and it fills short rows
with nulls. So the bytes are counted once as they are checked (cheap), and only a file whose
counts do not fit is walked row by row to find the fault.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.sniff import head
from tiebreak.readers.source import read_bytes, text_chunks

NEWLINE, QUOTE = b"\n", b'"'


@dataclass(frozen=True, slots=True)
class Layout:
    """What one pass over the bytes tells: the header and counts of separators, lines, quotes."""

    path: Path
    separator: str
    header: tuple[str, ...]
    separators: int
    lines: int
    blank: bool
    quoted: bool

    @property
    def even(self) -> bool:
        """Whether every line can have one field per name (only known without quoted fields)."""
        return self.separators == self.lines * (len(self.header) - 1)


def scan_delimited(path: Path, separator: str) -> pl.LazyFrame:
    """A lazy frame over a delimited file whose columns are all text.

    Ids must stay as they are written ("007" is not 7), and a type guessed from the first rows
    may be wrong for the last.

    Raises
    ------
    InputError
        A name that appears twice, rows of unequal length, or quotes that are never closed.
    """
    layout = _layout(path, separator)
    options: dict[str, Any] = {
        "separator": separator,
        "infer_schema": False,
        # A quote mark opens a field only where the field starts: 5" is text.
        "quote_char": '"' if layout.quoted else None,
        "glob": False,
    }
    source: Any = io.BytesIO(read_bytes(path)) if path.suffix.lower() == ".gz" else path
    try:
        lazy = pl.scan_csv(source, **options)
        _check_header(lazy.collect_schema().names(), layout)
        _check_rows(lazy, layout)
    except pl.exceptions.PolarsError as fault:
        raise delimited_fault(path, separator) or _unknown(path, fault) from fault
    return lazy.filter(~pl.all_horizontal(pl.all().is_null())) if layout.blank else lazy


def header_names(path: Path, separator: str) -> frozenset[str]:
    """Column names in the first line, whatever the encoding of the rest."""
    line = head(path, "").partition(NEWLINE)[0]
    try:
        return frozenset(_header(line, path, separator, quoted=QUOTE in line))
    except InputError:
        return frozenset()


def delimited_fault(path: Path, separator: str) -> InputError | None:
    """The first row that is broken, or None: walks the whole file."""
    layout = _layout(path, separator)
    opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as stream:
        rows = csv.reader(
            stream, delimiter=separator, quoting=_quoting(layout.quoted), strict=layout.quoted
        )
        return _walk(rows, layout)


def _quoting(quoted: bool) -> Literal[0, 3]:
    return csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE


def _walk(rows: Any, layout: Layout) -> InputError | None:
    start, width = 1, len(layout.header)
    try:
        for row in rows:
            if row and len(row) != width:
                return InputError(
                    "a row does not fit the header",
                    where=f"{layout.path}, line {start}",
                    allowed=f"{width} fields ({listed(layout.header)})",
                    got=f"{len(row)} fields",
                )
            start = rows.line_num + 1
    except csv.Error as fault:
        return _quote_fault(f"{layout.path}, line {start}", str(fault))
    return None


def _check_header(names: list[str], layout: Layout) -> None:
    """Refuse a header that can be read in two ways: the columns would not be what they seem."""
    where = f"{layout.path}, line 1"
    if any("\r" in name for name in names):
        raise InputError(
            "lines end in a carriage return alone",
            where=where,
            allowed="line feeds, with or without carriage returns",
            hint="convert it first, for instance: tr '\\r' '\\n'",
        )
    if tuple(names) != layout.header:
        allowed = "column names without quote marks in them"
        raise InputError("odd quoting", where=where, allowed=allowed, got=listed(names))


def _check_rows(lazy: pl.LazyFrame, layout: Layout) -> None:
    """Refuse short rows, which Polars fills with nulls: look only where there can be one."""
    if not layout.quoted:
        suspicious = not layout.even
    else:
        suspicious = bool(lazy.select(pl.last().null_count()).collect(engine="streaming").item())
    fault = delimited_fault(layout.path, layout.separator) if suspicious else None
    if fault is not None:
        raise fault


def _quote_fault(where: str, fault: str) -> InputError | None:
    if "field larger than" in fault:  # a limit of the walk, not of the format
        return None
    if "unexpected end" in fault:
        return InputError("a quoted field is never closed", where=where, allowed='"…" in pairs')
    return InputError(
        "a quote mark inside a field",
        where=where,
        allowed='fields that hold quote marks are quoted, the marks doubled: "5"" disk"',
        got=fault,
    )


def _unknown(path: Path, fault: Exception) -> InputError:
    got = " ".join(str(fault).split())[:300]
    return InputError("the table cannot be read", where=str(path), got=got)


def _header(first: bytes, path: Path, separator: str, *, quoted: bool) -> tuple[str, ...]:
    text = io.StringIO(first.decode("utf-8", errors="replace"), newline="")
    try:
        rows = csv.reader(text, delimiter=separator, quoting=_quoting(quoted), strict=quoted)
        names = next(rows, [])
    except csv.Error as fault:
        raise InputError("the header cannot be read", where=str(path), got=str(fault)) from fault
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice or not any(names):
        raise InputError(
            "column names appear twice" if twice else "the first line holds no column names",
            where=f"{path}, line 1",
            allowed="one name per column",
            got=listed(twice) if twice else "an empty line",
        )
    return tuple(names)


def _without_bom(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield next(chunks, b"").removeprefix(codecs.BOM_UTF8)
    yield from chunks


def _layout(path: Path, separator: str) -> Layout:
    mark, before = separator.encode(), NEWLINE
    opening = (mark + QUOTE, NEWLINE + QUOTE, b"\r" + QUOTE)
    separators = newlines = 0
    quoted = blank = False
    first = b""
    for chunk in _without_bom(text_chunks(path)):
        joined = before + chunk
        separators, newlines = separators + chunk.count(mark), newlines + chunk.count(NEWLINE)
        quoted = quoted or (QUOTE in chunk and any(o in joined for o in opening))
        blank = blank or b"\n\n" in joined or b"\n\r\n" in joined
        first, before = first or chunk, joined[-2:]
    return Layout(
        path,
        separator,
        _header(first, path, separator, quoted=quoted),
        separators,
        newlines + (not before.endswith(NEWLINE)),
        blank,
        quoted,
    )
