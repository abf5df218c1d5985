"""How much runs and tasks buy: standard deviation and detectable gap of a score or difference.

With components σ²_T (tasks), σ²_R (a shock that a run's tasks share) and σ²_TR,
n tasks and R runs,

    V(n, R) = σ²_T/n + σ²_R/R + σ²_TR/(nR),   floor(n) = σ²_T/n   for the population claim,
    V(n, R) =          σ²_R/R + σ²_TR/(nR),   floor    = 0        for the benchmark claim.

A negative estimate of a component counts as 0: a plan needs a variance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Array = NDArray[np.float64]


class Components(NamedTuple):
    """σ²_T, σ²_R and σ²_TR of a score, or of a difference of two (their sum)."""

    task: float
    run: float
    task_run: float

    @property
    def positive(self) -> Components:
        """Without negative estimates or unknown (NaN) components."""
        return Components(*(max(float(v), 0.0) if v == v else 0.0 for v in self))


def planned_sd(components: Components, tasks: Array, runs: Array, *, population: bool) -> Array:
    """√V(n, R), broadcast over tasks and runs."""
    c = components.positive
    within = c.run / runs + c.task_run / (np.asarray(tasks) * runs)
    sd: Array = np.sqrt(within + (c.task / np.asarray(tasks) if population else 0.0))
    return sd


def sd_floor(components: Components, tasks: int, *, population: bool) -> float:
    """What no number of runs goes below."""
    return float(np.sqrt(components.positive.task / tasks)) if population else 0.0


def detectable_gap(sd: Array, *, level: float = 0.95, power: float = 0.8) -> Array:
    """(z_{(1+level)/2} + z_power) · sd: the gap found with this power."""
    gap: Array = (ndtri((1 + level) / 2) + ndtri(power)) * np.asarray(sd)
    return gap


def enough_runs(
    components: Components, tasks: int, *, gain: float, population: bool, most: int = 1000
) -> int:
    """The least R after which one more run lowers the standard deviation by less than ``gain``."""
    runs = np.arange(1, most + 2, dtype=float)
    sd = planned_sd(components, np.array(tasks), runs, population=population)
    small = np.flatnonzero(-np.diff(sd) < gain)
    return int(small[0]) + 1 if small.size else most


def tasks_for(components: Components, runs: int, sd: float) -> float:
    """The least n with √V(n, R) ≤ sd for the population claim; infinite where none is enough.

    n = (σ²_T + σ²_TR/R) / (sd² − σ²_R/R): a shock that a run's tasks share sets a floor.
    """
    c = components.positive
    return _least(c.task + c.task_run / runs, sd**2 - c.run / runs)


def runs_for(components: Components, tasks: int, sd: float) -> float:
    """The least R with √V(n, R) ≤ sd for the population claim; infinite where none is enough.

    R = (σ²_R + σ²_TR/n) / (sd² − σ²_T/n): the tasks set a floor.
    """
    c = components.positive
    return _least(c.run + c.task_run / tasks, sd**2 - c.task / tasks)


def _least(part: float, room: float) -> float:
    """The least whole number whose share of the part fits the room, at least 1."""
    if part == 0.0:
        return 1.0 if room >= 0.0 else math.inf
    return max(1.0, math.ceil(round(part / room, 9))) if room > 0.0 else math.inf
