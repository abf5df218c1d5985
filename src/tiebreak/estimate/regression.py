"""Regression standardization: scores of a logistic model with cell and configuration.

    logit P(y_at = 1) = β₀ + α_a + γ_x(t),   ψ(a) = Σ_x π_x expit(β̂₀ + α̂_a + γ̂_x)

A cell of two tasks takes the configuration's level from all cells, so a target that rests on thin
cells varies less. Intervals are about the model's scores: where configurations differ between
cells more than the model allows these are not the scores of the target, and no interval of the
model can show it.

The interval is that of the delta method with tasks as clusters: the influence of task t,

    u_at = (∂ψ(a)/∂β)′ H⁻¹ Σ_b x_bt (y_bt − p_bt),

sums to 0 over the n tasks, so ψ(a) + n u_at are task values whose mean is ψ(a) and whose variance
over n is that of ψ̂(a). They go through the default engine as one cell. For a single score that
misses what a thin cell's own effect takes up: the residuals of a lone task add up to 0 over the
configurations. So the part of u_at that comes from the task's mean residual r̄_t, b_ax r̄_t, has the
moderated variance Σ_x n_x b_ax² s̃_x² instead, in which a lone task borrows that of the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Index, Sample
from tiebreak.estimate.engines import make_engine
from tiebreak.estimate.logistic import Logistic, fit_logistic, indicators
from tiebreak.estimate.pairs import PairEstimates, PairFit
from tiebreak.kernels.combine import satterthwaite
from tiebreak.kernels.moderation import moderation, sampling_variance, wilson
from tiebreak.kernels.moments import blocks, pair_moments, score_moments
from tiebreak.kernels.student import t_quantile
from tiebreak.panel import Panel


@dataclass(frozen=True, slots=True, eq=False)
class Standardized:
    """Fitted cell rates (configurations, cells) and linearized task values (configurations, tasks).

    ``own`` are those without the part of the task's mean residual; ``mean_residual`` is r̄
    (tasks,), NaN where nobody has the task, and ``pull`` n_x b_ax (configurations, cells).
    """

    rates: Array
    values: Array
    own: Array
    mean_residual: Array
    pull: Array


def standardize(panel: Panel) -> Standardized:
    """Fit the model to task values (fractions count as that share of a success)."""
    k, c, n = len(panel.configurations), len(panel.cell_names), len(panel.tasks)
    known = ~np.isnan(panel.values)
    hot = indicators(panel.cells, c)
    model = _fit(panel, known, hot)
    p = model.probabilities.reshape(k, c)
    residual = np.where(known, np.nan_to_num(panel.values) - p[:, panel.cells], 0.0)
    weighted = np.einsum("x,axj->aj", panel.weights, model.slopes().reshape(k, c, -1))
    gradient = weighted @ model.inverse
    count = known.sum(axis=0)
    mean = np.divide(residual.sum(axis=0), count, out=np.full(n, np.nan), where=count > 0)
    shared = np.where(known, np.nan_to_num(mean), 0.0)
    influence, common = (gradient @ _scores(r, hot).T for r in (residual, shared))
    influence -= influence.mean(axis=1, keepdims=True)  # the penalty's share of the score
    score = (p @ panel.weights)[:, None]
    pull = gradient @ (hot.T @ _scores(known.astype(float), hot)).T
    return Standardized(p, score + n * influence, score + n * (influence - common), mean, pull)


def _fit(panel: Panel, known: NDArray[np.bool_], hot: Array) -> Logistic:
    """The model on counts per configuration and cell."""
    k, c = len(panel.configurations), hot.shape[1]
    won, total = np.where(known, panel.values, 0.0) @ hot, known @ hot
    who, where = np.divmod(np.arange(k * c), c)
    parts = [np.ones((k * c, 1)), indicators(who, k), indicators(where, c)]
    return fit_logistic(np.concatenate(parts, axis=1), won.ravel(), (total - won).ravel())


def _scores(residual: Array, hot: Array) -> Array:
    """Σ_b x_bt r_bt of every task, (tasks, coefficients)."""
    together = residual.sum(axis=0)[:, None]
    return np.concatenate([together, residual.T, hot * together], axis=1)


def one_cell(values: Array) -> Index:
    """Codes of linearized tasks: all are one cell."""
    return np.zeros(values.shape[1], dtype=np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class RegressionFit(PairFit):
    """A family of pairs whose task values are linearized. ``direct`` is the same as it stands."""

    standardized: Standardized
    direct: PairFit

    def estimates(self, design: Design) -> PairEstimates:
        """Gaps of the model; the observed mix and the cells' sizes are those of the records."""
        inner = PairFit.estimates(self, design)
        observed = self.direct.estimates(replace(design, family="pointwise"))
        rates, known = self.standardized.rates, self.direct.moments.n > 0
        movement = inner.gap - observed.observed
        return replace(
            inner,
            observed=observed.observed,
            movement=movement,
            movement_bounds=self._movement_bounds(movement, design),
            n_tasks=observed.n_tasks,
            cell_gaps=np.where(known, rates[self.left] - rates[self.right], np.nan),
            cell_weights=np.broadcast_to(self.panel.weights, known.shape),
        )

    def _movement_bounds(self, movement: Array, design: Design) -> Bounds:
        """Delta method for (model's gap) − (observed gap of matched tasks), n − 1 df."""
        n, panel = len(self.panel.tasks), self.panel
        se = np.zeros_like(movement)
        for part in blocks(self.left.size, 4 * n):
            left, right = self.left[part], self.right[part]
            d = panel.values[left] - panel.values[right]
            counts = np.maximum((~np.isnan(d)).sum(axis=1, keepdims=True), 1)
            centred = np.nan_to_num(d - np.nansum(d, axis=1, keepdims=True) / counts)
            model = self.standardized.values[left] - self.standardized.values[right]
            moved = model - model.mean(axis=1, keepdims=True) - n / counts * centred
            se[part] = np.sqrt((moved**2).sum(axis=1) / (n * max(n - 1, 1)))
        half = t_quantile(1 - design.alpha / 2, np.array(max(n - 1.0, 1.0))) * se
        zero = np.zeros_like(se)
        return Bounds(movement - half, movement + half, zero, zero)


def fit_regression(direct: PairFit, design: Design) -> RegressionFit:
    """The same pairs by the model. A weighted cell without a common task is outside support."""
    panel, left, right = direct.panel, direct.left, direct.right
    found = standardize(panel)
    cells = one_cell(found.values)
    moments = pair_moments(found.values, cells, 1, left, right)
    engine = make_engine(Sample(found.values, cells, 1, left, right, moments), design)
    weights = np.ones((left.size, 1))
    covered = np.where(direct.moments.n > 0, panel.weights, 0.0).sum(axis=1)
    fit = engine.fit(weights)
    return RegressionFit(panel, left, right, moments, weights, covered, engine, fit, found, direct)


def regression_scores(panel: Panel, design: Design) -> tuple[Array, Array, Bounds]:
    """Scores of the model, their standard errors and pointwise intervals (Wilson's form)."""
    found = standardize(panel)
    k, n_cells, cells = len(panel.configurations), len(panel.cell_names), one_cell(found.own)
    tasks = moderation(np.full((1, 1), float(cells.size)), np.ones((1, 1)))
    own = score_moments(found.own, cells, 1)
    means = score_moments(found.mean_residual[None], panel.cells, n_cells)
    constants = moderation(np.tile(means.n, (k, 1)), found.pull)
    parts = (
        sampling_variance(own, np.ones((1, 1)), tasks),
        sampling_variance(means, found.pull, constants),
    )
    variance, score = parts[0] + parts[1], found.rates @ panel.weights
    df = satterthwaite(parts[0], tasks.df, parts[1], constants.df)
    alpha = np.full(k, design.alpha)
    moments, one = score_moments(found.values, cells, 1), np.ones((k, 1))
    low, high = wilson(score, variance, moments, one, tasks, alpha, t_quantile(1 - alpha / 2, df))
    zero = np.zeros(k)
    return score, np.sqrt(variance), Bounds(low, high, zero, zero)
