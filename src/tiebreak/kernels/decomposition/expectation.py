"""Expectation propagation at given variances: sites, log marginal likelihood and its gradient.

Every cell's binomial-logit likelihood is replaced by a site exp(bη − wη²/2) so that its marginal
has the moments of cavity × likelihood (Minka 2001; Rasmussen & Williams 2006, §3.6). All sites are
updated together, damped. With m₋, v₋ the cavity and Ẑ the tilted mass,

    log Z = Σ_c {log Ẑ_c + ½ log(1 + w v₋) + ½ m₋²/v₋ − ½ m²/v} − ½ log|I + W Cov η| + ½ bᵀm
    ∂ log Z/∂σ²_f = ½ {αᵀ(∂Cov η)α − tr(R* ∂Cov η)},  α = R* W⁻¹ b

The gradient is exact at the fixed point, where log Z is stationary in the sites.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiebreak.kernels.decomposition.latent import (
    Factor,
    Structure,
    covary,
    factorise,
    marginal_variance,
    products,
    solve,
    traces,
)
from tiebreak.kernels.decomposition.layout import Array
from tiebreak.kernels.decomposition.sites import tilted_moments

SWEEPS = 200
TOLERANCE = 1e-4
"""Largest disagreement of a marginal with its tilted moments, in standard deviations."""
DAMPING = 1.0
FLOOR = 1e-8
"""Least site precision; the likelihood is log-concave, so exact sites are never negative."""


@dataclass(frozen=True, slots=True)
class Sites:
    """Natural parameters of the sites, each (N,): ``precision`` w > 0 and ``shift`` b."""

    precision: Array
    shift: Array


@dataclass(frozen=True, slots=True)
class Approximation:
    """Posterior of η at one set of variances.

    ``log_mass`` is log Z without binomial coefficients; ``gap`` the disagreement left, in standard
    deviations; ``mean`` and ``spread`` (N,) the marginals of η; ``alpha`` (N,) as above.
    """

    sites: Sites
    factor: Factor
    log_mass: float
    mean: Array
    spread: Array
    alpha: Array
    sweeps: int
    gap: float


def first_sites(successes: Array, trials: Array) -> Sites:
    """Sites of the normal approximation to each cell's logit, half a success and failure added."""
    p = (successes + 0.5) / (trials + 1)
    precision = trials * p * (1 - p)
    return Sites(precision, precision * np.log(p / (1 - p)))


def propagate(
    structure: Structure,
    variance: Array,
    successes: Array,
    trials: Array,
    sites: Sites,
    sweeps: int = SWEEPS,
    tolerance: float = TOLERANCE,
) -> Approximation:
    """Update the sites until marginals and tilted moments agree, or ``sweeps`` are spent."""
    damping, previous = DAMPING, np.inf
    for sweep in range(1, sweeps + 1):
        found, better = _sweep(structure, variance, successes, trials, sites, damping, sweep)
        if found.gap < tolerance or sweep == sweeps:
            break
        if found.gap > previous:
            damping = max(damping * 0.7, 0.1)
        sites, previous = better, found.gap
    return found


def _sweep(
    structure: Structure,
    variance: Array,
    successes: Array,
    trials: Array,
    sites: Sites,
    damping: float,
    sweep: int,
) -> tuple[Approximation, Sites]:
    """The posterior under these sites, and the sites that its tilted moments ask for."""
    w, b = sites.precision, sites.shift
    factor = factorise(structure, variance, w)
    alpha = solve(structure, factor, b / w)
    mean = covary(structure, variance, alpha)
    spread = marginal_variance(structure, factor, w)
    cavity_precision = np.maximum(1 / spread - w, FLOOR)
    cavity_shift = mean / spread - b
    cavity, cavity_spread = cavity_shift / cavity_precision, 1 / cavity_precision
    tilted = tilted_moments(successes, trials, cavity, cavity_spread, mean)
    terms = np.log1p(w * cavity_spread) + cavity * cavity_shift - mean**2 / spread
    log_mass = float(tilted.log_mass.sum() + terms.sum() / 2)
    log_mass += float(b @ mean - factor.log_determinant) / 2
    gap = max(
        float(np.abs((tilted.mean - mean) / np.sqrt(spread)).max()),
        float(np.abs(tilted.variance / spread - 1).max()),
    )
    asked = np.maximum(1 / tilted.variance - cavity_precision, FLOOR)
    asked_shift = tilted.mean * (asked + cavity_precision) - cavity_shift
    better = Sites(w + damping * (asked - w), b + damping * (asked_shift - b))
    return Approximation(sites, factor, log_mass, mean, spread, alpha, sweep, gap), better


def mass_gradient(structure: Structure, found: Approximation) -> Array:
    """∂ log Z/∂σ²_f, (F,)."""
    fit = products(structure, found.alpha, found.alpha)
    return (fit - traces(structure, found.factor)) / 2
