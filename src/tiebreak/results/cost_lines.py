"""Lines of ``cost``: a configuration's spending, a switch point, the frontier, a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tiebreak.results.provenance import as_dict


@dataclass(frozen=True, slots=True)
class SpendingLine:
    """Success and mean spending of a configuration per task, over the trials that have a price.

    ``priced`` is the share of its trials that do, ``success_all`` the success of all of them: far
    from ``success`` where trials without a price fail more often (a crash that was never billed).
    Bounds are null where records are grouped.
    """

    configuration: str
    success: float
    success_all: float | None
    success_low: float | None
    success_high: float | None
    cost: float
    cost_low: float | None
    cost_high: float | None
    n_tasks: int
    priced: float


@dataclass(frozen=True, slots=True)
class SwitchLine:
    """As the price grows, ``after`` takes the top from ``before`` at ``price``.

    ``price`` is by the scores of either on its own tasks; ``matched`` that of the tasks both have,
    to which the interval belongs. A null has its reason under ``reasons``.
    """

    price: float
    low: float | None
    high: float | None
    before: str
    after: str
    matched: float | None
    n_tasks: int
    reasons: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self, name: str) -> dict[str, Any]:
        """JSON members: ``lambda``, ``lambda_low``, …; ``from`` and ``to``."""
        keys = {"price": name, "low": f"{name}_low", "high": f"{name}_high"}
        return {
            **{keys[k]: getattr(self, k) for k in keys},
            "from": self.before,
            "to": self.after,
            f"{name}_matched": self.matched,
            "n_tasks": self.n_tasks,
            "reasons": {keys.get(k, f"{name}_{k}"): v for k, v in self.reasons.items()},
        }


@dataclass(frozen=True, slots=True)
class FrontierLine:
    """A configuration that nobody dominates, and how often it is so when tasks are resampled."""

    configuration: str
    success: float
    cost: float
    probability: float | None


@dataclass(frozen=True, slots=True)
class DominatedLine:
    """A configuration that ``by`` beats or equals in success and in cost.

    ``probability`` is that of being on the frontier all the same.
    """

    configuration: str
    success: float
    cost: float
    by: str
    probability: float | None


@dataclass(frozen=True, slots=True)
class ResolvedLine:
    """Mean cost over mean success: dollars per resolved task. A null has its reason."""

    configuration: str
    value: float | None
    low: float | None
    high: float | None
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnpricedLine:
    """Trials without a price. ``left_out``: the configuration has no other, and is in no table."""

    configuration: str
    trials: int
    unpriced: int
    left_out: bool


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """From ``spend`` dollars per task on, this is what solves most: so many attempts at a task."""

    spend: float
    configuration: str
    attempts: int
    success: float


@dataclass(frozen=True, slots=True)
class UtilityLine:
    """Utility of a configuration at the stated prices."""

    configuration: str
    utility: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class StatedLine:
    """A published mean cost that the trials do not give: dollars per task, by the log and by them.

    A part without a price counts as 0 here, as publishers count it.
    """

    configuration: str
    part: str
    count: int
    stated: float
    found: float


@dataclass(frozen=True, slots=True)
class BoundaryLine:
    """Where two configurations tie in the plane: gap − λ·cost_gap − μ·duration_gap = 0 (a − b)."""

    a: str
    b: str
    gap: float
    cost_gap: float
    duration_gap: float


@dataclass(frozen=True, slots=True)
class PlaneResult:
    """Who is on top at which (λ, μ): boundaries, and polygons of the part up to ``corner``."""

    corner: tuple[float, float]
    boundaries: tuple[BoundaryLine, ...]
    polygons: Mapping[str, tuple[tuple[float, float], ...]]

    def to_dict(self) -> dict[str, Any]:
        """JSON members."""
        return {
            "lambda_max": self.corner[0],
            "mu_max": self.corner[1],
            "boundaries": [as_dict(b) for b in self.boundaries],
            "regions": [
                {"configuration": name, "polygon": [list(point) for point in polygon]}
                for name, polygon in self.polygons.items()
            ],
        }
