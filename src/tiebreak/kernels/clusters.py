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
    """p(0): share of patterns with |N_s| ≥ |N_1| by (1), every tie and the identity counted."""
    tolerance = TIE * np.abs(q / pi).max(axis=1)
    inside, count = subsets @ pi, np.empty(q.shape[0])
    full = subsets.all(axis=1)
    for part in blocks(q.shape[0], len(subsets)):
        total = q[part].sum(axis=1, keepdims=True)
        n_in, tol = q[part] @ subsets.T, tolerance[part, None]
        n_out = total - n_in
        tied = (np.abs(n_in) <= tol * inside) | (np.abs(n_out) <= tol * (1 - inside))
        hits = (tied | ((n_in > 0) != (n_out > 0)) | full).sum(axis=1) + 1
        count[part] = np.where(np.abs(total[:, 0]) <= tol[:, 0], len(subsets) + 1, hits)
    p: Array = count / (len(subsets) + 1)
    return p


def cell_variance(q: Array, pi: Array) -> Array:
    """Cluster variance Σ e_x²/(1 − π_x) of θ, e_x = q_x − π_x θ, (units,)."""
    residual = q - pi * q.sum(axis=1, keepdims=True)
    variance: Array = (residual**2 / np.maximum(1 - pi, 1e-12)).sum(axis=1)
    return variance


def max_deviations(q: Array, pi: Array, scale: Array, subsets: Array) -> Array:
    """max over units of |Σ s_x e_x| / scale for every sign pattern, e_x = q_x − π_x θ."""
    residual = (q - pi * q.sum(axis=1, keepdims=True)) / scale[:, None]
    signs = 2 * subsets - 1
    top = np.zeros(len(signs))
    for part in blocks(len(residual), len(signs)):
        top = np.maximum(top, np.abs(signs @ residual[part].T).max(axis=1, initial=0.0))
    return top


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
    full = subsets.all(axis=1)  # a drawn identity accepts every δ: its ends are infinite
    inside = subsets @ pi
    outside = (1.0 - subsets) @ pi + full
    q_in = q @ subsets.T
    m_in, m_out = q_in / inside, (q.sum(axis=1, keepdims=True) - q_in) / outside
    lower, upper = np.minimum(m_in, m_out), np.maximum(m_in, m_out)
    lower[:, full], upper[:, full] = -np.inf, np.inf
    return _end(lower, goal, tolerance), -_end(-upper, goal, tolerance)


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
