"""What is treated as sampled, how uncertainty is stated, and which gap matters."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Literal

from tiebreak.errors import SpecError, listed

Sampled = Literal["tasks", "cells"]
Interval = Literal["t", "percentile", "wild"]
Family = Literal["pointwise", "simultaneous", "studentized", "holm", "bh"]
Claim = Literal["population", "benchmark", "reliability"]
RunDesign = Literal["auto", "crossed", "nested"]
Estimator = Literal["direct", "regression"]

INTERVALS: dict[Sampled, tuple[Interval, ...]] = {
    "tasks": ("t", "percentile"),
    "cells": ("wild", "percentile"),
}
"""Interval engines by what is sampled, the default first."""
FAMILIES: tuple[Family, ...] = ("pointwise", "simultaneous", "studentized", "holm", "bh")
CLAIMS: tuple[Claim, ...] = ("population", "benchmark", "reliability")
RUN_DESIGNS: tuple[RunDesign, ...] = ("auto", "crossed", "nested")
ESTIMATORS: tuple[Estimator, ...] = ("direct", "regression")


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
        (max-deviation, one width), ``studentized`` (in standard errors), ``holm`` or ``bh``.
    margin
        The smallest gap that matters, on the score scale.
    draws, seed
        Resampling size and seed; nothing else is random.
    claim
        ``population`` of tasks (tasks and runs sampled), ``benchmark`` (exactly these tasks, runs
        sampled) or ``reliability`` (solved in every run, over the population of tasks).
    runs
        ``crossed`` (one run spans all tasks, so a shock can be shared), ``nested`` (each task's
        trials by themselves) or ``auto``: crossed where the run ids show it.
    assume_run_sd
        Standard deviation of a run shock on the score scale, stated for single-run records.
    estimator
        ``direct`` (rates by cell, weighted) or ``regression`` (rates of a logistic model with
        cell and configuration, weighted: for targets whose cells are thin).
    """

    sampled: Sampled = "tasks"
    interval: Interval | None = None
    level: float = 0.95
    family: Family = "pointwise"
    margin: float = 0.02
    draws: int = 10_000
    seed: int = 0
    claim: Claim = "population"
    runs: RunDesign = "auto"
    assume_run_sd: float | None = None
    estimator: Estimator = "direct"

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
        self._check_runs()
        self._check_estimator()

    @property
    def alpha(self) -> float:
        """Error rate, 1 − level, without the rounding dust of the subtraction."""
        return round(1 - self.level, 12)

    def _check_runs(self) -> None:
        """What is claimed of runs, and that the engines can give it."""
        _check(self.claim in CLAIMS, "unknown claim", listed(CLAIMS), self.claim)
        _check(self.runs in RUN_DESIGNS, "unknown design of runs", listed(RUN_DESIGNS), self.runs)
        sd = 0.0 if self.assume_run_sd is None else self.assume_run_sd
        _check(0 <= sd <= 1, "an assumed run SD out of range", "0 to 1, e.g. 0.01", sd)
        only_t = self.claim == "benchmark" or self.assume_run_sd is not None
        named = "the benchmark claim" if self.claim == "benchmark" else "an assumed run SD"
        _check(not only_t or self.interval == "t", f"{named} needs t", "interval t", self.interval)

    def _check_estimator(self) -> None:
        """Regression has an interval over tasks, and no other."""
        _check(
            self.estimator in ESTIMATORS, "unknown estimator", listed(ESTIMATORS), self.estimator
        )
        plain = self.interval == "t" and self.claim == "population" and self.assume_run_sd is None
        got = f"interval {self.interval}, claim {self.claim}"
        what = "regression standardization has an interval over the population of tasks only"
        allowed = "interval t, claim population, no assumed run SD"
        _check(plain or self.estimator == "direct", what, allowed, got)

    def __str__(self) -> str:
        """Every field; those about runs and the estimator where they are not the default."""
        shown = {
            name: value
            for name, value in asdict(self).items()
            if name not in UNSAID or value != UNSAID[name]
        }
        return " ".join(f"{name}={value}" for name, value in shown.items())


UNSAID = {"claim": "population", "runs": "auto", "assume_run_sd": None, "estimator": "direct"}
"""Defaults that the canonical text leaves out."""


Rule = Literal["near", "gap", "unresolved", "stable", "reversed", "discordance"]
RULES: tuple[Rule, ...] = ("near", "gap", "unresolved", "stable", "reversed", "discordance")
SOURCES = ("configurations", "tasks", "cells", "runs")
"""What a mean over all pairs may treat as sampled, in canonical order."""


@dataclass(frozen=True, slots=True)
class PairDesign:
    """How a mean over all pairs of a board is judged.

    Parameters
    ----------
    rule
        What is averaged over pairs.
    near
        Largest difference of scores that is a near tie, exactly; None for the other rules.
    sampled
        The sources of randomness, some of ``SOURCES``; none: the board is fixed and its mean exact.
    level, draws, seed
        As in :class:`Design`.
    """

    rule: Rule = "near"
    near: Fraction | None = Fraction(1, 20)
    sampled: tuple[str, ...] = ()
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        _check(self.rule in RULES, "unknown pair rule", listed(RULES), self.rule)
        near = Fraction(0) if self.near is None else self.near
        _check(0 <= near <= 1, "a near-tie margin out of range", "0 to 1, e.g. 0.05", near)
        unknown = [s for s in self.sampled if s not in SOURCES]
        what = "an all-pairs mean has no such source of randomness"
        _check(not unknown, what, f"none, or {listed(SOURCES)} joined by +", "+".join(unknown))
        twice = len(set(self.sampled)) < len(self.sampled)
        _check(not twice, "a source of randomness named twice", "once", "+".join(self.sampled))
        both = {"tasks", "cells"} <= set(self.sampled)
        _check(not both, "tasks and cells are both sampled", "one of them", "tasks and cells")

    @property
    def source(self) -> str:
        """``none``, ``configurations``, ``configurations+cells``, …"""
        return "+".join(s for s in SOURCES if s in self.sampled) or "none"

    def __str__(self) -> str:
        near = "" if self.near is None else f" near={self.near}"
        judged = f"level={self.level} draws={self.draws} seed={self.seed}"
        return f"rule={self.rule}{near} sampled={self.source} {judged}"


@dataclass(frozen=True, slots=True)
class ComponentDesign:
    """How variance components are estimated.

    Parameters
    ----------
    engines
        Names of the engines, each with a scale of its own.
    prior
        Prior of the standard deviations on the logit scale, for the engines that take one.
    level, draws, seed
        As in :class:`Design`.
    """

    engines: tuple[str, ...]
    prior: str = "half-t(3, 2.5)"
    level: float = 0.95
    draws: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        Design(level=self.level, draws=self.draws, seed=self.seed)  # the same checks

    def __str__(self) -> str:
        return (
            f"engines={'+'.join(self.engines)} prior={self.prior} "
            f"level={self.level} draws={self.draws} seed={self.seed}"
        )


def _check(fine: bool, what: str, allowed: str, got: object) -> None:
    if not fine or (isinstance(got, float) and math.isnan(got)):
        raise SpecError(what, allowed=allowed, got=str(got))
