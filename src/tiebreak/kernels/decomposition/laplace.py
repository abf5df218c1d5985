"""Variance components on the logit scale by Laplace's approximation, as glmmTMB and lme4 fit them.

With f̂ the mode of the random effects, p = logit⁻¹(μ + f̂), W = diag(n p(1 − p)), α = k − n p,

    ℓ = Σ_c log Binomial(k_c | n_c, p_c) − ½ f̂ᵀα − ½ log|I + W Cov η|

is maximised over the standard deviations and the intercept μ (Rasmussen & Williams 2006, §5.5.1,
for the gradient). It is **biased for sparse interactions**: with one or two trials a level it puts
their variance far too low, as :mod:`tiebreak.kernels.decomposition.ep` does not. It is here for
comparison with that software.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.ep import BOUNDARY_SD, START_SD
from tiebreak.kernels.decomposition.expectation import FLOOR
from tiebreak.kernels.decomposition.latent import (
    Factor,
    Structure,
    build_structure,
    covary,
    factorise,
    marginal_variance,
    model_effects,
    products,
    solve,
    traces,
)
from tiebreak.kernels.decomposition.layout import Array, Layout
from tiebreak.kernels.decomposition.sites import log_coefficient

NEWTON = 100
MODE_GAIN = 1e-11
"""Gain of the penalised log-likelihood below which the mode is found."""
STEP = 1e-3
"""Step of the differences of the gradient that give the curvature, in asinh logits."""


@dataclass(frozen=True, slots=True)
class _Mode:
    """Mode of the random effects: α and f̂ (N,), and the algebra at its precisions."""

    alpha: Array
    effect: Array
    precision: Array
    factor: Factor
    value: float


@dataclass(slots=True)
class _Search:
    """ℓ over (x = asinh σ of either sign, μ); each mode is sought from the last one's α."""

    structure: Structure
    successes: Array
    trials: Array
    alpha: Array
    evaluations: int = 0

    def mode(self, variance: Array, intercept: float) -> _Mode:
        """Newton's method, halved where it overshoots."""
        alpha, best = self.alpha, -np.inf
        effect = covary(self.structure, variance, alpha)
        for _ in range(NEWTON):
            value = self._penalised(alpha, effect, intercept)
            p = expit(intercept + effect)
            w = np.maximum(self.trials * p * (1 - p), FLOOR)
            factor = factorise(self.structure, variance, w)
            if value - best < MODE_GAIN:
                break
            best = value
            pull = effect + (self.successes - self.trials * p) / w
            alpha, effect = self._advance(variance, intercept, alpha, effect, (factor, pull))
        self.alpha = alpha
        return _Mode(alpha, effect, w, factor, value - factor.log_determinant / 2)

    def _advance(
        self,
        variance: Array,
        intercept: float,
        alpha: Array,
        effect: Array,
        system: tuple[Factor, Array],
    ) -> tuple[Array, Array]:
        """A Newton step in α and f̂ = Cov η α, halved until it gains (or is nothing)."""
        before = self._penalised(alpha, effect, intercept)
        to_alpha = solve(self.structure, *system) - alpha
        to_effect = covary(self.structure, variance, to_alpha)
        length = 1.0
        for _ in range(30):
            moved = alpha + length * to_alpha, effect + length * to_effect
            if self._penalised(*moved, intercept) >= before:
                return moved
            length /= 2
        return alpha, effect

    def _penalised(self, alpha: Array, effect: Array, intercept: float) -> float:
        eta = intercept + effect
        fit = self.successes @ eta - self.trials @ np.logaddexp(0.0, eta)
        return float(fit - alpha @ effect / 2)

    def slope(self, point: Array) -> tuple[float, Array]:
        """ℓ without binomial coefficients, and its gradient in (x, μ)."""
        sd, intercept = np.sinh(point[:-1]), float(point[-1])
        found = self.mode(sd**2, intercept)
        self.evaluations += 1
        p = expit(intercept + found.effect)
        spread = marginal_variance(self.structure, found.factor, found.precision)
        lean = -spread * self.trials * p * (1 - p) * (1 - 2 * p) / 2
        covaried = covary(self.structure, sd**2, lean)
        lean = lean - solve(self.structure, found.factor, covaried)
        gradient = products(self.structure, found.alpha, found.alpha) / 2
        gradient += products(self.structure, lean, found.alpha)
        gradient -= traces(self.structure, found.factor) / 2
        in_x = gradient * np.sinh(2 * point[:-1])
        return found.value, np.append(in_x, float((found.alpha + lean).sum()))

    def loss(self, point: Array) -> tuple[float, Array]:
        """What the minimiser sees."""
        value, gradient = self.slope(point)
        return -value, -gradient


def fit_laplace(layout: Layout, facets: tuple[str, ...]) -> Components:
    """Components by Laplace's approximation; ``facets`` may name the residual, which is no facet.

    ``covariance`` is by the delta method from the curvature of ℓ. Diagnostics: ``evaluations``,
    ``gradient`` (largest slope left).

    Raises
    ------
    KeyError : an unknown facet
    """
    structure = build_structure(layout, facets, 0.0)
    successes, trials = layout.mean * layout.trials, layout.trials
    search = _Search(structure, successes, trials, np.zeros(trials.size))
    odds = (successes.sum() + 0.5) / (trials.sum() - successes.sum() + 0.5)
    start = np.append(np.full(len(structure.facets), np.arcsinh(START_SD)), np.log(odds))
    options: Any = {"gtol": 1e-5, "ftol": 1e-14, "maxiter": 500}
    ended = minimize(search.loss, start, jac=True, method="L-BFGS-B", options=options)
    point = np.append(np.abs(ended.x[:-1]), ended.x[-1])
    return _components(layout, search, point)


def _components(layout: Layout, search: _Search, point: Array) -> Components:
    value, slope = search.slope(point)
    variance = np.sinh(point[:-1]) ** 2
    found = search.mode(variance, float(point[-1]))
    mean, spread = model_effects(layout, search.structure, found.factor, variance, found.alpha)
    return Components(
        facets=search.structure.facets,
        scale="logit",
        variance=variance,
        covariance=_covariance(search, point),
        draws=None,
        weights=None,
        at_boundary=point[:-1] <= BOUNDARY_SD,
        intercept=float(point[-1]),
        log_likelihood=value + log_coefficient(search.successes, search.trials),
        model_mean=mean,
        model_covariance=spread,
        diagnostics={
            "evaluations": float(search.evaluations),
            "gradient": float(np.abs(slope).max()),
        },
    )


def _covariance(search: _Search, point: Array) -> Array:
    """Delta method over the parameters inside; rows at the boundary are NaN."""
    inside = np.flatnonzero(np.append(point[:-1] > BOUNDARY_SD, True))
    size = point.size - 1
    covariance = np.full((size, size), np.nan)
    steps = STEP * np.eye(point.size)[inside]
    rows = [(search.slope(point - s)[1] - search.slope(point + s)[1])[inside] for s in steps]
    curvature = np.array(rows) / (2 * STEP)
    curvature = (curvature + curvature.T) / 2
    if np.linalg.eigvalsh(curvature)[0] > 0:
        scale = np.sinh(2 * point[inside[:-1]])
        inner = np.linalg.inv(curvature)[:-1, :-1] * np.outer(scale, scale)
        covariance[np.ix_(inside[:-1], inside[:-1])] = inner
    return covariance
