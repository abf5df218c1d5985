"""``--distance FILE``: a square table of distances between cells → a stated distance."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiebreak.distance import Distance
from tiebreak.errors import InputError, SpecError, listed
from tiebreak.readers.source import existing
from tiebreak.readers.table import load


def read_distance(path: Path) -> Distance:
    """Read a matrix: the header names the cells, one row of numbers per cell in that order.

    A leading column may name the rows; its own header is free.

    Raises
    ------
    InputError
        Another shape, row names in another order, or an entry that is no number.
    SpecError
        Not square, not symmetric, negative, or not 0 on the diagonal.
    """
    table = load(existing(path))
    if table.width == table.height + 1:
        table = _without_names(path, table)
    numbers = table.select(pl.all().cast(pl.Float64, strict=False))
    for column in numbers:
        if column.null_count():
            at = int(column.is_null().arg_max() or 0)
            raise InputError(
                "a distance is not a number",
                where=f"{path}, column '{column.name}', row {at + 2}",
                allowed="a number ≥ 0",
                got=str(table[column.name][at]),
            )
    try:
        return Distance.stated(table.columns, numbers.rows())
    except SpecError as fault:
        where = f"{path}, {fault.where}" if fault.where else str(path)
        raise SpecError(fault.what, where=where, allowed=fault.allowed, got=fault.got) from fault


def _without_names(path: Path, table: pl.DataFrame) -> pl.DataFrame:
    names, cells = table.to_series(0).cast(pl.String).to_list(), table.columns[1:]
    if names != cells:
        raise InputError(
            "the rows of a distance matrix are not its columns",
            where=str(path),
            allowed=listed(cells, 20),
            got=listed(names, 20),
        )
    return table.drop(table.columns[0])
