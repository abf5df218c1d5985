"""The exact posterior of components on the logit scale: chains, their checks, leave-one-out.

Chains of :mod:`tiebreak.kernels.decomposition.gibbs` start from EP draws spread over the posterior
and stop as soon as the gate is met: worst rank-normalised split R-hat ≤ 1.01 and, for every
component, bulk and tail effective draws ≥ 400 (Vehtari et al. 2021; arviz-stats). Sampling that
ends before is returned with ``passed`` 0, and is not to be shown as good.

Needs the extra ``bayes`` (polyagamma, arviz-stats); ModuleNotFoundError without.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.ep import BOUNDARY_SD, fit_ep
from tiebreak.kernels.decomposition.gibbs import (
    State,
    Target,
    build_target,
    pointwise,
    start,
    sweep,
)
from tiebreak.kernels.decomposition.layout import Array, Layout
from tiebreak.kernels.decomposition.priors import Prior
from tiebreak.progress import track

CHAINS = 4
WARM_UP = 200
BATCH = 250
"""Sweeps of every chain between two looks at the gate."""
MOST_BATCHES = 40
LARGEST_RHAT = 1.01
LEAST_EFFECTIVE = 400.0
TAILS = 0.05, 0.95
"""The quantiles whose effective draws are the tail's."""
AGAINST_ZERO = 0.2
WALK = 2.38
"""Scaling of a random walk over √F (Gelman, Roberts & Gilks 1996)."""
KEPT_CELLS = 30_000_000
"""Most values of the pointwise log-likelihood that are kept: 0.24 GiB."""


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """PSIS-LOO: sums over cells, standard error, effective parameters, worst and large Pareto k.

    On cells with effects of their own k is often large: 0.7 and above is not to be trusted.
    """

    elpd: float
    se: float
    p_loo: float
    largest_k: float
    large_k: int
    cells: int


@dataclass(frozen=True, slots=True)
class Posterior:
    """Components, with draws, and the cells' log-likelihood.

    ``sd`` (chains, draws, F); ``pointwise`` (chains, kept, N) without binomial coefficients.
    """

    components: Components
    sd: Array
    pointwise: Array

    @property
    def passed(self) -> bool:
        """Whether the gate was met."""
        return self.components.diagnostics["passed"] == 1.0


@dataclass(slots=True)
class _Chain:
    """A chain and what it has given: standard deviations, model effects, log-likelihoods."""

    state: State
    rng: np.random.Generator
    sd: list[Array]
    models: list[Array]
    intercepts: list[float]
    pointwise: list[Array]

    def run(self, target: Target, scale: Array, sweeps: int, every: int) -> None:
        """Sweep on; keep the cells' log-likelihood ``every`` so many sweeps, 0 for never."""
        facets = target.structure.facets
        models = facets.index("M") if "M" in facets else None
        for done in range(sweeps):
            self.state = sweep(target, self.state, scale, self.rng)
            self.sd.append(self.state.sd)
            self.intercepts.append(self.state.intercept)
            if models is not None:
                self.models.append(self.state.effects[models])
            if every and done % every == 0:
                self.pointwise.append(pointwise(target, self.state).astype(np.float32))

    def forget(self) -> None:
        """Drop the warm-up."""
        for kept in (self.sd, self.models, self.intercepts, self.pointwise):
            kept.clear()


def draw_polya_gamma(trials: Array, tilt: Array, rng: np.random.Generator) -> Array:
    """Draws of PG(n, η), (N,), by polyagamma."""
    drawn: Array = import_module("polyagamma").random_polyagamma(trials, tilt, random_state=rng)
    return drawn


def fit_exact(
    layout: Layout,
    facets: tuple[str, ...],
    prior: Prior = "half-t(3, 2.5)",
    draws: int = 1000,
    seed: int = 0,
) -> Posterior:
    """Sample until the gate is met, or ``MOST_BATCHES`` batches; keep about ``draws`` in all.

    ``variance`` is the posterior median of each σ². Diagnostics: ``passed``, ``worst_rhat``,
    ``least_bulk``, ``least_tail``, the same for each facet (``rhat_IM`` …), ``sweeps``.

    Raises
    ------
    KeyError : an unknown facet
    ValueError : the prior ``none``
    ModuleNotFoundError : the extra ``bayes`` is not there
    """
    target = build_target(layout, facets, prior, draw_polya_gamma)
    guide = fit_ep(layout, facets, prior, seed=seed)
    chains, scale = _chains(target, guide, seed)
    every = max(1, BATCH * MOST_BATCHES * CHAINS * layout.item.size // KEPT_CELLS)
    for _ in track(range(1), 1, "warming up the exact posterior"):
        for chain in chains:
            chain.run(target, scale, WARM_UP, 0)
            chain.forget()
    checks: dict[str, float] = {}
    for _ in track(range(MOST_BATCHES), MOST_BATCHES, "sampling the exact posterior"):
        for chain in chains:
            chain.run(target, scale, BATCH, every)
        checks = gate(np.array([chain.sd for chain in chains]), target.structure.facets)
        if checks["passed"]:
            break
    return _posterior(layout, target, chains, checks, draws)


def _chains(target: Target, guide: Components, seed: int) -> tuple[list[_Chain], Array]:
    """Chains at EP draws (spread about the mode where there are none), and the walk's factor."""
    rngs = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(CHAINS)]
    if guide.draws is None or guide.weights is None:
        size = len(guide.facets)
        begun = [np.sqrt(guide.variance) * np.exp(rng.normal(size=size) / 2) for rng in rngs]
        scale = 0.1 * np.eye(size)
    else:
        picks = rngs[0].choice(guide.weights.size, CHAINS, p=guide.weights)
        begun = list(np.sqrt(guide.draws[picks]))
        x = np.arcsinh(np.sqrt(guide.draws))
        apart = x - guide.weights @ x
        spread = (apart * guide.weights[:, None]).T @ apart + 1e-6 * np.eye(x.shape[1])
        scale = np.linalg.cholesky(spread).astype(np.float64) * WALK / np.sqrt(x.shape[1])
    begun = [np.maximum(sd, BOUNDARY_SD) for sd in begun]
    states = [start(target, sd, rng) for sd, rng in zip(begun, rngs, strict=True)]
    return [_Chain(*held, [], [], [], []) for held in zip(states, rngs, strict=True)], scale


def _array_stats() -> Any:
    """Untyped, and heavy to load."""
    return import_module("arviz_stats.base").array_stats


def gate(sd: Array, facets: tuple[str, ...]) -> dict[str, float]:
    """R-hat, bulk and tail effective draws of (chains, draws, F), by facet and at worst."""
    array_stats = _array_stats()
    checks: dict[str, float] = {}
    for column, facet in enumerate(facets):
        values, axes = sd[:, :, column], {"chain_axis": 0, "draw_axis": 1}
        checks[f"rhat_{facet}"] = float(array_stats.rhat(values, **axes))
        checks[f"bulk_{facet}"] = float(array_stats.ess(values, method="bulk", **axes))
        checks[f"tail_{facet}"] = float(array_stats.ess(values, method="tail", prob=TAILS, **axes))
    worst = max(checks[f"rhat_{facet}"] for facet in facets)
    bulk, tail = (min(checks[f"{kind}_{facet}"] for facet in facets) for kind in ("bulk", "tail"))
    passed = worst <= LARGEST_RHAT and min(bulk, tail) >= LEAST_EFFECTIVE
    checks |= {"worst_rhat": worst, "least_bulk": bulk, "least_tail": tail}
    return checks | {"passed": float(passed), "sweeps": float(sd.shape[0] * sd.shape[1])}


def _posterior(
    layout: Layout, target: Target, chains: list[_Chain], checks: dict[str, float], draws: int
) -> Posterior:
    sd = np.array([chain.sd for chain in chains])
    variances = sd.reshape(-1, sd.shape[2]) ** 2
    models = int(layout.model.max()) + 1
    effects = np.array([effect for chain in chains for effect in chain.models])
    if not effects.size:
        effects = np.zeros((2, models))
    kept = np.linspace(0, len(variances) - 1, min(draws, len(variances))).astype(np.intp)
    components = Components(
        facets=target.structure.facets,
        scale="logit",
        variance=np.median(variances, axis=0),
        covariance=np.cov(variances.T).reshape(sd.shape[2], sd.shape[2]),
        draws=variances[kept],
        weights=None,
        at_boundary=_against_zero(sd),
        intercept=float(np.mean([chain.intercepts for chain in chains])),
        log_likelihood=None,
        model_mean=effects.mean(axis=0),
        model_covariance=np.cov(effects.T).reshape(models, models),
        diagnostics=checks,
    )
    return Posterior(components, sd, np.array([chain.pointwise for chain in chains]))


def _against_zero(sd: Array) -> NDArray[np.bool_]:
    """Whether the density of σ does not fall towards zero: a fifth of it below half its median.

    A density flat from zero has a quarter there, a normal one three deviations from zero 7 %.
    """
    median = np.median(sd, axis=(0, 1))
    below: NDArray[np.bool_] = (sd < median / 2).mean(axis=(0, 1)) >= AGAINST_ZERO
    return below


def leave_one_out(posterior: Posterior, constant: float = 0.0) -> LeaveOneOut:
    """PSIS-LOO of the cells (Vehtari, Gelman & Gabry 2017); ``constant`` is Σ log C(n, k)."""
    array_stats = _array_stats()
    log_likelihood = np.moveaxis(posterior.pointwise.astype(np.float64), 2, 0)
    rows = [array_stats.loo(cell, chain_axis=0, draw_axis=1) for cell in log_likelihood]
    elpd, k, p_loo = (np.array([row[part] for row in rows], dtype=np.float64) for part in range(3))
    return LeaveOneOut(
        elpd=float(elpd.sum()) + constant,
        se=float(np.sqrt(elpd.size * elpd.var())),
        p_loo=float(p_loo.sum()),
        largest_k=float(k.max()),
        large_k=int((k > 0.7).sum()),
        cells=int(elpd.size),
    )
