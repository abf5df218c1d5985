"""Trials → the canonical table on disk, readable again without a mapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.trials import COUNTED, Trials

WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".csv": lambda frame, path: frame.write_csv(path),
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".jsonl": lambda frame, path: frame.write_ndjson(path),
    ".arrow": lambda frame, path: frame.write_ipc(path),
}


def write_table(trials: Trials, path: Path) -> None:
    """Write the trial table in the format of the file's ending.

    Raises
    ------
    SpecError
        An ending that no writer has.
    InputError
        A place that cannot be written.
    """
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise SpecError("unknown ending for a table", allowed=listed(WRITERS), got=path.name)
    try:
        table = trials.table()
        if trials.counted:
            table = table.with_columns(pl.lit("nested").alias(COUNTED))
        writer(table, path)
    except OSError as fault:
        raise InputError("the table cannot be written", where=str(path), got=str(fault)) from fault
