"""Restricted maximum likelihood of variance components on the observed (probability) scale."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.layout import RESIDUAL, Array, Layout
from tiebreak.kernels.decomposition.likelihood import (
    Factors,
    Outcomes,
    Residuals,
    Structure,
    evaluate,
    factor,
    outcomes_of,
    residuals,
    structure,
)
from tiebreak.kernels.decomposition.optimise import Optimum, maximise_from

FLOOR = 1e-7
"""Least residual variance, as a part of the variance of the outcomes: likelihoods stay finite."""
STARTS = (0.5, 0.75)
"""Shares of the variance that the facets together hold where a search begins."""


class Prediction(NamedTuple):
    """Sums of pair effects (G,): best linear unbiased predictions and their error covariance."""

    mean: Array
    covariance: Array


def fit_reml(layout: Layout, facets: tuple[str, ...]) -> Components:
    """REML estimates of the variances of ``facets``, the residual among them.

    Variances are at least 0; several starts guard against local optima. The covariance is the
    inverse of the average information of what is not at the boundary. Facets that the design
    does not tell apart must have been merged
    (:mod:`tiebreak.kernels.decomposition.identifiability`). ``diagnostics``: ``iterations`` of all
    searches, ``converged`` (1 or 0), ``gain_left`` in log-likelihood that a further step promises,
    ``spread_of_optima``, the difference of log-likelihoods at which the searches ended.

    Raises
    ------
    ValueError
        All outcomes equal: there is no variance to decompose.
    """
    return fit_structure(structure(layout, facets), outcomes_of(layout))


def fit_structure(made: Structure, seen: Outcomes, start: Array | None = None) -> Components:
    """:func:`fit_reml` of outcomes on a prepared design, from the given start alone if any."""
    all_variance = _all_variance(made, seen)
    if all_variance <= 0:
        raise ValueError("all outcomes are equal: there is no variance to decompose")
    lower = np.where(_is_residual(made), FLOOR * all_variance, 0.0)
    begin = [start] if start is not None else [_start(made, all_variance, s) for s in STARTS]
    starts = [np.maximum(b, lower) for b in begin]
    found = maximise_from(lambda v: evaluate(made, seen, v), starts, lower)
    return _components(made, seen, max(found, key=lambda optimum: optimum.value), lower, found)


def predict(
    made: Structure, seen: Outcomes, variances: Array, facets: tuple[str, ...], rows: Array
) -> Prediction:
    """Predicted sums of pair effects, and the covariance of their errors given the variances.

    The sums are rows @ Σ_f u_f of the pair facets given, rows (G, P). With C = Σ_f σ²_f E_f their
    predictions are rows C Zᵀ P y and the errors' covariance rows (C − C R C) rowsᵀ.
    """
    factors = factor(made, made.named(variances))
    c = _shared(made, variances, facets)
    return _predict(factors, residuals(made, factors, seen), c, rows)


def _predict(factors: Factors, py: Residuals, c: Array, rows: Array) -> Prediction:
    covariance = rows @ (c - c @ factors.r @ c) @ rows.T
    return Prediction(rows @ (c @ py.pairs), (covariance + covariance.T) / 2)


def _shared(made: Structure, variances: Array, facets: tuple[str, ...]) -> Array:
    """C = Σ_f σ²_f E_f of some pair facets, (P, P)."""
    named = made.named(variances)
    parts = [named[f] * made.same[f] for f in facets]
    return sum(parts, np.zeros((made.layout.model.size,) * 2))


def _components(
    made: Structure, seen: Outcomes, best: Optimum, lower: Array, found: list[Optimum]
) -> Components:
    """The optimum with its errors and the predicted effects of models."""
    free = best.at > lower
    covariance = np.full((free.size, free.size), np.nan)
    information = best.information[np.ix_(free, free)]
    covariance[np.ix_(free, free)] = np.linalg.pinv(information, hermitian=True)
    factors = factor(made, made.named(best.at))
    py = residuals(made, factors, seen)
    facets, rows = _models(made)
    effects = _predict(factors, py, _shared(made, best.at, facets), rows)
    diagnostics = {
        "iterations": float(sum(o.iterations for o in found)),
        "converged": float(best.converged),
        "gain_left": best.gain_left,
        "spread_of_optima": best.value - min(o.value for o in found),
    }
    return Components(
        facets=made.facets,
        scale="probability",
        variance=best.at,
        covariance=covariance,
        draws=None,
        weights=None,
        at_boundary=~free,
        intercept=float(factors.h.sum(axis=0) @ py.means / factors.size),
        log_likelihood=best.value,
        model_mean=effects.mean,
        model_covariance=effects.covariance,
        diagnostics=diagnostics,
    )


def _models(made: Structure) -> tuple[tuple[str, ...], Array]:
    """The model facet, where fitted, and the rows that pick one pair of every model."""
    first = np.unique(made.layout.model, return_index=True)[1]
    rows = np.zeros((first.size, made.layout.model.size))
    rows[np.arange(first.size), first] = 1.0
    return (("M",) if "M" in made.facets else ()), rows


def _all_variance(made: Structure, seen: Outcomes) -> float:
    """Variance of the trials about their mean."""
    trials = made.layout.trials
    centred = seen.mean - trials @ seen.mean / trials.sum()
    spread = float(trials @ centred**2 + seen.within) / max(seen.trials - 1, 1)
    return spread if spread > 1e-12 else 0.0


def _start(made: Structure, all_variance: float, share: float) -> Array:
    """Equal parts of ``share`` of the variance to the facets, the rest to the residual."""
    part = share / max(len(made.facets) - 1, 1)
    return np.where(_is_residual(made), 1 - share, part) * all_variance


def _is_residual(made: Structure) -> Array:
    return np.array([f == RESIDUAL for f in made.facets], dtype=float)
