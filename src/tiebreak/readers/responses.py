"""Response files: one JSON line per configuration with successes and trials for every task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import polars as pl

from tiebreak.errors import InputError
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.counts import expand_counts
from tiebreak.readers.sniff import head
from tiebreak.readers.source import check_text, decode_json, read_bytes
from tiebreak.readers.universe import read_universe

KEYS = (b'"subject_id"', b'"responses"', b'"successes"', b'"trials"')
MOST = 100_000
"""Trials of one task; more are a typing error, and would each become a row."""


class Cell(msgspec.Struct):
    """Successes in a number of trials on one task."""

    successes: Annotated[int, msgspec.Meta(ge=0)]
    trials: Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class Line(msgspec.Struct):
    """One configuration; the tasks are decoded one by one, so that a fault names its task."""

    subject_id: str
    responses: dict[str, msgspec.Raw]


def _recognise(path: Path) -> str | None:
    start = head(path, ".jsonl", ".ndjson")
    if not all(key in start for key in KEYS):
        return None
    return "responses by configuration (subject_id, responses: task → successes, trials)"


def _read(path: Path, options: ReadOptions) -> Records:
    check_text(path)
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(read_bytes(path).splitlines(), 1):
        if line.strip():
            rows += _rows(line, f"{path}, line {number}")
    if not rows:
        raise InputError(
            "no responses",
            where=str(path),
            allowed="at least one configuration with one task",
        )
    return Records(
        expand_counts(pl.DataFrame(rows), str(path)),
        tasks=read_universe(options.tasks) if options.tasks else None,
        notes=("counts expanded to trials: the order of runs is unknown (nested runs)",),
        counted=True,
    )


def _rows(line: bytes, where: str) -> list[dict[str, Any]]:
    content = decode_json(Line, line, where)
    return [
        {"configuration": content.subject_id, "task": task}
        | _counts(bytes(raw), f"{where}, configuration '{content.subject_id}', task '{task}'")
        for task, raw in content.responses.items()
    ]


def _counts(raw: bytes, where: str) -> dict[str, int]:
    cell = decode_json(Cell, raw, where)
    if cell.successes > cell.trials:
        raise InputError(
            "more successes than trials",
            where=where,
            allowed=f"0 to {cell.trials} successes",
            got=str(cell.successes),
        )
    return {"successes": cell.successes, "count": cell.trials}


READER = Reader(
    "responses",
    "JSONL of responses by configuration (subject_id, responses)",
    _recognise,
    _read,
)
