"""Engines of the variance decomposition by name: their scale, what they are, how they are run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from tiebreak.kernels.decomposition.contract import Components, Scale
from tiebreak.kernels.decomposition.layout import Array, Layout

EngineName = Literal["reml", "ep", "laplace", "bayes", "moments", "disco"]
Prior = Literal["none", "half-t(3, 2.5)", "half-normal(1)"]
PRIORS: Final[tuple[Prior, ...]] = ("half-t(3, 2.5)", "half-normal(1)")
"""Of the standard deviations on the logit scale: the paper's software's, and a tighter one."""
EP_DRAWS = 192
MOMENT_DRAWS = 400
"""Most draws of tasks behind the errors of ``moments``."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How an engine is run: prior of the standard deviations, draws, seed.

    ``ep`` takes at most :data:`EP_DRAWS` draws, each of which costs a fit.
    """

    prior: Prior = "half-t(3, 2.5)"
    draws: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Engine:
    """A way to get components. ``prior``: it takes one; ``about`` is said beside its results."""

    name: EngineName
    scale: Scale
    about: str
    run: Callable[[Layout, tuple[str, ...], Asked], Components]
    prior: bool = False


def _reml(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.kernels.decomposition.reml import fit_reml

    del asked  # nothing is drawn and no prior is taken
    found = fit_reml(layout, facets)
    return _expected_errors(layout, found) if found.at_boundary.any() else found


def refit_reml(layout: Layout, facets: tuple[str, ...], near: Components) -> Components:
    """REML of a part of the records, searched from the optimum of the whole."""
    from tiebreak.kernels.decomposition.likelihood import outcomes_of, structure
    from tiebreak.kernels.decomposition.reml import fit_structure

    known = dict(zip(near.facets, near.variance, strict=True))
    least = 1e-3 * float(near.variance.sum())  # a search that begins at zero may stay there
    start = np.array([max(known.get(f, least), least) for f in facets])
    return fit_structure(structure(layout, facets), outcomes_of(layout), start)


def _expected_errors(layout: Layout, found: Components) -> Components:
    """Covariance by the expected information, which exists at zero too."""
    from tiebreak.kernels.decomposition.information import expected_information
    from tiebreak.kernels.decomposition.likelihood import outcomes_of, structure

    made, seen = structure(layout, found.facets), outcomes_of(layout)
    at = np.maximum(found.variance, 1e-9 * found.variance.sum())
    information = expected_information(made, at, seen.repeats)
    covariance: Array = np.linalg.pinv(information, hermitian=True).astype(np.float64)
    return replace(found, covariance=covariance)


def _without_effects(
    layout: Layout,
    facets: tuple[str, ...],
    variance: Array,
    covariance: Array | None,
    diagnostics: Mapping[str, float],
) -> Components:
    """Components of an engine that has no likelihood and predicts no effects of models."""
    models = int(layout.model.max()) + 1
    return Components(
        facets=facets,
        scale="probability",
        variance=variance,
        covariance=covariance,
        draws=None,
        weights=None,
        at_boundary=variance <= 0,
        intercept=float(layout.trials @ layout.mean / layout.trials.sum()),
        log_likelihood=None,
        model_mean=np.full(models, np.nan),
        model_covariance=np.full((models, models), np.nan),
        diagnostics=diagnostics,
    )


def _moments(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    """Henderson I; errors from draws of tasks within benchmarks, models and scaffolds held."""
    from tiebreak.kernels.decomposition.moments import moments

    point = moments(layout, facets)[0]
    rng = np.random.default_rng([asked.seed, *map(ord, "moments")])
    counts = _task_counts(layout, min(asked.draws, MOMENT_DRAWS), rng)
    drawn = moments(layout, facets, weights=counts)
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    covariance = np.atleast_2d(np.cov(drawn.T)) if len(drawn) > 1 else None
    told = {"draws_of_tasks": float(len(drawn))}
    return _without_effects(layout, facets, point, covariance, told)


def _task_counts(layout: Layout, draws: int, rng: np.random.Generator) -> Array:
    """How often every task is drawn, with replacement within its benchmark, (draws, tasks)."""
    home = np.zeros(layout.n_items, dtype=np.intp)
    home[layout.item] = layout.benchmark[layout.pair]
    counts = np.zeros((draws, layout.n_items))
    for benchmark in np.unique(home):
        own = np.flatnonzero(home == benchmark)
        counts[:, own] = rng.multinomial(own.size, np.full(own.size, 1 / own.size), size=draws)
    return counts


def _disco(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    """Shares of the dispersion, each facet by itself: no variances, so no coefficients."""
    from tiebreak.kernels.decomposition.disco import distance_components

    del asked  # nothing is drawn and no prior is taken
    found = distance_components(layout, facets)
    chance = zip(found.facets, found.null, strict=True)
    told = {f"chance_{facet}": float(share) for facet, share in chance}
    return _without_effects(layout, found.facets, found.share, None, told)


def _ep(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.kernels.decomposition.ep import fit_ep

    return fit_ep(layout, facets, asked.prior, min(asked.draws, EP_DRAWS), asked.seed)


def _laplace(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.kernels.decomposition.laplace import fit_laplace

    del asked  # nothing is drawn and no prior is taken
    return fit_laplace(layout, facets)


def _bayes(layout: Layout, facets: tuple[str, ...], asked: Asked) -> Components:
    from tiebreak.estimate.exact import fit_exact, leave_one_out
    from tiebreak.kernels.decomposition.sites import log_coefficient

    found = fit_exact(layout, facets, asked.prior, asked.draws, asked.seed)
    successes = np.round(layout.trials * layout.mean)
    loo = leave_one_out(found, log_coefficient(successes, layout.trials))
    told = {
        "elpd_loo": loo.elpd,
        "elpd_loo_se": loo.se,
        "p_loo": loo.p_loo,
        "largest_pareto_k": loo.largest_k,
        "cells_of_large_k": float(loo.large_k),
    }
    made = found.components
    return replace(made, diagnostics={**made.diagnostics, **told})


ENGINES: Final[Mapping[str, Engine]] = {
    engine.name: engine
    for engine in (
        Engine(
            "reml",
            "probability",
            "restricted maximum likelihood of a linear model of the scores",
            _reml,
        ),
        Engine(
            "ep",
            "logit",
            "expectation propagation of a binomial-logit model",
            _ep,
            prior=True,
        ),
        Engine(
            "laplace",
            "logit",
            "Laplace's approximation, as glmmTMB; its variances of sparse interactions are too low",
            _laplace,
        ),
        Engine(
            "bayes",
            "logit",
            "exact posterior of a binomial-logit model by Pólya-Gamma Gibbs sampling",
            _bayes,
            prior=True,
        ),
        Engine(
            "moments",
            "probability",
            "signed moment estimates (Henderson I); errors from drawn tasks",
            _moments,
        ),
        Engine(
            "disco",
            "probability",
            "distance components: each facet by itself, not corrected for chance",
            _disco,
        ),
    )
}
DEFAULT: Final[tuple[EngineName, ...]] = ("reml", "ep")
