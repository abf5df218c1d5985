"""Moderated within-cell variances: the default variance of scores and gaps.

With f_x = n_x − 1, contrast weights w_x and constants d₀ and k,

    λ_x  = f_x / (d₀ + f_x)                          own weight of a cell's variance
    s₀²  = Σ λ_x s_x² / Σ λ_x                        prior: the pooled within-cell variance
    s̃_x² = λ_x s_x² + (1 − λ_x) s₀²                  empirical Bayes; a cell of one task borrows s₀²
    V    = Σ (w_x²/n_x) (n_x s̃_x² + m_x v)/(n_x + m_x) = Σ a_x SS_x + r v

where m_x = k |w_x| / Σ|w| pseudo-tasks of variance v join each cell, so that equal outcomes are
not certain ones. They are spread evenly over the 2×2 table of a pair's outcomes (the idea of
Agresti & Min 2005 and Bonett & Price 2012, here with k in all), so v = ½ for a 0/1 gap. a_x and r
depend on sizes and weights only: V of all pairs is one matrix product, and Satterthwaite's
df = (Σ a_x f_x)² / Σ a_x² f_x is known before any outcome.

The constants are judged by simulation (``benchmarks/coverage``, ``docs/coverage.md``). d₀ = 100:
for rare ±1 differences s_x² varies by (1/σ² − 1)/n instead of 2/f, so its own prior is worth 50
to 100 tasks; every row of the study is in bounds from 70 to 150, while 50 takes cells of 10 to 40
tasks over 96 %. k = 7/8: in bounds from 0.8 to 0.9; less leaves targets that rest on one-task
cells under 94 %, more takes near-0 rows of 50 tasks over 96 %.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.moments import CellMoments, Index
from tiebreak.kernels.student import flat_top, t_quantile

Array = NDArray[np.float64]
PRIOR_DF = 100.0
PSEUDO_TASKS = 0.875


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
        centre, factor = _collapse(moments, weights, rows)
        spread = moments.n[rows] * (np.nan_to_num(moments.mean[rows]) - centre) ** 2
        known = np.where(np.isnan(factor), 0.0, factor) * spread.sum(axis=1)
        variance[rows] = np.where(np.isnan(factor), np.inf, known)
    return variance


def multipliers(moments: CellMoments, weights: Array, constants: Moderation) -> tuple[Array, Array]:
    """Roots and centres, (units or 1, cells): Σ_t (root_x (d_t − centre_x))² = sampling variance.

    A sum of independent standard normals times root_x (d_t − centre_x) is thus a draw of the
    estimate's deviation.
    """
    root, centre = np.sqrt(constants.a), moments.mean
    rows = np.flatnonzero(np.broadcast_to(constants.collapsed, centre.shape[:1]))
    if rows.size:
        root, centre = np.broadcast_to(root, centre.shape).copy(), centre.copy()
        centre[rows], factor = _collapse(moments, weights, rows)
        root[rows] = np.sqrt(np.nan_to_num(factor))[:, None]
    return root, centre


def _collapse(moments: CellMoments, weights: Array, rows: NDArray[np.intp]) -> tuple[Array, Array]:
    """Common mean (rows, 1), and Σ w²/n over n − 1 (rows,), NaN where one task is all there is."""
    n, mean = moments.n[rows], np.nan_to_num(moments.mean[rows])
    total = n.sum(axis=1)
    centre = (n * mean).sum(axis=1) / np.maximum(total, 1)
    w = np.broadcast_to(weights, moments.n.shape)[rows]
    scale = (w**2 / np.maximum(n, 1)).sum(axis=1)
    factor = np.divide(scale, total - 1, out=np.full(rows.size, np.nan), where=total > 1)
    return centre[:, None], factor


def pseudo_variance(squares: Array, fourths: Array) -> Array:
    """v = ½ (Σ d⁴ + k)/(Σ d² + k): half of the pseudo-tasks differ, by the typical difference.

    ½ for 0/1 scores and twins.
    """
    v: Array = (fourths + PSEUDO_TASKS) / (squares + PSEUDO_TASKS) / 2
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
    quantile: Array | None = None,
) -> tuple[Array, Array]:
    """Wilson interval of a standardized score: effective size N = ψ₀(1 − ψ₀)/V and t quantiles.

    ψ₀ is the score with cell means moderated like the variances and pulled to ½ by the
    pseudo-tasks: with the raw ψ one lucky task in a tiny cell would inflate N. It never leaves
    [0, 1] and is never of zero width (Korn & Graubard 1998 use the device for surveys). A score
    that rests on few tasks is flatter than normal, and its quantile follows (:func:`_kurtosis`).
    ``quantile`` stands for t where more than tasks make up the variance.
    """
    base = weights**2 / np.maximum(moments.n, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = _moderated_score(score, moments, weights, constants, base)
        task_variance = centre * (1 - centre)
        flat = flat_top(_kurtosis(task_variance, base, moments.n), alpha)
        t = t_quantile(1 - alpha / 2, constants.df) if quantile is None else quantile
        z = (flat * t) ** 2 * variance / task_variance
        middle = (score + z / 2) / (1 + z)
        half = np.sqrt(np.maximum(score * (1 - score) * z + z * z / 4, 0.0)) / (1 + z)
    low = np.where(score == 0, 0.0, np.maximum(middle - half, 0.0))
    high = np.where(score == 1, 1.0, np.minimum(middle + half, 1.0))
    unknown = np.isinf(variance)
    return np.where(unknown, 0.0, low), np.where(unknown, 1.0, high)


def _moderated_score(
    score: Array, moments: CellMoments, weights: Array, constants: Moderation, base: Array
) -> Array:
    """ψ₀ of :func:`wilson`; ``base`` is w²/n."""
    own, pool = constants.own, _share(constants.own)
    shrunk = weights * own + (weights * (1 - own)).sum(axis=1, keepdims=True) * pool
    effective = 1 / np.maximum(base.sum(axis=1), 1e-300)
    pseudo = constants.r * effective**2
    centre = np.where(
        constants.collapsed, score, (shrunk * np.nan_to_num(moments.mean)).sum(axis=1)
    )
    moderated: Array = (effective * centre + pseudo / 2) / (effective + pseudo)
    return moderated


def _kurtosis(task_variance: Array, base: Array, n: Array) -> Array:
    """Excess kurtosis of Σ w_x mean_x: that of one 0/1 outcome, 1/σ² − 6, times Σ w⁴/n³/(Σ w²/n)².

    Graded outcomes of the same variance are no flatter than 0/1 ones.
    """
    concentration = (base**2 / np.maximum(n, 1)).sum(axis=1) / base.sum(axis=1) ** 2
    kurtosis: Array = (1 / task_variance - 6) * concentration
    return kurtosis


def _share(x: Array) -> Array:
    """Rows scaled to sum to 1; rows of zeros stay zero."""
    total: Array = x.sum(axis=1, keepdims=True)
    return np.divide(x, total, out=np.zeros_like(x), where=total > 0)
