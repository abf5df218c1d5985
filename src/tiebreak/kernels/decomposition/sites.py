"""Moments of one binomial-logit likelihood times a normal cavity, for many cells at once.

    q(η) ∝ p(η)^k (1 − p(η))^(n−k) N(η; m, v),  p = 1/(1 + e^−η)

by Gauss–Hermite quadrature whose nodes stand at the mode of q and spread by its curvature, with
the exact density as weights. Nodes at the cavity miss cells of many trials, whose likelihood is
much narrower than v.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln

from tiebreak.kernels.decomposition.layout import Array

NODES = 20
"""Quadrature nodes; the log mass of a cell is off by 1e-6, 4e-5, 4e-4 at most at v = 2, 4, 9."""
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(NODES)
_LOG_WEIGHTS = np.log(_WEIGHTS) + _POINTS**2 / 2
STEP = 2.0
"""Longest Newton step in logits: where p is flat the curvature promises too much."""
MODE_TOLERANCE = 1e-3


class Tilted(NamedTuple):
    """log ∫ likelihood × cavity, and mean and variance of the tilted density; each (N,)."""

    log_mass: Array
    mean: Array
    variance: Array


def tilted_mode(successes: Array, trials: Array, mean: Array, variance: Array, at: Array) -> Array:
    """Mode of the tilted density (N,) by clipped Newton steps from ``at``."""
    for _ in range(50):
        p = expit(at)
        slope = successes - trials * p - (at - mean) / variance
        step = np.clip(slope / (trials * p * (1 - p) + 1 / variance), -STEP, STEP)
        at = at + step
        if np.abs(step).max() < MODE_TOLERANCE:
            break
    return at


def tilted_moments(
    successes: Array, trials: Array, mean: Array, variance: Array, at: Array
) -> Tilted:
    """Moments of k ~ Binomial(n, logit⁻¹ η), η ~ N(m, v); ``at`` is where the mode is sought.

    The binomial coefficient is left out; :func:`log_coefficient` has it.
    """
    mode = tilted_mode(successes, trials, mean, variance, at)
    p = expit(mode)
    scale = 1 / np.sqrt(trials * p * (1 - p) + 1 / variance)
    eta = mode + scale * _POINTS[:, None]
    log_density = successes * eta - trials * _softplus(eta)
    log_density -= (eta - mean) ** 2 / (2 * variance)
    log_density += _LOG_WEIGHTS[:, None]
    top = log_density.max(axis=0)
    mass = np.exp(log_density - top)
    total = mass.sum(axis=0)
    first, second = _POINTS @ mass / total, _POINTS**2 @ mass / total
    log_mass = top + np.log(total * scale / np.sqrt(2 * np.pi * variance))
    return Tilted(log_mass, mode + scale * first, scale**2 * (second - first**2))


def _softplus(eta: Array) -> Array:
    """log(1 + e^η) to within 1e-16, faster than ``logaddexp``."""
    value: Array = np.maximum(eta, 0.0) + np.log(1 + np.exp(-np.abs(eta)))
    return value


def log_coefficient(successes: Array, trials: Array) -> float:
    """Σ log C(n, k) over the cells."""
    parts = gammaln(trials + 1) - gammaln(successes + 1) - gammaln(trials - successes + 1)
    return float(parts.sum())
