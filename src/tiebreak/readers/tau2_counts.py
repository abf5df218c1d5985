"""Tables of pass counts: how many of n tasks were solved 0, 1, … k times in k trials.

One row per model, domain, mode and group of tasks. The counts name no task, so nothing pairs
across models: grouped records, a rate and the number of tasks behind it.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.sniff import head
from tiebreak.readers.table import load, text
from tiebreak.readers.universe import read_universe

CELL = ["domain", "mode", "group", "group_value"]
NAMES = ("model", *CELL, "n_tasks", "c0", "c1")
COUNT = re.compile(r"c\d+")


def _recognise(path: Path) -> str | None:
    header = head(path, ".csv").split(b"\n", 1)[0].decode(errors="replace")
    if not set(NAMES) <= {name.strip() for name in header.split(",")}:
        return None
    return f"a table of pass counts ({', '.join(NAMES)}, …)"


def _read(path: Path, options: ReadOptions) -> Records:
    table = load(path)
    counts = _count_columns(table, path)
    table = table.with_columns(text(name) for name in ("model", *CELL))
    table = _whole(table, ["n_tasks", *counts], path)
    _check_sums(table, counts, path)
    successes = pl.sum_horizontal(pl.col(f"c{k}") * k for k in range(len(counts)))
    trials = pl.col("n_tasks") * (len(counts) - 1)
    frame = table.select(
        pl.col("model").alias("configuration"),
        "model",
        pl.concat_str(CELL, separator="/").alias("task"),
        *CELL,
        (successes / trials).alias("score"),
        pl.col("n_tasks").alias("count"),
        *(pl.col(f"c{k}").alias(f"solved:{k}") for k in range(len(counts))),
    )
    return Records(
        frame,
        kind="grouped",
        tasks=read_universe(options.tasks) if options.tasks else None,
        notes=tuple(_notes(frame, len(counts) - 1)),
    )


def _count_columns(table: pl.DataFrame, path: Path) -> list[str]:
    """c0 … ck, none left out."""
    missing = [name for name in NAMES if name not in table.columns]
    found = [name for name in table.columns if COUNT.fullmatch(name)]
    wanted = [f"c{k}" for k in range(len(found))]
    if missing or sorted(found) != sorted(wanted):
        raise InputError(
            "not a table of pass counts",
            where=str(path),
            allowed=f"columns {', '.join(NAMES)}, … without a gap in the counts",
            got=listed(table.columns, 20),
        )
    return wanted


def _whole(table: pl.DataFrame, columns: list[str], path: Path) -> pl.DataFrame:
    """The table with its counts as whole numbers: a delimited file gives them as text."""
    if not table.height:
        raise InputError("the table has no rows", where=str(path), allowed="at least one row")
    stripped = pl.col(columns).cast(pl.String).str.strip_chars()
    whole = table.with_columns(stripped.cast(pl.Int64, strict=False))
    odd = next((name for name in columns if whole[name].null_count()), None)
    if odd is not None:
        line = int(whole[odd].is_null().arg_max() or 0)
        raise InputError(
            "the count is no whole number",
            where=f"{path}, line {line + 2}, column {odd}",
            allowed="whole numbers",
            got=str(table[odd][line]),
        )
    return whole


def _check_sums(table: pl.DataFrame, counts: list[str], path: Path) -> None:
    """Counts that are there and add up to the number of tasks, in every row."""
    whole = pl.all_horizontal(pl.col(counts) >= 0) & (pl.col("n_tasks") > 0)
    adds_up = pl.sum_horizontal(counts) == pl.col("n_tasks")
    named = pl.all_horizontal(pl.col("model", *CELL).str.len_bytes() > 0)
    bad = table.with_row_index("line", 2).filter(~(whole & adds_up & named).fill_null(value=False))
    if bad.height:
        row = bad.row(0, named=True)
        raise InputError(
            f"{bad.height} rows whose counts do not add up",
            where=f"{path}, line {row['line']}, model '{row['model']}', domain '{row['domain']}'",
            allowed="names for the cell, and c0 + c1 + … = n_tasks with no count below 0",
            got=" + ".join(str(row[c]) for c in counts) + f" against {row['n_tasks']}",
        )


def _notes(frame: pl.DataFrame, trials: int) -> list[str]:
    notes = [
        f"mean of {trials} trials per task; the counts name no task, so nothing pairs across "
        "models; pass@k and pass^k come from the counts, without an interval"
    ]
    groups = frame["group"].unique().sort().to_list()
    if len(groups) > 1:
        notes.append(
            f"the groups {listed(groups)} hold the same tasks: keep one, "
            f"for instance --where group={groups[0]}"
        )
    return notes


READER = Reader(
    "tau2_counts",
    "tables of pass counts (model, domain, mode, group, group_value, n_tasks, c0 …)",
    _recognise,
    _read,
)
