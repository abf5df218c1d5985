"""What the user wants beyond the estimand: a sweep, perturbed weights, a ground distance."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.distance import Distance
from tiebreak.errors import SpecError

CONCENTRATION = 100.0
"""Default Dirichlet concentration: a weight of 1/3 moves by 4.7 points (one standard deviation)."""
WIDE = 0.3


@dataclass(frozen=True, slots=True)
class Asked:
    """Options of ``targets`` alone.

    Parameters
    ----------
    sweep
        Cell whose weight goes from 0 to 1.
    perturb
        Number of draws of weights around the target.
    concentration, ball
        The law of these draws: Dirichlet of this concentration (default 100), or uniform within
        this L1 distance of the target.
    distance
        Ground distance of the Wasserstein radii.
    wide
        Cells whose own interval is wider are said to be hidden.
    """

    sweep: str | None = None
    perturb: int | None = None
    concentration: float | None = None
    ball: float | None = None
    distance: Distance | None = None
    wide: float = WIDE

    def __post_init__(self) -> None:
        _within(self.perturb, 100, 10**6, "--perturb out of range", "100 to 1,000,000 draws")
        _within(self.concentration, 1e-3, 1e9, "--concentration out of range", "0.001 to 1e9")
        _within(self.ball, 1e-9, 2.0, "--ball out of range", "0 < radius ≤ 2 (an L1 distance)")
        _within(self.wide, 1e-9, 1.0, "--wide out of range", "0 < width ≤ 1")
        law = [n for n in ("concentration", "ball") if getattr(self, n) is not None]
        if law and self.perturb is None:
            raise SpecError(f"--{law[0]} says nothing without --perturb N", got=f"--{law[0]}")
        if len(law) == 2:
            raise SpecError("two laws of perturbed weights", allowed="--concentration or --ball")


def _within(value: float | None, low: float, high: float, what: str, allowed: str) -> None:
    if value is not None and not low <= value <= high:
        raise SpecError(what, allowed=allowed, got=f"{value:g}")
