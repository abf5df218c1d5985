"""Whole cells sampled: the restricted wild cluster bootstrap over sign patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Fit, Index, Sample, contrast
from tiebreak.estimate.moderated import ModeratedEngine, ModeratedFit
from tiebreak.kernels.clusters import (
    EXACT_CELLS,
    cell_variance,
    logit_bounds,
    max_deviations,
    sign_subsets,
    wild_interval,
    wild_p_values,
)
from tiebreak.kernels.multiplicity import upper_quantile
from tiebreak.kernels.student import t_quantile, two_sided_p

TINY_CELL = 5
"""Cells of fewer tasks are tiny: their own mean says little of their variance."""


@dataclass(frozen=True, slots=True, eq=False)
class WildFit:
    """Units grouped by their weights, since a group shares its sign patterns.

    ``tasks`` is the same contrast with tasks sampled within cells: cells cannot be less
    variable than their tasks, so it stands in where all cell means agree.
    """

    sample: Sample
    weights: Array
    tasks: ModeratedFit
    design: Design
    df: None = None

    @property
    def se(self) -> Array:
        """Square root of the cluster variance."""
        se = np.full(self.sample.left.size, np.nan)
        for rows, q, pi, _ in self._groups():
            se[rows] = np.sqrt(cell_variance(q, pi))
        return se

    def interval(self, alpha: Array) -> Bounds:
        """Typical-value bounds; scores on the logit scale; drawn patterns carry an error."""
        bounds = Bounds(*(np.full(alpha.size, v) for v in (np.nan, np.nan, 0.0, 0.0)))
        for rows, q, pi, subsets in self._groups():
            for level in np.unique(alpha[rows]):
                at = alpha[rows] == level
                low, high = wild_interval(q[at], pi, level, subsets)
                bounds.low[rows[at]], bounds.high[rows[at]] = low, high
                if pi.size > EXACT_CELLS:
                    self._errors(bounds, rows[at], q[at], pi, float(level), subsets)
        return self._finish(bounds, lambda: self.tasks.interval(alpha))

    def p_values(self) -> Array:
        """Share of sign patterns at least as extreme, the null imposed, ties by mid-rank."""
        p = np.full(self.sample.left.size, np.nan)
        for rows, q, pi, subsets in self._groups():
            p[rows] = wild_p_values(q, pi, subsets)
        return p

    def simultaneous(self, alpha: float, *, studentized: bool) -> Bounds:
        """θ ± c·scale, c the 1 − α quantile over sign patterns of the largest deviation.

        Units of other numbers of cells have other patterns: Bonferroni over these few groups.
        No band is narrower than the unit's own interval.
        """
        estimate = contrast(self.sample.moments, self.weights)
        scale = self.se if studentized else np.ones_like(estimate)
        tops: dict[int, Array] = {}
        for rows, q, pi, subsets in self._groups():
            sound = self.se[rows] > 0
            part = max_deviations(q[sound], pi, subsets, studentized=studentized)
            tops[pi.size] = np.maximum(tops.get(pi.size, 0.0), part)
        found = {c: upper_quantile(top, 1 - alpha / len(tops)) for c, top in tops.items() if c > 1}
        c, error = max(found.values(), default=(0.0, 0.0))
        error = error if max(found, default=0) > EXACT_CELLS else 0.0
        spread = np.zeros_like(estimate) + error * scale
        return self._no_narrower(
            self._finish(
                Bounds(estimate - c * scale, estimate + c * scale, spread, spread),
                lambda: self.tasks.simultaneous(alpha, studentized=studentized),
            ),
            self.interval(np.full(estimate.size, alpha)),
        )

    @staticmethod
    def _no_narrower(band: Bounds, own: Bounds) -> Bounds:
        """Each bound, with its error, from whichever reaches further."""
        lower, higher = own.low < band.low, own.high > band.high
        return Bounds(
            np.where(lower, own.low, band.low),
            np.where(higher, own.high, band.high),
            np.where(lower, own.low_error, band.low_error),
            np.where(higher, own.high_error, band.high_error),
        )

    def _groups(self) -> Iterator[tuple[Index, Array, Array, Array]]:
        """(rows, contributions, weights, sign subsets) of units with the same positive weights."""
        known = np.flatnonzero(~np.isnan(self.weights).any(axis=1))
        distinct, member = np.unique(self.weights[known], axis=0, return_inverse=True)
        for g, weights in enumerate(distinct):
            rows, used = known[member == g], weights > 0
            rng = np.random.default_rng(self.design.seed)
            subsets = sign_subsets(int(used.sum()), self.design.draws, rng)
            yield (
                rows,
                self.sample.moments.mean[rows][:, used] * weights[used],
                weights[used],
                subsets,
            )

    def _errors(
        self, bounds: Bounds, rows: Index, q: Array, pi: Array, alpha: float, subsets: Array
    ) -> None:
        """Half the move of a bound when α moves by its own Monte Carlo standard error."""
        move = np.sqrt(alpha * (1 - alpha) / (len(subsets) + 1))
        wide, narrow = (wild_interval(q, pi, a, subsets) for a in (alpha - move, alpha + move))
        bounds.low_error[rows] = (narrow[0] - wide[0]) / 2
        bounds.high_error[rows] = (wide[1] - narrow[1]) / 2

    def _finish(self, bounds: Bounds, fallback: Callable[[], Bounds]) -> Bounds:
        """Fall back where the cells say nothing, clip to the scale."""
        estimate = contrast(self.sample.moments, self.weights)
        low, high = bounds.low, bounds.high
        if self.sample.right is None:
            low, high = self._score_bounds(estimate, low, high)
        silent = (high - low) <= 1e-10
        if silent.any():
            tasks = fallback()
            low, high = np.where(silent, tasks.low, low), np.where(silent, tasks.high, high)
        limits = self.sample.limits
        return bounds._replace(low=np.clip(low, *limits), high=np.clip(high, *limits))

    def _score_bounds(self, score: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """Single scores: widen where tiny cells carry the variance, then the logit scale."""
        task_variance, cell_variance_ = self.tasks.se**2, self.se**2
        tiny = self.sample.moments.n < TINY_CELL
        share = np.where(tiny, self.weights**2 / self.sample.moments.n.clip(1), 0).sum(axis=1)
        whole = (self.weights**2 / self.sample.moments.n.clip(1)).sum(axis=1)
        ratio = np.divide(
            task_variance, cell_variance_, out=np.ones_like(score), where=cell_variance_ > 0
        )
        # the geometric mean of the two standard errors, where the tasks' is the larger
        stretch = np.where(share > whole / 2, np.maximum(1.0, ratio) ** 0.25, 1.0)
        low, high = score - stretch * (score - low), score + stretch * (high - score)
        return logit_bounds(score, low, high) if self.sample.scale == "unit" else (low, high)


@dataclass(frozen=True, slots=True, eq=False)
class MovementFit:
    """Movement between two targets with cells sampled: cluster variance and t with C − 1."""

    estimate: Array
    se: Array
    df: Array

    def interval(self, alpha: Array) -> Bounds:
        """estimate ± t · se."""
        half = t_quantile(1 - alpha / 2, self.df) * self.se
        zero = np.zeros_like(half)
        return Bounds(self.estimate - half, self.estimate + half, zero, zero)

    def p_values(self) -> Array:
        """Two-sided t test."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return two_sided_p(self.estimate / self.se, self.df)

    def simultaneous(self, alpha: float, *, studentized: bool) -> Bounds:
        """Bonferroni over the units; a movement is never a family claim of its own."""
        del studentized
        return self.interval(np.full(self.estimate.size, alpha / max(self.estimate.size, 1)))


class WildEngine:
    """Sampled cells, bound to a sample."""

    def __init__(self, sample: Sample, design: Design) -> None:
        self._sample, self._design = sample, design
        self._tasks = ModeratedEngine(sample, design)

    def fit(self, weights: Array, minus: Array | None = None) -> Fit:
        """The score of cell weights, or its movement away from ``minus``."""
        if minus is None:
            return WildFit(self._sample, weights, self._tasks.fit(weights), self._design)
        return self._movement(weights, minus)

    def _movement(self, weights: Array, minus: Array) -> MovementFit:
        """Var = C/(C − 1) Σ v_x² (d̄_x − θ)², v = weights − minus."""
        moments, v = self._sample.moments, weights - minus
        centre = contrast(moments, weights)[:, None]
        cells = (moments.n > 0).sum(axis=1)
        spread = np.where(moments.n > 0, v**2 * (moments.mean - centre) ** 2, 0.0).sum(axis=1)
        df = np.maximum(cells - 1, 1).astype(float)
        return MovementFit(contrast(moments, v), np.sqrt(spread * cells / df), df)
