"""Records → Trials: one place for filters, ids, statuses, covariates, duplicates, accounting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl
import polars.selectors as cs

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.read.contract import Records
from tiebreak.trials import (
    KEYS,
    MEASURES,
    STATUSES,
    Accounting,
    Duplicates,
    Trials,
    enum_of,
    label_column,
    resolve_duplicates,
)

QUALIFIERS = ("benchmark", "benchmark_id", "benchmark_name", "domain", "dataset", "suite")
CONFIGURATION_ATTRIBUTES = ("model", "scaffold")
SYNONYMS = {
    **{s: s for s in STATUSES},
    **dict.fromkeys(("success", "completed", "complete", "done", "finished", "passed", "resolved"), "ok"),
    **dict.fromkeys(("fail", "failure", "unresolved"), "failed"),
    **dict.fromkeys(
        ("infra", "infrastructure_error", "harness_error", "environment_error", "sandbox_error"), "infrastructure"
    ),
    **dict.fromkeys(("errored", "exception", "crash", "agent_error", "parse_error"), "error"),
    **dict.fromkeys(("timeout", "timed_out", "max_steps", "agent_timeout", "context_length", "budget"), "limit"),
    **dict.fromkeys(("skipped", "missing", "not_started", "absent"), "not_run"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the user restricts or merges: ``where`` pairs and the duplicates rule."""

    where: Sequence[tuple[str, str]] = ()
    duplicates: Duplicates = "error"


@dataclass(slots=True)
class _Work:
    """The frame and the stated universe on their way, with what was excluded and said so far."""

    frame: pl.DataFrame
    universe: pl.DataFrame | None
    excluded: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def assemble(records: Records, filters: Filters, origin: str) -> Trials:
    """Checked trials from a reader's records.

    Raises
    ------
    InputError
        Nothing left, an id that is empty, contradicting duplicates, or scores out of range.
    SpecError
        A filter on a column that does not exist.
    """
    work = _Work(records.frame, records.tasks, dict(records.excluded), list(records.notes))
    _attach_universe(work)
    _filter(work, filters.where, origin)
    _check_ids(work.frame, origin)
    _qualify(work)
    _statuses(work, records.sources)
    before = work.frame.height
    work.frame = resolve_duplicates(work.frame, filters.duplicates, records.sources)
    work.excluded[f"duplicate ({filters.duplicates})"] = before - work.frame.height
    work.frame = work.frame.with_columns(enum_of(work.frame[k]) for k in KEYS)
    configurations = _attributes(work, "configuration")
    tasks = _task_table(work)
    _note_contradictions(work, {*tasks.columns, *configurations.columns})
    return Trials(
        frame=_canonical(work, records),
        tasks=tasks,
        configurations=configurations,
        sources=records.sources,
        kind=records.kind,
        accounting=Accounting(records.read, work.frame.height, work.excluded),
        origin=origin,
        mapping=records.mapping,
        notes=tuple(work.notes),
    )


def _attach_universe(work: _Work) -> None:
    """Leave out records of tasks that a stated universe does not hold; add its columns."""
    if work.universe is None:
        return
    known = work.frame["task"].cast(pl.String).is_in(work.universe["task"].implode())
    work.excluded["unknown task"] = work.excluded.get("unknown task", 0) + int((~known).sum())
    fresh = [c for c in work.universe.columns if c == "task" or c not in work.frame.columns]
    kept = work.frame.filter(known).with_columns(pl.col("task").cast(pl.String))
    work.frame = kept.join(work.universe.select(fresh), on="task", how="left", maintain_order="left")


def _filter(work: _Work, where: Sequence[tuple[str, str]], origin: str) -> None:
    for column, value in where:
        if column not in work.frame.columns:
            names = [c for c in work.frame.columns if not c.startswith("label:")]
            raise SpecError(f"--where names no column '{column}'", where=origin, allowed=listed(names, 40))
        keep = (work.frame[column].cast(pl.String) == value).fill_null(value=False)
        if not keep.any():
            found = work.frame[column].cast(pl.String).drop_nulls().unique().sort()
            raise InputError(f"no record has {column}={value}", where=origin, allowed=listed(found, 20))
        work.excluded[f"where {column}={value}"] = int((~keep).sum())
        work.frame = work.frame.filter(keep)
        if work.universe is not None and column in work.universe.columns:
            work.universe = work.universe.filter(pl.col(column).cast(pl.String) == value)


def _check_ids(frame: pl.DataFrame, origin: str) -> None:
    for key in ("configuration", "task"):
        empty = frame[key].is_null() | (frame[key].cast(pl.String) == "")
        if empty.any():
            raise InputError(
                f"{int(empty.sum())} records have no {key}",
                where=f"{origin}, record {int(empty.arg_true()[0]) + 1}",
                allowed="a non-empty id",
            )


def _qualify(work: _Work) -> None:
    """Task "0" in two domains is two tasks: prefix ids that recur under a qualifier."""
    for column in (c for c in QUALIFIERS if c in work.frame.columns):
        spread = work.frame.group_by("task").agg(pl.col(column).n_unique().alias("n"))
        recurring = spread.filter(pl.col("n") > 1).height
        if recurring:
            qualified = pl.concat_str(pl.col(column).cast(pl.String), pl.col("task").cast(pl.String), separator="/")
            work.frame = work.frame.with_columns(task=qualified)
            work.notes.append(f"task ids qualified by '{column}': {recurring} ids recur in several")


def _statuses(work: _Work, sources: tuple[str, ...]) -> None:
    """Give every record a run and a status; a present score is ok, an unexplained null an error."""
    frame, scored = work.frame, pl.col(label_column(sources[0])).is_not_null()
    default = pl.when(scored).then(pl.lit("ok")).otherwise(pl.lit("error"))
    status = default
    if "status" in frame.columns:
        words = frame["status"].cast(pl.String).str.to_lowercase()
        unknown = sorted(set(words.drop_nulls().unique()) - set(SYNONYMS))
        if unknown:
            work.notes.append(f"status values read as ok (scored) or error (not scored): {listed(unknown)}")
        named = words.replace_strict(SYNONYMS, default=None, return_dtype=pl.String)
        frame = frame.with_columns(named.alias("status"))
        status = pl.coalesce(pl.col("status"), default)
    run = pl.col("run").cast(pl.String) if "run" in frame.columns else pl.lit("1")
    work.frame = frame.with_columns(status.cast(pl.Enum(STATUSES)).alias("status"), run.fill_null("1").alias("run"))


def _covariates(frame: pl.DataFrame) -> list[str]:
    reserved = {*KEYS, *MEASURES, "status", "score", "count"}
    return [c for c in frame.columns if c not in reserved and not c.startswith("label:")]


def _attributes(work: _Work, key: str) -> pl.DataFrame:
    """One row per key with the columns that are constant within it."""
    frame, extras = work.frame, _covariates(work.frame)
    if key == "task":
        extras = [c for c in extras if c not in CONFIGURATION_ATTRIBUTES]
    spread = frame.group_by(key).agg(pl.col(c).drop_nulls().n_unique() for c in extras)
    constant = [c for c in extras if spread.height and (spread[c].max() or 0) <= 1]
    if key == "configuration":
        constant = [c for c in constant if c in CONFIGURATION_ATTRIBUTES or frame[c].n_unique() > 1]
    table = frame.group_by(key).agg(pl.col(c).drop_nulls().first() for c in constant).sort(key)
    return table.with_columns(pl.col(key).cast(pl.String), cs.categorical().cast(pl.String))


def _note_contradictions(work: _Work, placed: set[str]) -> None:
    """Say which columns describe neither tasks nor configurations, and show a contradiction."""
    for column in (c for c in _covariates(work.frame) if c not in placed):
        spread = work.frame.group_by("task").agg(pl.col(column).drop_nulls().n_unique().alias("n"))
        task = spread.filter(pl.col("n") > 1).sort("task")["task"][0]
        rows = work.frame.filter(pl.col("task").cast(pl.String) == task)
        found = rows[column].cast(pl.String).drop_nulls().unique().sort()
        work.notes.append(f"'{column}' is no task column: task '{task}' has {listed(found, 3)}")


def _task_table(work: _Work) -> pl.DataFrame:
    """The universe: the stated tasks, or the union of those in the records."""
    seen = _attributes(work, "task")
    if work.universe is None:
        return seen
    extra = [c for c in seen.columns if c == "task" or c not in work.universe.columns]
    whole = work.universe.join(seen.select(extra), on="task", how="left").sort("task")
    dtype = pl.Enum(whole["task"])
    work.frame = work.frame.with_columns(pl.col("task").cast(pl.String).cast(dtype))
    return whole


def _canonical(work: _Work, records: Records) -> pl.DataFrame:
    labels = [label_column(s) for s in records.sources]
    measures = [c for c in (*MEASURES, "count") if c in work.frame.columns]
    return work.frame.select(*KEYS, "status", *labels, *measures)
