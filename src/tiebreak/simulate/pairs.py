"""Exact coverage of the all-pairs intervals on finite models, state by state."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, get_args

from tiebreak.errors import SpecError, listed
from tiebreak.kernels.pair_counts.enumeration import (
    Coverage,
    constant_states,
    equality_states,
    independent_coverage,
    shared_coverage,
)
from tiebreak.kernels.pair_counts.variances import FEWEST
from tiebreak.results.pair_coverage import CoverageRow, PairCoverageResult

Kernel = Literal["equality", "constant"]
KERNELS: tuple[Kernel, ...] = get_args(Kernel)
LARGEST = 2000


def pair_coverage(
    kernel: Kernel, p: Fraction | None, sizes: Sequence[int], level: float = 0.95
) -> PairCoverageResult:
    """Coverage, diagnostic and coverage given the diagnostic, for every M and method.

    Parameters
    ----------
    kernel
        ``equality``: configurations are iid Bernoulli(p) and a pair is 1 where both are alike;
        ``constant``: every pair is 1, the boundary at which first-order theory ends.
    p
        Exact probability, for the equality kernel only.
    sizes
        Numbers of configurations, 4 to 2,000.
    level
        Nominal level of the intervals.

    Raises
    ------
    SpecError
        A kernel, probability, size or level out of range.
    """
    _check(kernel, p, sizes, level)
    truth = Fraction(1) if p is None else p * p + (1 - p) ** 2
    rows: list[CoverageRow] = []
    for m in sizes:
        states = list(constant_states(m) if p is None else equality_states(m, p))
        found = list(shared_coverage(states, truth, level))
        if p is not None:
            found.append(independent_coverage(m, truth, level))
        rows += [_row(m, c) for c in found]
    return PairCoverageResult(kernel, None if p is None else str(p), str(truth), level, tuple(rows))


def _check(kernel: str, p: Fraction | None, sizes: Sequence[int], level: float) -> None:
    if kernel not in KERNELS:
        raise SpecError("unknown kernel", allowed=listed(KERNELS), got=kernel)
    if kernel == "constant" and p is not None:
        raise SpecError("the constant kernel has no probability", allowed="no --p", got=str(p))
    if kernel == "equality" and (p is None or not 0 < p < 1):
        what = "the equality kernel needs a probability"
        raise SpecError(what, allowed="0 < p < 1, e.g. 4/5", got="none" if p is None else str(p))
    bad = [m for m in sizes if not FEWEST <= m <= LARGEST]
    if bad or not sizes:
        raise SpecError(
            "a number of configurations out of range",
            allowed=f"{FEWEST} to {LARGEST}",
            got=listed(bad) or "none",
        )
    if not 0 < level < 1:
        what = "a confidence level out of range"
        raise SpecError(what, allowed="0 < level < 1, e.g. 0.95", got=str(level))


def _row(m: int, c: Coverage) -> CoverageRow:
    return CoverageRow(
        m=m,
        pairs=m * (m - 1) // 2,
        method=c.method,
        coverage=c.covers,
        passes=c.passes,
        conditional=c.conditional,
        covering=c.covering,
    )
