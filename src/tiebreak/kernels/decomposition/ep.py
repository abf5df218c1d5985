"""Variance components on the logit scale by expectation propagation.

    k_c ~ Binomial(n_c, logit⁻¹(μ + Σ_f u_f)),  u_f ~ N(0, σ²_f),  μ ~ N(0, 18.75)

log Z(σ) of :mod:`tiebreak.kernels.decomposition.expectation` stands for the marginal likelihood.
The point is the maximum of log Z + log prior over the standard deviations (the prior ``none``:
maximum marginal likelihood); the search is over x = asinh σ of either sign, an even function, so
that zero is no bound. Draws of the variances come by importance sampling around it on x ≥ 0, with
density cosh x · prior · Z. At a draw the sites start where a line through the neighbours of the
mode puts them, and log Z is stationary in the sites, so a few sweeps do.

Where an interaction has one or two trials a level Laplace's approximation puts its variance far
too low; EP does not (Rasmussen & Williams 2006, §3.7 on their marginal likelihoods).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize

from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.expectation import (
    Approximation,
    Sites,
    first_sites,
    mass_gradient,
    propagate,
)
from tiebreak.kernels.decomposition.importance import Draws, importance
from tiebreak.kernels.decomposition.latent import Structure, build_structure, model_effects
from tiebreak.kernels.decomposition.layout import Array, Layout
from tiebreak.kernels.decomposition.priors import INTERCEPT_VARIANCE, Prior, log_prior
from tiebreak.kernels.decomposition.sites import log_coefficient

START_SD = 0.5
STEP = 0.05
"""Step of the differences that give curvature and the drift of the sites, in asinh logits."""
DRAW_SWEEPS = 1
"""Leaves log Z at a draw off by .001 in the median (4,000 cells, 6 facets), by .2 at the farthest,
where weights are small; two sweeps would leave 5e-5 and .006 at twice the time."""
BOUNDARY_SD = 0.03
"""A standard deviation at or below this many logits counts as zero."""
ENOUGH_EFFECTIVE = 50.0
"""Effective draws below which draws are withheld and the curvature at the mode stands alone."""
WIDEST = 1.0
"""Largest proposal standard deviation in x where the curvature says less."""


@dataclass(slots=True)
class _Search:
    """log Z + log prior over x, with the sites of the last point as the start of the next."""

    structure: Structure
    successes: Array
    trials: Array
    prior: Prior
    sites: Sites
    sweeps: int = 0
    gap: float = 0.0
    visited: list[float] = field(default_factory=list)

    def at(self, x: Array, sweeps: int = 200) -> Approximation:
        """EP at standard deviations |sinh x|."""
        variance = np.sinh(x) ** 2
        args = self.structure, variance, self.successes, self.trials, self.sites
        found = propagate(*args, sweeps=sweeps)
        self.sites, self.gap = found.sites, found.gap
        self.sweeps += found.sweeps
        return found

    def slope(self, x: Array) -> tuple[float, Array]:
        """Objective and its gradient in x."""
        found, sd = self.at(x), np.sinh(x)
        log_density, slope = log_prior(self.prior, np.abs(sd))
        gradient = 2 * sd * mass_gradient(self.structure, found) + np.sign(sd) * slope
        return found.log_mass + float(log_density.sum()), gradient * np.cosh(x)

    def loss(self, x: Array) -> tuple[float, Array]:
        """What the minimiser sees."""
        value, gradient = self.slope(x)
        self.visited.append(value)
        return -value, -gradient


@dataclass(frozen=True, slots=True)
class _Point:
    """Where the search ended: x = asinh σ ≥ 0, EP there, the slope left."""

    x: Array
    found: Approximation
    slope: Array


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """Curvature (F, F) at the mode, and the drift (F, 2N) of log precision and shift with x."""

    curvature: Array
    drift: Array


def fit_ep(
    layout: Layout,
    facets: tuple[str, ...],
    prior: Prior = "half-t(3, 2.5)",
    draws: int = 192,
    seed: int = 0,
) -> Components:
    """Components by EP; ``facets`` may name the residual, which the logit link fixes at π²/3.

    ``draws`` is the number of importance draws, 0 for none; without a prior there are none, as the
    posterior need not be proper. ``log_likelihood`` is log Z with binomial coefficients and the
    intercept integrated. Diagnostics: ``sweeps``, ``evaluations``, ``gradient`` (largest slope at
    the point), ``gap`` (see ``Approximation``), ``effective_draws``.

    Raises
    ------
    KeyError : an unknown facet
    """
    structure = build_structure(layout, facets, INTERCEPT_VARIANCE)
    successes, trials = layout.mean * layout.trials, layout.trials
    search = _Search(structure, successes, trials, prior, first_sites(successes, trials))
    start = np.full(len(structure.facets), np.arcsinh(START_SD))
    options: Any = {"gtol": 1e-2, "ftol": 1e-10, "maxiter": 200}
    search_ended = minimize(search.loss, start, jac=True, method="L-BFGS-B", options=options)
    x = np.abs(search_ended.x)
    found = search.at(x)
    point = _Point(x, found, search.slope(x)[1])
    near = _neighbours(search, point)
    sample = None
    if prior != "none" and draws > 0:
        sample = _sample(layout, search, point, near, draws, seed)
    return _components(layout, search, point, near, sample)


def _neighbours(search: _Search, point: _Point) -> _Neighbours:
    """One-sided differences: the objective is even, so a step away from zero is always inside."""
    size = point.x.size
    here = _packed(point.found.sites)
    curvature, drift = np.empty((size, size)), np.empty((size, here.size))
    for j in range(size):
        moved = point.x.copy()
        moved[j] += STEP
        search.sites = point.found.sites
        curvature[j] = (point.slope - search.slope(moved)[1]) / STEP
        drift[j] = (_packed(search.sites) - here) / STEP
    return _Neighbours((curvature + curvature.T) / 2, drift)


def _packed(sites: Sites) -> Array:
    return np.concatenate([np.log(sites.precision), sites.shift])


def _sample(
    layout: Layout, search: _Search, point: _Point, near: _Neighbours, draws: int, seed: int
) -> Draws:
    """Importance draws of x, target cosh x · prior · Z; the records are model effects."""
    here, cells = _packed(point.found.sites), point.found.sites.shift.size

    def log_target(x: Array) -> tuple[float, Array]:
        packed = here + (x - point.x) @ near.drift
        search.sites = Sites(np.exp(packed[:cells]), packed[cells:])
        found = search.at(x, DRAW_SWEEPS)
        log_density = log_prior(search.prior, np.sinh(x))[0] + np.log(np.cosh(x))
        mean, covariance = _effects(layout, search, x, found)
        record = np.append(mean, covariance.ravel())
        return found.log_mass + float(log_density.sum()), record

    scale = _proposal_scale(near.curvature)
    centre = np.maximum(point.x + scale @ np.tanh(point.x), 0)
    return importance(log_target, centre, scale, draws, np.random.default_rng(seed))


def _proposal_scale(curvature: Array) -> Array:
    """Inverse curvature with no direction wider than ``WIDEST``."""
    values, vectors = np.linalg.eigh(curvature)
    scale: Array = (vectors / np.maximum(values, WIDEST**-2)) @ vectors.T
    return scale


def _effects(
    layout: Layout, search: _Search, x: Array, found: Approximation
) -> tuple[Array, Array]:
    variance = np.sinh(x) ** 2
    return model_effects(layout, search.structure, found.factor, variance, found.alpha)


def _components(
    layout: Layout, search: _Search, point: _Point, near: _Neighbours, sample: Draws | None
) -> Components:
    structure, variance = search.structure, np.sinh(point.x) ** 2
    boundary = point.x <= BOUNDARY_SD
    effects = _effects(layout, search, point.x, point.found)
    covariance = _curved(point.x, near.curvature)
    kept = sample if sample is not None and sample.effective >= ENOUGH_EFFECTIVE else None
    if kept is not None:
        covariance = _spread(np.sinh(kept.at) ** 2, kept.weights)
        effects = _mixed(kept, effects[0].size)
    covariance[boundary] = covariance[:, boundary] = np.nan
    constant = log_coefficient(search.successes, search.trials)
    return Components(
        facets=structure.facets,
        scale="logit",
        variance=variance,
        covariance=covariance,
        draws=None if kept is None else np.sinh(kept.at) ** 2,
        weights=None if kept is None else kept.weights,
        at_boundary=boundary,
        intercept=float(structure.shared * point.found.alpha.sum()),
        log_likelihood=point.found.log_mass + constant,
        model_mean=effects[0],
        model_covariance=effects[1],
        diagnostics={
            "sweeps": float(search.sweeps),
            "evaluations": float(len(search.visited)),
            "gradient": float(np.abs(point.slope).max()),
            "gap": point.found.gap,
            "effective_draws": 0.0 if sample is None else sample.effective,
        },
    )


def _curved(x: Array, curvature: Array) -> Array:
    """Covariance of the variances by the delta method, ∂σ²/∂x = sinh 2x; NaN if not a maximum."""
    if np.linalg.eigvalsh(curvature)[0] <= 0:
        return np.full(curvature.shape, np.nan)
    step = np.sinh(2 * x)
    covariance: Array = np.linalg.inv(curvature) * np.outer(step, step)
    return covariance


def _spread(values: Array, weights: Array) -> Array:
    apart = values - weights @ values
    covariance: Array = (apart * weights[:, None]).T @ apart
    return covariance


def _mixed(kept: Draws, models: int) -> tuple[Array, Array]:
    """Mean and covariance of the model effects over the draws: both parts of the variance."""
    means = kept.records[:, :models]
    within = (kept.weights @ kept.records[:, models:]).reshape(models, models)
    return kept.weights @ means, within + _spread(means, kept.weights)
