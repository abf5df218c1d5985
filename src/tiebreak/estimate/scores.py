"""Panel + Design → target and observed scores of every configuration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Sample, contrast
from tiebreak.estimate.engines import make_engine
from tiebreak.estimate.pairs import observed_weights
from tiebreak.kernels.moments import score_moments
from tiebreak.panel import Panel


@dataclass(frozen=True, slots=True, eq=False)
class ScoreEstimates:
    """Scores per configuration; NaN where the target puts weight on what it never ran."""

    observed: Array
    score: Array
    se: Array
    bounds: Bounds
    n_tasks: Array

    def take(self, rows: list[int]) -> ScoreEstimates:
        """The same estimates in another order."""
        bounds = Bounds(*(b[rows] for b in self.bounds))
        return ScoreEstimates(
            self.observed[rows], self.score[rows], self.se[rows], bounds, self.n_tasks[rows]
        )


def estimate_scores(panel: Panel, design: Design) -> ScoreEstimates:
    """Target-standardized scores with pointwise intervals, and raw means over own tasks."""
    n_cells, k = len(panel.cell_names), len(panel.configurations)
    moments = score_moments(panel.values, panel.cells, n_cells)
    observed = observed_weights(moments.n)
    if panel.by_task:
        supported = panel.ran.all(axis=1) & (moments.n.sum(axis=1) > 0)
        weights = np.where(supported[:, None], observed, np.nan)
    else:
        supported = ((moments.n > 0) | (panel.weights == 0)).all(axis=1)
        weights = np.where(supported[:, None], panel.weights, np.nan)
    if design.estimator == "regression":
        from tiebreak.estimate.regression import regression_scores

        score, se, bounds = regression_scores(panel, design)
        return ScoreEstimates(contrast(moments, observed), score, se, bounds, moments.n.sum(axis=1))
    rows = np.arange(k)
    sample = Sample(
        panel.values, panel.cells, n_cells, rows, None, moments, panel.repeats, panel.scale
    )
    fit = make_engine(sample, design).fit(weights)
    bounds = fit.interval(np.full(k, design.alpha))
    return ScoreEstimates(
        contrast(moments, observed),
        contrast(moments, weights),
        fit.se,
        bounds,
        moments.n.sum(axis=1),
    )
