"""Prediction-powered means: reference labels of some tasks, judge labels of many.

In a cell let y be the reference's and z the judge's value of a task; n tasks have both, N the
judge's alone, r = N/(n + N). With a slope b common to the cells,

    θ̂ = Σ_x π_x (ȳ_x + b (z̄_x,all − z̄_x,both)),

which in a cell is PPI++ with λ = b r (Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453):
ȳ + λ (z̄_judge only − z̄_both). It is unbiased for any b if which tasks have a reference label is
independent of the outcome within cells. Power tuning: the slope of least variance,

    b = Σ_x (π_x²/n_x) r_x s_yz / Σ_x (π_x²/n_x) r_x s_z²,  in [0, 1],

s_z² over all judge labels of the cell. The share of the variance Σ π_x² s_y²/n_x that it removes,
κ = r̄ R², is taken with R² adjusted for the fitted slope; where nothing is left of it b is 0 and
the estimate is that of the reference alone. Tasks with a reference but no judge label count
in ȳ and nowhere else.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.moderation import PRIOR_DF

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Correction(NamedTuple):
    """What judge labels add, (units,).

    ``shift`` moves the reference's estimate, ``removed`` is the share of its variance that goes
    (κ), ``slope`` is b, ``rate`` the mean λ = b r̄. ``explained`` is the adjusted R²: the share
    that would go with unlimited judge labels. ``n`` and ``extra`` count tasks with a reference
    label and with the judge's alone, in cells of positive weight.
    """

    shift: Array
    removed: Array
    slope: Array
    rate: Array
    explained: Array
    n: Array
    extra: Array


class Sums(NamedTuple):
    """Per unit and cell: tasks with a reference, with both, with the judge alone; moments."""

    n_reference: Array
    n_both: Array
    n_extra: Array
    gap: Array
    var_y: Array
    var_z: Array
    cov: Array


def tuned_correction(y: Array, z: Array, cells: Index, weights: Array, df: Array) -> Correction:
    """The power-tuned correction.

    Parameters
    ----------
    y, z
        (units, tasks), NaN where there is no label.
    cells
        Sorted codes of the tasks' cells.
    weights
        π, (cells,).
    df
        Degrees of freedom of the reference's variance, (units,).
    """
    s = Sums(*(np.stack(v, axis=1) for v in zip(*_by_cell(y, z, cells, weights), strict=True)))
    s = _moderated(s)
    n = np.maximum(s.n_both, 1)
    share = s.n_extra / np.maximum(s.n_both + s.n_extra, 1)
    base = weights**2 / n
    any_extra = (share * base > 0).any(axis=1, keepdims=True)
    tuned = base * np.where(any_extra, share, 1.0)
    slope = np.clip(_ratio((tuned * s.cov).sum(axis=1), (tuned * s.var_z).sum(axis=1)), 0.0, 1.0)
    b = slope[:, None]
    gain = 2 * b * s.cov - b**2 * s.var_z
    total = (base * s.var_y).sum(axis=1)
    explained = _adjusted(_ratio((base * gain).sum(axis=1), total), df)
    reach = _ratio((base * share * s.var_y).sum(axis=1), total)
    share_r2 = _ratio((base * share * gain).sum(axis=1), (base * share * s.var_y).sum(axis=1))
    removed = reach * _adjusted(share_r2, df)
    used = removed > 0
    shift = np.where(used, slope * (weights * share * np.nan_to_num(s.gap)).sum(axis=1), 0.0)
    lam = np.where(used, slope * reach, 0.0)
    counts = ((v * (weights > 0)).sum(axis=1) for v in (s.n_reference, s.n_extra))
    return Correction(shift, removed, np.where(used, slope, 0.0), lam, explained, *counts)


def _by_cell(y: Array, z: Array, cells: Index, weights: Array) -> list[tuple[Array, ...]]:
    edges = np.searchsorted(cells, np.arange(weights.size + 1))
    return [_cell(y[:, a:b], z[:, a:b]) for a, b in pairwise(edges)]


def _cell(y: Array, z: Array) -> tuple[Array, ...]:
    """The row of :class:`Sums` of one cell."""
    has_y, has_z = ~np.isnan(y), ~np.isnan(z)
    both, extra = has_y & has_z, has_z & ~has_y
    y0, z0 = np.where(has_y, y, 0.0), np.where(has_z, z, 0.0)
    n, n_both, n_extra, n_z = (m.sum(axis=1).astype(float) for m in (has_y, both, extra, has_z))
    y_both, z_both = (_mean(v, both, n_both) for v in (y0, z0))
    z_all, z_extra = _mean(z0, has_z, n_z), _mean(z0, extra, n_extra)
    deviations = np.where(has_z, z0 - z_all[:, None], 0.0)
    var_z = (deviations**2).sum(axis=1) / np.maximum(n_z - 1, 1)
    dy = np.where(both, y0 - y_both[:, None], 0.0)
    dz = np.where(both, z0 - z_both[:, None], 0.0)
    ddof = np.maximum(n_both - 1, 1)
    var_y, cov = (dy**2).sum(axis=1) / ddof, (dy * dz).sum(axis=1) / ddof
    return n, n_both, n_extra, z_extra - z_both, var_y, var_z, cov


def _moderated(s: Sums) -> Sums:
    """Second moments moderated toward the pooled ones, as the default engine's variances are.

    A cell of five labels tells little about its own slope, and an equal target may rest on it.
    """
    f = np.maximum(s.n_both - 1, 0.0)
    own = f / (PRIOR_DF + f)
    total = own.sum(axis=1, keepdims=True)
    pool = np.divide(own, total, out=np.zeros_like(own), where=total > 0)

    def moderate(m: Array) -> Array:
        moderated: Array = own * m + (1 - own) * (pool * m).sum(axis=1, keepdims=True)
        return moderated

    return s._replace(var_y=moderate(s.var_y), var_z=moderate(s.var_z), cov=moderate(s.cov))


def _mean(values: Array, mask: NDArray[np.bool_], n: Array) -> Array:
    mean: Array = np.where(mask, values, 0.0).sum(axis=1) / np.maximum(n, 1)
    return mean


def _ratio(top: Array, bottom: Array) -> Array:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 1e-15)


def _adjusted(r2: Array, df: Array) -> Array:
    """1 − (1 − R²) (ν + 1)/(ν − 1), at least 0.

    One slope was fitted on ν degrees of freedom: the residual variance has ν − 1, and the slope's
    own error adds 1/ν of it.
    """
    factor = np.divide(df + 1, df - 1, out=np.full_like(df, np.inf), where=df > 1)
    with np.errstate(invalid="ignore"):
        adjusted: Array = np.maximum(1 - (1 - r2) * factor, 0.0)
    return np.where(np.isfinite(factor), adjusted, 0.0)
