"""Records → Trials: one place for filters, ids, statuses, covariates, duplicates, accounting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl
import polars.selectors as cs

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.readers.contract import Records
from tiebreak.trials import (
    COUNTED,
    DUPLICATE_RULES,
    KEYS,
    LABEL,
    MEASURES,
    SOLVED,
    STATUSES,
    Accounting,
    Duplicates,
    Repeated,
    Trials,
    label_column,
    resolve_duplicates,
    solved_columns,
)

QUALIFIERS = ("benchmark", "benchmark_id", "benchmark_name", "domain", "dataset", "suite")
CONFIGURATION_ATTRIBUTES = ("model", "scaffold")
CURRENCY = ("currency", "cost_currency", "price_currency")
"""Columns that say what costs are in."""
DOLLARS = ("USD", "US$", "$", "")
SYNONYMS = {
    **{s: s for s in STATUSES},
    **dict.fromkeys(
        ("success", "completed", "complete", "done", "finished", "passed", "resolved"), "ok"
    ),
    **dict.fromkeys(("fail", "failure", "unresolved"), "failed"),
    **dict.fromkeys(
        ("infra", "infrastructure_error", "harness_error", "environment_error", "sandbox_error"),
        "infrastructure",
    ),
    **dict.fromkeys(("errored", "exception", "crash", "agent_error", "parse_error"), "error"),
    **dict.fromkeys(
        ("timeout", "timed_out", "max_steps", "agent_timeout", "context_length", "budget"), "limit"
    ),
    **dict.fromkeys(("skipped", "missing", "not_started", "absent"), "not_run"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the user restricts or merges: ``where`` pairs and the duplicates rule."""

    where: Sequence[tuple[str, str]] = ()
    duplicates: Duplicates = "error"

    def __post_init__(self) -> None:
        if self.duplicates not in DUPLICATE_RULES:
            allowed = listed(DUPLICATE_RULES)
            raise SpecError("unknown duplicates rule", allowed=allowed, got=str(self.duplicates))


@dataclass(slots=True)
class _Work:
    """The frame and the stated universe on their way, with what was excluded and said so far."""

    frame: pl.DataFrame
    universe: pl.DataFrame | None
    excluded: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    repeated: Repeated | None = None


def assemble(records: Records, filters: Filters, origin: str) -> Trials:
    """Checked trials from a reader's records.

    Raises
    ------
    InputError
        Nothing left, an id that is empty, contradicting duplicates, or scores out of range.
    SpecError
        A filter on a column that does not exist.
    """
    frame, counted = _converted_counts(records.frame)
    work = _Work(frame, records.tasks, dict(records.excluded), list(records.notes))
    _attach_universe(work)
    _filter(work, filters.where, origin)
    _check_currency(work.frame, origin)
    _check_ids(work.frame, origin)
    _qualify(work, dict.fromkeys((*QUALIFIERS, records.mapping.get("benchmark", ""))))
    _statuses(work, records.sources)
    work.frame = work.frame.with_columns(_enum(work.frame[k]) for k in KEYS)
    _merge(work, filters.duplicates, records.sources)
    tasks = _task_table(work)
    # A column that describes the tasks is theirs, also where each configuration has one value.
    configurations = _attributes(work, "configuration").drop(tasks.columns, strict=False)
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
        repeated=work.repeated,
        counted=records.counted or counted,
        left_out=records.left_out,
        stated_costs=records.stated_costs,
    )


def _converted_counts(frame: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """Rows that were expanded from counts say so where they were written as a table."""
    if COUNTED not in frame.columns or not frame[COUNTED].cast(pl.String).eq("nested").all():
        return frame, False
    return frame.drop(COUNTED), True


def _attach_universe(work: _Work) -> None:
    """Leave out records of tasks that a stated universe does not hold; add its columns."""
    if work.universe is None:
        return
    known = work.frame["task"].cast(pl.String).is_in(work.universe["task"].implode())
    work.excluded["unknown task"] = work.excluded.get("unknown task", 0) + int((~known).sum())
    fresh = [c for c in work.universe.columns if c == "task" or c not in work.frame.columns]
    kept = work.frame.filter(known).with_columns(pl.col("task").cast(pl.String))
    work.frame = kept.join(
        work.universe.select(fresh), on="task", how="left", maintain_order="left"
    )


def _filter(work: _Work, where: Sequence[tuple[str, str]], origin: str) -> None:
    for column, value in where:
        if column not in work.frame.columns:
            names = [c for c in work.frame.columns if not c.startswith("label:")]
            raise SpecError(
                f"--where names no column '{column}'", where=origin, allowed=listed(names, 40)
            )
        keep = (work.frame[column].cast(pl.String) == value).fill_null(value=False)
        if not keep.any():
            found = work.frame[column].cast(pl.String).drop_nulls().unique().sort()
            raise InputError(
                f"no record has {column}={value}", where=origin, allowed=listed(found, 20)
            )
        work.excluded[f"not {column}={value}"] = int((~keep).sum())
        work.frame = work.frame.filter(keep)
        if work.universe is not None and column in work.universe.columns:
            work.universe = work.universe.filter(pl.col(column).cast(pl.String) == value)


def _check_currency(frame: pl.DataFrame, origin: str) -> None:
    """Costs are in US dollars: a column that names other currencies says that they are not."""
    named = [c for c in frame.columns if c.lower() in CURRENCY]
    for column in named if "cost_usd" in frame.columns else ():
        found = frame[column].cast(pl.String).drop_nulls().str.strip_chars().unique().sort()
        other = found.filter(~found.str.to_uppercase().is_in(DOLLARS))
        if other.len():
            raise InputError(
                f"costs in other currencies than US dollars, by column '{column}'",
                where=origin,
                allowed="one column of costs in US dollars",
                got=listed(found),
                hint=f"convert them, or keep some: --where {column}=USD",
            )


def _check_ids(frame: pl.DataFrame, origin: str) -> None:
    if not frame.height:
        raise InputError("no record is left", where=origin, allowed="at least one record")
    for key in ("configuration", "task"):
        names = frame[key].unique().cast(pl.String)
        if names.null_count() or (names == "").any():
            empty = frame[key].is_null() | (frame[key].cast(pl.String) == "")
            raise InputError(
                f"{int(empty.sum())} records have no {key}",
                where=f"{origin}, record {int(empty.arg_max() or 0) + 1}",
                allowed="a non-empty id",
            )


def _enum(values: pl.Series) -> pl.Series:
    """An Enum of the sorted distinct values; categoricals are never written out as text."""
    names = values.unique().cast(pl.String).unique().sort()
    text = values if values.dtype == pl.Categorical else values.cast(pl.String)
    return text.cast(pl.Enum(names))


def _categories(values: pl.Series) -> pl.Series:
    return values.dtype.categories if isinstance(values.dtype, pl.Enum) else values.unique()


def _merge(work: _Work, rule: Duplicates, sources: tuple[str, ...]) -> None:
    """Resolve duplicates by the rule; one integer per key tells quickly that there are none."""
    before, frame = work.frame.height, work.frame
    key = pl.lit(0, pl.UInt64)
    for name in KEYS:
        levels = max(len(_categories(frame[name])), 1)
        key = key * levels + pl.col(name).to_physical().cast(pl.UInt64)
    if frame.select(key.n_unique()).item() == before:
        return
    work.frame = resolve_duplicates(frame, rule, sources)
    again = pl.struct(KEYS).is_duplicated()
    work.repeated = Repeated(rule, frame.filter(again).select(*KEYS, *map(label_column, sources)))
    work.excluded[f"duplicate ({rule})"] = before - work.frame.height


def _qualify(work: _Work, columns: Iterable[str]) -> None:
    """Task "0" in two domains is two tasks: prefix ids that recur under a qualifier."""
    for column in (c for c in columns if c in work.frame.columns):
        spread = work.frame.group_by("task").agg(pl.col(column).n_unique().alias("n"))
        recurring = spread.filter(pl.col("n") > 1).height
        if recurring:
            _check_qualifier(work, column)
            qualified = pl.concat_str(
                pl.col(column).cast(pl.String), pl.col("task").cast(pl.String), separator="/"
            )
            work.frame = work.frame.with_columns(task=qualified)
            work.notes.append(f"task ids qualified by '{column}': {recurring} ids recur in several")


def _check_qualifier(work: _Work, column: str) -> None:
    """Qualified ids need a value in every record, and the same ids in a stated task list."""
    lost = work.frame[column].null_count()
    if lost:
        raise InputError(
            f"task ids recur under '{column}', which {lost} records leave empty",
            allowed=f"a {column} in every record",
        )
    if work.universe is not None:
        raise InputError(
            f"task ids recur under '{column}', so the task list does not tell them apart",
            allowed=f"ids that name the {column} too",
        )


def _statuses(work: _Work, sources: tuple[str, ...]) -> None:
    """Give every record a run and a status; a present score is ok, an unexplained null an error."""
    frame, scored = work.frame, pl.col(label_column(sources[0])).is_not_null()
    default = pl.when(scored).then(pl.lit("ok")).otherwise(pl.lit("error"))
    status = default
    if "status" in frame.columns:
        words = frame["status"].cast(pl.String).str.to_lowercase()
        unknown = sorted(set(words.drop_nulls().unique()) - set(SYNONYMS))
        if unknown:
            work.notes.append(
                f"status values read as ok (scored) or error (not scored): {listed(unknown)}"
            )
        named = words.replace_strict(SYNONYMS, default=None, return_dtype=pl.String)
        frame = frame.with_columns(named.alias("status"))
        status = pl.coalesce(pl.col("status"), default)
    run = pl.col("run").cast(pl.String) if "run" in frame.columns else pl.lit("1")
    work.frame = frame.with_columns(
        status.cast(pl.Enum(STATUSES)).alias("status"), run.fill_null("1").alias("run")
    )


def _covariates(frame: pl.DataFrame) -> list[str]:
    reserved = {*KEYS, *MEASURES, "status", "score", "count"}
    return [c for c in frame.columns if c not in reserved and not c.startswith((LABEL, SOLVED))]


def _attributes(work: _Work, key: str) -> pl.DataFrame:
    """One row per key with the columns that are constant within it."""
    frame, extras = work.frame, _covariates(work.frame)
    if key == "task":
        extras = [c for c in extras if c not in CONFIGURATION_ATTRIBUTES]
    spread = frame.group_by(key).agg(pl.col(c).drop_nulls().n_unique() for c in extras)
    constant = [c for c in extras if not (spread[c] > 1).any()]
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
    solved = solved_columns(work.frame.columns)
    return work.frame.select(*KEYS, "status", *labels, *measures, *solved)
