"""``--target FILE``: a table or JSON object that maps cells to weights → a stated target."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimand import Target
from tiebreak.readers.source import existing, json_as
from tiebreak.readers.table import load


def read_target(path: Path) -> Target:
    """Read target weights.

    CSV/TSV: the first column is named after the task column, the second is ``weight``.
    JSON: ``{"repo": {"django/django": 0.5, …}}``.

    Raises
    ------
    InputError
        Another shape, or a cell named twice.
    SpecError
        Negative weights, or weights that do not sum to 1.
    """
    if existing(path).suffix.lower() == ".json":
        content = json_as(dict[str, dict[str, float]], path)
        if len(content) != 1:
            raise _shape(path, f"{len(content)} keys")
        column, stated = next(iter(content.items()))
        return _stated(path, column, stated)
    table = load(path)
    if table.width != 2 or table.columns[1] != "weight":
        raise _shape(path, f"columns {listed(table.columns)}")
    column = table.columns[0]
    cells, weights = table[column].cast(pl.String), table["weight"].cast(pl.Float64, strict=False)
    if cells.null_count() or cells.is_duplicated().any() or weights.null_count():
        raise InputError(
            "a cell is empty, named twice or without a weight",
            where=str(path),
            allowed="each cell once, with a number",
        )
    return _stated(path, column, dict(zip(cells, weights, strict=True)))


def _stated(path: Path, column: str, weights: dict[str, float]) -> Target:
    """The target, its faults with the name of the file."""
    try:
        return Target.stated(column, weights)
    except SpecError as fault:
        raise SpecError(
            fault.what, where=str(path), allowed=fault.allowed, got=fault.got
        ) from fault


def _shape(path: Path, got: str) -> InputError:
    return InputError(
        "target weights have another shape",
        where=str(path),
        allowed='CSV with the columns COLUMN,weight, or JSON {"COLUMN": {"cell": weight, …}}',
        got=got,
    )
