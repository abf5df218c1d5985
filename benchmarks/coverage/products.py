"""Intervals of the product for many replicates at once: each replicate is a unit of an engine.

No formula is repeated here. The engines of :mod:`tiebreak.estimate` take moments or task values of
any number of units, so replicates stand where configurations or pairs would.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from simulated import Array, Pairs

from tiebreak.design import Design
from tiebreak.estimand import Estimand, Target
from tiebreak.estimate.contract import Bounds, Sample
from tiebreak.estimate.engines import make_engine
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.kernels.moments import CellMoments, all_pairs
from tiebreak.panel import Panel

TOUCH = 1e-12
"""A bound that misses the truth by rounding only covers it (lattice points)."""


class Coverage(NamedTuple):
    """Shares of replicates whose truth is covered, lies below or above; mean width; error."""

    covered: float
    below: float
    above: float
    width: float
    error: float


def coverage(bounds: Bounds, truth: Array | float) -> Coverage:
    """How intervals did against the truth of each replicate."""
    below, above = truth < bounds.low - TOUCH, truth > bounds.high + TOUCH
    covered = float(np.mean(~(below | above)))
    error = float(np.sqrt(covered * (1 - covered) / below.size))
    width = float(np.mean(bounds.high - bounds.low))
    return Coverage(covered, float(below.mean()), float(above.mean()), width, error)


def from_moments(moments: CellMoments, weights: Array, design: Design, *, gap: bool) -> Bounds:
    """Intervals of replicates from their moments. Outcomes are 0/1, so no task value is needed."""
    units = np.arange(len(moments.mean))
    no_values, no_cells = np.zeros((0, 0)), np.zeros(0, dtype=np.intp)
    right = units if gap else None
    return _interval(
        Sample(no_values, no_cells, weights.size, units, right, moments), weights, design
    )


def from_values(pairs: Pairs, weights: Array, design: Design, *, gap: bool) -> Bounds:
    """Intervals of replicates from their task values; one set of draws serves all replicates."""
    values, cells = pairs.values()
    a = np.arange(len(pairs.tables))
    moments, right = (pairs.gap_moments, a + a.size) if gap else (pairs.score_moments, None)
    return _interval(Sample(values, cells, weights.size, a, right, moments), weights, design)


def _interval(sample: Sample, weights: Array, design: Design) -> Bounds:
    units = sample.left.size
    fit = make_engine(sample, design).fit(np.broadcast_to(weights, (units, weights.size)))
    return fit.interval(np.full(units, design.alpha))


def bands(
    values: Array, cells: NDArray[np.intp], weights: Array, kind: str, design: Design
) -> Bounds:
    """Family intervals of all pairs of a board."""
    names = tuple(f"cell {x}" for x in range(weights.size))
    panel = Panel(
        estimand=Estimand(target=Target("equal", "cell") if kind == "equal" else Target()),
        configurations=tuple(f"configuration {i}" for i in range(len(values))),
        tasks=tuple(f"task {t}" for t in range(cells.size)),
        values=values,
        ran=np.ones(values.shape, dtype=bool),
        cells=cells,
        cell_names=names,
        weights=weights,
        by_task=kind == "observed",
        max_runs=1,
    )
    return fit_pairs(panel, design, *all_pairs(len(values))).bounds(design)
