"""Lines of the answer to ``targets`` about moving weights: paths, radii, draws and regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tiebreak.results.provenance import as_dict


@dataclass(frozen=True, slots=True)
class PathLine:
    """A line of targets from ``start`` (weight 0) to ``end`` (weight 1).

    ``weight`` says what the weight along the path is: that of a cell, or the share of a target.
    """

    path: str
    weight: str
    start: Mapping[str, float]
    end: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PathScore:
    """A configuration's standardized score at both ends of a path; it is linear in between.

    Null where the configuration has no score in a cell that the end weighs.
    """

    path: str
    configuration: str
    start: float | None
    end: float | None


@dataclass(frozen=True, slots=True)
class Crossover:
    """Where a pair changes places along a path; a null has its reason under ``reasons``.

    ``weight_low`` and ``weight_high`` bound the weights at which the data allow a tie.
    ``winner_below`` and ``winner_above`` are who leads on either side.
    """

    a: str
    b: str
    path: str
    weight: float | None
    weight_exact: str | None
    weight_low: float | None
    weight_high: float | None
    winner_below: str | None
    winner_above: str | None
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Segment:
    """Who is on top from one weight of a path to another: a piece of the upper envelope."""

    path: str
    winner: str
    weight_from: float
    weight_to: float
    weight_from_exact: str | None
    weight_to_exact: str | None


@dataclass(frozen=True, slots=True)
class Mass:
    """Target weight that leaves or reaches a cell."""

    cell: str
    mass: float


@dataclass(frozen=True, slots=True)
class RadiusLine:
    """How far a target's weights must move until a pair's lead is gone (or below the margin).

    ``radius`` and ``margin_radius`` are L1 distances, twice the weight that moves;
    ``moved_from`` and ``moved_to`` are a least reweighting of the first. The Wasserstein radii
    are least costs under the ground distance. A null has its reason under ``reasons``.
    """

    a: str
    b: str
    target: str
    leader: str | None
    radius: float | None
    margin_radius: float | None
    moved_from: tuple[Mass, ...]
    moved_to: tuple[Mass, ...]
    wasserstein_radius: float | None = None
    wasserstein_margin_radius: float | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values, with the names ``from`` and ``to``."""
        values = as_dict(self)
        for name in ("from", "to"):
            values[name] = [as_dict(m) for m in getattr(self, f"moved_{name}")]
            del values[f"moved_{name}"]
        return values


@dataclass(frozen=True, slots=True)
class PairFrequencies:
    """Share of the draws in which a pair got each verdict and each was the practical winner."""

    a: str
    b: str
    verdicts: Mapping[str, float]
    wins_a: float
    wins_b: float


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What happens to the top when the weights of ``target`` are drawn around it.

    Either ``concentration`` (Dirichlet) or ``ball`` (uniform within an L1 distance) is the law.
    ``top_gap`` maps quantiles to the lead of the best over the second.
    """

    target: str
    n: int
    concentration: float | None
    ball: float | None
    top: Mapping[str, float]
    top_gap: Mapping[str, float]
    pairs: tuple[PairFrequencies, ...]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {"pairs": [as_dict(p) for p in self.pairs]}


@dataclass(frozen=True, slots=True)
class Share:
    """Share of all weights under which a configuration is on top; ``never``: under none."""

    configuration: str
    share: float
    share_se: float
    never: bool


@dataclass(frozen=True, slots=True)
class Threshold:
    """``leader`` leads only where ``cell`` weighs more than ``weight``, the rest split equally."""

    cell: str
    leader: str
    weight: float
    sentence: str


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """A leads b where Σ weight × gap over cells is positive; ``gaps`` are those of the cells."""

    a: str
    b: str
    gaps: Mapping[str, float]
    sentence: str
    thresholds: tuple[Threshold, ...]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {"thresholds": [as_dict(t) for t in self.thresholds]}


@dataclass(frozen=True, slots=True)
class Regions:
    """Who is on top where on the simplex of weights over ``cells`` (``draws`` where sampled)."""

    method: str
    draws: int | None
    cells: tuple[str, ...]
    shares: tuple[Share, ...]
    half_space: HalfSpace | None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {
            "shares": [as_dict(s) for s in self.shares],
            "never": [s.configuration for s in self.shares if s.never],
            "half_space": None if self.half_space is None else self.half_space.to_dict(),
        }
