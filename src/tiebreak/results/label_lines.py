"""Lines of the answer to ``labels``: errors, selections, calibrations, powered estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tiebreak.results.provenance import as_dict


class RateValue(NamedTuple):
    """A rate and its interval; null where its base is empty."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """How a source errs on some trajectories; ``name`` is a configuration, a cell, or ``all``.

    ``n`` trajectories of ``n_tasks`` tasks have both labels; the reference calls ``n_successes``
    of them a success. A null rate has its reason under ``reasons``.
    """

    name: str
    n: int
    n_tasks: int
    n_successes: int
    rates: Mapping[str, RateValue]
    reasons: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Rates side by side: ``fpr``, ``fpr_low``, ``fpr_high``, …"""
        flat: dict[str, Any] = {"n": self.n, "n_tasks": self.n_tasks}
        flat["n_successes"] = self.n_successes
        for name, rate in self.rates.items():
            flat |= {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}
        return flat | {"reasons": dict(self.reasons)}


@dataclass(frozen=True, slots=True)
class Equality:
    """Test of one error rate over all configurations; a null p has its reason."""

    statistic: float | None
    df1: float | None
    df2: float | None
    p: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ReversedPair:
    """A pair whose order (or practical winner) a source turns round; gaps are a − b."""

    a: str
    b: str
    gap_reference: float
    gap_source: float


@dataclass(frozen=True, slots=True)
class Selection:
    """Whom a source selects, beside the reference, on the trajectories that both labelled.

    ``top`` is the best under the target, ``top_observed`` the best raw rate. Decisions are
    practical winners: of the ``decided`` ones by the reference the source keeps ``kept``, leaves
    ``lost`` open and turns the ``reversed_decisions`` round; ``gained`` are its own alone.
    """

    top: str | None
    top_reference: str | None
    top_observed: str | None
    top_observed_reference: str | None
    n_pairs: int
    reversed_pairs: tuple[ReversedPair, ...]
    reversed_decisions: tuple[ReversedPair, ...]
    decided: int
    kept: int
    lost: int
    gained: int
    kendall_tau: float | None
    spearman: float | None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        values = as_dict(self)
        values["selection_reason"] = values.pop("reason")
        for name in ("reversed_pairs", "reversed_decisions"):
            values[name] = [as_dict(p) for p in getattr(self, name)]
        return values


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source against the reference. ``unpaired`` counts its labels without a reference's.

    ``threshold`` is the score from which a graded source says success.
    """

    source: str
    threshold: float | None
    unpaired: int
    overall: ErrorLine
    configurations: tuple[ErrorLine, ...]
    cells: tuple[ErrorLine, ...]
    differs: Mapping[str, Equality]
    selection: Selection

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of a source."""
        named = ("configuration", self.configurations), ("cell", self.cells)
        groups = {
            f"{key}s": [{key: line.name} | line.to_dict() for line in lines] for key, lines in named
        }
        return {
            "source": self.source,
            "threshold": self.threshold,
            "unpaired": self.unpaired,
            **self.overall.to_dict(),
            **self.selection.to_dict(),
            "differs": {name: as_dict(test) for name, test in self.differs.items()},
            **groups,
        }


@dataclass(frozen=True, slots=True)
class Bin:
    """A filled bin of a reliability curve."""

    low: float
    high: float
    n: int
    predicted: float
    observed: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One configuration predicted from the others, under the target's weights of cells.

    ``difference`` is calibrated minus raw Brier score, with its task-group bootstrap interval.
    """

    configuration: str
    n: int
    mean: float | None
    mean_raw: float | None
    reference: float | None
    brier: float | None
    brier_raw: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of Brier scores, calibrated − raw, with its interval."""

    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class CalibrationLine:
    """Cross-fitted P(reference success | labels of ``source``, cell, …) over all trajectories.

    ``mean`` is the mean prediction beside the reference's and the raw labels' rates. Raw figures
    and differences are null where several sources stand together.
    """

    source: str
    n: int
    n_tasks: int
    mean: float | None
    mean_raw: float | None
    reference: float | None
    brier: float | None
    brier_raw: float | None
    difference: Difference
    log_loss: float | None
    auc: float | None
    reliability: tuple[Bin, ...]
    leave_one_out: tuple[LeftOut, ...]
    leave_one_out_mean: Difference
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return as_dict(self) | {
            "difference": as_dict(self.difference),
            "reliability": [as_dict(b) for b in self.reliability],
            "leave_one_out": [as_dict(c) for c in self.leave_one_out],
            "leave_one_out_mean": as_dict(self.leave_one_out_mean),
        }


@dataclass(frozen=True, slots=True)
class PoweredLine:
    """An estimate from reference labels and a judge, beside that of the reference alone.

    ``value`` is the score of ``configuration``, or the gap ``a`` − ``b``. ``n_reference`` tasks
    have a reference label, ``n_judge`` the judge's alone. ``n_effective`` reference labels would
    give the same standard error without the judge; ``saved`` is the difference. ``explained`` is
    the share of the variance that unlimited judge labels would take away.
    """

    configuration: str | None
    a: str | None
    b: str | None
    value: float | None
    low: float | None
    high: float | None
    se: float | None
    value_reference: float | None
    low_reference: float | None
    high_reference: float | None
    rate: float | None
    n_reference: int
    n_judge: int
    n_effective: float | None
    saved: float | None
    explained: float | None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values under the estimate's own name: ``score`` or ``gap``."""
        name = "gap" if self.configuration is None else "score"
        who = ("configuration",) if self.configuration is not None else ("a", "b")
        given = as_dict(self)
        values = {key: given[key] for key in who} | {name: given["value"]}
        values |= {f"{name}_{key}": given[key] for key in ("low", "high", "se")}
        for key in ("value", "low", "high"):
            stem = name if key == "value" else f"{name}_{key}"
            values[f"{stem}_reference"] = given[f"{key}_reference"]
        rest = ("n_reference", "n_judge", "n_effective", "saved", "explained", "reason")
        return values | {"lambda": given["rate"]} | {key: given[key] for key in rest}


@dataclass(frozen=True, slots=True)
class Powered:
    """Prediction-powered scores and gaps with one source as the judge."""

    source: str
    scores: tuple[PoweredLine, ...]
    gaps: tuple[PoweredLine, ...]

    @property
    def helps(self) -> bool:
        """Whether some task has the judge's label alone."""
        return any(line.n_judge > 0 for line in self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        return {
            "source": self.source,
            "scores": [s.to_dict() for s in self.scores],
            "gaps": [g.to_dict() for g in self.gaps],
        }


@dataclass(frozen=True, slots=True)
class Annotators:
    """Agreement of repeated labels of one trajectory by the same source, merged by ``rule``.

    ``n`` trajectories have several labels, ``n_pairs`` pairs of labels are compared (a missing
    label, like Unsure, with nobody). ``agreement_low`` and ``agreement_high`` take tasks as
    clusters; ``pi`` is Scott's, for annotators without an order.
    """

    source: str
    rule: str
    n: int
    n_pairs: int
    disagree: int
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    pi: float | None
    missing: int
