"""The benchmark claim: exactly these tasks, and uncertainty from runs alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Sample, contrast
from tiebreak.estimate.run_spread import configuration_normals, run_spread, unit_normals
from tiebreak.kernels.components import RunSpread
from tiebreak.kernels.multiplicity import upper_quantile
from tiebreak.kernels.student import normal_two_sided_p, t_quantile, two_sided_p


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkFit:
    """A contrast with the variance of its runs, t on their degrees of freedom.

    Crossed runs of the same ids: t on the R within-run (paired) differences.
    """

    sample: Sample
    estimate: Array
    runs: RunSpread
    design: Design

    @property
    def se(self) -> Array:
        """Standard error over runs."""
        return np.where(np.isnan(self.estimate), np.nan, np.sqrt(self.runs.shared))

    @property
    def df(self) -> Array:
        """Degrees of freedom of the runs' variance."""
        return self.runs.df

    def interval(self, alpha: Array) -> Bounds:
        """Estimate ± t · se, on the scale."""
        half = t_quantile(1 - alpha / 2, self.df) * self.se
        limits, zero = self.sample.limits, np.zeros_like(half)
        low, high = (np.clip(self.estimate + s * half, *limits) for s in (-1, 1))
        return Bounds(low, high, zero, zero)

    def p_values(self) -> Array:
        """Two-sided t test of contrast = 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return two_sided_p(self.estimate / self.se, self.df)

    def simultaneous(self, alpha: float, *, studentized: bool) -> Bounds:
        """Max-deviation bands: pairs that share a configuration share half of their noise."""
        rng = np.random.default_rng(self.design.seed)
        own = configuration_normals(self.sample, self.design.draws, rng)
        draws = unit_normals(own, self.sample, slice(None))
        size = np.abs(draws) * (1.0 if studentized else np.nan_to_num(self.se)[:, None])
        q, error = upper_quantile(size.max(axis=0, initial=0.0), 1 - alpha)
        if not studentized:
            zero = np.full_like(self.estimate, error)
            return Bounds(self.estimate - q, self.estimate + q, zero, zero)
        bounds, wider = (
            self.interval(np.full(self.estimate.size, min(alpha, normal_two_sided_p(x))))
            for x in (q, q + error)
        )
        return bounds._replace(
            low_error=bounds.low - wider.low, high_error=wider.high - bounds.high
        )


class BenchmarkEngine:
    """The benchmark claim bound to a sample."""

    def __init__(self, sample: Sample, design: Design) -> None:
        self._sample, self._design = sample, design

    def fit(self, weights: Array, minus: Array | None = None) -> BenchmarkFit:
        """The contrast of cell weights, or its movement away from ``minus``."""
        combined = weights if minus is None else weights - minus
        spread = run_spread(self._sample, combined, self._design)
        estimate = contrast(self._sample.moments, combined)
        nothing = np.zeros_like(estimate)
        unseen = RunSpread(nothing, nothing, np.full_like(estimate, np.inf))
        return BenchmarkFit(self._sample, estimate, spread or unseen, self._design)
