"""Fits → result lines: components with intervals, coefficients with their limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from tiebreak.kernels.decomposition.coefficients import (
    CONTRASTS,
    EQUATIONS,
    LINK,
    ONE_TASK,
    Equation,
    NotSeparateError,
    Sizes,
    coefficient,
    weigh,
    weighted_quantiles,
)
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.layout import RESIDUAL, Array, Layout
from tiebreak.questions.judge import number
from tiebreak.results.reliability import CoefficientLine, ComponentLine

Merged = Mapping[str, tuple[str, ...]]
MEANING = {
    "model": "the order of models, over tasks and scaffolds like these",
    "system": "the order of model–scaffold systems as deployed, over tasks like these",
    "model_in_scaffold": "the order of models under one given scaffold, over tasks like these",
    "inter_scaffold": "agreement of two scaffolds on the order of models, on these tasks",
    "scaffold": "the order of scaffolds, over tasks and models like these",
    "model_one_task": "the order of models, set against how it changes from task to task",
    "scaffold_one_task": "the order of scaffolds, set against how it changes from task to task",
    "model_minus_scaffold": "signal of models less that of scaffolds, over equation 4's total",
    "model_minus_scaffold_literal": "the same over equation 11's total as printed",
    "leaderboard": "the order of models, over benchmarks, tasks and scaffolds like these",
    "leaderboard_system": "the order of systems as deployed, over benchmarks and tasks like these",
    "leaderboard_scaffold": "the order of scaffolds, over benchmarks, tasks and models like these",
}
OBJECTS = ("model", "system", "scaffold")
"""What a user may rank; the rest are contrasts and agreements that are always shown."""


def label(facet: str, merged: Merged) -> str:
    """``A+MA`` where the design does not tell them apart."""
    return "+".join(merged.get(facet, (facet,)))


def component_lines(
    fit: Components, layout: Layout, merged: Merged, level: float
) -> tuple[ComponentLine, ...]:
    """Every component; on the logit scale the link's residual too."""
    on_link = fit.scale == "logit"
    total = float(fit.variance.sum()) + (LINK if on_link else 0.0)
    lines = [
        replace(
            _component(fit, k, level, total),
            facet=label(facet, merged),
            levels=int(layout.levels(facet).max()) + 1,
        )
        for k, facet in enumerate(fit.facets)
    ]
    if on_link:
        fixed: dict[str, Any] = {"variance": LINK, "share": LINK / total}
        lines.append(ComponentLine(RESIDUAL, layout.item.size, **fixed, **_NO_BOUNDS, fixed=True))
    return tuple(lines)


_NO_BOUNDS: dict[str, Any] = {
    **dict.fromkeys(("se", "low", "high", "low_68", "high_68")),
    "at_boundary": False,
}


def _component(fit: Components, k: int, level: float, total: float) -> ComponentLine:
    v, se = float(fit.variance[k]), math.nan
    if fit.draws is not None:
        low, high, low_68, high_68 = _drawn(fit, fit.draws[:, k], level)
        se = _spread(fit.draws[:, k], fit.weights)
    else:
        if fit.covariance is not None:
            se = math.sqrt(max(float(fit.covariance[k, k]), 0.0))
        low, high = interval(v, se, level)
        low_68, high_68 = interval(v, se, 0.68)
    return ComponentLine(
        facet=fit.facets[k],
        levels=0,
        variance=number(v),
        share=number(v / total) if total > 0 else None,
        se=number(se),
        low=number(low),
        high=number(high),
        low_68=number(low_68),
        high_68=number(high_68),
        at_boundary=bool(fit.at_boundary[k]),
    )


def interval(variance: float, se: float, level: float) -> tuple[float, float]:
    """On the log of a variance beyond z·SE, else from 0 to σ̂² + z·SE; plain for a negative one.

    On the log scale a variance below its error would get a bound that no score can have.
    """
    z = float(ndtri((1 + level) / 2))
    if math.isnan(se):
        return (0.0, math.nan) if variance == 0 else (math.nan, math.nan)
    if variance > z * se:
        factor = math.exp(z * se / variance)
        return variance / factor, variance * factor
    return (0.0 if variance >= 0 else variance - z * se), variance + z * se


def _drawn(fit: Components, draws: Array, level: float) -> list[float]:
    points = [(1 - level) / 2, (1 + level) / 2, 0.16, 0.84]
    return [float(q) for q in weighted_quantiles(draws, fit.weights, points)]


def _spread(draws: Array, weights: Array | None) -> float:
    mean = float(np.average(draws, weights=weights))
    return math.sqrt(float(np.average((draws - mean) ** 2, weights=weights)))


def wanted(pooled: bool, asked: str | None) -> Iterable[Equation]:
    """The estimands of one benchmark or of a leaderboard, of one object where one is asked for."""
    for equation in EQUATIONS:
        other = asked is not None and equation.object in OBJECTS and equation.object != asked
        if equation.pooled == pooled and not other:
            yield equation


def coefficient_line(
    equation: Equation, fit: Components, engine: str, sizes: Sizes, merged: Merged, level: float
) -> CoefficientLine:
    """An estimand at stated sizes, its limit, and what limits it; or why the design has none."""
    shown = _shown(equation, fit, engine, sizes)
    try:
        weights = weigh(equation, fit.facets, fit.scale, sizes, merged)
    except NotSeparateError as fault:
        return CoefficientLine(**shown, **_NOTHING, held=(), reason=str(fault))
    found = coefficient(weights, fit, level)
    far = weigh(equation, fit.facets, fit.scale, replace(sizes, tasks=math.inf), merged)
    contrast = equation.name in CONTRASTS
    grows = equation.name not in ONE_TASK
    return CoefficientLine(
        **shown,
        value=number(found.value),
        plug_in=number(found.plug_in),
        low=number(found.low),
        high=number(found.high),
        low_68=number(found.low_68),
        high_68=number(found.high_68),
        snr=None if contrast else number(found.snr),
        unlimited_tasks=number(coefficient(far, fit, level).value) if grows else None,
        limited_by=None if contrast else _largest(fit, weights.error, weights.link_error, merged),
        held=tuple(label(f, merged) for f in found.held),
        reason=_reason(found.value, found.snr, found.low, contrast=contrast),
    )


def _shown(equation: Equation, fit: Components, engine: str, sizes: Sizes) -> dict[str, Any]:
    """What is stated of an estimand beside its numbers."""
    return {
        "name": equation.name,
        "object": equation.object,
        "equation": equation.number,
        "scale": fit.scale,
        "engine": engine,
        "n_tasks": 1.0 if equation.name in ONE_TASK else number(sizes.tasks),
        "n_scaffolds": number(sizes.scaffolds),
        "n_benchmarks": number(sizes.benchmarks),
        "n_runs": number(sizes.runs),
        "meaning": MEANING[equation.name],
    }


_NOTHING: dict[str, Any] = dict.fromkeys(
    ("value", "plug_in", "low", "high", "low_68", "high_68", "snr", "unlimited_tasks", "limited_by")
)


def _reason(value: float, snr: float, low: float, *, contrast: bool) -> str | None:
    """Why a number is missing."""
    if math.isnan(value):
        return "its denominator is not above zero" if contrast else "its components are all at zero"
    if math.isinf(snr) and not contrast:
        return "no error component is distinguishable from zero here, so SNR has no bound"
    if math.isnan(low):
        return "this fit has no errors of its components"
    return None


def _largest(fit: Components, error: Array, link: float, merged: Merged) -> str | None:
    """The facet with the largest part of the error."""
    parts = {
        label(f, merged): float(w * v)
        for f, w, v in zip(fit.facets, error, fit.variance, strict=True)
    }
    if link > 0:
        parts[RESIDUAL] = link
    name, most = max(parts.items(), key=lambda item: item[1], default=("", 0.0))
    return name if most > 0 else None
