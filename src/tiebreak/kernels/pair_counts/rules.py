"""Pair rules h_ij under one contract: an exact total, and products with the matrix of all pairs.

Near ties and gaps need no matrix: sorted scores and running sums do, in O(M log M).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.pair_counts.variances import PairSums

Array = NDArray[np.float64]
Whole = NDArray[Any]
"""Whole numbers: int64 where they fit, else Python integers."""
SAFE = 2**62
BLOCK = 4_000_000


class PairRule(Protocol):
    """h_ij of M configurations, symmetric and in [0, 1]."""

    @property
    def size(self) -> int:
        """M."""

    @property
    def scale(self) -> int:
        """h is a whole number of 1/scale."""

    @property
    def own(self) -> float:
        """h of a configuration and its own copy."""

    @property
    def total(self) -> Fraction:
        """Σ_{i<j} h_ij, exactly."""

    def apply(self, weights: Array) -> Array:
        """Σ_{j≠i} h_ij w_j, (M, k) for weights (M, k)."""

    def squares(self) -> Array:
        """Σ_{j≠i} h_ij², (M,)."""


def row_sums(rule: PairRule) -> Array:
    """r_i = Σ_{j≠i} h_ij, (M,)."""
    return rule.apply(np.ones((rule.size, 1)))[:, 0]


def pair_sums(rule: PairRule) -> PairSums[float]:
    """What all variances are made of."""
    rows = row_sums(rule)
    return PairSums(
        rule.size, float(rows.sum()), float((rows**2).sum()), float(rule.squares().sum())
    )


def near_limit(near: Fraction, scale: int) -> int:
    """Largest whole difference of scores in units of 1/``scale`` that is a near tie.

    |a − b|/scale ≤ p/q ⇔ q·|a − b| ≤ p·scale ⇔ |a − b| ≤ ⌊p·scale/q⌋.
    """
    return near.numerator * scale // near.denominator


def whole_scores(scores: list[Fraction]) -> tuple[Whole, int]:
    """Scores over their common denominator: whole numbers and that denominator."""
    scale = lcm(*(s.denominator for s in scores)) if scores else 1
    numbers = [int(s * scale) for s in scores]
    fits = scale < SAFE
    return np.array(numbers, dtype=np.int64 if fits else object), scale


class NearTies:
    """h_ij = 1 where |c_i − c_j| ≤ limit, for whole c; a copy ties with its configuration."""

    own, scale = 1.0, 1

    def __init__(self, scores: Whole, limit: int) -> None:
        self.size = len(scores)
        self._order = np.argsort(scores, kind="stable")
        ordered = scores[self._order]
        self._from = np.searchsorted(ordered, ordered - limit, side="left")
        self._to = np.searchsorted(ordered, ordered + limit, side="right")

    @property
    def total(self) -> Fraction:
        """The number of near ties."""
        return Fraction((int((self._to - self._from).sum()) - self.size) // 2)

    def apply(self, weights: Array) -> Array:
        """Running sums over the window of near ties around every score."""
        sums = np.zeros((self.size + 1, weights.shape[1]))
        np.cumsum(weights[self._order], axis=0, out=sums[1:])
        found = np.empty_like(weights)
        found[self._order] = sums[self._to] - sums[self._from]
        found -= weights
        return found

    def squares(self) -> Array:
        """h² = h."""
        return row_sums(self)


class AbsoluteGaps:
    """h_ij = |c_i − c_j|/scale for whole c; a copy has no gap."""

    own = 0.0

    def __init__(self, scores: Whole, scale: int) -> None:
        self.size = len(scores)
        self.scale, self._scores = scale, scores
        self._order = np.argsort(scores, kind="stable")
        self._values: Array = (scores[self._order] / scale).astype(float)[:, None]

    @property
    def total(self) -> Fraction:
        """Σ_(i) (2i − M + 1) c_(i) over sorted scores, i from 0."""
        ordered = [int(c) for c in self._scores[self._order]]
        signed = sum((2 * i - self.size + 1) * c for i, c in enumerate(ordered))
        return Fraction(signed, self.scale)

    def apply(self, weights: Array) -> Array:
        """Running sums of w and of w·c below and above every score."""
        w = weights[self._order]
        below, moment = np.cumsum(w, axis=0), np.cumsum(w * self._values, axis=0)
        found = np.empty_like(weights)
        found[self._order] = self._values * (2 * below - below[-1]) - (2 * moment - moment[-1])
        return np.maximum(found, 0.0)

    def squares(self) -> Array:
        """Σ_j (c_i − c_j)² = M c_i² − 2 c_i Σc + Σc²."""
        c = self._values[:, 0] - self._values.mean()
        found = np.empty(self.size)
        found[self._order] = self.size * c**2 - 2 * c * c.sum() + (c**2).sum()
        return np.maximum(found, 0.0)


class PairMatrix:
    """h_ij as stated, (M, M), for rules that only a matrix can hold (verdicts, reversals)."""

    def __init__(self, values: NDArray[Any], own: float, total: Fraction, scale: int = 1) -> None:
        self.size, self.own, self.total, self.scale = len(values), own, total, scale
        self._values = values

    @cached_property
    def _float(self) -> Array:
        values: Array = self._values.astype(float)
        np.fill_diagonal(values, 0.0)
        return values

    def apply(self, weights: Array) -> Array:
        """A matrix product."""
        return self._float @ weights

    def squares(self) -> Array:
        """Row sums of h²."""
        found: Array = (self._float**2).sum(axis=1)
        return found


def opposite_orders(first: Whole, second: Whole) -> NDArray[np.bool_]:
    """(M, M): one order by the first scores and strictly the other by the second."""
    found = np.zeros((len(first), len(first)), dtype=bool)
    for i in range(len(first)):
        found[i] = ((first[i] > first) & (second[i] < second)) | (
            (first[i] < first) & (second[i] > second)
        )
    return found
