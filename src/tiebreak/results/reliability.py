"""Answer to ``reliability``: components, coefficients and design studies of every part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tiebreak.design import ComponentDesign
from tiebreak.display import Rendered, Table
from tiebreak.results.provenance import Provenance, as_dict, finite, stated, told
from tiebreak.results.reliability_lines import part_lines
from tiebreak.results.reliability_tables import part_tables


@dataclass(frozen=True, slots=True)
class ComponentLine:
    """A variance component on the engine's scale.

    ``share`` is its part of the total variance; ``low`` and ``high`` bound it at the level,
    ``low_68`` and ``high_68`` at 68 %. ``at_boundary``: not distinguishable from zero here.
    ``fixed``: the residual of the logit link, π²/3, which is not estimated. ``expected_share`` is
    what ``disco`` shows of a facet without any effect.
    """

    facet: str
    levels: int
    variance: float | None
    share: float | None
    se: float | None
    low: float | None
    high: float | None
    low_68: float | None
    high_68: float | None
    at_boundary: bool
    fixed: bool = False
    expected_share: float | None = None


@dataclass(frozen=True, slots=True)
class CoefficientLine:
    """A reliability at stated sizes; ``equation`` is the paper's number.

    ``value`` is the median over draws where the engine has draws, else ``plug_in``, that of the
    point estimates. ``unlimited_tasks`` is the limit as tasks grow; ``limited_by`` the facet with
    the largest part of the error. ``held`` names components that the interval takes as zero.
    """

    name: str
    object: str
    equation: str
    scale: str
    engine: str
    n_tasks: float | None
    n_scaffolds: float | None
    n_benchmarks: float | None
    n_runs: float | None
    value: float | None
    plug_in: float | None
    low: float | None
    high: float | None
    low_68: float | None
    high_68: float | None
    snr: float | None
    unlimited_tasks: float | None
    limited_by: str | None
    held: tuple[str, ...]
    meaning: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A coefficient at one size of a design study; infinite sizes are null with ``limit`` set."""

    name: str
    object: str
    vary: str
    n_tasks: float | None
    n_scaffolds: float | None
    n_benchmarks: float | None
    n_runs: float | None
    trials: float | None
    limit: bool
    value: float | None
    low_68: float | None
    high_68: float | None
    snr: float | None


@dataclass(frozen=True, slots=True)
class SmallestLine:
    """The least number of a facet that reaches ``target``, the rest as stated; null: none does."""

    name: str
    object: str
    vary: str
    target: float
    n: int | None
    limit: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A design by cost per model: ``kind`` cheapest or best; ``spread`` over benchmarks or one.

    ``cost`` is in USD where a price is known, else in trials.
    """

    name: str
    object: str
    kind: str
    spread: str
    n_tasks: int | None
    n_scaffolds: int | None
    n_benchmarks: int | None
    n_runs: int | None
    trials: int | None
    cost: float | None
    value: float | None
    saving: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """What would improve the coefficients."""

    rows: tuple[StudyRow, ...]
    smallest: tuple[SmallestLine, ...]
    plans: tuple[PlanLine, ...]
    price: float | None
    price_is: str
    budget: float | None

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        lists = {
            name: [as_dict(line) for line in getattr(self, name)]
            for name in ("rows", "smallest", "plans")
        }
        return as_dict(self) | lists


@dataclass(frozen=True, slots=True)
class PriorLine:
    """A component under one prior of its standard deviation; ``contraction`` = 1 − the posterior
    variance of the standard deviation over the prior's: near 0, the records say nothing.
    """

    facet: str
    levels: int
    prior: str
    variance: float | None
    low: float | None
    high: float | None
    contraction: float | None


@dataclass(frozen=True, slots=True)
class FitLines:
    """One engine's answer."""

    engine: str
    scale: str
    components: tuple[ComponentLine, ...]
    coefficients: tuple[CoefficientLine, ...]
    study: Study | None
    priors: tuple[PriorLine, ...]
    intercept: float
    log_likelihood: float | None
    diagnostics: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    implied: tuple[ComponentLine, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON values."""
        named = {
            name: [as_dict(line) for line in getattr(self, name)]
            for name in ("components", "coefficients", "priors", "implied")
        }
        rest = as_dict(self)
        del rest["study"]
        study = self.study.to_dict() if self.study else None
        return {**rest, **named, "design_study": study}


@dataclass(frozen=True, slots=True)
class Refit:
    """Shares and the main coefficients with one level of a facet left out."""

    facet: str
    level: str
    shares: Mapping[str, float | None]
    coefficients: Mapping[str, float | None]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SubsampleRow:
    """Ranks of configurations on ``k`` tasks against those on all (Table 19)."""

    k: int
    rho: float | None
    rho_low: float | None
    rho_high: float | None
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    top: float | None
    rank_change: float | None
    saving: float


@dataclass(frozen=True, slots=True)
class TransportRow:
    """Kendall's τ_b of the models' mean scores on two benchmarks (Table 18)."""

    a: str
    b: str
    n_models: int
    tau: float | None


@dataclass(frozen=True, slots=True)
class Part:
    """One benchmark, or all records."""

    name: str
    sizes: Mapping[str, int]
    identifiability: Mapping[str, Any]
    merged: tuple[Mapping[str, Any], ...]
    fits: tuple[FitLines, ...]
    left_out_fits: Mapping[str, str] = field(default_factory=dict)
    refits: tuple[Refit, ...] = ()
    subsampling: tuple[SubsampleRow, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The first engine at the top, all of them in ``fits``."""
        fits = [fit.to_dict() for fit in self.fits]
        lists = {
            name: [as_dict(line) for line in getattr(self, name)]
            for name in ("refits", "subsampling")
        }
        return {
            "name": self.name,
            "sizes": dict(self.sizes),
            "identifiability": finite(dict(self.identifiability)),
            "merged": finite([dict(m) for m in self.merged]),
            **fits[0],
            "fits": fits,
            "engines_left_out": dict(self.left_out_fits),
            **lists,
        }


@dataclass(frozen=True, slots=True)
class ReliabilityResult(Rendered):
    """What a ranking is about and which noise limits it, for the whole or per value of a column.

    ``left_out`` names the benchmarks without an answer, with the reason.
    """

    per: str | None
    parts: tuple[Part, ...]
    left_out: Mapping[str, str]
    transport: tuple[TransportRow, ...]
    notes: tuple[str, ...]
    answer: str
    design: ComponentDesign
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """Identifiability, warnings, what was left out, and the provenance."""
        left = [f"left out  {name}: {reason}" for name, reason in self.left_out.items()]
        parts = [line for part in self.parts for line in part_lines(part, self.per)]
        notes = [f"note      {note}" for note in self.notes]
        return [*parts, *left, *notes, *told(self.design, self.provenance)]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per coefficient, engine and part."""
        return [
            {"part": part.name, **as_dict(line)}
            for part in self.parts
            for fit in part.fits
            for line in fit.coefficients
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``reliability``: of one part at the top, of several under ``parts``."""
        parts = [part.to_dict() for part in self.parts]
        head = self.provenance.to_dict("reliability") | {"design": stated(self.design)}
        shared = {
            "sentence": self.answer,
            "per": self.per,
            "left_out": [{"benchmark": b, "reason": r} for b, r in self.left_out.items()],
            "transport": [as_dict(row) for row in self.transport],
            "notes": list(self.notes),
        }
        if self.per is None:
            return {**head, **shared, **parts[0]}
        return {**head, **shared, "parts": parts}

    def tables(self) -> list[Table]:
        """Per part its components, coefficients and what would improve them."""
        return list(self._tables())

    def _tables(self) -> Iterator[Table]:
        yield from part_tables(self)
