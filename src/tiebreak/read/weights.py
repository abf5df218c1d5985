"""``--target FILE``: a table or JSON object that maps cells to weights → a stated target."""

from __future__ import annotations

from pathlib import Path

from tiebreak.errors import InputError, listed
from tiebreak.estimand import Target
from tiebreak.read.source import existing, json_as
from tiebreak.read.table import scan


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
        column, weights = next(iter(content.items()))
        return Target.stated(column, weights)
    table = scan(path).collect()
    if (
        table.width != 2
        or table.columns[1] != "weight"
        or not table[table.columns[1]].dtype.is_numeric()
    ):
        raise _shape(path, f"columns {listed(table.columns)}")
    column = table.columns[0]
    cells = table[column].cast(str)
    if cells.null_count() or cells.is_duplicated().any() or table["weight"].null_count():
        raise InputError("a cell is empty, named twice or without a weight", where=str(path))
    return Target.stated(column, dict(zip(cells, table["weight"], strict=True)))


def _shape(path: Path, got: str) -> InputError:
    return InputError(
        "target weights have another shape",
        where=str(path),
        allowed='CSV with the columns COLUMN,weight, or JSON {"COLUMN": {"cell": weight, …}}',
        got=got,
    )
