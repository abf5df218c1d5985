"""Unbiased per-task estimators from c successes in k_t runs."""

from __future__ import annotations

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
