"""A ratio of two means with its interval."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.student import t_quantile

Array = NDArray[np.float64]


def fieller(top: Array, bottom: Array, level: float) -> tuple[float, float, float]:
    """mean(top)/mean(bottom) over tasks and its interval (Fieller 1954, JRSS B 16:175).

    The θ with (x̄ − θȳ)² ≤ t² (v_x − 2θ v_xy + θ² v_y), v the (co)variances of the means on
    n − 1 degrees of freedom. NaN where mean(bottom) is 0; the upper bound is infinite where it
    cannot be told from 0.
    """
    n, x, y = top.size, float(top.mean()), float(bottom.mean())
    if y <= 0:
        return math.nan, math.nan, math.nan
    if n < 2:
        return x / y, 0.0, math.inf
    v = np.cov(top, bottom) / n
    t2 = float(t_quantile((1 + level) / 2, np.array(n - 1.0))) ** 2
    a, b, c = y * y - t2 * v[1, 1], x * y - t2 * v[0, 1], x * x - t2 * v[0, 0]
    if a <= 0:
        return x / y, max(c / (2 * b), 0.0) if b > 0 else 0.0, math.inf
    root = math.sqrt(max(b * b - a * c, 0.0))
    return x / y, max((b - root) / a, 0.0), (b + root) / a


def longest_streak(marked: NDArray[np.bool_]) -> tuple[int, int]:
    """Start and length of the longest unbroken row of marks; length 0 without any."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(np.int8), [0]])))
    if not edges.size:
        return 0, 0
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    at = int(np.argmax(lengths))
    return int(starts[at]), int(lengths[at])


def streak_probability(length: int, marks: int, total: int) -> float:
    """Bound on the chance that ``marks`` scattered over ``total`` places hold such a streak.

    (total − length + 1) · Π_i (marks − i)/(total − i), the expected number of full windows.
    """
    places = np.arange(length)
    chance = float(np.prod((marks - places) / (total - places)))
    return min(1.0, (total - length + 1) * chance)
