"""Grouped and aggregate records: weighted rates and their movement, and never an interval."""

from __future__ import annotations

import numpy as np

from tiebreak.estimate.contract import Array, Bounds, Index
from tiebreak.estimate.pairs import PairEstimates
from tiebreak.estimate.scores import ScoreEstimates
from tiebreak.panel import Panel


def grouped_scores(panel: Panel) -> ScoreEstimates:
    """Released-mix and target-standardized rates of every configuration."""
    rates, mass = cell_rates(panel)
    supported = ((mass > 0) | (panel.weights == 0)).all(axis=1)
    score = np.where(supported, np.nansum(rates * panel.weights, axis=1), np.nan)
    nothing = np.full(score.shape, np.nan)
    return ScoreEstimates(_mix(rates, mass), score, nothing, _no_bounds(nothing), _tasks(panel))


def grouped_pairs(panel: Panel, left: Index, right: Index) -> PairEstimates:
    """Gaps of rates under the target and under the released mix of the shared cells."""
    rates, mass = cell_rates(panel)
    gaps = rates[left] - rates[right]
    shared = ~np.isnan(gaps)
    weights = np.where(shared, panel.weights, 0.0)
    covered = weights.sum(axis=1)
    scaled = np.divide(
        weights, covered[:, None], out=np.full_like(weights, np.nan), where=covered[:, None] > 0
    )
    gap = np.where(covered > 0, np.nansum(gaps * scaled, axis=1), np.nan)
    observed = _mix(rates[left], mass[left] * shared) - _mix(rates[right], mass[right] * shared)
    nothing = np.full(gap.shape, np.nan)
    tasks = _tasks(panel)
    return PairEstimates(
        left=left,
        right=right,
        gap=gap,
        se=nothing,
        df=None,
        bounds=_no_bounds(nothing),
        observed=observed,
        movement=gap - observed,
        movement_bounds=_no_bounds(nothing),
        covered=covered,
        n_tasks=np.minimum(tasks[left], tasks[right]),
        cell_gaps=np.where(shared & (covered > 0)[:, None], gaps, np.nan),
        cell_weights=np.nan_to_num(scaled),
    )


def cell_rates(panel: Panel) -> tuple[Array, Array]:
    """Rate and mass (trials, or groups where no count is stated) per configuration and cell."""
    hot = (panel.cells[:, None] == np.arange(len(panel.cell_names))).astype(float)
    present = ~np.isnan(panel.values)
    counts = np.ones(panel.values.shape) if panel.counts is None else panel.counts
    counts = np.where(np.isnan(counts), 1.0, counts) * present
    mass = counts @ hot
    total = (np.nan_to_num(panel.values) * counts) @ hot
    return np.divide(total, mass, out=np.full_like(mass, np.nan), where=mass > 0), mass


def _mix(rates: Array, mass: Array) -> Array:
    total: Array = mass.sum(axis=1)
    top: Array = (np.nan_to_num(rates) * mass).sum(axis=1)
    return np.where(total > 0, top / np.where(total > 0, total, 1.0), np.nan)


def _tasks(panel: Panel) -> Array:
    """Trials behind the rates where counts are stated, else the number of groups."""
    present = ~np.isnan(panel.values)
    counts = panel.counts if panel.counts is not None else np.full(panel.values.shape, np.nan)
    tasks: Array = np.where(np.isnan(counts), 1.0, counts).sum(axis=1, where=present)
    return tasks


def _no_bounds(nothing: Array) -> Bounds:
    zero = np.zeros_like(nothing)
    return Bounds(nothing, nothing, zero, zero)
