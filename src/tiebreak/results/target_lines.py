"""Lines of the answer to ``targets``: cells, scores, verdicts and what an aggregate hides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiebreak.results.provenance import as_dict, finite


@dataclass(frozen=True, slots=True)
class TargetLine:
    """A target: its weights, the cells outside common support and the weight that they carry.

    ``n_effective`` is Kish's effective number of tasks of the target on common support,
    ``thin_weight`` the share of its weight on cells of fewer than five tasks.
    """

    target: str
    weights: Mapping[str, float]
    outside: float
    n_tasks: float | None
    n_effective: float | None
    thin_weight: float | None


@dataclass(frozen=True, slots=True)
class CellCount:
    """k of n tasks solved (of trials, where records are grouped); null where no n is stated.

    k is a sum of task-level values: with several runs of a task it may be a fraction.
    """

    configuration: str
    cell: str
    k: float | None
    n: float | None
    rate: float | None


@dataclass(frozen=True, slots=True)
class TargetScore:
    """A configuration under a target; ``shift`` = score − score_observed, its raw score.

    ``score`` is null where the target puts weight on what the configuration never ran. Ranks
    are among the configurations shown.
    """

    target: str
    configuration: str
    score_observed: float | None
    score: float | None
    score_low: float | None
    score_high: float | None
    rank: int | None
    shift: float | None


@dataclass(frozen=True, slots=True)
class TargetVerdict:
    """A pair's gap and verdict under one target; ``movement`` is from the observed mix."""

    target: str
    gap: float | None
    gap_low: float | None
    gap_high: float | None
    movement: float | None
    verdict: str
    winner: str | None


@dataclass(frozen=True, slots=True)
class PairVerdicts:
    """A pair under every target; ``survives`` names the one who wins under all, or is null."""

    a: str
    b: str
    verdicts: tuple[TargetVerdict, ...]
    survives: str | None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {"verdicts": [as_dict(v) for v in self.verdicts]}


@dataclass(frozen=True, slots=True)
class WideCell:
    """A cell that says little of a configuration: the interval of its rate by itself."""

    configuration: str
    cell: str
    k: float
    n: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Hidden:
    """What an aggregate hides: cells without any success, without any failure, with few tasks.

    ``wide`` are the cells whose own interval (Jeffreys) is wider than ``wide_limit``. Null where
    the records state no counts.
    """

    wide_limit: float
    zero: tuple[CellCount, ...]
    full: tuple[CellCount, ...]
    wide: tuple[WideCell, ...]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        parts = {n: [as_dict(c) for c in getattr(self, n)] for n in ("zero", "full", "wide")}
        return {"wide_limit": finite(self.wide_limit), **parts}
