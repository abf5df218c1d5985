"""Maximise a likelihood over variances that are at least their bounds.

Newton steps with an information matrix in the place of the Hessian, damped as by Levenberg and
Marquardt; every step maximises its quadratic model under the bounds exactly, a non-negative least
squares problem, so that components leave and meet the boundary within it:

    max over d ≥ l − v of gᵀd − ½ dᵀ(A + λ diag A)d.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from tiebreak.kernels.decomposition.layout import Array

ENOUGH = 1e-9
"""Gain in log-likelihood that a full step still promises at convergence."""
STEPS = 200
RIDGE = 1e-10
"""Least damping: the quadratic model stays definite where facets are all but confounded."""
TOO_DAMPED = 1e12
SAME = 1e-2
"""Searches whose next step lands this close to a found optimum, in log-likelihood, end there."""


class Evaluation(NamedTuple):
    """Log-likelihood, gradient (F,), information (F, F)."""

    value: float
    gradient: Array
    information: Array


class Optimum(NamedTuple):
    """Where a search ended; ``gain_left`` is what one more step promises."""

    at: Array
    value: float
    information: Array
    iterations: int
    gain_left: float
    converged: bool


def maximise_from(
    evaluate: Callable[[Array], Evaluation], starts: list[Array], lower: Array
) -> list[Optimum]:
    """Where searches from several starts end; one that nears a found optimum is left there."""
    found: list[Optimum] = []
    for start in starts:
        found.append(maximise(evaluate, start, lower, found))
    return found


def maximise(
    evaluate: Callable[[Array], Evaluation],
    start: Array,
    lower: Array,
    known: Sequence[Optimum] = (),
) -> Optimum:
    """Local maximum over v ≥ lower from a start that keeps it, or the known one that it nears."""
    v, here, damping = start, evaluate(start), 1e-3
    gain = np.inf
    for iteration in range(STEPS):
        step, gain = first = _step(here, v, lower, damping)
        if gain < ENOUGH and damping > RIDGE:
            gain = _step(here, v, lower, RIDGE)[1]
        for optimum in known:
            if _same_hill(here, v + step, gain, optimum):
                return optimum._replace(iterations=iteration)
        if gain < ENOUGH:
            return Optimum(v, here.value, here.information, iteration, gain, True)
        moved = _ascend(evaluate, here, v, lower, damping, first)
        if moved is None:
            return Optimum(v, here.value, here.information, iteration, gain, False)
        v, here, damping = moved
    return Optimum(v, here.value, here.information, STEPS, gain, False)


def _same_hill(here: Evaluation, landing: Array, gain: float, optimum: Optimum) -> bool:
    """Whether a full step promises to land on a found optimum, at its height."""
    away = landing - optimum.at
    near = float(away @ optimum.information @ away) / 2 < SAME
    return optimum.converged and near and abs(here.value + gain - optimum.value) < SAME


def _ascend(
    evaluate: Callable[[Array], Evaluation],
    here: Evaluation,
    v: Array,
    lower: Array,
    damping: float,
    first: tuple[Array, float],
) -> tuple[Array, Evaluation, float] | None:
    """A step that does not lower the likelihood, damped as far as it takes; None if none does."""
    step, gain = first
    while damping < TOO_DAMPED:
        try:
            there = evaluate(np.maximum(v + step, lower))
        except np.linalg.LinAlgError:  # singular to working precision: too far
            there = here
        ratio = (there.value - here.value) / max(gain, 1e-300)
        if ratio > 1e-4:
            return np.maximum(v + step, lower), there, _relax(damping, ratio)
        damping = max(damping * 30, 1e-3)
        step, gain = _step(here, v, lower, damping)
    return None


def _relax(damping: float, ratio: float) -> float:
    """Less damping after a step as good as promised, more after a poor one."""
    if ratio > 0.75:
        return max(damping / 10, RIDGE)
    return damping * 4 if ratio < 0.25 else damping


def _step(here: Evaluation, v: Array, lower: Array, damping: float) -> tuple[Array, float]:
    """The bounded maximiser of the quadratic model and the gain that the model promises."""
    scale = 1 / np.sqrt(np.maximum(np.diagonal(here.information), 1e-300))
    a = here.information * np.outer(scale, scale) + damping * np.eye(v.size)
    g, room = here.gradient * scale, (v - lower) / scale
    root = np.linalg.cholesky(a)
    target = solve_triangular(root, g + a @ room, lower=True)
    d = nnls(root.T, target)[0] - room
    return d * scale, float(g @ d - d @ a @ d / 2)
