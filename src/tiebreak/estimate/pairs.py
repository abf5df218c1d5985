"""Panel + Design → estimates of every pair: gap, movement, support, cell gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Engine, Fit, Index, Sample, contrast
from tiebreak.estimate.engines import make_engine
from tiebreak.kernels.moments import CellMoments, pair_moments
from tiebreak.kernels.multiplicity import bh_levels, holm_levels
from tiebreak.kernels.radius import l1_radius
from tiebreak.panel import Panel


@dataclass(frozen=True, slots=True, eq=False)
class PairEstimates:
    """Estimates per pair (left − right); every array is (pairs,) unless said otherwise.

    ``covered`` is the share of the target's weight inside the pair's common support; where it
    is below 1 the gap is that of the restricted target. ``cell_gaps`` and ``cell_weights`` are
    (pairs, cells), NaN and 0 outside support.
    """

    left: Index
    right: Index
    gap: Array
    se: Array
    df: Array | None
    bounds: Bounds
    observed: Array
    movement: Array
    movement_bounds: Bounds
    covered: Array
    n_tasks: Array
    cell_gaps: Array
    cell_weights: Array

    @property
    def unsupported(self) -> NDArray[np.bool_]:
        """Pairs whose target puts weight outside their common support."""
        outside: NDArray[np.bool_] = self.covered < 1 - 1e-9
        return outside

    def radius(self, level: float) -> Array:
        """L1 radius at which the leader's lead falls to ``level``."""
        sign = np.where(self.gap < 0, -1.0, 1.0)[:, None]
        return l1_radius(sign * self.cell_gaps, self.cell_weights, level)


@dataclass(frozen=True, slots=True, eq=False)
class PairFit:
    """A fitted family of pairs, ready for intervals under any family rule."""

    panel: Panel
    left: Index
    right: Index
    moments: CellMoments
    weights: Array
    covered: Array
    engine: Engine
    fit: Fit

    def bounds(self, design: Design) -> Bounds:
        """Intervals of the gaps under the design's family rule."""
        limits = (-1.0, 1.0) if self.panel.scale == "unit" else (-np.inf, np.inf)
        return family_bounds(self.fit, self.covered, design, limits)

    def estimates(self, design: Design) -> PairEstimates:
        """Everything a decision needs."""
        observed = observed_weights(self.moments.n)
        known = (self.moments.n > 0) & (self.covered > 0)[:, None]
        movement, bounds = self._movement(observed, design)
        return PairEstimates(
            left=self.left,
            right=self.right,
            gap=contrast(self.moments, self.weights),
            se=self.fit.se,
            df=self.fit.df,
            bounds=self.bounds(design),
            observed=contrast(self.moments, observed),
            movement=movement,
            movement_bounds=bounds,
            covered=self.covered,
            n_tasks=self.moments.n.sum(axis=1),
            cell_gaps=np.where(known, self.moments.mean, np.nan),
            cell_weights=np.nan_to_num(self.weights),
        )

    def _movement(self, observed: Array, design: Design) -> tuple[Array, Bounds]:
        """gap − observed gap on the same matched tasks, at the pointwise level; 0 if they agree."""
        movement = contrast(self.moments, self.weights - observed)
        if np.nanmax(np.abs(self.weights - observed), initial=0.0) < 1e-12:
            zero = np.where(np.isnan(movement), np.nan, 0.0)
            return zero, Bounds(zero, zero, np.zeros_like(zero), np.zeros_like(zero))
        fit = self.engine.fit(self.weights, observed)
        return movement, fit.interval(np.full(movement.size, design.alpha))


def fit_pairs(panel: Panel, design: Design, left: Index, right: Index) -> PairFit:
    """Fit the gaps of the pairs (left, right) on their matched tasks."""
    n_cells = len(panel.cell_names)
    moments = pair_moments(panel.values, panel.cells, n_cells, left, right)
    weights, covered = pair_weights(panel, moments.n, left, right)
    sample = Sample(
        panel.values, panel.cells, n_cells, left, right, moments, panel.repeats, panel.scale
    )
    engine = make_engine(sample, design)
    fit = PairFit(panel, left, right, moments, weights, covered, engine, engine.fit(weights))
    if design.estimator == "regression":
        from tiebreak.estimate.regression import fit_regression

        return fit_regression(fit, design)
    return fit


def pair_weights(panel: Panel, n: Array, left: Index, right: Index) -> tuple[Array, Array]:
    """Target weights restricted to each pair's common support, and the share that it covers.

    A target that weighs tasks by themselves gives each matched task the same weight; its share
    is that of the tasks which both ran. Other targets keep their weights on supported cells,
    rescaled to 1. Rows without any support are NaN.
    """
    if panel.by_task:
        ran = panel.ran.astype(float)
        covered = (ran @ ran.T)[left, right] / max(len(panel.tasks), 1)
        weights = observed_weights(n)
    else:
        kept = np.where(n > 0, panel.weights, 0.0)
        covered = kept.sum(axis=1)
        weights = np.divide(
            kept, covered[:, None], out=np.full_like(kept, np.nan), where=covered[:, None] > 0
        )
    covered = np.where(np.isnan(weights).any(axis=1), 0.0, covered)
    return weights, covered


def observed_weights(n: Array) -> Array:
    """n_x / n, NaN where a unit has no task at all."""
    total: Array = n.sum(axis=1, keepdims=True)
    return np.divide(n, total, out=np.full_like(n, np.nan), where=total > 0)


def family_bounds(
    fit: Fit, covered: Array, design: Design, limits: tuple[float, float] = (-1.0, 1.0)
) -> Bounds:
    """Intervals by the family rule, bands within the limits of a gap.

    Pairs without full support are no members under Holm and Benjamini–Hochberg; a max-deviation
    band covers them too, which makes it a little wider.
    """
    if design.family in ("simultaneous", "studentized"):
        band = fit.simultaneous(design.alpha, studentized=design.family == "studentized")
        return band._replace(low=np.clip(band.low, *limits), high=np.clip(band.high, *limits))
    if design.family == "pointwise":
        return fit.interval(np.full(covered.size, design.alpha))
    p = np.where(covered < 1 - 1e-9, np.nan, fit.p_values())
    levels = holm_levels(p, design.alpha) if design.family == "holm" else bh_levels(p, design.alpha)
    return fit.interval(levels)
