"""The default engine: moderated within-cell variances, Satterthwaite df, t intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Sample, contrast
from tiebreak.estimate.matched import unit_values
from tiebreak.kernels.moderation import (
    Moderation,
    moderation,
    pseudo_variance,
    sampling_variance,
    sum_of_fourths,
    wilson,
)
from tiebreak.kernels.moments import blocks
from tiebreak.kernels.multiplicity import upper_quantile
from tiebreak.kernels.student import normal_two_sided_p, t_quantile, two_sided_p


@dataclass(frozen=True, slots=True, eq=False)
class ModeratedFit:
    """A contrast with its moderated variance. ``spread`` is the part that comes from outcomes."""

    sample: Sample
    weights: Array
    design: Design
    constants: Moderation
    estimate: Array = field(init=False)
    spread: Array = field(init=False)
    se: Array = field(init=False)
    df: Array = field(init=False)

    def __post_init__(self) -> None:
        estimate = contrast(self.sample.moments, self.weights)
        spread = sampling_variance(self.sample.moments, self.weights, self.constants)
        variance = np.where(
            np.isnan(estimate), np.nan, spread + self.constants.r * self._pseudo(estimate)
        )
        object.__setattr__(self, "estimate", estimate)
        object.__setattr__(self, "spread", spread)
        object.__setattr__(self, "se", np.sqrt(variance))
        object.__setattr__(self, "df", np.broadcast_to(self.constants.df, estimate.shape))

    def _pseudo(self, estimate: Array) -> Array:
        """Variance of a pseudo-task: of ±1 for a difference, of 0 or 1 about ψ for a score."""
        s = self.sample
        if s.right is None:
            return (estimate**2 + (1 - estimate) ** 2) / 2
        if np.isin(s.values[~np.isnan(s.values)], (0.0, 1.0)).all():
            return np.ones_like(estimate)
        squares = (s.moments.ss + s.moments.n * np.nan_to_num(s.moments.mean) ** 2).sum(axis=1)
        return pseudo_variance(squares, sum_of_fourths(s.values, s.left, s.right))

    def interval(self, alpha: Array) -> Bounds:
        """Gap ± t·se clipped to [−1, 1]; a single score gets its Wilson form."""
        if self.sample.right is None:
            moments, weights = self.sample.moments, self.weights
            low, high = wilson(self.estimate, self.se**2, moments, weights, self.constants, alpha)
        else:
            half = t_quantile(1 - alpha / 2, self.df) * self.se
            low, high = (
                np.maximum(self.estimate - half, -1.0),
                np.minimum(self.estimate + half, 1.0),
            )
        unknown = np.isnan(self.estimate)
        zero = np.zeros_like(low)
        return Bounds(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high), zero, zero)

    def p_values(self) -> Array:
        """Two-sided t test of contrast = 0."""
        return two_sided_p(self.estimate / self.se, self.df)

    def simultaneous(self, alpha: float, *, studentized: bool) -> Bounds:
        """Max-deviation bands from Gaussian multipliers on the centred task values.

        Studentized: the 1 − α quantile q of max |Z_u|/sd_u gives each unit the error level
        2Φ(−q), then its own t interval. Plain: estimate ± q with q that of max |Z_u|.
        """
        scale = np.sqrt(self.spread) if studentized else np.ones_like(self.spread)
        top = np.zeros(self.design.draws)
        for part, draws in self._draws():
            sound = np.flatnonzero((self.spread[part] > 0) & np.isfinite(self.se[part]))
            deviation = np.abs(draws[sound]) / scale[part][sound, None].astype(np.float32)
            top = np.maximum(top, deviation.max(axis=0, initial=0.0))
        q, error = upper_quantile(top, 1 - alpha)
        if not studentized:
            zero = np.zeros_like(self.estimate)
            return Bounds(self.estimate - q, self.estimate + q, zero + error, zero + error)
        bounds, wider = (
            self.interval(np.full(self.se.size, normal_two_sided_p(x))) for x in (q, q + error)
        )
        return bounds._replace(
            low_error=bounds.low - wider.low, high_error=wider.high - bounds.high
        )

    def _draws(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """(units, draws) Gaussian copies of the estimates' deviations, block by block."""
        s, rng = self.sample, np.random.default_rng(self.design.seed)
        noise = rng.standard_normal((s.cells.size, self.design.draws), dtype=np.float32)
        root = np.sqrt(self.constants.a)
        if s.complete and root.shape[0] == 1 and s.right is not None:
            means = np.stack(
                [s.values[:, s.cells == x].mean(axis=1) for x in range(s.n_cells)], axis=1
            )
            centred = ((s.values - means[:, s.cells]) * root[0, s.cells]).astype(np.float32)
            scores = centred @ noise
            for part in blocks(s.left.size, self.design.draws):
                yield part, scores[s.left[part]] - scores[s.right[part]]
            return
        for part in blocks(s.left.size, max(self.design.draws, s.cells.size)):
            own = root if root.shape[0] == 1 else root[part]
            deviations = (unit_values(s, part) - s.moments.mean[part][:, s.cells]) * own[:, s.cells]
            yield part, np.nan_to_num(deviations).astype(np.float32) @ noise


class ModeratedEngine:
    """Moderated t intervals bound to a sample."""

    def __init__(self, sample: Sample, design: Design) -> None:
        self._sample, self._design = sample, design

    def fit(self, weights: Array, minus: Array | None = None) -> ModeratedFit:
        """The contrast of cell weights, or its movement away from ``minus``."""
        combined = weights if minus is None else weights - minus
        n = self._sample.moments.n
        alike = (combined == combined[:1]).all() and (n == n[:1]).all()
        constants = moderation(n[:1], combined[:1]) if alike else moderation(n, combined)
        return ModeratedFit(self._sample, combined, self._design, constants)
