"""Exact coverage on finite models: every state, classified in rational numbers.

*Equality*: configurations are iid Bernoulli(p) and h_ij says that both are alike, so U has the
mean θ = p² + q² and a state is k, the number of ones. *Constant*: h_ij = 1. *Independent edges*:
the pairs themselves are iid Bernoulli(θ); a state is how many of the N are 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, floor, isqrt

from scipy.special import bdtr, ndtri

from tiebreak.kernels.pair_counts.variances import METHODS, PairSums

ULP = Fraction(1, 10**14)
"""z is irrational: a state is classified with z ± this, and both must agree."""


@dataclass(frozen=True, slots=True)
class State:
    """Sums of a state over rows, exactly, and its probability ``weight`` / ``whole``."""

    ones: int
    weight: int
    whole: int
    sums: PairSums[Fraction]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Probability that an interval covers, that the diagnostic passes, and of both.

    ``passes`` is None where there are no configurations to diagnose. ``covering`` lists the
    covering states as runs (first, last).
    """

    method: str
    covers: float
    passes: float | None
    both: float | None
    covering: tuple[tuple[int, int], ...]

    @property
    def conditional(self) -> float | None:
        """Coverage given that the diagnostic passes; None where it never does."""
        return self.both / self.passes if self.passes and self.both is not None else None


def z_value(level: float) -> Fraction:
    """The normal quantile of a two-sided level, as the fraction that its float is."""
    return Fraction(float(ndtri((1 + level) / 2)))


def equality_states(m: int, p: Fraction) -> Iterator[State]:
    """k of M are ones: their rows hold k − 1 pairs alike, the others' rows M − k − 1."""
    one, zero, whole = p.numerator, p.denominator - p.numerator, p.denominator**m
    for k in range(m + 1):
        weight = comb(m, k) * one**k * zero ** (m - k)
        yield State(k, weight, whole, _sums(m, [(k, k - 1), (m - k, m - k - 1)]))


def constant_states(m: int) -> Iterator[State]:
    """One state: everything ties."""
    yield State(m, 1, 1, _sums(m, [(m, m - 1)]))


def _sums(m: int, rows: list[tuple[int, int]]) -> PairSums[Fraction]:
    """Sums of a 0/1 rule whose rows come in groups (how many, their sum)."""
    total = Fraction(sum(n * r for n, r in rows))
    return PairSums(m, total, Fraction(sum(n * r * r for n, r in rows)), total)


def covers(mean: Fraction, variance: Fraction, truth: Fraction, z: Fraction) -> bool:
    """(U − θ)² ≤ z² max(V, 0): the closed interval holds the truth.

    Raises
    ------
    ArithmeticError
        The answer depends on digits of z beyond its float.
    """
    off, spread = (mean - truth) ** 2, max(variance, Fraction(0))
    found = {off <= (z + dz) ** 2 * spread for dz in (-ULP, ULP)}
    if len(found) > 1:
        raise ArithmeticError("a state lies on the edge of its interval, beyond the digits of z")
    return found.pop()


def shared_coverage(states: list[State], truth: Fraction, level: float) -> tuple[Coverage, ...]:
    """Coverage of every method where pairs share configurations."""
    z = z_value(level)
    passing = [s.sums.components().passes for s in states]
    passes = _probability(states, passing)
    found = []
    for method in METHODS:
        held = [covers(s.sums.mean, s.sums.variance(method), truth, z) for s in states]
        both = _probability(states, [h and p for h, p in zip(held, passing, strict=True)])
        runs = _runs([s.ones for s, hit in zip(states, held, strict=True) if hit])
        found.append(Coverage(method, _probability(states, held), passes, both, runs))
    return tuple(found)


def _probability(states: list[State], chosen: list[bool]) -> float:
    """Of the chosen states: summed in whole numbers, divided once."""
    weight = sum(s.weight for s, on in zip(states, chosen, strict=True) if on)
    return float(Fraction(weight, states[0].whole))


def independent_coverage(m: int, truth: Fraction, level: float) -> Coverage:
    """Pair-iid Wald for N independent edges: the same target, number and formula, no sharing.

    X/N covers θ iff N(X − Nθ)² ≤ z² X(N − X), which bounds X on both sides; the probability of
    what lies between is a difference of binomial distribution functions.
    """
    n, z = m * (m - 1) // 2, z_value(level)
    low, high = (_edge(n, truth, z, up) for up in (False, True))
    if low > high:
        return Coverage("independent", 0.0, None, None, ())
    p = float(truth)
    below = float(bdtr(low - 1, n, p)) if low > 0 else 0.0
    covered = float(bdtr(high, n, p)) - below
    return Coverage("independent", covered, None, None, ((low, high),))


def _edge(n: int, truth: Fraction, z: Fraction, up: bool) -> int:
    """Last covering X on one side: the root of (N + z²)X² − N(2Nθ + z²)X + N³θ² = 0."""
    z2 = z * z
    a, b, c = n + z2, n * (2 * n * truth + z2), n**3 * truth**2
    root = _sqrt(b * b - 4 * a * c)
    x = floor((b + root if up else b - root) / (2 * a))
    step = 1 if up else -1
    while 0 <= x <= n and not _covered(n, x, truth, z):
        x -= step
    while 0 <= x + step <= n and _covered(n, x + step, truth, z):
        x += step
    return x


def _covered(n: int, x: int, truth: Fraction, z: Fraction) -> bool:
    mean = Fraction(x, n)
    return covers(mean, mean * (1 - mean) / n, truth, z)


def _sqrt(value: Fraction) -> Fraction:
    """Square root to a few units: a starting place only."""
    return Fraction(isqrt(max(floor(value), 0)))


def _runs(ones: list[int]) -> tuple[tuple[int, int], ...]:
    """Consecutive numbers as (first, last)."""
    runs: list[tuple[int, int]] = []
    for k in ones:
        if runs and runs[-1][1] == k - 1:
            runs[-1] = (runs[-1][0], k)
        else:
            runs.append((k, k))
    return tuple(runs)
