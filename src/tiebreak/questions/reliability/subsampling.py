"""Fewer tasks, other benchmarks: what becomes of the order (Tables 18 and 19)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tiebreak.errors import InputError
from tiebreak.kernels.concordance import kendall, mid_ranks, spearman
from tiebreak.kernels.decomposition.layout import Array
from tiebreak.questions.judge import number
from tiebreak.questions.reliability.observations import Observations
from tiebreak.results.reliability import SubsampleRow, TransportRow

STEPS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 75, 100, 150, 200, 250, 300)


def system_means(found: Observations) -> tuple[Array, tuple[str, ...]]:
    """Mean score of every system on every task, (systems, tasks); NaN where it did not run."""
    shape = (len(found.models), len(found.scaffolds))
    joint = np.ravel_multi_index((found.model, found.scaffold), shape)
    systems, system = np.unique(joint, return_inverse=True)
    cell = system * len(found.items) + found.item
    size = systems.size * len(found.items)
    n = np.bincount(cell, minlength=size)
    total = np.bincount(cell, weights=found.score, minlength=size)
    with np.errstate(invalid="ignore"):
        means = (total / np.where(n > 0, n, np.nan)).reshape(systems.size, -1)
    models, scaffolds = np.unravel_index(systems, shape)
    names = tuple(
        f"{found.scaffolds[a]} | {found.models[m]}" for m, a in zip(models, scaffolds, strict=True)
    )
    return means, names


def subsample(found: Observations, draws: int, seed: int) -> tuple[SubsampleRow, ...]:
    """Ranks of the systems on k tasks, drawn without replacement, against those on all.

    ``top``: share of draws whose best system is (one of) the best on all tasks; ``rank_change``:
    mean absolute change of mid-ranks; ``saving``: share of the tasks that is not run.

    Raises
    ------
    InputError
        Fewer than three systems, or too few tasks to leave some out.
    """
    means, names = system_means(found)
    n = means.shape[1]
    steps = [k for k in STEPS if k < n]
    if len(names) < 3 or not steps:
        raise InputError(
            "too little to subsample",
            allowed=f"3 systems and more than {STEPS[0]} tasks",
            got=f"{len(names)} systems, {n} tasks",
        )
    rng = np.random.default_rng(seed)
    return tuple(_row(means, k, draws, rng) for k in steps)


def _row(means: Array, k: int, draws: int, rng: np.random.Generator) -> SubsampleRow:
    whole = np.nanmean(means, axis=1)
    best = whole >= whole.max() - 1e-12
    found = []
    for _ in range(draws):
        part = means[:, rng.choice(means.shape[1], k, replace=False)]
        known = ~np.isnan(part).all(axis=1)
        score = np.nanmean(part[known], axis=1)
        change = np.abs(mid_ranks(-score) - mid_ranks(-whole[known])).mean()
        first = best[known][np.argmax(score)]
        found.append((spearman(score, whole[known]), kendall(score, whole[known]), first, change))
    rho, tau, top, change_of = np.array(found, dtype=float).T
    bounds = [[number(q) for q in np.nanquantile(v, [0.025, 0.975])] for v in (rho, tau)]
    return SubsampleRow(
        k=k,
        rho=number(np.nanmean(rho)),
        rho_low=bounds[0][0],
        rho_high=bounds[0][1],
        tau=number(np.nanmean(tau)),
        tau_low=bounds[1][0],
        tau_high=bounds[1][1],
        top=number(top.mean()),
        rank_change=number(change_of.mean()),
        saving=1 - k / means.shape[1],
    )


def model_means(found: Observations) -> Array:
    """Mean over a model's scaffolds of its mean score, (models, benchmarks); NaN: not there."""
    shape = (len(found.models), len(found.scaffolds), len(found.benchmarks))
    cell = np.ravel_multi_index((found.model, found.scaffold, found.benchmark), shape)
    size = int(np.prod(shape))
    n = np.bincount(cell, minlength=size).reshape(shape)
    total = np.bincount(cell, weights=found.score, minlength=size).reshape(shape)
    with np.errstate(invalid="ignore"):
        means = total / np.where(n > 0, n, np.nan)
    tried = (n > 0).sum(axis=1)
    summed = np.nansum(means, axis=1)
    out: Array = np.divide(summed, tried, out=np.full(tried.shape, np.nan), where=tried > 0)
    return out


def transport(found: Observations) -> tuple[TransportRow, ...]:
    """Kendall's τ_b of the models' means on every pair of benchmarks that share three or more."""
    means, rows = model_means(found), []
    for i, j in combinations(range(len(found.benchmarks)), 2):
        both = ~np.isnan(means[:, i]) & ~np.isnan(means[:, j])
        n = int(both.sum())
        tau = number(kendall(means[both, i], means[both, j])) if n >= 3 else None
        rows.append(TransportRow(found.benchmarks[i], found.benchmarks[j], n, tau))
    return tuple(rows)
