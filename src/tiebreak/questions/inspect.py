"""What was read: columns, mapping, accounting, support, missing outcomes. No estimate."""

from __future__ import annotations

from typing import Any

import polars as pl

from tiebreak.results.inspect import InspectResult
from tiebreak.results.provenance import Data
from tiebreak.trials import Trials, label_column

SHOWN_CELLS = 30
"""A task column of more values is no useful support table."""


def inspect(trials: Trials, *, cells: str | None = None) -> InspectResult:
    """Describe checked records.

    Parameters
    ----------
    trials
        Checked records.
    cells
        Task column whose values are the columns of the support table; by default the first
        task column with at most 30 values.

    Raises
    ------
    SpecError
        No such task column.
    """
    column = cells or cell_column(trials)
    n, k = trials.tasks.height, trials.configurations.height
    counts = {
        "configurations": k,
        "tasks": n,
        "trials": trials.frame.height,
        "runs": trials.frame["run"].n_unique(),
    }
    return InspectResult(
        answer=f"{k:,} configurations, {n:,} tasks, {trials.frame.height:,} {_unit(trials)}.",
        origin=trials.origin,
        kind=trials.kind,
        sources=trials.sources,
        mapping=dict(trials.mapping),
        columns={
            "task": trials.task_columns,
            "configuration": tuple(
                c for c in trials.configurations.columns if c != "configuration"
            ),
        },
        notes=trials.notes,
        data=Data.of(trials),
        counts=counts,
        support=_support(trials, column),
        missing=_missing(trials),
    )


def _unit(trials: Trials) -> str:
    return "trials" if trials.kind == "item" else f"{trials.kind} records"


def cell_column(trials: Trials) -> str | None:
    """The first task column that groups tasks into a readable number of cells."""
    for column in trials.task_columns:
        if (
            1 < trials.tasks[column].n_unique() <= SHOWN_CELLS
            and not trials.tasks[column].null_count()
        ):
            return column
    return None


def _support(trials: Trials, column: str | None) -> tuple[dict[str, Any], ...]:
    """Tasks with trials per configuration, in all and per cell."""
    ran = trials.frame.filter(pl.col("status") != "not_run").select(
        pl.col("configuration", "task").cast(pl.String)
    )
    pairs = ran.unique()
    names = trials.configurations.select("configuration")
    total = names.join(
        pairs.group_by("configuration").agg(pl.len().alias("tasks")), on="configuration", how="left"
    )
    if column is not None:
        taken = {name: f"{column}={name}" for name in ("configuration", "tasks")}
        cells = trials.tasks.select("task", trials.cells(column).replace(taken).alias("cell"))
        per = pairs.join(cells, on="task").group_by("configuration", "cell").len()
        wide = per.pivot("cell", index="configuration", values="len", sort_columns=True)
        total = total.join(wide, on="configuration", how="left")
    return tuple(total.fill_null(0).sort("configuration").to_dicts())


def _missing(trials: Trials) -> tuple[dict[str, Any], ...]:
    """Trials without a primary outcome, by configuration and status."""
    lost = trials.frame.filter(pl.col(label_column(trials.sources[0])).is_null())
    table = lost.group_by(pl.col("configuration", "status").cast(pl.String)).agg(
        pl.len().alias("count")
    )
    return tuple(table.sort("configuration", "status").to_dicts())
