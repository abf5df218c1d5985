"""Bytes → Trials. One small module per log format, one contract, one registry; no statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tiebreak.errors import InputError
from tiebreak.readers.assemble import Filters, assemble
from tiebreak.readers.columns import check_roles
from tiebreak.readers.contract import ReadOptions, Records
from tiebreak.readers.registry import READERS, choose
from tiebreak.readers.source import existing
from tiebreak.readers.table import from_lazy
from tiebreak.readers.universe import read_universe
from tiebreak.trials import Duplicates, Trials

__all__ = ["READERS", "read"]


def read(
    source: Any,
    *,
    format: str | None = None,
    tasks: str | Path | None = None,
    mapping: Mapping[str, str] | None = None,
    score: str | None = None,
    where: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    duplicates: Duplicates = "error",
) -> Trials:
    """Read evaluation records into checked trials.

    Parameters
    ----------
    source
        A path to any readable log, or a frame (pandas, Polars, PyArrow, DuckDB, … through
        narwhals).
    format
        Name of a reader; by default the path is recognised.
    tasks
        File that lists the tasks every configuration was asked to do, with their columns.
    mapping
        Role → column for tables, for example ``{"configuration": "entry", "score": "won"}``.
    score
        Short for ``mapping["score"]``: which of several score columns to use.
    where
        Keep only the records with these column values.
    duplicates
        How to merge several rows of one (configuration, task, run).

    Raises
    ------
    InputError, SpecError
        Anything that cannot be read, is contradictory, or is asked for but not there.
    """
    stated = dict(mapping or {}) | ({"score": score} if score else {})
    pairs = tuple(where.items()) if isinstance(where, Mapping) else tuple(where)
    filters = Filters(pairs, duplicates)
    options = ReadOptions(existing(tasks) if tasks else None, stated)
    if not isinstance(source, str | Path):
        records = from_lazy(_frame(source), "frame", stated)
        return assemble(_with_universe(records, options), filters, "frame")
    path = existing(source)
    reader, reason = choose(path, format)
    check_roles(stated, reader.roles, str(path))
    records = _with_universe(reader.read(path, options), options)
    return assemble(records, filters, f"{path} ({reader.name}: {reason})")


def _with_universe(records: Records, options: ReadOptions) -> Records:
    """A stated task list holds for every format, whether its reader looks at it or not."""
    if options.tasks is None or records.tasks is not None:
        return records
    return replace(records, tasks=read_universe(options.tasks))


def _frame(source: Any) -> pl.LazyFrame:
    import narwhals as nw

    try:
        native = nw.from_native(source)
        eager = native.collect() if isinstance(native, nw.LazyFrame) else native
        return eager.to_polars().lazy()
    except (TypeError, ValueError, RuntimeError) as fault:  # Arrow's faults are ValueErrors
        raise InputError(
            "not a table of records",
            where="frame",
            allowed="a path, or a pandas, Polars, PyArrow or DuckDB frame with simple columns",
            got=f"{type(source).__name__}: {' '.join(str(fault).split())[:200]}",
        ) from fault
