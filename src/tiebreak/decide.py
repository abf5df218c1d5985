"""Estimates → flags → verdicts, for all pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

VERDICTS = ("unsupported", "verifier-sensitive", "underpowered", "target-sensitive", "stable")
"""Verdicts in order: the first flag that is set is the verdict."""
OTHER_FLAGS = ("monte_carlo", "single_run", "few_cells", "no_interval")
"""Further conditions; they qualify a verdict and never are one."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a decision is taken on, per pair: a gap and movement with bounds and their errors.

    ``raw_order`` is the sign of the displayed raw order. Bounds are NaN where no interval can
    be given (grouped records); ``sources_disagree`` marks pairs for which paired label sources
    select different practical winners.
    """

    gap: Array
    low: Array
    high: Array
    bound_error: Array
    movement_low: Array
    movement_high: Array
    movement_error: Array
    raw_order: Array
    unsupported: Flags
    sources_disagree: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Per pair: practical winner (1 left, −1 right, 0 none), every flag, index of the verdict."""

    winner: Array
    flags: dict[str, Flags]
    verdict: NDArray[np.intp]


def practical_winner(gap: Array, low: Array, high: Array, margin: float) -> Array:
    """1 iff low > 0 and gap ≥ margin; −1 iff high < 0 and gap ≤ −margin; else 0."""
    with np.errstate(invalid="ignore"):
        left = (low > 0) & (gap >= margin - 1e-12)
        right = (high < 0) & (gap <= -margin + 1e-12)
    return np.subtract(left, right, dtype=float)


def decide(evidence: Evidence, margin: float) -> Decisions:
    """Algorithm 1, steps 5 to 8, of the rank-comparison paper, with the uncertainty-aware rule."""
    e = evidence
    grouped = np.isnan(e.low) & np.isnan(e.high)
    winner = np.where(e.unsupported, 0.0, practical_winner(e.gap, e.low, e.high, margin))
    leader = np.where(grouped & (np.abs(e.gap) >= margin - 1e-12), np.sign(e.gap), winner)
    with np.errstate(invalid="ignore"):
        spans_zero = (e.low <= 0) & (e.high >= 0)
        moved = np.maximum(e.movement_low, -e.movement_high)
        flags = {
            "unsupported": e.unsupported,
            "verifier-sensitive": ~e.unsupported & e.sources_disagree,
            "underpowered": ~e.unsupported & (spans_zero | (np.abs(e.gap) < margin - 1e-12)),
            "target-sensitive": ~e.unsupported & ((leader * e.raw_order < 0) | (moved > margin)),
        }
        near = _near(e.low, 0.0, e.bound_error) | _near(e.high, 0.0, e.bound_error)
        flags["monte_carlo"] = ~e.unsupported & (near | _near(moved, margin, e.movement_error))
    flags["stable"] = ~np.any([flags[v] for v in VERDICTS[:-1]], axis=0)
    flags["no_interval"] = grouped & ~e.unsupported
    verdict = np.argmax(np.stack([flags[v] for v in VERDICTS]), axis=0)
    return Decisions(winner, flags, verdict)


def _near(bound: Array, threshold: float, error: Array) -> Flags:
    """Within two Monte Carlo errors of the threshold, where there is any such error."""
    near: Flags = (error > 0) & (np.abs(bound - threshold) < 2 * error)
    return near
