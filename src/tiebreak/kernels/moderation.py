"""Moderated within-cell variances: the default variance of scores and gaps.

With f_x = n_x − 1, contrast weights w_x and constants d₀ and k,

    λ_x  = f_x / (d₀ + f_x)                          own weight of a cell's variance
    s₀²  = Σ λ_x s_x² / Σ λ_x                        prior: the pooled within-cell variance
    s̃_x² = λ_x s_x² + (1 − λ_x) s₀²                  empirical Bayes; a cell of one task borrows s₀²
    V    = Σ (w_x²/n_x) (n_x s̃_x² + m_x v)/(n_x + m_x) = Σ a_x SS_x + r v

where m_x = k |w_x| / Σ|w| pseudo-tasks of variance v, half at +1 and half at −1, join each cell
(the idea of Agresti & Min 2005 and Bonett & Price 2012, here with k in all), so that equal
outcomes are not certain ones. a_x and r depend on sizes and weights only: V of all pairs is one
matrix product, and Satterthwaite's df = (Σ a_x f_x)² / Σ a_x² f_x is known before any outcome.

The constants are judged by simulation (``benchmarks/coverage.py``). d₀ = 50: for rare ±1
differences s_x² varies by (1/σ² − 1)/n instead of 2/f, and on SWE-bench Verified the matching prior
is worth about 50 tasks. k = 1/3: at ½ near-0 rows of 50 tasks cover 96 to 97 %, at ¼ targets
that rest on one-task cells cover 93.5 %.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.moments import CellMoments, Index
from tiebreak.kernels.student import t_quantile

Array = NDArray[np.float64]
PRIOR_DF = 50.0
PSEUDO_TASKS = 1.0 / 3.0


class Moderation(NamedTuple):
    """Constants of a contrast: coefficients of SS_x, regulariser, df (rows: units, or one row).

    ``collapsed`` marks rows where every cell holds one task: no within-cell variance exists and
    the cells are collapsed to one, which overstates the variance. ``own`` is λ.
    """

    a: Array
    r: Array
    df: Array
    own: Array
    collapsed: NDArray[np.bool_]


def moderation(n: Array, weights: Array) -> Moderation:
    """Constants for task counts and contrast weights, both (units, cells)."""
    f = np.maximum(n - 1, 0.0)
    own = f / (PRIOR_DF + f)
    pool = _share(own)
    pseudo = PSEUDO_TASKS * _share(np.abs(weights))
    filled = np.maximum(n, 1.0)
    kept = weights**2 / (filled + pseudo)
    borrowed = (kept * (1 - own)).sum(axis=1, keepdims=True) * pool
    a = np.divide(kept * own + borrowed, f, out=np.zeros_like(f), where=f > 0)
    r = (weights**2 * pseudo / (filled * (filled + pseudo))).sum(axis=1)
    top, bottom = (a * f).sum(axis=1) ** 2, (a**2 * f).sum(axis=1)
    df = np.divide(top, bottom, out=np.ones_like(top), where=bottom > 0)
    collapsed = f.sum(axis=1) < 1
    return Moderation(
        a, r, np.where(collapsed, np.maximum(n.sum(axis=1) - 1, 1.0), df), own, collapsed
    )


def sampling_variance(moments: CellMoments, weights: Array, constants: Moderation) -> Array:
    """Σ a_x SS_x, or with collapsed cells Σ w²/n times the variance about the common mean.

    Infinite where a single task is all there is.
    """
    variance: Array = (constants.a * moments.ss).sum(axis=1)
    rows = np.flatnonzero(np.broadcast_to(constants.collapsed, variance.shape))
    if rows.size:
        n, mean = moments.n[rows], np.nan_to_num(moments.mean[rows])
        total = n.sum(axis=1)
        centre = (n * mean).sum(axis=1) / np.maximum(total, 1)
        spread = (n * (mean - centre[:, None]) ** 2).sum(axis=1)
        w = np.broadcast_to(weights, moments.n.shape)[rows]
        scale = (w**2 / np.maximum(n, 1)).sum(axis=1)
        variance[rows] = np.divide(
            scale * spread, total - 1, out=np.full(rows.size, np.inf), where=total > 1
        )
    return variance


def pseudo_variance(squares: Array, fourths: Array) -> Array:
    """v = (Σ d⁴ + k)/(Σ d² + k), the typical squared difference; 1 for 0/1 scores and twins."""
    v: Array = (fourths + PSEUDO_TASKS) / (squares + PSEUDO_TASKS)
    return v


def sum_of_fourths(values: Array, left: Index, right: Index) -> Array:
    """Σ d⁴ over the tasks that both have: Y⁴Mᵀ + M Y⁴ᵀ − 4(Y³Yᵀ + Y Y³ᵀ) + 6 Y²Y²ᵀ."""
    present = ~np.isnan(values)
    y = np.where(present, values, 0.0)
    square = y * y
    fourth, cubic, middle = square**2 @ present.T, square * y @ y.T, square @ square.T
    total = fourth[left, right] + fourth[right, left] + 6 * middle[left, right]
    total -= 4 * (cubic[left, right] + cubic[right, left])
    fourths: Array = np.maximum(total, 0.0)
    return fourths


def wilson(
    score: Array,
    variance: Array,
    moments: CellMoments,
    weights: Array,
    constants: Moderation,
    alpha: Array,
) -> tuple[Array, Array]:
    """Wilson interval of a standardized score: effective size N = ψ₀(1 − ψ₀)/V and t quantiles.

    ψ₀ is the score with cell means moderated like the variances and pulled to ½ by the
    pseudo-tasks: with the raw ψ one lucky task in a tiny cell would inflate N. It never leaves
    [0, 1] and is never of zero width (Korn & Graubard 1998 use the device for surveys).
    """
    own, pool = constants.own, _share(constants.own)
    shrunk = weights * own + (weights * (1 - own)).sum(axis=1, keepdims=True) * pool
    effective = 1 / np.maximum((weights**2 / np.maximum(moments.n, 1)).sum(axis=1), 1e-300)
    pseudo = constants.r * effective**2
    centre = np.where(
        constants.collapsed, score, (shrunk * np.nan_to_num(moments.mean)).sum(axis=1)
    )
    centre = (effective * centre + pseudo / 2) / (effective + pseudo)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = centre * (1 - centre) / variance
        z = t_quantile(1 - alpha / 2, constants.df) ** 2 / size
        middle = (score + z / 2) / (1 + z)
        half = np.sqrt(np.maximum(score * (1 - score) * z + z * z / 4, 0.0)) / (1 + z)
    low = np.where(score == 0, 0.0, np.maximum(middle - half, 0.0))
    high = np.where(score == 1, 1.0, np.minimum(middle + half, 1.0))
    unknown = np.isinf(variance)
    return np.where(unknown, 0.0, low), np.where(unknown, 1.0, high)


def _share(x: Array) -> Array:
    """Rows scaled to sum to 1; rows of zeros stay zero."""
    total: Array = x.sum(axis=1, keepdims=True)
    return np.divide(x, total, out=np.zeros_like(x), where=total > 0)
