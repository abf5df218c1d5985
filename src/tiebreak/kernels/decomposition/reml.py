"""Restricted maximum likelihood of variance components on the observed (probability) scale.

With V, P and R of :mod:`tiebreak.kernels.decomposition.blocks`, N trials in C cells, SS the sum of
squares within cells (Patterson & Thompson 1971; Gilmour, Thompson & Cullis 1995),

    −2ℓ  = (N − 1) log 2π + log|V| + log 1ᵀV⁻¹1 + yᵀPy + Σ log trials + (N − C) log σ²_e + SS/σ²_e
    ∂ℓ/∂σ²_f  = −½ [tr(P V_f) − yᵀP V_f P y]
    average information  A_fg = ½ yᵀP V_f P V_g P y
    expected information E_fg = ½ tr(P V_f P V_g)

and, for the residual, the terms of the runs within cells. ℓ is lme4's ``logLik(REML = TRUE)``.
The observed information is 2A − E.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tiebreak.kernels.decomposition.blocks import (
    Batch,
    Factors,
    Structure,
    add_blocks,
    block,
    factor,
    project,
    solve_items,
    structure,
)
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.layout import PAIR_FACETS, RESIDUAL, Array, Layout
from tiebreak.kernels.decomposition.optimise import Evaluation, Optimum, maximise

FLOOR = 1e-9
"""Least residual variance, as a part of the variance of the outcomes: likelihoods stay finite."""
STARTS = (0.5, 0.05)
"""Shares of the variance that the facets together hold where a search begins."""


class Outcomes(NamedTuple):
    """What was observed on a design: cell means (N,), Σ of squares within cells, trials in all."""

    mean: Array
    within: float
    trials: float

    @property
    def repeats(self) -> float:
        """Degrees of freedom within cells."""
        return self.trials - self.mean.size


class Prediction(NamedTuple):
    """Sums of pair effects: best linear unbiased predictions and their error covariance."""

    mean: Array
    covariance: Array


def outcomes_of(layout: Layout) -> Outcomes:
    """The layout's own outcomes."""
    return Outcomes(layout.mean, float(layout.within.sum()), float(layout.trials.sum()))


def fit_reml(layout: Layout, facets: tuple[str, ...]) -> Components:
    """REML estimates of the variances of ``facets``, the residual among them.

    Variances are at least 0; several starts guard against local optima. The covariance is the
    inverse of the expected information of what is not at the boundary. Facets that the design
    does not tell apart must have been merged (:mod:`.identifiability`).

    Raises
    ------
    ValueError
        All outcomes equal: there is no variance to decompose.
    """
    return fit_structure(structure(layout, facets), outcomes_of(layout))


def fit_structure(made: Structure, seen: Outcomes, start: Array | None = None) -> Components:
    """:func:`fit_reml` of outcomes on a prepared design, from the given start alone if any."""
    total = _total_variance(made, seen)
    if total <= 0:
        raise ValueError("all outcomes are equal: there is no variance to decompose")
    lower = np.where(_is_residual(made), FLOOR * total, 0.0)
    begin = [start] if start is not None else [_start(made, total, share) for share in STARTS]
    found = [
        maximise(lambda v: evaluate(made, seen, v), np.maximum(b, lower), lower) for b in begin
    ]
    best = max(found, key=lambda optimum: optimum.value)
    return _components(made, seen, best, lower, found)


def evaluate(made: Structure, seen: Outcomes, variances: Array) -> Evaluation:
    """ℓ, its gradient and the average information, the gradient's and matrix in facet order."""
    factors = factor(made, _named(made, variances))
    py, quadratic = _residuals(made, factors, seen)
    spread = np.stack([made.spread(f, py) for f in made.facets])
    average = spread @ project(made, factors, spread).T / 2
    gradient = (spread @ py - _traces(made, factors)) / 2
    value = -(factors.log_det + np.log(factors.information) + quadratic) / 2
    at, error = made.facets.index(RESIDUAL), variances[made.facets.index(RESIDUAL)]
    gradient[at] -= (seen.repeats / error - seen.within / error**2) / 2
    average[at, at] += seen.within / error**3 / 2
    value -= (seen.repeats * np.log(error) + seen.within / error) / 2
    return Evaluation(float(value + _constant(made, seen)), gradient, (average + average.T) / 2)


def expected_information(made: Structure, variances: Array, repeats: float) -> Array:
    """½ tr(P V_f P V_g), a function of the design and the variances alone, (F, F)."""
    factors = factor(made, _named(made, variances))
    inside = [f for f in made.facets if f not in PAIR_FACETS]
    traces, u = _item_traces(made, factors, inside)
    outer = np.eye(made.n_pairs) - factors.q @ factors.s
    halves = [outer.T @ u[f] @ outer for f in range(len(inside))]
    across = [e @ factors.r for e in made.same.values()]
    order = [*inside, *made.same]
    n = len(inside)
    out = np.zeros((len(order),) * 2)
    out[:n, :n] = traces
    out[:n, n:] = [[float((e * half).sum()) for e in made.same.values()] for half in halves]
    out[n:, n:] = [[float((x * y.T).sum()) for y in across] for x in across]
    out = np.triu(out) + np.triu(out, 1).T
    place = [order.index(f) for f in made.facets]
    out = out[np.ix_(place, place)] / 2
    at = made.facets.index(RESIDUAL)
    out[at, at] += repeats / variances[at] ** 2 / 2
    return out


def predict(
    made: Structure, seen: Outcomes, variances: Array, facets: tuple[str, ...], rows: Array
) -> Prediction:
    """Predicted sums of pair effects, and the covariance of their errors given the variances.

    The sum is rows @ Σ_f u_f of the pair facets given, rows (G, P): with C = Σ_f σ²_f E_f its
    predictions are rows C Zᵀ P y and their errors have covariance rows (C − C R C) rowsᵀ.
    """
    named = _named(made, variances)
    factors = factor(made, named)
    py, _ = _residuals(made, factors, seen)
    zero = np.zeros((made.n_pairs,) * 2)
    c = sum((named[f] * made.same[f] for f in facets), zero)
    covariance = rows @ (c - c @ factors.r @ c) @ rows.T
    return Prediction(rows @ c @ made.to_pairs(py), (covariance + covariance.T) / 2)


def _residuals(made: Structure, factors: Factors, seen: Outcomes) -> tuple[Array, float]:
    """P y and yᵀPy, about the pairs' least squares means so that nothing cancels."""
    means = made.to_pairs(solve_items(made, factors, seen.mean)) @ factors.s_inverse
    pulled = factors.r @ means
    fitted = means - factors.s_inverse @ pulled
    py = solve_items(made, factors, seen.mean - fitted[made.layout.pair])
    about = seen.mean - means[made.layout.pair]
    inside = about @ solve_items(made, factors, about)
    return py, float(inside + means @ pulled)


def _traces(made: Structure, factors: Factors) -> Array:
    """tr(P V_f) of every facet, (F,)."""
    out = {f: float((e * factors.r).sum()) for f, e in made.same.items()}
    inside = [f for f in made.facets if f not in out]
    out |= dict.fromkeys(inside, 0.0)
    for batch, w in zip(made.batches, factors.inverses, strict=True):
        diagonal = w - w @ _of_batch(factors.q, batch) @ w
        for f in inside:
            out[f] += batch.items * float((block(batch, made.layout, f) * diagonal).sum())
    return np.array([out[f] for f in made.facets])


def _item_traces(made: Structure, factors: Factors, inside: list[str]) -> tuple[Array, list[Array]]:
    """tr(P V_f P V_g) of item facets, (f, f), and U_f = Zᵀ V₀⁻¹ V_f V₀⁻¹ Z of each."""
    n, zero = len(inside), np.zeros((made.n_pairs,) * 2)
    out, u = np.zeros((n, n)), [zero.copy() for _ in inside]
    for batch, w in zip(made.batches, factors.inverses, strict=True):
        x = [w @ block(batch, made.layout, f) for f in inside]
        wq = w @ _of_batch(factors.q, batch)
        for f in range(n):
            add_blocks(u[f], batch, x[f] @ w)
            turned = (x[f] - 2 * x[f] @ wq).transpose(0, 2, 1)
            out[:, f] += [batch.items * float((x[g] * turned).sum()) for g in range(n)]
    uq = [part @ factors.q for part in u]
    out += np.array([[float((a * b.T).sum()) for a in uq] for b in uq])
    return (out + out.T) / 2, u


def _of_batch(q: Array, batch: Batch) -> Array:
    """The rows and columns of a pairs × pairs matrix that a batch's patterns hold, (k, s, s)."""
    taken: Array = q[batch.pairs[:, :, None], batch.pairs[:, None, :]]
    return taken


def _constant(made: Structure, seen: Outcomes) -> float:
    """The part of ℓ that no variance changes."""
    logs = float(np.log(made.layout.trials).sum())
    return -((seen.trials - 1) * float(np.log(2 * np.pi)) + logs) / 2


def _components(
    made: Structure, seen: Outcomes, best: Optimum, lower: Array, found: list[Optimum]
) -> Components:
    """The optimum with its errors and the predicted effects of models."""
    v, free = best.at, best.at > lower
    information = expected_information(made, v, seen.repeats)[np.ix_(free, free)]
    covariance = np.full((v.size, v.size), np.nan)
    covariance[np.ix_(free, free)] = np.linalg.pinv(information, hermitian=True)
    models = int(made.layout.model.max()) + 1
    effects = predict(made, seen, v, *_model_rows(made, models))
    diagnostics = {
        "iterations": float(sum(o.iterations for o in found)),
        "converged": float(best.converged),
        "gain_left": best.gain_left,
        "spread_of_optima": best.value - min(o.value for o in found),
    }
    return Components(
        facets=made.facets,
        scale="probability",
        variance=v,
        covariance=covariance,
        draws=None,
        weights=None,
        at_boundary=~free,
        intercept=_intercept(made, seen, v),
        log_likelihood=best.value,
        model_mean=effects.mean,
        model_covariance=effects.covariance,
        diagnostics=diagnostics,
    )


def _model_rows(made: Structure, models: int) -> tuple[tuple[str, ...], Array]:
    """The model facet, where fitted, and the rows that pick one pair of every model."""
    first = np.unique(made.layout.model, return_index=True)[1]
    rows = np.zeros((models, made.n_pairs))
    rows[np.arange(models), first] = 1.0
    return (("M",) if "M" in made.facets else ()), rows


def _intercept(made: Structure, seen: Outcomes, variances: Array) -> float:
    """Generalised least squares mean, 1ᵀV⁻¹y / 1ᵀV⁻¹1."""
    factors = factor(made, _named(made, variances))
    means = made.to_pairs(solve_items(made, factors, seen.mean)) @ factors.s_inverse
    return float(factors.h.sum(axis=0) @ means / factors.information)


def _total_variance(made: Structure, seen: Outcomes) -> float:
    """Variance of the trials about their mean."""
    trials = made.layout.trials
    centred = seen.mean - trials @ seen.mean / trials.sum()
    return float((trials @ centred**2 + seen.within) / max(seen.trials - 1, 1))


def _start(made: Structure, total: float, share: float) -> Array:
    """Equal parts of ``share`` of the variance to the facets, the rest to the residual."""
    facets = len(made.facets) - 1
    return np.where(_is_residual(made), (1 - share) * total, share * total / max(facets, 1))


def _is_residual(made: Structure) -> Array:
    return np.array([f == RESIDUAL for f in made.facets])


def _named(made: Structure, variances: Array) -> Mapping[str, float]:
    return dict(zip(made.facets, variances.tolist(), strict=True))
