"""Weights around a target: how often who is on top, and by how much.

Cells of zero weight stay at zero: work that the target leaves out is not brought in.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.radius import DUST

Array = NDArray[np.float64]
STEPS = 30
"""Hit-and-run steps per C log₂ 2C; with 10 the laws of 3 to 30 cells already test as uniform."""


def dirichlet_weights(
    target: Array, concentration: float, draws: int, rng: np.random.Generator
) -> Array:
    """Dirichlet(concentration · π) draws, (draws, cells).

    Their mean is π and the variance of cell x is π_x (1 − π_x) / (concentration + 1).
    """
    weights, used = np.zeros((draws, target.size)), target > 0
    weights[:, used] = rng.dirichlet(concentration * target[used], size=draws)
    return weights


def l1_ball_weights(target: Array, radius: float, draws: int, rng: np.random.Generator) -> Array:
    """Uniform draws from {π on the simplex: ‖π − π₀‖₁ ≤ radius}, (draws, cells).

    Hit-and-run along the directions e_i − e_j (a Gibbs sampler): given all other cells, what i
    and j share is split anew, uniformly over what the ball and the simplex allow. With
    u = π − π₀, s = u_i + u_j and R the part of the radius that the other cells leave,

        |u_i| + |s − u_i| ≤ R  iff  (s − R)/2 ≤ u_i ≤ (s + R)/2,   −π_i ≤ u_i ≤ s + π_j.

    Every draw is a chain of its own from π₀; given the order of the pairs, which all share,
    draws are independent. Uniform in the limit of many steps: on the simplex this sampler needs
    about C log C (Smith 2014, Ann. Appl. Probab. 24:114). The directions follow the axes, so
    tiny cells beside large ones do not slow it down, as they would rejection.
    """
    weights, used = np.zeros((draws, target.size)), np.flatnonzero(target > 0)
    cells, base = used.size, target[used]
    moved, size = np.zeros((cells, draws)), np.zeros(draws)
    for _ in range(math.ceil(STEPS * cells * math.log2(2 * cells)) if cells > 1 else 0):
        i, j = rng.choice(cells, size=2, replace=False)
        total = moved[i] + moved[j]
        size -= np.abs(moved[i]) + np.abs(moved[j])
        low = np.maximum((total - (radius - size)) / 2, -base[i])
        high = np.minimum((total + (radius - size)) / 2, total + base[j])
        moved[i] = low + (high - low) * rng.random(draws)
        moved[j] = total - moved[i]
        size += np.abs(moved[i]) + np.abs(moved[j])
    weights[:, used] = np.maximum(base + moved.T, 0.0)
    return weights


def top_shares(scores: Array) -> Array:
    """Share of the draws in which each configuration is on top, from (draws, configurations).

    Those tied on top (to within ``DUST``) split the draw, so shares sum to 1.
    """
    on_top = scores >= scores.max(axis=1, keepdims=True) - DUST
    shares: Array = (on_top / on_top.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def top_gap_quantiles(scores: Array, levels: Array) -> Array:
    """Quantiles (type 7) of best minus second score, from (draws, configurations ≥ 2)."""
    ordered = np.partition(scores, -2, axis=1)
    quantiles: Array = np.quantile(ordered[:, -1] - ordered[:, -2], levels)
    return quantiles
