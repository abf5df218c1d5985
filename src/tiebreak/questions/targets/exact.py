"""Scores as ratios of whole numbers, so that crossovers of counts are exact.

Task values that are c/k of a task's runs (0 and 1 for a single run) are recovered from their
floats: the nearest ratio with a denominator that the runs allow, within 1e-12. So are the rates of
groups that state their counts. Graded scores are no such ratios.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.estimate.contract import Index
from tiebreak.panel import Panel

NEAR = 1e-12
WHOLE_FLOATS = 2**53
"""Sums below this are exact in floating point."""
Ratios = list[Fraction | None]
"""One per cell; None where there is no score."""


class Exact(Protocol):
    """Cell values in rational numbers."""

    def rates(self, configuration: int) -> Ratios:
        """Rates of a configuration, per cell."""

    def gaps(self, left: int, right: int) -> Ratios:
        """Gaps of a pair on matched tasks, per cell."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactTasks:
    """``whole`` / ``scale`` are the task values, (configurations, tasks)."""

    whole: NDArray[np.float64]
    present: NDArray[np.bool_]
    scale: int
    cells: Index
    n_cells: int

    def rates(self, configuration: int) -> Ratios:
        """Σ y / n over own tasks."""
        return self._mean(self.whole[configuration], self.present[configuration])

    def gaps(self, left: int, right: int) -> Ratios:
        """Σ (y_a − y_b) / n over matched tasks."""
        both = self.present[left] & self.present[right]
        return self._mean(self.whole[left] - self.whole[right], both)

    def _mean(self, values: NDArray[np.float64], kept: NDArray[np.bool_]) -> Ratios:
        total = np.bincount(self.cells[kept], weights=values[kept], minlength=self.n_cells)
        n = np.bincount(self.cells[kept], minlength=self.n_cells)
        return [
            Fraction(int(t), int(k) * self.scale) if k else None
            for t, k in zip(total, n, strict=True)
        ]


@dataclass(frozen=True, slots=True, eq=False)
class ExactGroups:
    """Rates of groups with counts, (configurations) lists of cells."""

    values: list[Ratios]

    def rates(self, configuration: int) -> Ratios:
        """Successes over trials."""
        return self.values[configuration]

    def gaps(self, left: int, right: int) -> Ratios:
        """Differences of rates."""
        pairs = zip(self.values[left], self.values[right], strict=True)
        return [None if a is None or b is None else a - b for a, b in pairs]


def exact_cells(panel: Panel) -> Exact | str:
    """Cell values in rational numbers, or why there are none."""
    if panel.counts is not None:
        return _groups(panel, panel.counts)
    protocol, present = panel.estimand.protocol, ~np.isnan(panel.values)
    seen = np.unique(panel.values[present])
    ratios = [_ratio(v, comb(panel.max_runs, protocol.k)) for v in seen.tolist()]
    found = [r for r in ratios if r is not None]
    if len(found) < len(ratios):
        return "no exact weight: scores are graded, not k of n runs"
    scale = lcm(*(r.denominator for r in found))
    if scale * len(panel.tasks) >= WHOLE_FLOATS:
        return "no exact weight: the numbers of runs have too large a common multiple"
    whole = np.zeros(panel.values.shape)
    table = np.array([int(r * scale) for r in found], dtype=float)
    whole[present] = table[np.searchsorted(seen, panel.values[present])]
    return ExactTasks(whole, present, scale, panel.cells, len(panel.cell_names))


def _ratio(value: float, largest: int) -> Fraction | None:
    near = Fraction(value).limit_denominator(largest)
    return near if abs(float(near) - value) <= NEAR else None


def _groups(panel: Panel, counts: NDArray[np.float64]) -> Exact | str:
    values = []
    for rates, sizes in zip(panel.values, counts, strict=True):
        successes, trials = (
            [Fraction(0)] * len(panel.cell_names),
            [Fraction(0)] * len(panel.cell_names),
        )
        for rate, size, cell in zip(rates.tolist(), sizes.tolist(), panel.cells, strict=True):
            if np.isnan(rate):
                continue
            ratio = None if not size >= 1 else _ratio(rate, int(size))
            if ratio is None:
                return "no exact weight: rates are not k/n of stated counts"
            successes[cell] += ratio * Fraction(size)
            trials[cell] += Fraction(size)
        values.append([k / n if n else None for k, n in zip(successes, trials, strict=True)])
    return ExactGroups(values)
