"""Pólya-Gamma Gibbs sampling of variance components on the logit scale: one exact sweep.

With ω_c ~ PG(n_c, η_c) a binomial-logit cell is a normal one of precision ω_c and value κ_c/ω_c,
κ = k − n/2 (Polson, Scott & Windle 2013). A sweep:

1. σ given ω, effects integrated out: random-walk Metropolis in x = asinh σ, of any covariance;
2. all effects given σ and ω in one block, by perturbation: draw effects and data from the prior and
   add what the difference of the data predicts (Papandreou & Yuille 2010);
3. σ² of each facet given its effects, proposed from its inverse gamma under a flat prior of σ;
4. σ of all facets and the intercept jointly given the *standardised* effects, a normal regression
   (interwoven parametrisations; Yu & Meng 2011), σ's prior a scale mixture of normals;
5. ω given η.

Steps 3 and 4 mix where the other does not: many trials a level, few trials a level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tiebreak.kernels.decomposition.latent import (
    Factor,
    Structure,
    build_structure,
    covary,
    factorise,
    solve,
)
from tiebreak.kernels.decomposition.layout import Array, Index, Layout
from tiebreak.kernels.decomposition.priors import (
    INTERCEPT_VARIANCE,
    T_DF,
    T_SCALE,
    Prior,
    log_prior,
)

PolyaGamma = Callable[[Array, Array, np.random.Generator], Array]
"""Draws of PG(n, η), (N,), from trials, tilts and a generator."""
FEWEST_LEVELS = 3
"""Levels a facet needs for step 3: with fewer the inverse gamma has no mean to speak of."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is sampled: layout with the structure of its facets, their levels, and the prior."""

    structure: Structure
    levels: tuple[Index, ...]
    sizes: tuple[int, ...]
    successes: Array
    trials: Array
    prior: Prior
    polya_gamma: PolyaGamma


@dataclass(frozen=True, slots=True)
class State:
    """Where a chain is: ``sd`` (F,), ``omega`` and ``eta`` (N,), effects by facet, intercept."""

    sd: Array
    omega: Array
    eta: Array
    effects: tuple[Array, ...]
    intercept: float


def build_target(
    layout: Layout, facets: tuple[str, ...], prior: Prior, polya_gamma: PolyaGamma
) -> Target:
    """The posterior of a layout's components; ``facets`` may name the residual, which is no facet.

    Raises
    ------
    KeyError : an unknown facet
    ValueError : no prior, without which the posterior need not be proper
    """
    if prior == "none":
        raise ValueError("the exact posterior needs a prior")
    structure = build_structure(layout, facets, INTERCEPT_VARIANCE)
    levels = tuple(layout.levels(facet) for facet in structure.facets)
    sizes = tuple(int(level.max()) + 1 for level in levels)
    successes = layout.mean * layout.trials
    return Target(structure, levels, sizes, successes, layout.trials, prior, polya_gamma)


def start(target: Target, sd: Array, rng: np.random.Generator) -> State:
    """A chain's beginning: ω at tilt 0, effects and intercept yet to be drawn."""
    zero = np.zeros_like(target.trials)
    omega = target.polya_gamma(target.trials, zero, rng)
    effects = tuple(np.zeros(size) for size in target.sizes)
    return State(sd, omega, zero, effects, 0.0)


def sweep(target: Target, state: State, scale: Array, rng: np.random.Generator) -> State:
    """One sweep; ``scale`` (F, F) is the Cholesky factor of the walk of step 1."""
    sd, factor = _walk(target, state, scale, rng)
    effects, intercept = _effects(target, sd, state.omega, factor, rng)
    sd = _centred(target, sd, effects, rng)
    sd, effects, intercept = _standardised(target, sd, effects, state.omega, rng)
    eta = np.full_like(state.eta, intercept)
    for level, effect in zip(target.levels, effects, strict=True):
        eta += effect[level]
    omega = target.polya_gamma(target.trials, eta, rng)
    return State(sd, omega, eta, effects, intercept)


def pointwise(target: Target, state: State) -> Array:
    """Log-likelihood of every cell at the state, (N,), binomial coefficients left out."""
    eta, fit = state.eta, target.successes * state.eta
    value: Array = fit - target.trials * np.logaddexp(0.0, eta)
    return value


def _kappa(target: Target) -> Array:
    return target.successes - target.trials / 2


def _integrated(target: Target, sd: Array, omega: Array) -> tuple[float, Factor]:
    """log p(κ/ω | σ, ω) + log prior in x = asinh σ, up to what does not depend on σ."""
    factor = factorise(target.structure, sd**2, omega)
    kappa = _kappa(target)
    mean = covary(target.structure, sd**2, solve(target.structure, factor, kappa / omega))
    log_density = float(log_prior(target.prior, sd)[0].sum() + np.log1p(sd**2).sum() / 2)
    return log_density + float(kappa @ mean - factor.log_determinant) / 2, factor


def _walk(
    target: Target, state: State, scale: Array, rng: np.random.Generator
) -> tuple[Array, Factor]:
    """Step 1. Reflection at zero keeps the walk symmetric."""
    here, factor = _integrated(target, state.sd, state.omega)
    moved = np.sinh(np.abs(np.arcsinh(state.sd) + scale @ rng.normal(size=state.sd.size)))
    there, moved_factor = _integrated(target, moved, state.omega)
    if np.log(rng.random()) < there - here:
        return moved, moved_factor
    return state.sd, factor


def _effects(
    target: Target, sd: Array, omega: Array, factor: Factor, rng: np.random.Generator
) -> tuple[tuple[Array, ...], float]:
    """Step 2: effects of every facet and the intercept given σ and ω."""
    prior = [s * rng.normal(size=size) for s, size in zip(sd, target.sizes, strict=True)]
    shared = target.structure.shared
    intercept = float(np.sqrt(shared) * rng.normal())
    data = intercept + rng.normal(size=omega.size) / np.sqrt(omega)
    for level, effect in zip(target.levels, prior, strict=True):
        data += effect[level]
    alpha = solve(target.structure, factor, _kappa(target) / omega - data)
    effects = tuple(
        effect + s**2 * np.bincount(level, alpha, effect.size)
        for level, effect, s in zip(target.levels, prior, sd, strict=True)
    )
    return effects, intercept + shared * float(alpha.sum())


def _centred(
    target: Target, sd: Array, effects: tuple[Array, ...], rng: np.random.Generator
) -> Array:
    """Step 3: propose under a flat prior of σ, accept by the ratio of priors."""
    squares = np.array([effect @ effect for effect in effects])
    enough = np.array(target.sizes) >= FEWEST_LEVELS
    shape = np.where(enough, (np.array(target.sizes) - 1) / 2, 1.0)
    proposed = np.sqrt(squares / 2 / rng.gamma(shape))
    ratio = log_prior(target.prior, proposed)[0] - log_prior(target.prior, sd)[0]
    accepted = enough & (np.log(rng.random(sd.size)) < ratio)
    return np.where(accepted, proposed, sd)


def _standardised(
    target: Target,
    sd: Array,
    effects: tuple[Array, ...],
    omega: Array,
    rng: np.random.Generator,
) -> tuple[Array, tuple[Array, ...], float]:
    """Step 4: regress κ/ω on standardised effects; a negative σ turns its effects around."""
    standard = [effect / s for effect, s in zip(effects, sd, strict=True)]
    columns = [e[level] for e, level in zip(standard, target.levels, strict=True)]
    x = np.stack([*columns, np.ones_like(omega)], axis=1)
    spread = np.append(_mixture(target.prior, sd, rng), target.structure.shared)
    precision = x.T @ (omega[:, None] * x) + np.diag(1 / spread)
    factor = np.linalg.cholesky(precision)
    half = np.linalg.solve(factor, x.T @ _kappa(target))
    drawn = np.linalg.solve(factor.T, half + rng.normal(size=half.size))
    signed = drawn[:-1]
    scaled = tuple(s * e for s, e in zip(signed, standard, strict=True))
    return np.abs(signed), scaled, float(drawn[-1])


def _mixture(prior: Prior, sd: Array, rng: np.random.Generator) -> Array:
    """Variances of the normals that σ's prior mixes, given σ, (F,)."""
    if prior == "half-normal(1)":
        return np.ones_like(sd)
    rate = (T_DF + (sd / T_SCALE) ** 2) / 2
    return T_SCALE**2 * rate / rng.gamma((T_DF + 1) / 2, size=sd.size)
