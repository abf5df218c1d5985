"""Variance components of repeated runs, of a score or of a paired difference, for many units.

A *unit* is a configuration or a pair. D_tr is its outcome (or paired difference) on task t in run
r, d_tr = D_tr − D_t. its deviation from the task's mean, w_t a contrast weight (Σ w = 1 for a
score, 0 for a movement). Crossed runs, where one run spans all tasks (a two-way layout without
replication; Scheffé 1959, ch. 4; Brennan 2001, ch. 3):

    S_r   = Σ_t w_t d_tr                     effect of run r
    s²_S  = Var_r S_r                        → σ²_R + Σ w_t² σ²_TR,t
    q     = Σ_t w_t² Var_r(d_tr − S_r) / (1 − 2 Σ w³/Σ w² + Σ w²)   → Σ w_t² σ²_TR,t

so s²_S/R is the variance of the mean over R runs about the expected score on these tasks, and
(s²_S − q)/R the part of a shock that all tasks of a run share. The variance of task means holds
q/R already. Nested trials have no shared shock: Var = Σ w_t² s_t²/k_t.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
PSEUDO_TRIALS = 0.875
"""Pseudo-trials that join equal outcomes, as in :mod:`tiebreak.kernels.moderation`."""


class RunSpread(NamedTuple):
    """What the runs of a contrast show, (units,).

    ``shared`` estimates the variance of the mean over runs about the expected score on these
    tasks, s²_S/R or its nested counterpart; ``noise`` the part of it that is task × run and that
    task means carry already; ``df`` the degrees of freedom of ``shared``. Zeros with infinite df
    say that nothing is seen.
    """

    shared: Array
    noise: Array
    df: Array


class MeanSquares(NamedTuple):
    """Components of crossed or nested runs, (units,); estimates may be negative.

    ``p_shared`` is the F test of a run effect; NaN, with ``run``, where runs are nested.
    """

    task: Array
    run: Array
    task_run: Array
    p_shared: Array


def crossed_spread(deviations: Array, weights: Array) -> RunSpread:
    """s²_S/R, q/R and R − 1 from deviations (units, tasks, runs), NaN where there is no outcome.

    ``weights`` is (units, tasks). A run's effect is taken over the tasks it has, scaled to all of
    them; runs without any outcome do not count. The shared variance is never below that of half
    a lattice step, (Σ w²)²/32, so that runs of equal scores are not certain.
    """
    present, d = ~np.isnan(deviations), np.nan_to_num(deviations)
    size = np.abs(weights)
    share = _over_tasks(size, present) / _positive(size.sum(axis=1))[:, None]
    ran: Flags = share > 0
    effect = _over_tasks(weights, d) / _positive(share)
    runs = ran.sum(axis=1)
    shared = _variance(effect, ran)
    shift = _over_tasks(size, d) / _positive(_over_tasks(size, present))
    noise = _interaction(np.where(present, d - shift[:, None, :], 0.0), present, weights)
    lattice = (weights**2).sum(axis=1) ** 2 / 32
    filled = np.maximum(runs, 1)
    seen = runs > 1
    return RunSpread(
        np.where(seen, np.maximum(shared, lattice) / filled, 0.0),
        np.where(seen, noise / filled, 0.0),
        np.where(seen, runs - 1.0, np.inf),
    )


def nested_spread(within: Array, counts: Array, weights: Array) -> RunSpread:
    """Σ w_t² s_t²/k_t from sums of squares within tasks and counts of trials, (units, tasks).

    A task of one trial borrows the pooled within-task variance Σ SS / Σ (k − 1). Pseudo-trials
    keep equal outcomes from being certain: variance ½ for k of them among N = 1/Σ(w²/k) trials.
    Degrees of freedom are Satterthwaite's for tasks of equal variance, known before any outcome.
    """
    f = np.maximum(counts - 1, 0.0)
    pooled = within.sum(axis=1) / _positive(f.sum(axis=1))
    own = np.divide(within, f, out=np.broadcast_to(pooled[:, None], f.shape).copy(), where=f > 0)
    base = np.divide(weights**2, counts, out=np.zeros_like(f), where=counts > 0)
    n = 1 / _positive(base.sum(axis=1))
    extra = PSEUDO_TRIALS / 2 / (n * (n + PSEUDO_TRIALS))
    shared = (base * own).sum(axis=1) + np.where(base.sum(axis=1) > 0, extra, 0.0)
    df = _ratio(base.sum(axis=1) ** 2, (np.square(base) / np.maximum(f, 1.0)).sum(axis=1))
    seen = f.sum(axis=1) > 0
    return RunSpread(
        np.where(seen, shared, 0.0),
        np.zeros_like(shared),
        np.where(seen, np.maximum(df, 1.0), np.inf),
    )


def add_spreads(*parts: RunSpread) -> RunSpread:
    """Independent parts of one variance, with Satterthwaite's degrees of freedom."""
    shared, noise = (sum(np.asarray(p[i]) for p in parts) for i in (0, 1))
    bottom = sum(np.square(p.shared) / p.df for p in parts)
    return RunSpread(
        np.asarray(shared, dtype=float),
        np.asarray(noise, dtype=float),
        _ratio(np.square(shared), np.asarray(bottom), empty=np.inf),
    )


def crossed_components(outcomes: Array) -> MeanSquares:
    """Mean squares of outcomes (units, tasks, runs), all tasks weighing the same.

    σ²_R = s²_S − MS_TR/n, σ²_T = s²(task means) − MS_TR/R, σ²_TR = MS_TR. The F test of a
    shared shock compares n s²_S with MS_TR on R − 1 and (n − 1)(R − 1) degrees of freedom.
    """
    present = ~np.isnan(outcomes)
    counts = present.sum(axis=2)
    mean = np.nan_to_num(outcomes).sum(axis=2) / _positive(counts)
    kept = counts > 0
    n, runs = kept.sum(axis=1), present.any(axis=1).sum(axis=1)
    weights: Array = kept / _positive(n)[:, None]
    deviations = outcomes - mean[:, :, None]
    shift = _over_tasks(weights, np.nan_to_num(deviations)) / _positive(
        _over_tasks(weights, present)
    )
    ran: Flags = np.any(present, axis=1)
    effect = _variance(shift, ran)
    residual = np.where(present, np.nan_to_num(deviations) - shift[:, None, :], 0.0)
    square = _interaction(residual, present, weights) * n
    between = _variance(mean, kept)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = n * effect / square
        p = np.where(np.isnan(statistic), 1.0, fdtrc(runs - 1, (n - 1) * (runs - 1), statistic))
        per_task = square * _mean_inverse(counts, kept)
    return MeanSquares(between - per_task, effect - square / _positive(n), square, p)


def nested_components(means: Array, within: Array, counts: Array) -> MeanSquares:
    """Between and within tasks from counts alone, (units, tasks): σ²_T = s² − mean(σ²_w/k_t)."""
    kept: Flags = counts > 0
    f = np.maximum(counts - 1, 0.0).sum(axis=1)
    square = within.sum(axis=1) / np.where(f > 0, f, np.nan)
    between = _variance(np.where(kept, means, 0.0), kept)
    nothing = np.full_like(square, np.nan)
    return MeanSquares(
        between - square * _mean_inverse(counts, kept), nothing, square, nothing.copy()
    )


def _over_tasks(weights: Array, values: Array | Flags) -> Array:
    """Σ_t w_t v_tr, (units, runs)."""
    total: Array = np.matmul(weights[:, None, :], values.astype(float))[:, 0, :]
    return total


def _interaction(residual: Array, present: Flags, weights: Array) -> Array:
    """q of the module's equations; 0 where a single task leaves it unknown."""
    f = np.maximum(present.sum(axis=2) - 1.0, 0.0)
    known = weights**2 * (f > 0)
    per_task = (residual**2).sum(axis=2) / _positive(f)
    total, whole = (known * per_task).sum(axis=1), (weights**2).sum(axis=1)
    u = np.abs(weights) / _positive(np.abs(weights).sum(axis=1))[:, None]
    kept = known.sum(axis=1) * (1 + (u**2).sum(axis=1)) - 2 * (known * u).sum(axis=1)
    return _ratio(total * whole, kept)


def _variance(values: Array, kept: Flags) -> Array:
    """Sample variance along the last axis over what is kept; 0 where one value is all there is."""
    n = kept.sum(axis=1)
    mean = np.where(kept, values, 0.0).sum(axis=1) / _positive(n)
    ss: Array = (np.where(kept, values - mean[:, None], 0.0) ** 2).sum(axis=1)
    return _ratio(ss, n - 1.0)


def _mean_inverse(counts: Array, kept: Flags) -> Array:
    """Mean of 1/k_t over tasks with trials."""
    return _ratio((kept / _positive(counts)).sum(axis=1), kept.sum(axis=1).astype(float))


def _positive(x: Array | NDArray[np.intp]) -> Array:
    """The values, 1 where they are 0: what they divide is 0 there too."""
    return np.where(x > 0, x, 1.0)


def _ratio(top: Array, bottom: Array, empty: float = 0.0) -> Array:
    out = np.full(np.shape(top), empty)
    np.divide(top, bottom, out=out, where=bottom > 1e-300)
    return out
