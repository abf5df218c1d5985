"""``--tasks FILE``: the tasks that every configuration was asked to do, with their columns."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.columns import ROLES
from tiebreak.readers.source import check_text, existing
from tiebreak.readers.table import load, text


def read_universe(path: Path) -> pl.DataFrame:
    """A task list: a table with a task-id column, or one id per line (.txt).

    Raises
    ------
    InputError
        No or several task-id columns, an empty id, or a task listed twice.
    """
    if existing(path).suffix == ".txt":
        check_text(path)
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        table = pl.DataFrame({"task": lines}, schema={"task": pl.String}).select(text("task"))
        table = table.filter(pl.col("task") != "")
    else:
        table = _from_table(path)
    ids = table["task"]
    if ids.null_count() or (ids == "").any() or not table.height:
        raise InputError(
            "a task without an id", where=str(path), allowed="one non-empty id per task"
        )
    if ids.is_duplicated().any():
        raise InputError(
            "tasks listed twice",
            where=str(path),
            got=listed(ids.filter(ids.is_duplicated()).unique().sort()),
        )
    return table


def _from_table(path: Path) -> pl.DataFrame:
    table = load(path)
    found = [c for c in table.columns if c.strip().lower() in ROLES["task"]]
    if len(found) != 1:
        raise InputError(
            f"{len(found) or 'no'} columns could be the task id",
            where=str(path),
            allowed=listed(ROLES["task"], 20),
            got=listed(table.columns, 20),
        )
    others = [c for c in table.columns if c not in (found[0], "task")]
    return table.with_columns(text(found[0]).alias("task")).select("task", *others)
