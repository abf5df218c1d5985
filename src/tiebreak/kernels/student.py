"""Student's t through scipy.special, which imports ten times faster than scipy.stats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

Array = NDArray[np.float64]


def t_quantile(p: Array | float, df: Array) -> Array:
    """Quantile of Student's t; infinite df is the normal."""
    q: Array = np.where(np.isinf(df), ndtri(p), stdtrit(np.where(np.isinf(df), 1.0, df), p))
    return q


def two_sided_p(statistic: Array, df: Array) -> Array:
    """P(|T| ≥ |statistic|)."""
    x = -np.abs(statistic)
    p: Array = 2 * np.where(np.isinf(df), ndtr(x), stdtr(np.where(np.isinf(df), 1.0, df), x))
    return p


def normal_two_sided_p(z: float) -> float:
    """P(|Z| ≥ z)."""
    return float(2 * ndtr(-abs(z)))
