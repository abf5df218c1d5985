"""Unbiased per-task estimators from c successes in k_t runs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Array = NDArray[np.float64]


def protocol_values(sums: NDArray[Any], runs: NDArray[Any], kind: str, k: int) -> Array:
    """Task-level values of a protocol; NaN where there is no run.

    k = 1 is the mean of the runs. Otherwise, with c successes (Chen et al. 2021, eq. 1):
    pass@k = 1 − C(k_t − c, k)/C(k_t, k) and pass^k = C(c, k)/C(k_t, k).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        if k == 1:
            return np.where(runs > 0, sums / runs, np.nan)
        hits = np.round(sums)
        ratio = _choose_ratio(runs - hits if kind == "pass@" else hits, runs, k)
    values = 1.0 - ratio if kind == "pass@" else ratio
    return np.where(runs > 0, values, np.nan)


def _choose_ratio(part: Array, whole: NDArray[Any], k: int) -> Array:
    """C(part, k)/C(whole, k), 0 where part < k, through log-gamma."""
    enough = part >= k
    top = np.where(enough, part, k)
    log = gammaln(top + 1) - gammaln(top - k + 1) - gammaln(whole + 1) + gammaln(whole - k + 1)
    return np.where(enough, np.exp(log), 0.0)


def always(sums: NDArray[Any], runs: NDArray[Any]) -> Array:
    """1 where every run of a task succeeded, 0 where one did not; NaN without runs."""
    return np.where(runs > 0, np.round(sums) >= runs, np.nan)


def ever(sums: NDArray[Any], runs: NDArray[Any]) -> Array:
    """1 where some run of a task succeeded; NaN without runs."""
    return np.where(runs > 0, np.round(sums) > 0, np.nan)


def shock_sensitivity(sums: NDArray[Any], runs: NDArray[Any], kind: str, k: int) -> Array:
    """How much a run shock moves a protocol's score, relative to pass@1, per configuration.

    A shock δ on the logit scale moves a success probability p by p(1 − p)δ. So it moves E p by
    d₁δ and, through one of its k runs, E p^k by d_k δ with d_j = E p^j (1 − p) = pass^j −
    pass^(j+1). With R runs the first-order variance of either is σ²/R times (k d_k/d₁)², which
    is the square of what is returned. d_R needs one run more than there are: the mean of its
    bounds d²_{R−1}/d_{R−2} and pass^R (1 − pass^R/pass^(R−1)) (moments of p are log-convex).
    Failures take the place of successes for pass@k.

    Parameters
    ----------
    sums, runs
        Successes and runs, (configurations, tasks); tasks without runs are left out.

    Returns
    -------
    (configurations,), 1 for k = 1 and 0 where no run disagrees with another.
    """
    if k == 1:
        return np.ones(runs.shape[0])
    hits = np.where(runs > 0, np.round(sums), 0)
    part = runs - hits if kind == "pass@" else hits
    return np.array([_sensitivity(p, r, k) for p, r in zip(part, runs, strict=True)])


def _sensitivity(part: Array, runs: Array, k: int) -> float:
    kept = runs >= k
    if not kept.any():
        return 0.0
    part, runs = part[kept].astype(float), runs[kept].astype(float)
    most = int(runs.min())
    moment = [float(_choose_ratio(part, runs, j).mean()) for j in range(min(most, k + 1) + 1)]
    step = [a - b for a, b in pairwise(moment)]
    if len(step) < 2 or step[1] <= 0:
        return 0.0
    last = step[k] if k < most else _extrapolated(moment, step, k)
    return float(k * last / step[1])


def _extrapolated(moment: list[float], step: list[float], k: int) -> float:
    """d_k where k is the number of runs."""
    upper = moment[k] * (1 - moment[k] / moment[k - 1]) if moment[k - 1] > 0 else 0.0
    lower = step[k - 1] ** 2 / step[k - 2] if step[k - 2] > 0 else 0.0
    return (upper + lower) / 2
