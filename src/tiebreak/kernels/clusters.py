"""Whole cells as the sampling unit: the restricted wild cluster bootstrap, inverted in closed form.

Cell x contributes q_x = π_x d̄_x; θ = Σ q_x. Under the null δ the residuals e_x = q_x − π_x δ
are symmetric about 0 and independent over cells, so all sign patterns s of N_s = Σ s_x e_x are
equally likely: p(δ) = share of patterns with |N_s| ≥ |N_1| (Canay, Santos & Shaikh 2021; the null
is imposed).

With S = {s_x = +1}, complement S′ and m_S = Σ_S q / Σ_S π,

    |N_s| ≥ |N_1|  iff  (q_S − π_S δ)(q_S′ − π_S′ δ) ≤ 0  iff  δ lies between m_S and m_S′.   (1)

θ lies between them too, so the accepted δ form one interval around θ whose bounds are order
statistics of the subset means m_S (Hartigan 1969, "typical values"). With equal weights the
studentized bootstrap gives the same interval.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from tiebreak.kernels.moments import blocks

Array = NDArray[np.float64]

EXACT_CELLS = 13
"""Up to here all 2^(C−1) patterns are enumerated; beyond, patterns are drawn."""
LEAST_SHARE = 1e-3
"""A flipped variance below this share of the unflipped one is dust: all signs aligned."""
TIE = 1e-10
"""Relative distance within which two subset means are tied (they are sums of few doubles)."""


def sign_subsets(cells: int, draws: int, rng: np.random.Generator) -> Array:
    """0/1 rows of S, one of each pair {S, S′}, without the identity, (patterns − 1, cells).

    Enumerated up to EXACT_CELLS cells, else ``draws`` rows drawn with replacement.
    """
    if cells <= EXACT_CELLS:
        codes = np.arange(2 ** max(cells - 1, 0) - 1)[:, None]
        free = (codes >> np.arange(max(cells - 1, 0))) & 1
    else:
        free = rng.integers(0, 2, size=(draws, cells - 1))
    return np.concatenate([np.ones((len(free), 1)), free], axis=1).astype(float)


def wild_interval(q: Array, pi: Array, alpha: float, subsets: Array) -> tuple[Array, Array]:
    """Interval of θ = Σ_x q_x with cells sampled, by (1) with mid-ranks at ties.

    Parameters
    ----------
    q
        (units, cells) contributions π_x d̄_x.
    pi
        (cells,) positive weights that sum to 1, the same for all units.
    alpha
        Error level. Where α·2^(C−1) < 1 the cells are too few to bound anything: (−∞, ∞).
    subsets
        From :func:`sign_subsets` for the same number of cells.

    Notes
    -----
    A bound is read at rank α·P among the P = 2^(C−1) lower (upper) ends; tied ends share their
    mid-rank and the bound is interpolated between blocks (Parzen's mid-distribution), which
    inverts the mid-p. On lattices (few tasks, rare differences) this covers near the nominal
    level where the closed test covers 97 to 98.6 %.
    """
    units, goal = q.shape[0], _rank(alpha, len(subsets) + 1)
    low, high = np.full(units, -np.inf), np.full(units, np.inf)
    if goal < 1 or q.shape[1] < 2:
        return low, high
    tolerance = TIE * np.abs(q / pi).max(axis=1)
    for part in blocks(units, len(subsets)):
        low[part], high[part] = _bounds(q[part], pi, subsets, goal, tolerance[part])
    return _snap(low, tolerance), _snap(high, tolerance)


def wild_p_values(q: Array, pi: Array, subsets: Array) -> Array:
    """p of θ = 0: the least α at which :func:`wild_interval` excludes 0, the same mid-ranks.

    At least 1/P, and 1 where θ = 0. Without ties it is the share of patterns with
    |N_s| ≥ |N_1| to within one pattern; ties count half.
    """
    tolerance, p = TIE * np.abs(q / pi).max(axis=1), np.ones(q.shape[0])
    for part in blocks(q.shape[0], len(subsets)):
        total = q[part].sum(axis=1)
        side = np.where(total < 0, -1.0, 1.0)[:, None]
        lower, _ = _ends(side * q[part], pi, subsets)
        rank = _rank_of_zero(lower, tolerance[part])
        decided = np.abs(total) > tolerance[part]
        p[part] = np.where(decided, np.minimum(rank / (len(subsets) + 1), 1.0), 1.0)
    return p


def cell_variance(q: Array, pi: Array) -> Array:
    """Cluster variance Σ e_x²/(1 − π_x) of θ, e_x = q_x − π_x θ, (units,)."""
    residual = q - pi * q.sum(axis=1, keepdims=True)
    variance: Array = (residual**2 / np.maximum(1 - pi, 1e-12)).sum(axis=1)
    return variance


def max_deviations(q: Array, pi: Array, subsets: Array, *, studentized: bool) -> Array:
    """max over units of the deviation under every sign pattern, e_x = q_x − π_x θ.

    Studentized: |N_s| over its own standard error, that of :func:`cell_variance` for the flipped
    residuals s_x e_x; over a fixed one, bands of 10 pairs cover 30 to 80 % instead of 95. Plain:
    |Σ s_x e_x/(1 − π_x)|, the residuals about the mean of the other cells; about θ, which they
    pull, bands cover 57 to 91 %.
    """
    residual, signs = q - pi * q.sum(axis=1, keepdims=True), 2 * subsets - 1
    inflation = 1 / np.maximum(1 - pi, 1e-12)
    top = np.zeros(len(signs))
    for part in blocks(len(residual), len(signs)):
        e = residual[part] if studentized else residual[part] * inflation
        deviation = np.abs(e @ signs.T)
        if studentized:
            deviation /= _flipped_errors(e, pi, inflation, signs)
        top = np.maximum(top, deviation.max(axis=0, initial=0.0))
    return top


def _flipped_errors(e: Array, pi: Array, inflation: Array, signs: Array) -> Array:
    """sqrt(Σ (s_x e_x − π_x N_s)²/(1 − π_x)), (units, patterns), by products."""
    moved = e @ signs.T
    still = (e**2 * inflation).sum(axis=1, keepdims=True)
    variance = still - 2 * moved * ((e * pi * inflation) @ signs.T)
    variance += moved**2 * (pi**2 * inflation).sum()
    error: Array = np.sqrt(np.maximum(variance, LEAST_SHARE * still))
    return error


def logit_bounds(score: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Carry both half-widths over on the logit scale (delta method), so they stay in (0, 1).

    A score near 0 or 1 is skewed over cells: the plain interval misses on the far side up to
    16 times in 100. Scores of exactly 0 or 1 pass through.
    """
    slope = score * (1 - score)
    inner = slope > 0
    safe, centre = np.where(inner, slope, 1.0), logit(np.where(inner, score, 0.5))
    to_low, to_high = expit(centre - (score - low) / safe), expit(centre + (high - score) / safe)
    return np.where(inner, to_low, low), np.where(inner, to_high, high)


def _rank(alpha: float, patterns: int) -> float:
    """α·P, exact where it is whole (1 − 0.95 is not 0.05 in binary)."""
    rank = alpha * patterns
    return float(round(rank)) if abs(rank - round(rank)) < 1e-9 * patterns else rank


def _snap(bound: Array, tolerance: Array) -> Array:
    return np.where(np.abs(bound) <= tolerance, 0.0, bound)


def _bounds(
    q: Array, pi: Array, subsets: Array, goal: float, tolerance: Array
) -> tuple[Array, Array]:
    lower, upper = _ends(q, pi, subsets)
    return _end(lower, goal, tolerance), -_end(-upper, goal, tolerance)


def _ends(q: Array, pi: Array, subsets: Array) -> tuple[Array, Array]:
    """min and max of m_S and m_S′, (units, patterns)."""
    full = subsets.all(axis=1)  # a drawn identity accepts every δ: its ends are infinite
    inside = subsets @ pi
    outside = (1.0 - subsets) @ pi + full
    q_in = q @ subsets.T
    m_in, m_out = q_in / inside, (q.sum(axis=1, keepdims=True) - q_in) / outside
    lower, upper = np.minimum(m_in, m_out), np.maximum(m_in, m_out)
    lower[:, full], upper[:, full] = -np.inf, np.inf
    return lower, upper


def _rank_of_zero(lower: Array, tolerance: Array) -> Array:
    """The rank at which :func:`_end` reads 0 off the lower ends; P where it never passes 0."""
    tol = tolerance[:, None]
    negative, positive = lower < -tol, lower > tol
    below, tied = negative.sum(axis=1), (~negative & ~positive).sum(axis=1)
    last = np.where(negative, lower, -np.inf).max(axis=1, initial=-np.inf)
    first = np.where(positive, lower, np.inf).min(axis=1, initial=np.inf)
    between = np.isfinite(last) & np.isfinite(first)
    start, stop = np.where(between, last, 0.0), np.where(between, first, 1.0)
    before = (np.abs(lower - start[:, None]) <= tol).sum(axis=1)
    after = (np.abs(lower - stop[:, None]) <= tol).sum(axis=1)
    base, step = below - (before - 1) / 2, (before + after) / 2
    line = np.where(between, base - step * start / (stop - start), below + 1.0)
    rank = np.where(tied > 0, below + (tied + 1) / 2, line)
    never: Array = np.where(np.isfinite(first), rank, lower.shape[1] + 1.0)
    return never


def _end(ends: Array, goal: float, tolerance: Array) -> Array:
    """The end at rank ``goal`` from below: ties hold their mid-rank, between blocks linear."""
    k = int(goal)
    ends = np.partition(ends, k - 1, axis=1)
    value = ends[:, k - 1].copy()
    below = (ends[:, :k] < (value - tolerance)[:, None]).sum(axis=1)
    upto = k + (ends[:, k:] <= (value + tolerance)[:, None]).sum(axis=1)
    rank = (below + upto + 1) / 2
    for rows, side, step in (
        (np.flatnonzero(rank > goal), ends[:, :k], -1),
        (np.flatnonzero(rank < goal), ends[:, k:], 1),
    ):
        if rows.size and side.shape[1]:
            slope = _slope(side[rows], value[rows], tolerance[rows], (upto - below)[rows], step)
            value[rows] += np.abs(goal - rank[rows]) * slope
    return value


def _slope(side: Array, value: Array, tolerance: Array, size: NDArray[np.intp], step: int) -> Array:
    """Change per rank from the tied block at ``value`` to the next block below or above."""
    outside = (
        side < (value - tolerance)[:, None] if step < 0 else side > (value + tolerance)[:, None]
    )
    ranked = np.where(outside, side, step * np.inf)
    following = ranked.max(axis=1) if step < 0 else ranked.min(axis=1)
    following = np.where(np.isfinite(following), following, value)
    next_size = (np.abs(side - following[:, None]) <= tolerance[:, None]).sum(axis=1)
    slope: Array = (following - value) / ((size + next_size) / 2)
    return slope
