"""DataAgentBench: leaderboard tables by data set, and metrics of single submissions.

``leaderboards.json`` holds two tables by data set, one in percent and one in fractions, which
name some data sets differently, and a list of overall scores. An overall score has no cells to
standardize over, so it is counted and left out. ``<submission>/metrics.json`` holds passes and
trials by data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.counts import with_rates
from tiebreak.readers.sniff import head
from tiebreak.readers.source import json_as
from tiebreak.readers.table import load, text

ALIASES = {
    "deps_dev": "deps_dev_v1",
    "music_brainz": "music_brainz_20k",
    "pancancer": "pancancer_atlas",
}
"""Data sets under a second name; names are compared in lower case."""
QUERIES_FILE = "queries_per_dataset.json"
ROUNDING = 0.0051
"""An overall score printed with two digits may be this far from the mean of its rows."""


class Column(msgspec.Struct):
    """One configuration of a table: the key of its values and the label shown."""

    key: str
    label: str


class Table(msgspec.Struct):
    """Scores by data set: a row per data set, with one value per column key."""

    columns: list[Column]
    rows: list[dict[str, str | float | None]]
    overall: dict[str, str | float | None] = {}


class Leaderboards(msgspec.Struct, rename="camel"):
    """``leaderboards.json``; of the overall list only the length matters here."""

    updated_at: str | None = None
    overall_leaderboard: list[msgspec.Raw] = []
    promptql_stratified: Table | None = None
    baseline_stratified: Table | None = None


class DataSet(msgspec.Struct):
    """Passes of one submission on one data set."""

    trials: int
    passed: int
    failed_execution: int = 0
    pass_at_1: float | None = None


class Metrics(msgspec.Struct):
    """``metrics.json`` of a submission."""

    per_dataset: dict[str, DataSet]


class Declared(NamedTuple):
    """What the format fixes for a table: its name, who ran the models, its largest score."""

    field: str
    scaffold: str
    largest: float


PROMPTQL = Declared("promptqlStratified", "PromptQL", 100.0)
BASELINE = Declared("baselineStratified", "ReAct", 1.0)
SCHEMA = {
    "configuration": pl.String,
    "scaffold": pl.String,
    "model": pl.String,
    "dataset": pl.String,
    "score": pl.Float64,
}


def _recognise(path: Path) -> str | None:
    if path.is_dir():
        found = next((p for p in sorted(path.glob("*/metrics.json")) if _holds_metrics(p)), None)
        return f"DataAgentBench submissions ({found.parent.name}/metrics.json)" if found else None
    if _holds_metrics(path):
        return "DataAgentBench metrics (per_dataset: trials, passed)"
    if _holds(path, b'"promptqlStratified"', b'"baselineStratified"'):
        return "DataAgentBench leaderboards (promptqlStratified, baselineStratified)"
    return None


def _holds_metrics(path: Path) -> bool:
    return _holds(path, b'"per_dataset"', b'"macro_pass_at_1"')


def _holds(path: Path, *keys: bytes) -> bool:
    start = head(path, ".json")
    return all(key in start for key in keys)


def _read(path: Path, options: ReadOptions) -> Records:
    if path.is_dir():
        files = [p for p in sorted(path.glob("*/metrics.json")) if _holds_metrics(p)]
        return _submissions(files, options)
    return _submissions([path], options) if _holds_metrics(path) else _leaderboards(path, options)


def _leaderboards(path: Path, options: ReadOptions) -> Records:
    boards = json_as(Leaderboards, path)
    given = {PROMPTQL: boards.promptql_stratified, BASELINE: boards.baseline_stratified}
    tables = {declared: table for declared, table in given.items() if table is not None}
    rows = [r for declared, table in tables.items() for r in _table_rows(declared, table, path)]
    scored = [row for row in rows if row["score"] is not None]
    if not scored:
        raise InputError(
            "no score by data set",
            where=str(path),
            allowed=f"a table {PROMPTQL.field} or {BASELINE.field}",
            got=f"{len(boards.overall_leaderboard)} overall scores",
        )
    frame, notes = _with_task(pl.DataFrame(scored, schema=SCHEMA))
    notes += [f"{d.field} is in percent: divided by 100" for d in tables if d.largest == 100.0]
    notes += [note for d, table in tables.items() for note in _overall_notes(d, table)]
    notes += [f"scores of {boards.updated_at}"] if boards.updated_at else []
    excluded = {
        "overall score without data sets": len(boards.overall_leaderboard),
        "no score for the data set": len(rows) - len(scored),
    }
    return _weighted(frame, _queries_file(path, options), notes, excluded)


def _table_rows(
    declared: Declared, table: Table, path: Path
) -> Iterator[dict[str, str | float | None]]:
    for number, row in enumerate(table.rows):
        where = f"{path}, field {declared.field}.rows[{number}]"
        dataset = row.get("dataset")
        if not isinstance(dataset, str) or not dataset.strip():
            raise InputError("a row names no data set", where=where, allowed="dataset: a name")
        for column in table.columns:
            yield {
                "configuration": f"{declared.scaffold} | {column.label}",
                "scaffold": declared.scaffold,
                "model": column.label,
                "dataset": dataset,
                "score": _score(row.get(column.key), declared.largest, f"{where}.{column.key}"),
            }


def _score(value: str | float | None, largest: float, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, str) or not 0.0 <= value <= largest:
        allowed = f"a number in [0, {largest:g}]"
        raise InputError("not a score", where=where, allowed=allowed, got=repr(value))
    return value / largest


def _overall_notes(declared: Declared, table: Table) -> Iterator[str]:
    """Say where a printed overall score is not the mean over the data sets."""
    for column in table.columns:
        stated = table.overall.get(column.key)
        values = [v for row in table.rows if isinstance(v := row.get(column.key), int | float)]
        if not isinstance(stated, int | float) or not values:
            continue
        mean = sum(values) / len(values)
        if abs(mean - stated) > ROUNDING * declared.largest:
            yield (
                f"{declared.field}, {column.label}: overall {stated:g} is not the mean {mean:.4g}"
            )


def _with_task(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """One name per data set, which is the task as well: nothing finer is recorded."""
    named = frame.with_columns(_one_name("dataset"), written=pl.col("dataset"))
    changed = named.filter(pl.col("dataset") != pl.col("written")).select("written", "dataset")
    pairs = [f"{w} = {d}" for w, d in changed.unique().sort("written").iter_rows()]
    notes = [f"data sets under two names: {listed(pairs, 12)}"] if pairs else []
    return named.drop("written").with_columns(task=pl.col("dataset")), notes


def _one_name(column: str) -> pl.Expr:
    return text(column).str.to_lowercase().replace(ALIASES).alias("dataset")


def _queries_file(path: Path, options: ReadOptions) -> Path | None:
    beside = path.parent / QUERIES_FILE
    return options.tasks or (beside if beside.is_file() else None)


def _weighted(
    frame: pl.DataFrame, queries: Path | None, notes: list[str], excluded: dict[str, int]
) -> Records:
    """Grouped records where the number of queries is known, else a bare score per data set."""
    if queries is None:
        notes.append("no count of queries: every data set weighs the same in the observed mix")
        return Records(frame, kind="aggregate", excluded=excluded, notes=tuple(notes))
    tasks = _query_counts(queries)
    counted = frame.join(tasks, on="task", how="left", maintain_order="left").rename(
        {"queries": "count"}
    )
    unknown = counted.filter(pl.col("count").is_null())["task"].unique().sort()
    if unknown.len():
        raise InputError("data sets without a count", where=str(queries), got=listed(unknown))
    notes.append(f"count is the number of queries, from {queries.name}")
    return Records(
        counted, kind="grouped", excluded=excluded, tasks=tasks.select("task"), notes=tuple(notes)
    )


def _query_counts(path: Path) -> pl.DataFrame:
    table = load(path)
    if not {"dataset", "queries"} <= set(table.columns):
        raise InputError(
            "no list of data sets",
            where=str(path),
            allowed="columns dataset and queries",
            got=listed(table.columns),
        )
    counts = table.select(
        _one_name("dataset").alias("task"), pl.col("queries").cast(pl.Float64, strict=False)
    )
    good = counts["queries"].is_finite() & (counts["queries"] >= 1)
    if counts["task"].is_duplicated().any() or not good.fill_null(value=False).all():
        raise InputError(
            "queries cannot be told",
            where=str(path),
            allowed="each data set once, with at least one query",
        )
    return counts


def _submissions(files: list[Path], options: ReadOptions) -> Records:
    rows = [row for file in files for row in _metrics_rows(file)]
    if not rows:
        raise InputError("no data set in the metrics", where=listed(files))
    schema = {c: SCHEMA[c] for c in ("configuration", "dataset")}
    frame, notes = _with_task(
        pl.DataFrame(rows, schema={**schema, "count": pl.Float64, "successes": pl.Float64})
    )
    rated = with_rates(frame, listed(files, 3))
    tasks = _query_counts(options.tasks).select("task") if options.tasks else None
    return Records(rated, kind="grouped", tasks=tasks, notes=tuple(notes))


def _metrics_rows(file: Path) -> Iterator[dict[str, str | float]]:
    """A failed execution is a trial that did not pass: the file counts it among the trials."""
    name = file.parent.name if file.name == "metrics.json" else file.stem.removesuffix("_metrics")
    for dataset, result in json_as(Metrics, file).per_dataset.items():
        _check_result(result, f"{file}, field per_dataset.{dataset}")
        yield {
            "configuration": name,
            "dataset": dataset,
            "count": float(result.trials),
            "successes": float(result.passed),
        }


def _check_result(result: DataSet, where: str) -> None:
    possible = 0 <= result.passed <= result.trials - result.failed_execution
    stated = result.pass_at_1
    agrees = stated is None or abs(stated * result.trials - result.passed) < 1e-6 * result.trials
    if result.trials < 1 or not possible or not agrees:
        raise InputError(
            "passes and trials do not fit",
            where=where,
            allowed="passed + failed_execution ≤ trials, pass_at_1 = passed / trials",
            got=f"{result.passed} of {result.trials}, {result.failed_execution} failed, {stated}",
        )


READER = Reader(
    "data_agent_bench",
    "DataAgentBench: leaderboards.json, a submission's metrics.json, or a directory of those",
    _recognise,
    _read,
)
