"""The default engine: moderated within-cell variances, Satterthwaite df, t intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Bounds, Sample, contrast
from tiebreak.estimate.matched import unit_values
from tiebreak.estimate.run_spread import configuration_normals, run_spread, unit_normals
from tiebreak.kernels.combine import satterthwaite, two_part_p, two_part_quantile
from tiebreak.kernels.components import RunSpread
from tiebreak.kernels.moderation import (
    Moderation,
    moderation,
    multipliers,
    pseudo_variance,
    sampling_variance,
    sum_of_fourths,
    wilson,
)
from tiebreak.kernels.moments import CACHED, blocks
from tiebreak.kernels.multiplicity import upper_quantile
from tiebreak.kernels.resampling import differences
from tiebreak.kernels.student import normal_two_sided_p, t_quantile, two_sided_p
from tiebreak.progress import track

BANDS = "simultaneous bands"
"""What long work on many pairs is called while it is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class ModeratedFit:
    """A contrast with its moderated variance. ``spread`` is the part that comes from outcomes.

    ``runs`` is what repeated runs add: V = (task variance without task × run) + s²_S/R, which has
    the mean of s²_T/n + (s²_R − s²_TR/n)/R and never counts task × run twice. ``known`` is the
    first part; without ``runs`` it is all there is.
    """

    sample: Sample
    weights: Array
    design: Design
    constants: Moderation
    runs: RunSpread | None = None
    estimate: Array = field(init=False)
    spread: Array = field(init=False)
    known: Array = field(init=False)
    se: Array = field(init=False)
    df: Array = field(init=False)

    def __post_init__(self) -> None:
        estimate = contrast(self.sample.moments, self.weights)
        spread = sampling_variance(self.sample.moments, self.weights, self.constants)
        pseudo = self.constants.r * self._pseudo(estimate)
        known, df = spread + pseudo, np.broadcast_to(self.constants.df, estimate.shape)
        variance = known
        if self.runs is not None:
            known = np.maximum(spread - self.runs.noise, 0.0) + pseudo
            variance = known + self.runs.shared
            df = satterthwaite(known, df, self.runs.shared, self.runs.df)
        object.__setattr__(self, "estimate", estimate)
        object.__setattr__(self, "spread", spread)
        object.__setattr__(self, "known", known)
        object.__setattr__(self, "se", np.sqrt(np.where(np.isnan(estimate), np.nan, variance)))
        object.__setattr__(self, "df", df)

    def _pseudo(self, estimate: Array) -> Array:
        """Variance of a pseudo-task: of 0, 0 and ±1 for a gap, of 0 or 1 about ψ for a score.

        Those of a utility succeed or fail at the usual price. Amounts have none: equal dollars
        are no sign that others cannot come, but unequal ones show how they vary.
        """
        s = self.sample
        if s.scale == "amount":
            return np.zeros_like(estimate)
        if s.right is None:
            success = np.clip(estimate, 0.0, 1.0)
            return (success**2 + (1 - success) ** 2) / 2
        if s.scale == "utility" or np.isin(s.values[~np.isnan(s.values)], (0.0, 1.0)).all():
            return np.full_like(estimate, 0.5)
        squares = (s.moments.ss + s.moments.n * np.nan_to_num(s.moments.mean) ** 2).sum(axis=1)
        return pseudo_variance(squares, sum_of_fourths(s.values, s.left, s.right))

    def interval(self, alpha: Array) -> Bounds:
        """Estimate ± t·se within its limits; a single score in [0, 1] gets its Wilson form."""
        if self.sample.right is None and self.sample.scale == "unit":
            moments, weights = self.sample.moments, self.weights
            quantile = None if self.runs is None else self._quantile(alpha)
            low, high = wilson(
                self.estimate, self.se**2, moments, weights, self.constants, alpha, quantile
            )
        else:
            half = self._quantile(alpha) * self.se
            limits = self.sample.limits
            low, high = (np.clip(self.estimate + s * half, *limits) for s in (-1, 1))
        unknown = np.isnan(self.estimate)
        zero = np.zeros_like(low)
        return Bounds(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high), zero, zero)

    def p_values(self) -> Array:
        """Two-sided t test of contrast = 0."""
        statistic = self.estimate / self.se
        if self.runs is None:
            return two_sided_p(statistic, self.df)
        return two_part_p(statistic, self.known, self.constants.df, self.runs.shared, self.runs.df)

    def _quantile(self, alpha: Array) -> Array:
        if self.runs is None:
            return t_quantile(1 - alpha / 2, self.df)
        return two_part_quantile(
            alpha, self.known, self.constants.df, self.runs.shared, self.runs.df
        )

    def simultaneous(self, alpha: float, *, studentized: bool) -> Bounds:
        """Max-deviation bands from Gaussian multipliers on the centred task values.

        Studentized: the 1 − α quantile q of max |Z_u|/sd_u gives each unit the error level
        2Φ(−q), at most α, then its own t interval. Plain: one width, by the quantile of max |Z_u|.
        """
        drawn = self._drawn_variance()
        scale = np.sqrt(drawn) if studentized else np.ones_like(drawn)
        sound = (drawn > 0) & np.isfinite(self.se)
        top = np.zeros(self.design.draws)
        for part, draws in self._run_draws():
            deviations = draws if sound[part].all() else draws[sound[part]]
            np.abs(deviations, out=deviations)
            deviations /= scale[part][sound[part], None].astype(np.float32)
            top = np.maximum(top, deviations.max(axis=0, initial=0.0))
        q, error = upper_quantile(top, 1 - alpha)
        if not studentized:
            return self._one_width(alpha, q, error, np.where(sound, drawn, 0.0))
        bounds, wider = (
            self.interval(np.full(self.se.size, min(alpha, normal_two_sided_p(x))))
            for x in (q, q + error)
        )
        return bounds._replace(
            low_error=bounds.low - wider.low, high_error=wider.high - bounds.high
        )

    def _one_width(self, alpha: float, q: float, error: float, drawn: Array) -> Bounds:
        """Estimate ± q, with q carried from the normal to t where it binds.

        That is at the unit of the largest variance. No unit gets less than its own interval.
        """
        own = self.interval(np.full(self.se.size, alpha))
        widest = int(np.argmax(drawn))
        if drawn[widest] == 0:
            return own
        level = min(alpha, normal_two_sided_p(q / float(np.sqrt(drawn[widest]))))
        half = float((self._quantile(np.full(self.se.size, level)) * self.se)[widest])
        low, high, unsure = self.estimate - half, self.estimate + half, error * half / q
        return Bounds(
            np.minimum(low, own.low),
            np.maximum(high, own.high),
            np.where(own.low < low, 0.0, unsure),  # a pair's own interval draws nothing
            np.where(own.high > high, 0.0, unsure),
        )

    def _drawn_variance(self) -> Array:
        """Variance of the draws: what comes from outcomes, of tasks and of runs."""
        if self.runs is None:
            return self.spread
        drawn: Array = np.maximum(self.spread - self.runs.noise, 0.0) + self.runs.shared
        return drawn

    def _run_draws(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """The draws of tasks, less their share of task × run, and the runs' own noise."""
        if self.runs is None:
            yield from self._draws()
            return
        rng = np.random.default_rng([self.design.seed, 1])
        own = configuration_normals(self.sample, self.design.draws, rng)
        kept = np.maximum(self.spread - self.runs.noise, 0.0)
        sound = (kept > 0) & np.isfinite(kept)
        shrink = np.sqrt(np.divide(kept, self.spread, out=np.zeros_like(kept), where=sound))
        for part, draws in self._draws():
            noise = unit_normals(own, self.sample, part)
            scaled = draws * shrink[part, None] + np.sqrt(self.runs.shared[part, None]) * noise
            yield part, scaled.astype(np.float32)

    def _draws(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """(units, draws) Gaussian copies of the estimates' deviations, block by block."""
        s, rng = self.sample, np.random.default_rng(self.design.seed)
        noise = rng.standard_normal((s.cells.size, self.design.draws), dtype=np.float32)
        root, centre = multipliers(s.moments, self.weights, self.constants)
        if s.complete and root.shape[0] == 1 and s.right is not None:
            means = np.zeros((len(s.values), s.n_cells))
            for x in np.unique(s.cells):  # common support may leave a cell without tasks
                means[:, x] = s.values[:, s.cells == x].mean(axis=1)
            centred = ((s.values - means[:, s.cells]) * root[0, s.cells]).astype(np.float32)
            scores = centred @ noise
            parts = list(blocks(s.left.size, self.design.draws, 2 * CACHED))  # of half the bytes
            for part in track(parts, len(parts), BANDS):
                yield part, differences(scores, s.left[part], s.right[part])
            return
        parts = list(blocks(s.left.size, max(self.design.draws, s.cells.size)))
        for part in track(parts, len(parts), BANDS):
            own = root if root.shape[0] == 1 else root[part]
            deviations = (unit_values(s, part) - centre[part][:, s.cells]) * own[:, s.cells]
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
        runs = run_spread(self._sample, combined, self._design)
        return ModeratedFit(self._sample, combined, self._design, constants, runs)
