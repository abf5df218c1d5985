"""Where rankings change along a line of targets.

On the path π(λ) = (1 − λ) π₀ + λ π₁, 0 ≤ λ ≤ 1, every score is a line, and so is every gap:

    Δ(λ) = (1 − λ) d₀ + λ d₁,    zero at λ* = d₀ / (d₀ − d₁).                              (1)

``start`` and ``end`` are scores (or gaps) under π₀ and π₁. Counts give rational scores, for which
the ``exact_`` twins compute in Fractions: in the ranking-reversal paper A − B goes from −8/15 to
3/20 as the weight of lookup goes from 0 to 1, hence λ* = 32/41.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.moments import all_pairs
from tiebreak.kernels.radius import DUST

Array = NDArray[np.float64]
Index = NDArray[np.intp]

BOUNDED, OUTSIDE, WHOLE, EMPTY = range(4)
KINDS = ("bounded", "outside", "whole", "empty")
"""Names of the kind codes of :func:`fieller`."""


class Envelope(NamedTuple):
    """Who is on top along a path: winners[s] from breakpoints[s] to breakpoints[s + 1].

    breakpoints is (segments + 1,), from 0 to 1; winners is (segments,).
    """

    breakpoints: Array
    winners: Index


class ExactEnvelope(NamedTuple):
    """:class:`Envelope` in rational numbers."""

    breakpoints: tuple[Fraction, ...]
    winners: tuple[int, ...]


class CrossoverSet(NamedTuple):
    """Crossover weights that the data allow, (pairs,) each; not cut to [0, 1].

    ``kind`` BOUNDED: low ≤ λ ≤ high, one of them infinite on a half-line. OUTSIDE: λ ≤ low or
    λ ≥ high. WHOLE: every λ (bounds −∞, ∞). EMPTY: none (bounds NaN).
    """

    low: Array
    high: Array
    kind: NDArray[np.int8]


def sweep_ends(weights: Array, cell: int) -> tuple[Array, Array]:
    """Ends of the sweep of one cell: weight 0 with the rest split as in ``weights``, weight 1.

    Equal ``weights`` split the rest equally, observed ones in the observed proportions. The
    split is NaN where ``weights`` puts everything on the cell.
    """
    start, end = np.array(weights, dtype=float), np.zeros(len(weights))
    start[cell], end[cell] = 0.0, 1.0
    with np.errstate(invalid="ignore"):
        return start / start.sum(), end


def line_scores(start: Array, end: Array, at: Array) -> Array:
    """Scores along the path, (configurations, points), from scores at its ends."""
    scores: Array = np.outer(start, 1 - at) + np.outer(end, at)
    return scores


def gap_crossovers(d0: Array, d1: Array) -> Array:
    """λ* of (1) for gaps d₀ at λ = 0 and d₁ at λ = 1, (pairs,).

    A tie at an end of the path counts (λ* = 0 or 1). NaN where the gap keeps its sign on [0, 1],
    where it does not move, and for twins (zero all along).
    """
    first, last = _snap(d0), _snap(d1)
    found = (first * last <= 0) & (np.abs(first - last) > DUST)
    at: Array = np.divide(first, first - last, out=np.full(first.shape, np.nan), where=found)
    return at


def pair_crossovers(start: Array, end: Array) -> Array:
    """:func:`gap_crossovers` of all pairs, (pairs,), in the order of ``moments.all_pairs``."""
    left, right = all_pairs(len(start))
    return gap_crossovers(start[left] - start[right], end[left] - end[right])


def upper_envelope(start: Array, end: Array) -> Envelope:
    """Winners along the path, (configurations,) scores at its ends.

    At a tie the winner is the one ahead just after it; lines that coincide (to within ``DUST``)
    go to the lowest index. A line that only touches the envelope in a point has no segment.
    """
    slope, breaks = end - start, [0.0]
    winners = [_leader(start, slope)]
    while True:
        top = winners[-1]
        ahead = np.flatnonzero(slope > slope[top] + DUST)
        at = gap_crossovers(start[top] - start[ahead], end[top] - end[ahead])
        later = at[(at > breaks[-1]) & (at < 1 - DUST)]
        if not later.size:
            return Envelope(np.array([*breaks, 1.0]), np.array(winners, dtype=np.intp))
        breaks.append(float(later.min()))
        rivals = ahead[at >= breaks[-1]]
        scores = line_scores(start[rivals], end[rivals], np.array(breaks[-1:]))[:, 0]
        winners.append(int(rivals[_leader(scores, slope[rivals])]))


def exact_score(
    successes: Sequence[int], counts: Sequence[int], weights: Sequence[Fraction]
) -> Fraction:
    """Σ π_x k_x / n_x over cells of positive weight."""
    cells = zip(successes, counts, weights, strict=True)
    return sum((w * Fraction(int(k), int(n)) for k, n, w in cells if w), Fraction(0))


def exact_sweep_ends(
    weights: Sequence[Fraction], cell: int
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """:func:`sweep_ends` in rational numbers; raises ZeroDivisionError where that is NaN."""
    rest = sum(weights) - weights[cell]
    start = tuple(Fraction(0) if x == cell else w / rest for x, w in enumerate(weights))
    return start, tuple(Fraction(int(x == cell)) for x in range(len(weights)))


def exact_crossover(start: Fraction, end: Fraction) -> Fraction | None:
    """λ* of (1) for a gap that goes from ``start`` to ``end``; None where there is none."""
    return start / (start - end) if start * end <= 0 and start != end else None


def exact_envelope(start: Sequence[Fraction], end: Sequence[Fraction]) -> ExactEnvelope:
    """:func:`upper_envelope` in rational numbers, by the same rules."""
    slope = [e - s for s, e in zip(start, end, strict=True)]
    every = range(len(start))
    breaks, winners = [Fraction(0)], [max(every, key=_steepest(start, slope))]
    while True:
        top = winners[-1]
        ahead = [i for i in every if slope[i] > slope[top]]
        found = [exact_crossover(start[top] - start[i], end[top] - end[i]) for i in ahead]
        at = min((f for f in found if f is not None), default=Fraction(1))
        if at == 1:
            return ExactEnvelope((*breaks, at), tuple(winners))
        scores = [s + at * m for s, m in zip(start, slope, strict=True)]
        breaks.append(at)
        winners.append(max(every, key=_steepest(scores, slope)))


def fieller(
    d0: Array, d1: Array, v00: Array, v01: Array, v11: Array, t: Array | float
) -> CrossoverSet:
    """Interval of λ* by inverting the contrast: all λ with Δ(λ)² ≤ t² V(λ).

    V(λ) = (1 − λ)² v₀₀ + 2λ(1 − λ) v₀₁ + λ² v₁₁. With the slope δ = d₁ − d₀, its variance v_δ
    and c = cov(d₀, δ) that is A λ² + 2 B λ + C ≤ 0, where A = δ² − t² v_δ, B = d₀ δ − t² c and
    C = d₀² − t² v₀₀ (Fieller 1954, J. R. Stat. Soc. B 16:175).

    Parameters
    ----------
    d0, d1
        Gaps at the ends of the path, (pairs,).
    v00, v01, v11
        Their variances and covariance, (pairs,).
    t
        Two-sided quantile; a scalar or (pairs,).

    Notes
    -----
    Exact for normal gaps of known variance: it covers λ* with the probability of |T| ≤ t. An
    infinite variance or an unknown gap excludes nothing: WHOLE. EMPTY needs lines that are
    parallel without error.
    """
    given = np.stack([d0, d1, v00, v01, v11])
    known = np.isfinite(given).all(axis=0)
    d0, d1, v00, v01, v11 = np.where(known, given, 0.0)
    slope, variance, c = d1 - d0, v00 - 2 * v01 + v11, v01 - v00
    slope = np.where(np.abs(slope) <= DUST, 0.0, slope)
    A, B, C = slope**2 - t**2 * variance, d0 * slope - t**2 * c, d0**2 - t**2 * v00
    # B² − AC, multiplied out: the terms that cancel are gone
    inner = v00 * slope**2 - 2 * c * d0 * slope + variance * d0**2
    root = t**2 * (inner - t**2 * (v00 * variance - c**2))
    low, high, kind = _roots(A, B, C, root)
    kind = np.where(known, kind, WHOLE)
    special = [kind == WHOLE, kind == EMPTY]
    low = np.select(special, [-np.inf, np.nan], low)
    high = np.select(special, [np.inf, np.nan], high)
    return CrossoverSet(low, high, kind.astype(np.int8))


def _roots(A: Array, B: Array, C: Array, root: Array) -> tuple[Array, Array, Index]:
    """Bounds and kind of {λ: A λ² + 2 B λ + C ≤ 0}; ``root`` is B² − AC."""
    q = -(B + np.copysign(np.sqrt(np.maximum(root, 0.0)), B))
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(A == 0, np.copysign(np.inf, -B), q / A)
        two = np.where(q == 0, one, C / q)
    flat = np.where((B == 0) & (C > 0), EMPTY, np.where(B == 0, WHOLE, BOUNDED))
    curved = np.where(A > 0, BOUNDED, np.where(root > 0, OUTSIDE, WHOLE))
    kind = np.where(A == 0, flat, curved)
    return np.minimum(one, two), np.maximum(one, two), kind


def _snap(d: Array) -> Array:
    return np.where(np.abs(d) <= DUST, 0.0, d)


def _leader(scores: Array, slope: Array) -> int:
    """The steepest of those on top (to within DUST); the first of twins."""
    tied = np.flatnonzero(scores >= scores.max() - DUST)
    return int(tied[np.flatnonzero(slope[tied] >= slope[tied].max() - DUST)[0]])


def _steepest(
    scores: Sequence[Fraction], slope: Sequence[Fraction]
) -> Callable[[int], tuple[Fraction, Fraction, int]]:
    """Sort key: score, then slope, then the lowest index."""
    return lambda i: (scores[i], slope[i], -i)
