"""Answer to ``runs``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tiebreak.display import Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict
from tiebreak.results.run_tables import run_lines, run_tables


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score or a gap with its interval; nulls have their ``reason``.

    ``df`` and ``p`` are given for gaps. ``supported`` is False where a gap is that of a
    restricted target.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    reason: str | None = None
    df: float | None = None
    p: float | None = None
    supported: bool = True

    def to_dict(self, name: str) -> dict[str, Any]:
        """Strict JSON values; the value is named ``score`` or ``gap``."""
        found = {name: self.value, "low": self.low, "high": self.high, "se": self.se}
        tests = {"df": self.df, "p": self.p} if name == "gap" else {}
        return found | tests | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True, slots=True)
class RunScore:
    """Score of one run over the ``n_tasks`` on which it has an outcome.

    Null where it has none in a cell that the target weighs.
    """

    run: str
    score: float | None
    n_tasks: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """pass@k or pass^k at one k."""

    k: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ComponentLine:
    """Variance components on the score scale; ``run_is_shared`` is the p value of the F test."""

    task: float | None = None
    run: float | None = None
    task_run: float | None = None
    run_is_shared: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Outage:
    """An unbroken row of harness failures in one run, in the order of the records."""

    run: str
    length: int
    first_task: str
    last_task: str


@dataclass(frozen=True, slots=True)
class FailureLine:
    """Harness failures; ``effect`` = score with them left out − score with them as failures."""

    count: int
    rate: float
    score_fail: float | None
    score_drop: float | None
    effect: float | None
    missing: Mapping[str, int]
    outages: tuple[Outage, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {"outages": [as_dict(o) for o in self.outages]}


@dataclass(frozen=True, slots=True)
class CostLine:
    """USD per resolved task; null, with its reason, unless every trial is ``priced``."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    priced: float = 0.0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PlanStep:
    """Standard deviations with this many runs, and the gap found with power 0.8."""

    runs: int
    sd_benchmark: float
    sd_population: float
    detectable: float


@dataclass(frozen=True, slots=True)
class Plan:
    """``floor``: what more runs cannot touch; ``enough``: runs after which one more gains less
    than ``gain``.
    """

    n_tasks: int
    steps: tuple[PlanStep, ...]
    floor: float
    enough: int
    gain: float

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {"steps": [as_dict(s) for s in self.steps]}


@dataclass(frozen=True, slots=True)
class ConfigurationLine:
    """What the runs of one configuration can claim.

    ``pass_at`` and ``pass_hat`` run over k up to ``fewest_runs``; ``always`` and ``ever`` are
    their last points. ``run_scores`` is empty where trials share no run.
    ``short_tasks`` names the tasks with the fewest runs where numbers differ.
    """

    configuration: str
    n_tasks: int
    fewest_runs: int
    most_runs: int
    runs_are: str
    short_tasks: tuple[str, ...]
    run_scores: tuple[RunScore, ...]
    claims: Mapping[str, Estimate]
    components: ComponentLine
    pass_at: tuple[CurvePoint, ...]
    pass_hat: tuple[CurvePoint, ...]
    graded: bool
    infrastructure: FailureLine
    cost_per_resolved: CostLine
    plan: Plan | None

    @property
    def always(self) -> CurvePoint | None:
        """Solved in every run."""
        return self.pass_hat[-1] if self.pass_hat else None

    @property
    def ever(self) -> CurvePoint | None:
        """Solved in some run."""
        return self.pass_at[-1] if self.pass_at else None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {
            "run_scores": [as_dict(r) for r in self.run_scores],
            "claims": {claim: e.to_dict("score") for claim, e in self.claims.items()},
            "components": as_dict(self.components),
            "pass_at": [as_dict(p) for p in self.pass_at],
            "pass_hat": [as_dict(p) for p in self.pass_hat],
            "always": as_dict(self.always) if self.always else None,
            "ever": as_dict(self.ever) if self.ever else None,
            "infrastructure": self.infrastructure.to_dict(),
            "cost_per_resolved": as_dict(self.cost_per_resolved),
            "plan": self.plan.to_dict() if self.plan else None,
        }


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """a − b under every claim. ``paired``: crossed runs of the same ids.

    ``shock_to_undo`` is the SD of an unseen run shock, in either, that takes the interval to 0.
    """

    a: str
    b: str
    paired: bool
    claims: Mapping[str, Estimate]
    winners: Mapping[str, str | None]
    components: ComponentLine
    single_run: bool
    shock_to_undo: float | None
    plan: Plan | None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values; the claims at the top."""
        claims = {
            claim: e.to_dict("gap") | {"winner": self.winners[claim]}
            for claim, e in self.claims.items()
        }
        rest = as_dict(self)
        for name in ("claims", "winners", "reasons"):
            del rest[name]
        return (
            claims
            | rest
            | {
                "components": as_dict(self.components),
                "plan": self.plan.to_dict() if self.plan else None,
            }
        )


@dataclass(frozen=True, slots=True)
class RunsResult(Rendered):
    """What runs can claim, per configuration and for a pair.

    ``pair``: configurations were asked for by name, and the first is the one in question.
    """

    lines_by_configuration: tuple[ConfigurationLine, ...]
    difference: DifferenceLine | None
    pair: bool
    answer: str
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """What the tables cannot hold, and the provenance."""
        return [*run_lines(self), *self.provenance.lines]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per configuration."""
        return [line.to_dict() for line in self.lines_by_configuration]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``runs``: the one in question at the top, everybody in a list."""
        rows = self.to_rows()
        first = rows[0] if self.pair or len(rows) == 1 else {}
        found = {**self.provenance.to_dict("runs"), **first, "configurations": rows}
        return found | ({"difference": self.difference.to_dict()} if self.difference else {})

    def tables(self) -> list[Table]:
        """Claims, components, curves, failures and costs, the difference, the plan."""
        return list(self._tables())

    def _tables(self) -> Iterator[Table]:
        yield from run_tables(self)
