"""Trials → labels of 0 and 1 by every source, with codes of configurations, tasks and cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimand import Target
from tiebreak.panel import ALL
from tiebreak.trials import Accounting, Trials, label_column

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Flags = NDArray[np.bool_]
Thresholds = Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The reference, the sources against it, and from which score a graded source says success."""

    reference: str
    against: tuple[str, ...]
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Labels per trial record; every array of codes is (records,) unless said otherwise.

    ``labels`` holds 0, 1 or NaN by source, ``scores`` the numbers as recorded. ``trials`` are the
    records with these labels. ``task_cell`` (tasks,) is the cell of every task of the universe.
    """

    asked: Asked
    trials: Trials
    labels: Mapping[str, Array]
    scores: Mapping[str, Array]
    configuration: Index
    task: Index
    task_cell: Index
    configurations: tuple[str, ...]
    cells: tuple[str, ...]

    @property
    def reference(self) -> Array:
        """Labels of the reference."""
        return self.labels[self.asked.reference]

    def paired(self, *sources: str) -> Flags:
        """Records that the reference and all these sources labelled."""
        known = [~np.isnan(self.labels[s]) for s in (self.asked.reference, *sources)]
        both: Flags = np.all(known, axis=0)
        return both

    def graded(self, source: str) -> bool:
        """Whether the scores say more than the label."""
        scores, labels = self.scores[source], self.labels[source]
        return bool((scores[~np.isnan(scores)] != labels[~np.isnan(labels)]).any())

    def pairing(self, source: str) -> Trials:
        """The records that both the reference and the source labelled, as trials of the two."""
        kept = self.trials.frame.filter(pl.Series(self.paired(source)))
        return replace(
            self.trials,
            frame=kept,
            sources=(self.asked.reference, source),
            accounting=Accounting(kept.height, kept.height),
        )


def label(trials: Trials, asked: Asked, target: Target, *, unlabelled_fail: bool) -> Labels:
    """Labels of the sources asked for.

    ``unlabelled_fail``: a trial without a reference label counts as a failure by it.

    Raises
    ------
    SpecError, InputError
        Grouped records, sources or thresholds that are not there, a graded source without a
        threshold, a reference of one class, or no source with a label beside the reference's.
    """
    _check(trials, asked)
    scores = {s: _column(trials, s) for s in (asked.reference, *asked.against)}
    if unlabelled_fail:
        ran = (trials.frame["status"] != "not_run").to_numpy()
        own = scores[asked.reference]
        scores[asked.reference] = np.where(np.isnan(own) & ran, 0.0, own)
    labels = {s: _labels(v, s, asked.thresholds.get(s), trials.origin) for s, v in scores.items()}
    columns = [pl.Series(label_column(s), v, nan_to_null=True) for s, v in labels.items()]
    frame = trials.frame.with_columns(columns)
    cell, names = _cells(trials, target)
    found = Labels(
        asked=asked,
        trials=replace(trials, frame=frame, sources=(asked.reference, *asked.against)),
        labels=labels,
        scores=scores,
        configuration=_codes(frame["configuration"]),
        task=_codes(frame["task"]),
        task_cell=cell,
        configurations=tuple(trials.configurations["configuration"].to_list()),
        cells=names,
    )
    _check_pairs(found)
    return found


def ask(
    trials: Trials,
    reference: str,
    against: Sequence[str] | None,
    threshold: float | Thresholds | None,
) -> Asked:
    """The sources by name; by default every source stands against the reference."""
    others = tuple(s for s in trials.sources if s != reference)
    named = others if against is None else tuple(dict.fromkeys(against))
    if isinstance(threshold, int | float):
        return Asked(reference, named, dict.fromkeys((reference, *named), float(threshold)))
    return Asked(reference, named, {s: float(t) for s, t in (threshold or {}).items()})


def _check(trials: Trials, asked: Asked) -> None:
    if trials.kind != "item":
        raise InputError(
            "labels are compared trial by trial",
            where=trials.origin,
            got=f"{trials.kind} records",
        )
    sources = listed(trials.sources, 20)
    if len(trials.sources) < 2:
        raise InputError(
            "one label source only: there is nothing to compare it with",
            where=trials.origin,
            got=sources,
            hint="write the labels of each source in a column of its own: label:NAME",
        )
    unknown = [s for s in (asked.reference, *asked.against) if s not in trials.sources]
    if unknown:
        what = "unknown label source"
        raise SpecError(what, where=trials.origin, allowed=sources, got=listed(unknown))
    if asked.reference in asked.against or not asked.against:
        got = asked.reference if asked.against else "none"
        raise SpecError("a reference stands against other sources", allowed=sources, got=got)
    _check_thresholds(asked)


def _check_thresholds(asked: Asked) -> None:
    strange = sorted(set(asked.thresholds) - {asked.reference, *asked.against})
    if strange:
        what = "a threshold for a source that is not compared"
        allowed = listed((asked.reference, *asked.against))
        raise SpecError(what, allowed=allowed, got=listed(strange))
    for source, t in asked.thresholds.items():
        if not 0 < t <= 1:
            raise SpecError(
                f"the threshold of '{source}' is out of range",
                allowed="0 < threshold ≤ 1: scores are fractions, percentages divided by 100",
                got=f"{t:g}",
            )


def _column(trials: Trials, source: str) -> Array:
    values: Array = trials.frame[label_column(source)].to_numpy().astype(float)
    return values


def _labels(scores: Array, source: str, threshold: float | None, origin: str) -> Array:
    """0 or 1 from scores: as they are, or from a threshold on."""
    known = scores[~np.isnan(scores)]
    graded = ~np.isin(known, (0.0, 1.0))
    if threshold is not None:
        return np.where(np.isnan(scores), np.nan, (scores >= threshold).astype(float))
    if graded.any():
        raise InputError(
            f"source '{source}' is graded: its scores are no labels",
            where=origin,
            allowed="0 or 1, or a threshold",
            got=f"{np.unique(known).size} scores from {known.min():g} to {known.max():g}",
            hint=f"say from which score it means success: --threshold {source}=0.5",
        )
    return scores


def _cells(trials: Trials, target: Target) -> tuple[Index, tuple[str, ...]]:
    if target.column is None:
        return np.zeros(trials.tasks.height, dtype=np.intp), (ALL,)
    values = trials.cells(target.column)
    names = values.unique().sort().to_list()
    at = {name: i for i, name in enumerate(names)}
    return np.array([at[v] for v in values], dtype=np.intp), tuple(names)


def _codes(column: Any) -> Index:
    codes: Index = column.to_physical().to_numpy().astype(np.intp)
    return codes


def _check_pairs(found: Labels) -> None:
    """A reference with both classes, and some source with labels of the same trials."""
    name, origin = found.asked.reference, found.trials.origin
    known = found.reference[~np.isnan(found.reference)]
    if np.unique(known).size < 2:
        said = "nothing" if not known.size else ("failure", "success")[int(known[0])]
        raise InputError(
            f"the reference '{name}' has one class only: there are no errors to tell apart",
            where=origin,
            allowed="successes and failures",
            got=f"{said} in all {known.size:,} labels",
        )
    if not any(found.paired(s).any() for s in found.asked.against):
        raise InputError(
            f"no trial has a label of '{name}' and of another source: only comparisons between "
            "sources remain",
            where=origin,
            got=f"{listed(found.asked.against)} on other trials",
            hint="compare them one by one: tiebreak board PATH --label-source NAME",
        )
