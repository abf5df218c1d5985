"""Scores and paired gaps from few reference labels and many judge labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Index, Sample
from tiebreak.estimate.matched import unit_values
from tiebreak.estimate.moderated import ModeratedEngine, ModeratedFit
from tiebreak.kernels.moderation import wilson
from tiebreak.kernels.moments import blocks, pair_moments, score_moments
from tiebreak.kernels.ppi import Correction, tuned_correction
from tiebreak.kernels.student import t_quantile


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """An estimate per unit with its interval and standard error."""

    value: Array
    low: Array
    high: Array
    se: Array


@dataclass(frozen=True, slots=True, eq=False)
class Powered:
    """Per unit: the reference labels alone, with the judge's help, and what that adds.

    NaN where a weighted cell has no reference label.
    """

    reference: Interval
    powered: Interval
    correction: Correction

    @property
    def n_effective(self) -> Array:
        """Reference labels that would give the same standard error alone: n V_ref/V."""
        ratio = np.divide(
            self.reference.se**2,
            self.powered.se**2,
            out=np.ones_like(self.reference.se),
            where=self.powered.se > 0,
        )
        effective: Array = self.correction.n * ratio
        return effective


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Task values by the reference and by the judge, (configurations, tasks), sorted cells, π."""

    reference: Array
    judge: Array
    cells: Index
    weights: Array


def powered_estimates(
    labels: Labelled, left: Index, right: Index | None, design: Design
) -> Powered:
    """Estimate units: configurations ``left``, or gaps left − right on tasks both have.

    The variance of the reference alone is the default engine's; that of the powered estimate
    is the same without the share that the judge explains.
    """
    y, n_cells = labels.reference, labels.weights.size
    if right is None:
        moments = score_moments(y[left], labels.cells, n_cells)
    else:
        moments = pair_moments(y, labels.cells, n_cells, left, right)
    sample = Sample(y, labels.cells, n_cells, left, right, moments)
    supported = ((moments.n > 0) | (labels.weights == 0)).all(axis=1)
    weights = np.where(supported[:, None], labels.weights, np.nan)
    fit = ModeratedEngine(sample, design).fit(weights)
    alpha = np.full(left.size, design.alpha)
    alone = fit.interval(alpha)
    found = _corrections(labels, sample, np.broadcast_to(fit.df, fit.estimate.shape))
    kept = np.where(np.isnan(fit.estimate), np.nan, 1 - found.removed)
    se = np.sqrt(np.maximum(fit.se**2 - fit.spread * (1 - kept), 0.0))
    value = fit.estimate + found.shift
    low, high = _bounds(fit, value, se, weights, alpha)
    value = np.clip(value, 0.0 if right is None else -1.0, 1.0)
    reference = Interval(fit.estimate, alone.low, alone.high, fit.se)
    return _where_it_helps(reference, Interval(value, low, high, se), found)


def _where_it_helps(reference: Interval, powered: Interval, found: Correction) -> Powered:
    """The judge is left out where its interval is no narrower (a score moved toward ½)."""
    helps = (found.removed > 0) & (powered.high - powered.low < reference.high - reference.low)
    parts = ((getattr(i, n) for i in (powered, reference)) for n in Interval.__dataclass_fields__)
    kept = Interval(*(np.where(helps, own, alone) for own, alone in parts))
    unused = {
        n: np.where(helps, getattr(found, n), 0.0) for n in ("shift", "removed", "slope", "rate")
    }
    return Powered(reference, kept, found._replace(**unused))


def _corrections(labels: Labelled, sample: Sample, df: Array) -> Correction:
    """The tuned correction of every unit, block by block."""
    judged = Sample(
        labels.judge, sample.cells, sample.n_cells, sample.left, sample.right, sample.moments
    )
    parts = [
        tuned_correction(
            unit_values(sample, part),
            unit_values(judged, part),
            sample.cells,
            labels.weights,
            df[part],
        )
        for part in blocks(sample.left.size, 4 * max(sample.cells.size, 1))
    ]
    return Correction(*(np.concatenate(v) for v in zip(*parts, strict=True)))


def _bounds(
    fit: ModeratedFit, value: Array, se: Array, weights: Array, alpha: Array
) -> tuple[Array, Array]:
    """Gap ± t·se in [−1, 1]; a score's Wilson form."""
    unknown = np.isnan(value)
    if fit.sample.right is None:
        inside = np.clip(value, 0.0, 1.0)
        low, high = wilson(inside, se**2, fit.sample.moments, weights, fit.constants, alpha)
    else:
        half = t_quantile(1 - alpha / 2, fit.df) * se
        low, high = np.maximum(value - half, -1.0), np.minimum(value + half, 1.0)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)
