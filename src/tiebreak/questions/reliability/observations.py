"""Trials → the cells of a model × scaffold × item design, by benchmark where there are several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimand import Estimand
from tiebreak.kernels.decomposition.layout import Array, Index, Layout
from tiebreak.trials import Trials, label_column

FACETS = ("model", "scaffold")
BENCHMARK = "benchmark"


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """One entry a scored trial: levels of its facets, score, cost (NaN where unpriced).

    The names list the levels of each facet; ``system`` is the configuration's.
    """

    model: Index
    scaffold: Index
    benchmark: Index
    item: Index
    score: Array
    cost: Array
    models: tuple[str, ...]
    scaffolds: tuple[str, ...]
    benchmarks: tuple[str, ...]
    items: tuple[str, ...]

    def where(self, kept: NDArray[np.bool_]) -> Observations:
        """The trials that are kept, with levels counted anew."""
        columns: dict[str, Any] = {"score": self.score[kept], "cost": self.cost[kept]}
        for name in ("model", "scaffold", "benchmark", "item"):
            found, codes = np.unique(getattr(self, name)[kept], return_inverse=True)
            names = getattr(self, f"{name}s")
            columns[name] = codes.astype(np.intp)
            columns[f"{name}s"] = tuple(names[i] for i in found)
        return Observations(**columns)

    def without(self, facet: str, level: int) -> Observations:
        """All trials but those of one level of a facet."""
        return self.where(getattr(self, facet) != level)

    @property
    def graded(self) -> bool:
        """Some score is neither 0 nor 1."""
        return not bool(np.isin(self.score, (0.0, 1.0)).all())

    @property
    def price(self) -> float | None:
        """Mean cost of the trials that state one."""
        known = self.cost[~np.isnan(self.cost)]
        return float(known.mean()) if known.size else None

    def layout(self) -> Layout:
        """Cells sorted by item, then pair."""
        shape = (len(self.models), len(self.scaffolds), len(self.benchmarks))
        triple = np.ravel_multi_index((self.model, self.scaffold, self.benchmark), shape)
        pairs, pair = np.unique(triple, return_inverse=True)
        cells, cell = np.unique(self.item * pairs.size + pair, return_inverse=True)
        trials = np.bincount(cell).astype(float)
        mean = np.bincount(cell, weights=self.score) / trials
        within = np.bincount(cell, weights=(self.score - mean[cell]) ** 2)
        model, scaffold, benchmark = (c.astype(np.intp) for c in np.unravel_index(pairs, shape))
        return Layout(
            model=model,
            scaffold=scaffold,
            benchmark=benchmark,
            item=(cells // pairs.size).astype(np.intp),
            pair=(cells % pairs.size).astype(np.intp),
            mean=mean,
            trials=trials,
            within=np.asarray(within, dtype=float),
        )


def observe(trials: Trials, estimand: Estimand) -> tuple[Observations, tuple[str, ...]]:
    """Scored trials with their facets, and what is to be said about them.

    Without a stated rule trials without an outcome count as failures, as leaderboards count them;
    trials that were listed but not run are no observations unless the rule is ``fail``.

    Raises
    ------
    SpecError
        An unknown label source.
    InputError
        Grouped records, no model or scaffold column, two configurations that share both, missing
        outcomes under the rule ``error``, nothing scored.
    """
    _check(trials)
    attributes, notes = _attributes(trials)
    frame = trials.frame.with_columns(pl.col("configuration", "task").cast(pl.String))
    frame = frame.join(attributes, on="configuration", maintain_order="left")
    task = trials.tasks.select("task", benchmark=_benchmark(trials))
    frame = frame.join(task, on="task", how="left", maintain_order="left")
    source = estimand.label_source or trials.sources[0]
    if source not in trials.sources:
        allowed = listed(trials.sources)
        raise SpecError("unknown label source", where=trials.origin, allowed=allowed, got=source)
    frame = _scored(frame.with_columns(score=pl.col(label_column(source))), estimand, trials)
    return _observations(frame), notes


def _check(trials: Trials) -> None:
    if trials.kind != "item":
        raise InputError(
            "reliability is about trials of tasks",
            where=trials.origin,
            allowed="one record per configuration, task and run",
            got=f"{trials.kind} records",
        )
    absent = [c for c in FACETS if c not in trials.configurations.columns]
    if absent:
        raise InputError(
            f"no column says which {absent[0]} a configuration uses",
            where=trials.origin,
            allowed="a model and a scaffold of every configuration",
            got=listed(trials.configurations.columns),
            hint=f"name it: --map {absent[0]}=COLUMN",
        )


def _attributes(trials: Trials) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Model and scaffold of every configuration; what one does not state is a level of its own."""
    stated = trials.configurations.select("configuration", *FACETS)
    own = pl.col("configuration")
    known = stated.select(*(pl.col(c).replace("", None) for c in FACETS))
    unknown = known.select(pl.any_horizontal(pl.all().is_null()).alias("u"))["u"]
    if unknown.all():
        what = "no configuration states both its model and its scaffold"
        raise InputError(what, where=trials.origin)
    kept = stated.with_columns(pl.coalesce(pl.col(c).replace("", None), own) for c in FACETS)
    twice = kept.filter(pl.struct(FACETS).is_duplicated()).sort(*FACETS)
    if twice.height:
        raise InputError(
            "several configurations have the same model and scaffold",
            where=trials.origin,
            got=listed(twice["configuration"][:2]),
            allowed="one configuration a pair",
            hint="keep one of them with --where, or name the effort or version in the model",
        )
    notes = [
        f"{name} states no model or no scaffold: it counts as one of its own"
        for name in stated.filter(unknown)["configuration"]
    ]
    return kept, tuple(notes)


def _benchmark(trials: Trials) -> pl.Series:
    """Benchmark of every task; one name for all where no column tells them apart."""
    named = trials.mapping.get(BENCHMARK, BENCHMARK)
    column = next((c for c in (BENCHMARK, named) if c in trials.task_columns), None)
    if column is None:
        return pl.Series("benchmark", ["all"] * trials.tasks.height, dtype=pl.String)
    return trials.cells(column)


def _scored(frame: pl.DataFrame, estimand: Estimand, trials: Trials) -> pl.DataFrame:
    """The trials that count, missing outcomes by the rule."""
    absent = pl.col("status").cast(pl.String) == "not_run"
    rule = "fail" if estimand.missing == "unset" else estimand.missing
    lost = frame.filter(pl.col("score").is_null() & ~absent)
    if rule == "error" and lost.height:
        raise InputError(
            f"{lost.height} of {frame.height} trials have no outcome",
            where=trials.origin,
            allowed="no missing outcome under this rule",
            hint="say how to count them: --missing fail (as 0) or --missing drop (left out)",
        )
    filled = pl.col("score").fill_null(0.0)
    if rule != "fail":
        filled = pl.col("score")
    elif estimand.missing == "unset":
        filled = pl.when(absent).then(pl.col("score")).otherwise(filled)
    kept = frame.with_columns(score=filled).drop_nulls("score")
    if not kept.height:
        raise InputError("no trial has an outcome", where=trials.origin)
    return kept


def _observations(frame: pl.DataFrame) -> Observations:
    columns: dict[str, Any] = {"score": frame["score"].to_numpy().astype(float)}
    priced = "cost_usd" in frame.columns
    cost = (
        frame["cost_usd"].cast(pl.Float64) if priced else pl.repeat(None, frame.height, eager=True)
    )
    columns["cost"] = cost.cast(pl.Float64).fill_null(float("nan")).to_numpy().astype(float)
    columns["cost"][columns["cost"] <= 0] = np.nan  # a cost of 0 is unpriced
    for name, column in (*((f, f) for f in FACETS), (BENCHMARK, BENCHMARK), ("item", "task")):
        names = frame[column].unique().sort()
        columns[name] = frame[column].cast(pl.Enum(names)).to_physical().to_numpy().astype(np.intp)
        columns[f"{name}s"] = tuple(names)
    return Observations(**columns)


def parts_of(
    found: Observations, trials: Trials, per: str | None
) -> Iterator[tuple[str, Observations]]:
    """The whole, or one part for every value of a task column.

    Raises
    ------
    SpecError
        No such task column.
    """
    if per is None:
        yield "all", found
        return
    groups = dict(zip(trials.tasks["task"], trials.cells(per), strict=True))
    labels = np.array([groups[item] for item in found.items])
    for name in np.unique(labels):
        part = found.where(labels[found.item] == name)
        zero = np.zeros_like(part.benchmark)
        yield str(name), replace(part, benchmark=zero, benchmarks=(str(name),))
