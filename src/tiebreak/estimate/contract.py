"""One contract of the interval engines: a fitted contrast gives intervals at any level.

A *unit* is a configuration (for scores) or a pair (for gaps); every array is (units,).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.moments import CellMoments
from tiebreak.panel import Scale
from tiebreak.repeats import Repeats

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Bounds(NamedTuple):
    """Interval bounds and the Monte Carlo error of each (0 where nothing is drawn)."""

    low: Array
    high: Array
    low_error: Array
    high_error: Array


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What an engine sees: task values, sorted cells and the units to estimate.

    ``right`` is None where the units are single configurations. ``moments`` are those of the
    units' values, (units, cells). ``repeats`` holds outcomes by run where tasks have several.
    ``scale`` is that of the panel's values: where it is the unit interval, scores lie in it and
    gaps in [−1, 1].
    """

    values: Array
    cells: Index
    n_cells: int
    left: Index
    right: Index | None
    moments: CellMoments
    repeats: Repeats | None = None
    scale: Scale = "unit"

    @property
    def limits(self) -> tuple[float, float]:
        """What no interval needs to pass: the range of a score or a gap."""
        if self.scale != "unit":
            return -np.inf, np.inf
        return (0.0 if self.right is None else -1.0), 1.0

    @property
    def complete(self) -> bool:
        """Every configuration has every task."""
        return not bool(np.isnan(self.values).any())


class Fit(Protocol):
    """A contrast Σ_x w_x mean_x of every unit, ready for intervals."""

    @property
    def se(self) -> Array:
        """Standard errors."""

    @property
    def df(self) -> Array | None:
        """Degrees of freedom, where the engine has them."""

    def interval(self, alpha: Array) -> Bounds:
        """Equal-tailed intervals at each unit's own error level."""

    def p_values(self) -> Array:
        """Two-sided p values of contrast = 0; the interval at level p has a bound at 0."""

    def simultaneous(self, alpha: float, *, studentized: bool) -> Bounds:
        """Max-deviation bands: all units at once are covered with probability 1 − α."""


class Engine(Protocol):
    """An interval engine bound to a sample."""

    def fit(self, weights: Array, minus: Array | None = None) -> Fit:
        """Fit the score of cell weights (units, cells), or its movement away from ``minus``."""


def contrast(moments: CellMoments, weights: Array) -> Array:
    """Σ_x w_x mean_x; cells of zero weight may lack a mean. NaN where a weighted cell does."""
    used = np.where(weights != 0, moments.mean * weights, 0.0)  # NaN weights stay NaN
    total: Array = used.sum(axis=1)
    return np.where(np.abs(total) < 1e-12, 0.0, total)
