"""Repeated runs of a panel: how many trials each task has, how they vary, whether runs span tasks.

Runs are *crossed* where one run is one pass over the tasks, so that all its tasks can share a
shock; *nested* where each task's trials stand by themselves. Ids show the first only if the same
ones recur over tasks, and mean nothing where rows were expanded from counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import RunDesign
from tiebreak.errors import SpecError, listed

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
SPAN = 0.5
"""A crossed run has an outcome on more than this share of its configuration's tasks."""
MOST_RUNS = 1000
"""More ids than this number single trials, not runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Outcomes by run.

    ``counts``, ``means`` and ``within`` (configurations × tasks) are the number of outcomes, their
    mean and their sum of squares about it. ``outcomes`` (configurations × tasks × run ids) is NaN
    where there is none, and without run ids where nobody's runs are crossed. ``crossed`` and
    ``scale`` are per configuration; ``scale`` is how much a run shock moves the protocol's score
    relative to pass@1. ``counted``: rows were expanded from counts, so ids carry no order.
    """

    counts: Array
    means: Array
    within: Array
    crossed: Flags
    outcomes: Array
    names: tuple[str, ...]
    scale: Array
    counted: bool = False

    @property
    def several(self) -> Flags:
        """Configurations with more than one outcome on some task."""
        found: Flags = self.counts.max(axis=1, initial=0.0) > 1
        return found

    @property
    def fewest(self) -> NDArray[np.intp]:
        """Smallest number of outcomes of a task that has any, per configuration."""
        filled = np.where(self.counts > 0, self.counts, np.inf).min(axis=1, initial=np.inf)
        return np.where(np.isfinite(filled), filled, 0).astype(np.intp)

    def ids(self, row: int) -> tuple[str, ...]:
        """Run ids with an outcome of a configuration whose runs are crossed."""
        if not self.crossed[row]:
            return ()
        ran = ~np.isnan(self.outcomes[row]).all(axis=0)
        return tuple(n for n, r in zip(self.names, ran, strict=True) if r)

    def deviations(self, rows: NDArray[np.intp]) -> Array:
        """Outcome minus the task's mean, times the protocol's scale, (rows, tasks, run ids)."""
        moved: Array = self.outcomes[rows] - self.means[rows][:, :, None]
        return moved * self.scale[rows][:, None, None]

    def plus(self, other: Repeats, factor: float) -> Repeats:
        """self + factor · other, run by run; ``within`` is not known then, and NaN."""
        return replace(
            self,
            means=self.means + factor * other.means,
            within=np.full_like(self.within, np.nan),
            outcomes=self.outcomes + factor * other.outcomes,
        )

    def beside(self, other: Repeats) -> Repeats:
        """The configurations of both, one after the other; the run ids are the same."""
        return replace(
            self,
            counts=np.concatenate([self.counts, other.counts]),
            means=np.concatenate([self.means, other.means]),
            within=np.concatenate([self.within, other.within]),
            crossed=np.concatenate([self.crossed, other.crossed]),
            outcomes=np.concatenate([self.outcomes, other.outcomes]),
            scale=np.concatenate([self.scale, other.scale]),
        )

    def take(self, rows: list[int]) -> Repeats:
        """Some of the configurations."""
        return replace(
            self,
            counts=self.counts[rows],
            means=self.means[rows],
            within=self.within[rows],
            crossed=self.crossed[rows],
            outcomes=self.outcomes[rows],
            scale=self.scale[rows],
        )

    def of_tasks(self, tasks: NDArray[np.intp] | Flags) -> Repeats:
        """Some of the tasks, or all in another order."""
        return replace(
            self,
            counts=self.counts[:, tasks],
            means=self.means[:, tasks],
            within=self.within[:, tasks],
            outcomes=self.outcomes[:, tasks],
        )

    def designed(self, runs: RunDesign, configurations: tuple[str, ...]) -> Repeats:
        """The design that was stated, or what the ids show (``auto``).

        Raises
        ------
        SpecError
            ``crossed`` where some configuration's runs do not span its tasks.
        """
        if runs == "nested":
            return replace(self, crossed=np.zeros_like(self.crossed))
        apart = self.several & ~self.crossed
        if runs == "crossed" and apart.any():
            names = [c for c, a in zip(configurations, apart, strict=True) if a]
            raise SpecError(
                "runs are stated as crossed, but no run spans the tasks of some configurations",
                got=("rows expanded from counts: " if self.counted else "") + listed(names, 4),
                allowed="run ids that recur over tasks, or --runs nested",
            )
        return self


def make_repeats(
    score: Array,
    cell: NDArray[np.int64],
    run: NDArray[np.int64],
    names: tuple[str, ...],
    shape: tuple[int, int],
    *,
    counted: bool,
) -> Repeats:
    """Dense arrays from one row per trial: its score (NaN: none), its cell in ``shape``, its run.

    ``cell`` is configuration · tasks + task.
    """
    kept = ~np.isnan(score)
    score, cell, run, size = score[kept], cell[kept], run[kept], shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size).astype(float)
    sums = np.bincount(cell, weights=score, minlength=size)
    means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    within: Array = np.zeros(size)
    within += np.bincount(cell, weights=(score - means[cell]) ** 2, minlength=size)
    counts = counts.reshape(shape)
    crossed = _crossed(counts, cell // shape[1], run, len(names)) & (not counted)
    outcomes = np.full((*shape, len(names) if crossed.any() else 0), np.nan)
    if crossed.any():
        dense = crossed[cell // shape[1]]
        outcomes.reshape(size, -1)[cell[dense], run[dense]] = score[dense]
    return Repeats(
        counts=counts,
        means=means.reshape(shape),
        within=within.reshape(shape),
        crossed=crossed,
        outcomes=outcomes,
        names=names,
        scale=np.ones(shape[0]),
        counted=counted,
    )


def _crossed(
    counts: Array, configuration: NDArray[np.int64], run: NDArray[np.int64], n_ids: int
) -> Flags:
    """Several runs, each of which spans more than ``SPAN`` of the configuration's tasks."""
    k = counts.shape[0]
    if n_ids > MOST_RUNS:
        return np.zeros(k, dtype=bool)
    spans = np.bincount(configuration * n_ids + run, minlength=k * n_ids).reshape(k, n_ids)
    tasks = (counts > 0).sum(axis=1, keepdims=True)
    whole = (spans == 0) | (spans > SPAN * tasks)
    crossed: Flags = whole.all(axis=1) & ((spans > 0).sum(axis=1) > 1)
    return crossed
