"""Answer to ``pairs``: the mean of a pair rule over all pairs of a board, and what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from tiebreak.design import PairDesign
from tiebreak.display import Rendered, Table
from tiebreak.results.pair_tables import (
    block_table,
    curve_table,
    interval_table,
    sensitivity_table,
)
from tiebreak.results.provenance import Provenance, as_dict, finite

ABOUT = {
    "near": "1 where two scores are at most the near-tie margin apart (the margin itself counts)",
    "gap": "the absolute gap of two scores",
    "unresolved": "1 where the procedure names no practical winner",
    "stable": "1 where the verdict is stable",
    "reversed": "1 where two targets order a pair strictly the other way round (a tie is no order)",
    "discordance": "the weight of the tasks on which two differ, by how much they differ",
}
"""The pair rules in words."""

ALWAYS = ("leave_one_out", "thinning")
"""Parts that are there unless the records forbid them: then the text says why."""


@dataclass(frozen=True, slots=True)
class PairFraction:
    """A mean over pairs as a ratio: counts of pairs for rules that are 0 or 1."""

    value: float
    numerator: int
    denominator: int

    @classmethod
    def of(cls, total: Fraction, pairs: int) -> PairFraction:
        """``total`` / ``pairs``; a whole total stays a count, so the ratio may not be reduced."""
        mean = total / pairs
        if total.denominator == 1:
            return cls(float(mean), int(total), pairs)
        return cls(float(mean), mean.numerator, mean.denominator)


@dataclass(frozen=True, slots=True)
class PairInterval:
    """An interval of a mean over all pairs, by what it takes as sampled.

    ``sampled`` is ``pairs`` for the reference that takes pairs as independent. Monte Carlo errors
    of the bounds are 0 where nothing is drawn. ``ratio_to_pair_iid`` is null where that has no
    width.
    """

    method: str
    sampled: str
    low: float
    high: float
    low_error: float
    high_error: float
    width: float
    ratio_to_pair_iid: float | None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Are first-order formulas usable? ζ₁ > 0 and V₁ at least half of V.

    ``first_order_variance`` is ζ₁; ``first_order_share`` V₁/V, null where V is not positive.
    """

    first_order_variance: float
    first_order_share: float | None
    passes: bool


@dataclass(frozen=True, slots=True)
class BlockMeans:
    """A: every pair alike; E: every pair of distinct blocks alike, pairs within a block left out.

    Both are over the same configurations. ``unlabelled`` counts those without a value in
    ``column``; they are ``alone`` (each a block of its own) or ``out``. ``members`` lists blocks.
    Ratios are null where the rule's values have too large a common denominator.
    """

    column: str
    a: float
    e: float
    difference: float
    a_exact: str | None
    e_exact: str | None
    n_blocks: int
    n_block_pairs: int
    unlabelled: int
    unlabelled_are: str
    members: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """The mean without one configuration: range, and whose absence moves it most."""

    largest_change: float
    configuration: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Thinning:
    """Orders on half of the tasks against orders on all, shares of all pairs over ``draws``.

    ``reversed``: strictly the other way; ``unresolved``: tied in the half or on all tasks. Means
    over the draws; ``low`` and ``high`` are type-7 quantiles at the level. This is sensitivity to
    thinning given the outcomes, not uncertainty of a parameter.
    """

    n_tasks: int
    kept: int
    draws: int
    reversed: float
    reversed_low: float
    reversed_high: float
    unresolved: float
    unresolved_low: float
    unresolved_high: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A margin with its fraction and the width of every interval, in the order of the table."""

    near: float
    near_exact: str
    fraction: PairFraction
    widths: tuple[PairInterval, ...]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        widths = [{"method": i.method, "sampled": i.sampled, "width": i.width} for i in self.widths]
        fraction = as_dict(self.fraction)
        return {
            "near": self.near,
            "near_exact": self.near_exact,
            "fraction": fraction,
            "widths": widths,
        }


@dataclass(frozen=True, slots=True)
class Crossing:
    """The first margin at which an interval is wider than the reference; null: none is."""

    method: str
    sampled: str
    near: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """Fractions and widths by near-tie margin."""

    reference_width: float
    points: tuple[CurvePoint, ...]
    crossings: tuple[Crossing, ...]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return {
            "reference_width": self.reference_width,
            "points": [p.to_dict() for p in self.points],
            "crossings": [as_dict(c) for c in self.crossings],
        }


@dataclass(frozen=True, slots=True)
class PairCountResult(Rendered):
    """The exact mean over all pairs of the board, and intervals for what is declared sampled.

    ``left_out`` gives the reason for every configuration whose pairs are not counted; ``reasons``
    that of every part that is null.
    """

    design: PairDesign
    against: str | None
    n_configurations: int
    n_pairs: int
    left_out: Mapping[str, str]
    fraction: PairFraction
    intervals: tuple[PairInterval, ...]
    diagnostic: Diagnostic | None
    blocks: BlockMeans | None
    leave_one_out: LeaveOneOut | None
    thinning: Thinning | None
    curve: Curve | None
    reasons: Mapping[str, str]
    notes: tuple[str, ...]
    answer: str
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """Rule, pairs, weights, ties and missing outcomes, the diagnostic, and the provenance."""
        f, out = self.fraction, [f"{n} ({why})" for n, why in self.left_out.items()]
        more = f" (+{len(out) - 4} more)" if len(out) > 4 else ""
        hidden = [f"left out  {'; '.join(out[:4])}{more}"] if out else []
        stated = {line.split()[0]: line for line in self.provenance.lines}
        stated["design"] = f"design    {self.design}" + self._procedure
        between = f"; orders against {self.against}" if self.against else ""
        return [
            f"rule      h = {ABOUT[self.design.rule]}{between}",
            f"pairs     {self.n_pairs:,} of {self.n_configurations} configurations, each pair once "
            f"and alike; exactly {f.numerator}/{f.denominator}",
            *hidden,
            *self._diagnosed,
            *(f"note      {note}" for note in self.notes),
            *(f"none      {p}: {self.reasons[p]}" for p in ALWAYS if p in self.reasons),
            *stated.values(),
        ]

    @property
    def _procedure(self) -> str:
        """The verdicts' own design, where the rule rests on verdicts."""
        judged = self.design.rule in ("unresolved", "stable")
        return f"; verdicts: {self.provenance.design}" if judged else ""

    @property
    def _diagnosed(self) -> list[str]:
        d = self.diagnostic
        if d is None:
            return []
        share = "none" if d.first_order_share is None else f"{d.first_order_share:.3f}"
        said = "passes" if d.passes else "fails: first-order formulas are not usable here"
        return [
            f"diagnosed first-order variance {d.first_order_variance:.6f}, share {share}: {said}"
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per interval."""
        return [as_dict(i) for i in self.intervals]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``pairs``."""
        base = self.provenance.to_dict("pairs")
        verdicts = base["design"] if self._procedure else None
        return {
            **base,
            "design": _design(self.design),
            "verdict_design": verdicts,
            "sentence": self.answer,
            "rule": self.design.rule,
            "against": self.against,
            "n_configurations": self.n_configurations,
            "n_pairs": self.n_pairs,
            "left_out": dict(self.left_out),
            "fraction": as_dict(self.fraction),
            "intervals": self.to_rows(),
            "diagnostic": _part(self.diagnostic),
            "blocks": _part(self.blocks),
            "leave_one_out": _part(self.leave_one_out),
            "thinning": _part(self.thinning),
            "curve": None if self.curve is None else self.curve.to_dict(),
            "reasons": dict(self.reasons),
            "notes": list(self.notes),
        }

    def tables(self) -> list[Table]:
        """Intervals by source, sensitivity, blocks, curve: what there is of them."""
        found = [
            interval_table(self.to_rows()),
            sensitivity_table(_part(self.leave_one_out), _part(self.thinning)),
            block_table(_part(self.blocks)),
            curve_table(None if self.curve is None else self.curve.to_dict()),
        ]
        return [table for table in found if table is not None]


def _part(value: Any) -> dict[str, Any] | None:
    return None if value is None else as_dict(value)


def _design(design: PairDesign) -> dict[str, Any]:
    """Strict JSON: the margin as it was stated, sources in canonical order joined by +."""
    values = {f.name: getattr(design, f.name) for f in fields(design)}
    near = None if design.near is None else str(design.near)
    stated: dict[str, Any] = finite(values | {"near": near, "sampled": design.source})
    return {"text": str(design), **stated}
