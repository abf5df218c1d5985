"""The tidy trial table: one row per (configuration, task, run), its checks and its accounting.

Three frames keep one fact in one place: ``frame`` holds the records, ``tasks`` the universe of
tasks with their columns (the cell candidates), ``configurations`` the entries with their
attributes (model, scaffold, …). A score is a number in [0, 1] or null; ``status`` says why.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import polars as pl

from tiebreak.errors import InputError, SpecError, listed

Kind = Literal["item", "grouped", "aggregate"]
Duplicates = Literal["error", "first", "last", "any", "mean", "majority"]

KEYS = ("configuration", "task", "run")
STATUSES = ("ok", "failed", "infrastructure", "error", "limit", "not_run")
MEASURES = ("cost_usd", "duration_s", "input_tokens", "output_tokens")
DUPLICATE_RULES: tuple[Duplicates, ...] = ("error", "first", "last", "any", "mean", "majority")
LABEL = "label:"
"""Prefix of a label-source column; the plain column ``score`` is the source named ``score``."""


COUNTED = "runs"
"""Column that says, of a written table, that its runs are nested: expanded from counts."""
SOLVED = "solved:"
"""Prefix of the columns of grouped records that count tasks by their number of successes."""


def solved_columns(columns: list[str]) -> list[str]:
    """``solved:0`` … ``solved:K`` among the columns, in order."""
    found = [c for c in columns if c.startswith(SOLVED)]
    return sorted(found, key=lambda c: int(c.removeprefix(SOLVED)))


def label_column(source: str) -> str:
    """Column that holds the scores of a label source."""
    return "score" if source == "score" else LABEL + source


@dataclass(frozen=True, slots=True)
class Accounting:
    """Every source record is either used or excluded for a stated reason."""

    read: int
    used: int
    excluded: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        counts = {reason: n for reason, n in self.excluded.items() if n}
        object.__setattr__(self, "excluded", MappingProxyType(counts))
        if self.used + sum(counts.values()) != self.read:
            raise InputError(
                "the accounting does not add up",
                allowed="used + excluded = read",
                got=f"{self.used} used + {dict(counts)} against {self.read} read",
            )


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """Rows that shared a key before ``rule`` merged them: keys and label columns, as read."""

    rule: Duplicates
    rows: pl.DataFrame


@dataclass(frozen=True)
class Trials:
    """Checked trial records.

    Parameters
    ----------
    frame
        Columns ``configuration``, ``task``, ``run`` (Enum, sorted categories), ``status`` (Enum)
        and one score column per label source; optionally ``cost_usd``, ``duration_s``, token
        counts and, for grouped records, ``count`` (number of trials behind a rate).
    tasks, configurations
        One row per task or configuration, in the order of the Enum categories.
    sources
        Label sources, the primary one first.
    kind
        ``item`` (a row is a trial), ``grouped`` (a rate and a count per configuration and cell)
        or ``aggregate`` (a score per cell, no count).
    counted
        Rows were expanded from counts of successes: the numbers of their runs mean nothing.
    repeated
        What was merged where several rows had one key, as two annotators of a trajectory have.
    left_out
        Benchmarks in the source that hold no outcome by task, with the reason.
    stated_costs
        Mean costs that a log publishes beside its parts: ``configuration``, ``part``, ``count``,
        ``stated`` and ``found`` (USD per task; a null part counts as 0 there) and ``agrees``.

    Raises
    ------
    InputError
        A score outside [0, 1] or not finite, duplicate keys, or counts that do not add up.
    """

    frame: pl.DataFrame
    tasks: pl.DataFrame
    configurations: pl.DataFrame
    sources: tuple[str, ...]
    kind: Kind
    accounting: Accounting
    origin: str = "frame"
    mapping: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    counted: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)
    stated_costs: pl.DataFrame | None = None
    repeated: Repeated | None = None

    def __post_init__(self) -> None:
        check_scores(self.frame, self.sources)
        if self.accounting.used != self.frame.height:
            raise InputError(
                "the accounting does not match the table",
                allowed=f"{self.frame.height} used",
                got=str(self.accounting.used),
            )

    @property
    def task_columns(self) -> tuple[str, ...]:
        """Columns of the tasks: candidates for cells."""
        return tuple(c for c in self.tasks.columns if c != "task")

    @property
    def missing(self) -> dict[str, int]:
        """Number of trials without a primary score, by status."""
        column = label_column(self.sources[0])
        lost = self.frame.filter(pl.col(column).is_null())["status"].value_counts(sort=True)
        return {
            str(s): int(n)
            for s, n in lost.sort("count", "status", descending=[True, False]).iter_rows()
        }

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical table (16 hex digits): the same records give the same hash."""
        digest = hashlib.sha256()
        for table in (self.frame, self.tasks, self.configurations):
            for column in table.iter_columns():
                digest.update(f"{column.name}:{column.dtype}".encode())
                digest.update(_column_bytes(column))
        return digest.hexdigest()[:16]

    def cells(self, column: str) -> pl.Series:
        """The cell of every task (order of ``tasks``).

        Raises
        ------
        SpecError
            No such task column.
        InputError
            A task without a value, or only one value.
        """
        if column not in self.task_columns:
            raise SpecError(
                f"no task column '{column}' to form cells from",
                where=self.origin,
                allowed=listed(self.task_columns) or "none: the records hold no task column",
                hint=_covariate_hint(self.notes, column),
            )
        values = self.tasks[column].cast(pl.String)
        if values.null_count():
            lost = self.tasks.filter(values.is_null())["task"].to_list()
            raise InputError(
                f"task column '{column}' has no value for {len(lost)} tasks",
                where=self.origin,
                got=listed(lost),
            )
        return values

    def only(self, configurations: list[str]) -> Trials:
        """The same records restricted to some configurations; the tasks stay the universe."""
        keep = self.frame["configuration"].cast(pl.String).is_in(configurations)
        excluded = dict(self.accounting.excluded)
        excluded["other configuration"] = excluded.get("other configuration", 0) + int(
            (~keep).sum()
        )
        frame = self.frame.filter(keep)
        return replace(
            self,
            frame=frame.with_columns(enum_of(frame["configuration"])),
            configurations=self.configurations.filter(
                pl.col("configuration").cast(pl.String).is_in(configurations)
            ),
            accounting=Accounting(self.accounting.read, frame.height, excluded),
        )

    def table(self) -> pl.DataFrame:
        """The canonical trial table: records joined with task and configuration columns."""
        joined = self.frame.with_columns(
            pl.col(KEYS).cast(pl.String), pl.col("status").cast(pl.String)
        )
        joined = joined.join(
            self.configurations, on="configuration", how="left", maintain_order="left"
        )
        return joined.join(self.tasks, on="task", how="left", maintain_order="left")


def enum_of(values: pl.Series) -> pl.Series:
    """Cast strings to an Enum of their sorted distinct values, so that codes are indices."""
    text = values.cast(pl.String)
    return text.cast(pl.Enum(text.unique().sort()))


def check_scores(frame: pl.DataFrame, sources: tuple[str, ...]) -> None:
    """Refuse scores that are not finite numbers in [0, 1]; null is a missing outcome."""
    for source in sources:
        column = label_column(source)
        bad = frame.filter(~pl.col(column).is_between(0.0, 1.0) | pl.col(column).is_nan())
        if bad.height:
            row = bad.row(0, named=True)
            raise InputError(
                f"{bad.height} scores of source '{source}' are not in [0, 1]",
                where=f"configuration '{row['configuration']}', task '{row['task']}'",
                allowed="a number in [0, 1], or empty for a missing outcome",
                got=str(row[column]),
            )


def resolve_duplicates(
    frame: pl.DataFrame, rule: Duplicates, sources: tuple[str, ...]
) -> pl.DataFrame:
    """One row per (configuration, task, run) by the named rule.

    ``first``/``last`` keep that row; ``any`` takes the largest score, ``mean`` the mean,
    ``majority`` 1 where more than half the labels are above ½ (a tie is 0). A missing label
    never outvotes one that is there.

    Raises
    ------
    InputError
        Duplicates under the rule ``error``.
    """
    if rule not in DUPLICATE_RULES:
        raise SpecError("unknown duplicates rule", allowed=listed(DUPLICATE_RULES), got=rule)
    repeated = frame.select(pl.struct(KEYS).is_duplicated().alias("d"))["d"]
    if not repeated.any():
        return frame
    if rule == "error":
        raise _duplicates_error(frame.filter(repeated), sources)
    if rule in ("first", "last"):
        return frame.unique(subset=KEYS, keep=rule, maintain_order=True)
    return _merged(frame, rule, sources)


def _merged(frame: pl.DataFrame, rule: Duplicates, sources: tuple[str, ...]) -> pl.DataFrame:
    scores = [label_column(s) for s in sources]
    merges: dict[str, Callable[[str], pl.Expr]] = {
        "any": lambda c: pl.col(c).max(),
        "mean": lambda c: pl.col(c).mean(),
        "majority": lambda c: ((pl.col(c) > 0.5).mean() > 0.5).cast(pl.Float64),
    }
    merge = merges[rule]
    scored = pl.col("status").filter(pl.col(scores[0]).is_not_null()).first()
    others = [c for c in frame.columns if c not in (*KEYS, *scores, "status")]
    out = frame.group_by(KEYS, maintain_order=True).agg(
        scored.fill_null(pl.col("status").first()),
        *(merge(c).alias(c) for c in scores),
        *(pl.col(c).mean() if frame[c].dtype.is_numeric() else pl.col(c).first() for c in others),
    )
    return out.select(frame.columns)


def _duplicates_error(rows: pl.DataFrame, sources: tuple[str, ...]) -> InputError:
    column = label_column(sources[0])
    per_key = rows.group_by(KEYS).agg(pl.col(column).n_unique().alias("labels"))
    disagree = per_key.filter(pl.col("labels") > 1).height
    first = rows.row(0, named=True)
    return InputError(
        f"{rows.height} rows repeat {per_key.height} (configuration, task, run) keys; "
        f"{disagree} of them disagree on the score",
        where=", ".join(f"{key} '{first[key]}'" for key in KEYS),
        allowed="one row per key, or a named rule",
        hint=f"say how to merge them: --duplicates {'|'.join(DUPLICATE_RULES[1:])}",
    )


def _covariate_hint(notes: tuple[str, ...], column: str) -> str | None:
    return next((n for n in notes if f"'{column}'" in n), None)


def _column_bytes(column: pl.Series) -> bytes:
    if isinstance(column.dtype, pl.Enum):
        categories = "\0".join(column.dtype.categories)
        return categories.encode() + column.to_physical().to_numpy().tobytes()
    if column.dtype.is_numeric():
        values: Any = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return np.ascontiguousarray(values).tobytes()
    return "\0".join("" if v is None else "=" + str(v) for v in column).encode()
