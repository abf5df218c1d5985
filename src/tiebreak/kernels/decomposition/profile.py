"""How large a component may be that REML puts at zero: the end of its likelihood-ratio interval.

At the boundary the information has no inverse to offer, so the bound comes from the profile of the
restricted likelihood: the u > 0 at which

    D(u) = 2 [max ℓ − max over the others of ℓ given σ²_f = u] = χ²₁(level).

dD/du = −2 ∂ℓ/∂σ²_f at the inner maximum, since what the others would add vanishes there or is
blocked by their own bounds; so a Newton step costs nothing beside the inner fit. The bound is
that of a two-sided interval of ``level`` whose lower end is 0, as lme4's ``confint`` takes it;
where the true component is zero such intervals hold it always, where it is large as often as
``level`` (Self & Liang 1987).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtri

from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.layout import Array, Layout
from tiebreak.kernels.decomposition.likelihood import Outcomes, Structure, evaluate, outcomes_of
from tiebreak.kernels.decomposition.likelihood import structure as structure_of
from tiebreak.kernels.decomposition.optimise import Evaluation, Optimum, maximise

CLOSE = 1e-3
"""How near D(u) comes to its quantile; the bound is then good to three digits."""
STEPS = 40
FAR = 16.0
"""Most that one step multiplies or divides a bound by."""


class Profile(NamedTuple):
    """The other variances, all F of them with the held one, and D and dD/du there."""

    variances: Array
    drop: float
    slope: float


def boundary_upper(layout: Layout, fit: Components, level: float = 0.95) -> Array:
    """Upper bound of every component at the boundary of a REML fit, (F,); NaN elsewhere.

    ``fit`` is :func:`tiebreak.kernels.decomposition.reml.fit_reml` of this layout. NaN too where no
    variance is unlikely enough: the facet has so few levels that the records do not bound it.
    """
    made, seen = structure_of(layout, fit.facets), outcomes_of(layout)
    quantile = float(chdtri(1, 1 - level))
    out = np.full(len(fit.facets), np.nan)
    for k in np.flatnonzero(fit.at_boundary[:-1]):
        out[k] = _upper(made, seen, fit, int(k), quantile)
    return out


def _upper(made: Structure, seen: Outcomes, fit: Components, k: int, quantile: float) -> float:
    """Newton's method on D(u) = quantile, kept between what is known to be too low and too high."""
    u, low, high = _first(made, seen, fit, k, quantile), 0.0, np.inf
    variances = fit.variance
    for _ in range(STEPS):
        found = profile(made, seen, fit, k, u, variances)
        variances = found.variances
        if abs(found.drop - quantile) < CLOSE:
            return u
        low, high = (u, high) if found.drop < quantile else (low, u)
        u = _next(u, found, quantile, low, high)
    return np.nan


def _first(made: Structure, seen: Outcomes, fit: Components, k: int, quantile: float) -> float:
    """Where a parabola through the boundary's slope and information meets the quantile."""
    here = evaluate(made, seen, fit.variance)
    pull, curve = -float(here.gradient[k]), float(here.information[k, k])
    return (float(np.sqrt(pull**2 + curve * quantile)) - pull) / curve


def _next(u: float, found: Profile, quantile: float, low: float, high: float) -> float:
    """A Newton step where it stays between the bounds, else halfway or a stride on."""
    step = (quantile - found.drop) / found.slope if found.slope > 0 else np.inf
    there = float(np.clip(u + step, u / FAR, u * FAR))
    if low < there < high:
        return there
    return (low + high) / 2 if np.isfinite(high) else u * FAR


def profile(
    made: Structure, seen: Outcomes, fit: Components, k: int, u: float, start: Array
) -> Profile:
    """The others at their maximum with σ²_k held at u, searched from ``start`` (F,)."""
    others = np.arange(len(made.facets)) != k
    held = start.copy()
    held[k] = u

    def inner(v: Array) -> Evaluation:
        full = held.copy()
        full[others] = v
        found = evaluate(made, seen, full)
        information = found.information[np.ix_(others, others)]
        return Evaluation(found.value, found.gradient[others], information)

    lower = np.zeros(int(others.sum()))
    lower[-1] = fit.variance[-1] * 1e-3  # the residual is the last facet and stays positive
    best: Optimum = maximise(inner, held[others], lower)
    held[others] = best.at
    peak = fit.log_likelihood if fit.log_likelihood is not None else np.nan
    slope = -2 * float(evaluate(made, seen, held).gradient[k])
    return Profile(held, 2 * (peak - best.value), slope)
