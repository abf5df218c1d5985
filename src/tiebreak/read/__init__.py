"""Bytes → Trials. One small module per log format, one contract, one registry; no statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tiebreak.read.assemble import Filters, assemble
from tiebreak.read.contract import ReadOptions
from tiebreak.read.registry import READERS, choose
from tiebreak.read.source import existing
from tiebreak.read.table import from_lazy
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
    if not isinstance(source, str | Path):
        return assemble(from_lazy(_frame(source), "frame", stated), filters, "frame")
    path = existing(source)
    reader, reason = choose(path, format)
    options = ReadOptions(existing(tasks) if tasks else None, stated)
    return assemble(reader.read(path, options), filters, f"{path} ({reader.name}: {reason})")


def _frame(source: Any) -> pl.LazyFrame:
    import narwhals as nw

    native = nw.from_native(source)
    eager = native.collect() if isinstance(native, nw.LazyFrame) else native
    return eager.to_polars().lazy()
