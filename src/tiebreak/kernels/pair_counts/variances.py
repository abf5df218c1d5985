"""Variances of a mean over all pairs, from sums over rows; the same code in rationals.

With h_ij of M configurations: r_i = Σ_j h_ij, S = Σ r_i, R = Σ r_i², Q = Σ_{i≠j} h_ij²,
N = M(M − 1)/2 and U = S/2N. Every variance below is a function of (M, S, R, Q): the paper's
formulas (When Pair Count Is Not the Sample Size, sections 3 to 4 and appendix A) with the sums
over pairs, triples and quadruples written by rows, so that none needs the M × M matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

Number = TypeVar("Number", float, Fraction)
METHODS = ("pair-iid", "hoeffding", "dyadic", "jackknife")
SHARED = METHODS[1:]
"""Those that know configurations are shared by pairs."""
FEWEST = 4
"""Unbiased components need four configurations: T4 is a mean over distinct quadruples."""


@dataclass(frozen=True, slots=True)
class Components(Generic[Number]):
    """ζ₁ = T3 − T4, ζ₂ = mean h² − T4 and the variance that they make.

    ``first_order`` V₁ = 4(M − 2)ζ₁/(M(M − 1)) of ``variance`` V = V₁ + 2ζ₂/(M(M − 1)).
    """

    zeta1: Number
    zeta2: Number
    first_order: Number
    variance: Number

    @property
    def share(self) -> Number | None:
        """V₁/V; None where V is not positive."""
        return self.first_order / self.variance if self.variance > 0 else None

    @property
    def passes(self) -> bool:
        """The diagnostic: ζ₁ > 0 and V₁ ≥ V/2."""
        return bool(self.zeta1 > 0 and 2 * self.first_order >= self.variance)


@dataclass(frozen=True, slots=True)
class PairSums(Generic[Number]):
    """(M, S, R, Q): number of configurations, Σ r_i, Σ r_i², Σ_{i≠j} h_ij²."""

    size: int
    rows: Number
    rows_squared: Number
    squares: Number

    @property
    def pairs(self) -> int:
        """N."""
        return self.size * (self.size - 1) // 2

    @property
    def mean(self) -> Number:
        """U."""
        return self.rows / (2 * self.pairs)

    def components(self) -> Components[Number]:
        """Unbiased components from T3 and T4, means over distinct triples and quadruples."""
        m = self.size
        shared = self.rows_squared - self.squares
        t3 = shared / (m * (m - 1) * (m - 2))
        disjoint = self.rows * self.rows - 4 * shared - 2 * self.squares
        t4 = disjoint / (m * (m - 1) * (m - 2) * (m - 3))
        zeta1, zeta2 = t3 - t4, self.squares / (m * (m - 1)) - t4
        first = 4 * (m - 2) * zeta1 / (m * (m - 1))
        return Components(zeta1, zeta2, first, first + 2 * zeta2 / (m * (m - 1)))

    def variance(self, method: str) -> Number:
        """Estimated variance of U, which may be negative, by a name of ``METHODS``."""
        m, n = self.size, self.pairs
        spread = self.squares / (2 * n) - self.mean * self.mean
        around = self.rows_squared - self.rows * self.rows / m  # Σ (r_i − mean r)²
        if method == "pair-iid":
            return spread / n
        if method == "hoeffding":
            return 4 * self.components().zeta1 / m
        if method == "dyadic":
            return around / (n * n) - spread / n
        return 4 * around / (m * (m - 1) * (m - 2) ** 2)
