"""A ratio of two contrasts with its interval: switch points of a price, cost per resolved task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiebreak.design import Design
from tiebreak.estimate.bootstrap import BootstrapEngine
from tiebreak.estimate.contract import Array, Index, Sample, contrast
from tiebreak.estimate.moderated import ModeratedEngine, ModeratedFit
from tiebreak.estimate.pairs import observed_weights, pair_weights
from tiebreak.kernels.crossovers import CrossoverSet, fieller
from tiebreak.kernels.moments import pair_moments, score_moments
from tiebreak.kernels.student import t_quantile
from tiebreak.panel import Panel, combined


@dataclass(frozen=True, slots=True)
class Ratios:
    """top/bottom of every unit, and all θ at which the 1 − α interval of top − θ bottom holds 0.

    ``n_tasks`` is how many tasks a unit's contrasts rest on.
    """

    value: Array
    allowed: CrossoverSet
    n_tasks: Array


def ratios(
    top: Panel, bottom: Panel, design: Design, left: Index, right: Index | None = None
) -> Ratios:
    """Ratios of the units' contrasts: scores where ``right`` is None, else gaps on matched tasks.

    V(top − θ bottom) is quadratic in θ, so three variances give it (Fieller 1954, J. R. Stat. Soc.
    B 16:175): of top, of bottom and of a mixture with weights that make both count. The panels hold
    values of the same trials. The engine moderates variances, which makes the covariance
    approximate; it is kept within what the two variances allow. Degrees of freedom: the smallest of
    the three. ``docs/coverage.md`` shows the coverage.
    """
    t0, b0 = (_fit(panel, design, left, right) for panel in (top, bottom))
    v0, v1 = t0.se**2, b0.se**2
    scale = _scale(v0, v1)
    mixed = _fit(combined(top, bottom, -scale), design, left, right)
    with np.errstate(invalid="ignore"):
        most = np.sqrt(v0 * v1)
        shared = np.clip((v0 + scale**2 * v1 - mixed.se**2) / (2 * scale), -most, most)
        value = np.divide(
            t0.estimate, b0.estimate, out=np.full_like(v0, np.nan), where=b0.estimate != 0
        )
    t = t_quantile(1 - design.alpha / 2, np.stack([f.df for f in (t0, b0, mixed)]).min(axis=0))
    away = v0 - 2 * shared + v1
    allowed = fieller(t0.estimate, t0.estimate - b0.estimate, v0, v0 - shared, away, t)
    return Ratios(value, allowed, t0.sample.moments.n.sum(axis=1))


def _scale(v0: Array, v1: Array) -> float:
    """How many of the bottom vary as much as one of the top; 1 where either does not vary."""
    known = (v0 > 0) & (v1 > 0) & np.isfinite(v0) & np.isfinite(v1)
    return float(np.sqrt(np.median(v0[known] / v1[known]))) if known.any() else 1.0


def _fit(panel: Panel, design: Design, left: Index, right: Index | None) -> ModeratedFit:
    """The t engine on scores or on gaps, on the tasks that have a value."""
    n_cells = len(panel.cell_names)
    if right is None:
        moments = score_moments(panel.values[left], panel.cells, n_cells)
        weights = own_weights(panel, moments.n)
    else:
        moments = pair_moments(panel.values, panel.cells, n_cells, left, right)
        weights, _ = pair_weights(panel, moments.n, left, right)
    sample = Sample(
        panel.values, panel.cells, n_cells, left, right, moments, panel.repeats, panel.scale
    )
    return ModeratedEngine(sample, design).fit(weights)


def own_weights(panel: Panel, n: Array) -> Array:
    """Weights of cells for scores on own tasks: as many as there are, or the target's.

    NaN where the target weighs a cell in which a configuration has nothing.
    """
    if panel.by_task:
        return observed_weights(n)
    supported = ((n > 0) | (panel.weights == 0)).all(axis=1)
    return np.where(supported[:, None], panel.weights, np.nan)


def own_means(panel: Panel) -> Array:
    """Score of every configuration on its own tasks, (configurations,)."""
    moments = score_moments(panel.values, panel.cells, len(panel.cell_names))
    return contrast(moments, own_weights(panel, moments.n))


def own_intervals(panel: Panel, design: Design) -> tuple[Array, Array, Array]:
    """Score (or mean amount) of every configuration on its own tasks, with its t interval."""
    k = len(panel.configurations)
    fit = _fit(panel, design, np.arange(k), None)
    bounds = fit.interval(np.full(k, design.alpha))
    return fit.estimate, bounds.low, bounds.high


def resampled(panels: tuple[Panel, Panel], design: Design) -> tuple[Array, Array]:
    """Bootstrap draws of two panels' scores on own tasks, (configurations, draws) each.

    Both come from the same draws of tasks (and runs), or of cells where those are sampled.
    """
    first, second = panels
    k = len(first.configurations)
    values = np.concatenate([first.values, second.values])
    repeats = None
    if first.repeats is not None and second.repeats is not None:
        repeats = first.repeats.beside(second.repeats)
    moments = score_moments(values, first.cells, len(first.cell_names))
    weights = own_weights(first, moments.n)
    rows, cells = np.arange(2 * k), len(first.cell_names)
    sample = Sample(values, first.cells, cells, rows, None, moments, repeats, "amount")
    draws = np.empty((2 * k, design.draws))
    for part, drawn in BootstrapEngine(sample, design).fit(weights).pieces():
        draws[part] = drawn
    return draws[:k], draws[k:]
