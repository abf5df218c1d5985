"""Self-normalised importance sampling around a mode, from a Student t cut off below zero.

Points are scrambled Sobol; x_d ~ t_ν(c, S) given x ≥ 0, weight ∝ target(x_d)/t_ν(x_d; c, S). The
constant of the cut is the same for all draws and drops out, so a mode at the boundary is no special
case. A short pilot round corrects centre and scale by its weighted moments; so does every further
round, while too few draws are effective (adaptive importance sampling; Cappé et al. 2004).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri, ndtri
from scipy.stats import qmc

from tiebreak.kernels.decomposition.layout import Array

DF = 7.0
PILOT = 4
"""The first round has a quarter of the draws: it only finds centre and scale."""
ROUNDS = 4
ENOUGH = 0.35
"""Effective share of the draws at which no further round is made."""


class Draws(NamedTuple):
    """``at`` (D, F), ``weights`` (D,) summing to 1, and 1/Σ weights², the effective draws.

    ``records`` (D, …) is what the target noted at each draw.
    """

    at: Array
    weights: Array
    effective: float
    records: Array


Target = Callable[[Array], tuple[float, Array]]
"""Log density at a point (F,), and a record of it of any fixed size."""


def importance(
    log_target: Target, centre: Array, scale: Array, draws: int, rng: np.random.Generator
) -> Draws:
    """Weighted draws from ``log_target`` on x ≥ 0; ``scale`` (F, F) is the proposal's S."""
    pilot = _round(log_target, centre, scale, max(draws // PILOT, 2 * centre.size), rng)
    best, rounds = pilot, 0
    while rounds == 0 or (rounds < ROUNDS and best.effective < ENOUGH * draws):
        centre, scale = _fitted(best, scale)
        found = _round(log_target, centre, scale, draws, rng)
        best = max(best, found, key=lambda sample: sample.effective)
        rounds += 1
    return best


def _round(
    log_target: Target, centre: Array, scale: Array, draws: int, rng: np.random.Generator
) -> Draws:
    factor = np.linalg.cholesky(scale).astype(np.float64)
    x = _proposals(centre, factor, draws, rng)
    z = np.linalg.solve(factor, (x - centre).T)
    log_proposal = -(DF + centre.size) / 2 * np.log1p((z**2).sum(axis=0) / DF)
    targets, records = zip(*map(log_target, x), strict=True)
    log_weight = np.array(targets) - log_proposal
    weights = np.exp(log_weight - log_weight.max())
    weights /= weights.sum()
    return Draws(x, weights, float(1 / (weights**2).sum()), np.array(records))


def _proposals(centre: Array, factor: Array, draws: int, rng: np.random.Generator) -> Array:
    """The first ``draws`` Sobol points whose image is nowhere negative, (draws, F)."""
    sobol = qmc.Sobol(centre.size + 1, rng=rng)
    kept: list[Array] = []
    while sum(map(len, kept)) < draws:
        u = np.clip(sobol.random(4096), 1e-12, 1 - 1e-12)
        normal = ndtri(u[:, :-1])
        t = normal / np.sqrt(chdtri(DF, u[:, -1:]) / DF)
        x = centre + t @ factor.T
        kept.append(x[(x >= 0).all(axis=1)])
    return np.concatenate(kept)[:draws]


def _fitted(found: Draws, scale: Array) -> tuple[Array, Array]:
    """Weighted mean and covariance, the latter mixed with the scale before while draws are few."""
    centre = found.weights @ found.at
    apart = found.at - centre
    trust = found.effective / (found.effective + 3 * centre.size)
    fitted = (apart * found.weights[:, None]).T @ apart
    return centre, trust * fitted + (1 - trust) * scale
