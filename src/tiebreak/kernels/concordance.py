"""Agreement of two rankings: Kendall's τ_b, Spearman's ρ, bias-corrected distance correlation.

Intervals: τ by Fisher's z with variance 0.437/(n − 4) (Fieller, Hartley & Pearson 1957, as in
evaluation-reliability), ρ with (1 + ρ²/2)/(n − 3) (Bonett & Wright 2000), distance correlation by
the jackknife. Distances a_ij = |x_i − x_j| with row sums a_i. are U-centred (Székely & Rizzo 2014),

    A_ij = a_ij − (a_i. + a_j.)/(n − 2) + a../((n − 1)(n − 2)),  A_ii = 0,

⟨A, B⟩ = Σ A_ij B_ij / (n (n − 3)); the correlation ⟨A, B⟩ / √(⟨A, A⟩⟨B, B⟩) may be negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Array = NDArray[np.float64]
Statistic = Callable[[Array, Array], float]
FIELLER: Final = 0.437


class Agreement(NamedTuple):
    """A statistic with its interval and its range when one object at a time is left out."""

    value: float
    low: float
    high: float
    least: float
    most: float


def kendall(x: Array, y: Array) -> float:
    """τ_b: (concordant − discordant) / √(pairs not tied in x · pairs not tied in y)."""
    dx, dy = (np.sign(v[:, None] - v[None, :]) for v in (x, y))
    scale = math.sqrt(float((dx**2).sum()) * float((dy**2).sum()))
    return float((dx * dy).sum()) / scale if scale > 0 else math.nan


def spearman(x: Array, y: Array) -> float:
    """Pearson's correlation of mid-ranks."""
    a, b = (_centred(mid_ranks(v)) for v in (x, y))
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale > 0 else math.nan


def mid_ranks(values: Array) -> Array:
    """Ranks from 1 for the smallest; ties share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2)[inverse]
    return ranks


def distance_correlation(x: Array, y: Array) -> float:
    """Bias-corrected dCor²_n of two variables; NaN below four objects or where one is constant."""
    if x.size < 4:
        return math.nan
    a, b = _u_centred(x), _u_centred(y)
    scale = math.sqrt(float((a * a).sum())) * math.sqrt(float((b * b).sum()))
    return float((a * b).sum()) / scale if scale > 0 else math.nan


def _u_centred(values: Array) -> Array:
    n, a = values.size, np.abs(values[:, None] - values[None, :])
    rows = a.sum(axis=1)
    centred: Array = a - (rows[:, None] + rows) / (n - 2) + rows.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(centred, 0.0)
    return centred


def _centred(values: Array) -> Array:
    return values - float(values.mean())


def kendall_agreement(x: Array, y: Array, level: float) -> Agreement:
    """τ_b; no interval below five objects or for perfect agreement, where z is infinite."""
    n, value = x.size, kendall(x, y)
    variance = FIELLER / (n - 4) if n > 4 else math.nan
    return Agreement(value, *fisher(value, variance, level), *left_out(kendall, x, y))


def spearman_agreement(x: Array, y: Array, level: float) -> Agreement:
    """ρ; no interval below four objects or for perfect agreement."""
    n, value = x.size, spearman(x, y)
    variance = (1 + value**2 / 2) / (n - 3) if n > 3 else math.nan
    return Agreement(value, *fisher(value, variance, level), *left_out(spearman, x, y))


def distance_agreement(x: Array, y: Array, level: float) -> Agreement:
    """dCor²_n with the jackknife's standard error, bounded above by 1."""
    value, n = distance_correlation(x, y), x.size
    without = _without_each(distance_correlation, x, y)
    se = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    shift = float(ndtri((1 + level) / 2)) * se
    return Agreement(value, value - shift, min(value + shift, 1.0), *_range(without))


def fisher(value: float, variance: float, level: float) -> tuple[float, float]:
    """tanh(atanh r ± z √variance)."""
    if math.isnan(variance) or not abs(value) < 1:
        return math.nan, math.nan
    shift = float(ndtri((1 + level) / 2)) * math.sqrt(variance)
    return math.tanh(math.atanh(value) - shift), math.tanh(math.atanh(value) + shift)


def left_out(statistic: Statistic, x: Array, y: Array) -> tuple[float, float]:
    """Least and largest value with one object left out."""
    return _range(_without_each(statistic, x, y))


def _without_each(statistic: Statistic, x: Array, y: Array) -> Array:
    kept = ~np.eye(x.size, dtype=bool)
    return np.array([statistic(x[k], y[k]) for k in kept])


def _range(values: Array) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if known.size else (math.nan, math.nan)
