"""``--with FILE``: a table or JSON object that maps names to numbers → another ranking."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl

from tiebreak.errors import InputError
from tiebreak.readers.source import existing, json_as
from tiebreak.readers.table import load

TABLES = (".csv", ".tsv", ".parquet")


def read_ranking(path: Path) -> dict[str, float] | None:
    """Values by name, larger is better, in the order of the file; None where it is no such list.

    CSV, TSV, Parquet: two columns, names and numbers, whatever they are called. JSON: one object
    of numbers. Anything else may be records, which :func:`tiebreak.readers.read` knows.

    Raises
    ------
    InputError
        A name twice or empty, or a value that is no finite number.
    """
    if existing(path).suffix.lower() == ".json":
        stated = _object(path)
        return None if stated is None else _checked(path, list(stated.items()))
    if path.suffix.lower() not in TABLES:
        return None
    table = load(path)
    if table.width != 2:
        return None
    names, values = table.to_series(0).cast(pl.String), table.to_series(1)
    numbers = values.cast(pl.Float64, strict=False)
    return _checked(path, list(zip(names.to_list(), numbers.to_list(), strict=True)))


def _object(path: Path) -> dict[str, float] | None:
    try:
        return json_as(dict[str, float], path)
    except InputError:
        return None


def _checked(path: Path, pairs: list[tuple[str | None, float | None]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in pairs:
        fine = name is not None and name.strip() and value is not None and math.isfinite(value)
        if name is None or value is None or not fine or name.strip() in found:
            raise InputError(
                "a ranking holds a name twice, or one without a finite number",
                where=str(path),
                allowed="each name once, with a number",
                got=f"'{name}': {value}",
            )
        found[name.strip()] = value
    return found
