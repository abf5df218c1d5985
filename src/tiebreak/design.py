"""What is treated as sampled, how uncertainty is stated, and which gap matters."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Literal

from tiebreak.errors import SpecError, listed

Sampled = Literal["tasks", "cells"]
Interval = Literal["t", "percentile", "wild"]
Family = Literal["pointwise", "simultaneous", "max-deviation", "holm", "bh"]

INTERVALS: dict[Sampled, tuple[Interval, ...]] = {
    "tasks": ("t", "percentile"),
    "cells": ("wild", "percentile"),
}
"""Interval engines by what is sampled, the default first."""
FAMILIES: tuple[Family, ...] = ("pointwise", "simultaneous", "max-deviation", "holm", "bh")


@dataclass(frozen=True, slots=True)
class Design:
    """How a comparison is judged.

    Parameters
    ----------
    sampled
        ``tasks`` within cells, or whole ``cells``.
    interval
        ``t`` (moderated within-cell variances, the default for tasks), ``percentile``
        (bootstrap) or ``wild`` (restricted wild cluster bootstrap, the default for cells).
    level
        Confidence level, in (0, 1).
    family
        ``pointwise`` for a pair named in advance; for a family of pairs ``simultaneous``
        (studentized max-deviation), ``max-deviation`` (plain), ``holm`` or ``bh``.
    margin
        The smallest gap that matters, on the score scale.
    draws, seed
        Resampling size and seed; nothing else is random.
    """

    sampled: Sampled = "tasks"
    interval: Interval | None = None
    level: float = 0.95
    family: Family = "pointwise"
    margin: float = 0.02
    draws: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        _check(
            self.sampled in INTERVALS, "unknown source of sampling", listed(INTERVALS), self.sampled
        )
        allowed = INTERVALS[self.sampled]
        if self.interval is None:
            object.__setattr__(self, "interval", allowed[0])
        what = f"no such interval where {self.sampled} are sampled"
        _check(self.interval in allowed, what, listed(allowed), self.interval)
        _check(self.family in FAMILIES, "unknown family rule", listed(FAMILIES), self.family)
        _check(
            0 < self.level < 1,
            "a confidence level out of range",
            "0 < level < 1, e.g. 0.95",
            self.level,
        )
        _check(
            0 <= self.margin < 1, "a margin out of range", "0 ≤ margin < 1, e.g. 0.02", self.margin
        )
        _check(
            100 <= self.draws <= 10**7, "too few or too many draws", "100 to 10,000,000", self.draws
        )
        _check(0 <= self.seed < 2**63, "a seed out of range", "a whole number ≥ 0", self.seed)

    @property
    def alpha(self) -> float:
        """Error rate, 1 − level, without the rounding dust of the subtraction."""
        return round(1 - self.level, 12)

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in asdict(self).items())


def _check(fine: bool, what: str, allowed: str, got: object) -> None:
    if not fine or (isinstance(got, float) and math.isnan(got)):
        raise SpecError(what, allowed=allowed, got=str(got))
