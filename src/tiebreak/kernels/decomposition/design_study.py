"""Design studies: limits of coefficients, the smallest and the cheapest design that is enough.

With x = 1/n of one size, signal and error are linear in x, so the smallest n that reaches a target
solves a linear inequality. A design of n_b benchmarks with n_i tasks, n_a scaffolds and n_r runs
costs price · n_b n_i n_a n_r per model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Literal

from tiebreak.kernels.decomposition.coefficients import Equation, Sizes, weigh
from tiebreak.kernels.decomposition.contract import Components

Facet = Literal["tasks", "scaffolds", "benchmarks", "runs"]
LETTERS: Final[dict[Facet, str]] = {"tasks": "i", "scaffolds": "a", "benchmarks": "b", "runs": "r"}
FLOOR: Final = 1e-12
"""Slack of a reliability that meets its target up to rounding."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Point estimates with what each fitted facet stands for."""

    components: Components
    merged: Mapping[str, tuple[str, ...]]

    def reliability(self, equation: Equation, sizes: Sizes) -> float:
        """ρ at the point estimates; NaN where all variances are zero."""
        signal, error = self.sums(equation, sizes)
        return signal / (signal + error) if signal + error > 0 else math.nan

    def sums(self, equation: Equation, sizes: Sizes) -> tuple[float, float]:
        """Signal and error."""
        c = self.components
        weights = weigh(equation, c.facets, c.scale, sizes, self.merged)
        signal, error = weights.sums(c.variance)
        return float(signal), float(error)


@dataclass(frozen=True, slots=True)
class Planned:
    """A design with its reliability and its cost per model."""

    sizes: Sizes
    reliability: float
    trials: float
    cost: float


@dataclass(frozen=True, slots=True)
class SearchBounds:
    """Largest sizes that a search may use."""

    tasks: int = 1000
    scaffolds: int = 8
    benchmarks: int = 8
    runs: int = 5


def varied(equation: Equation) -> tuple[Facet, ...]:
    """Sizes that an estimand depends on; runs reduce σ²_IMA,e."""
    letters = {c for t in (*equation.signal, *equation.error) for c in t.over}
    letters |= {"r"} if any(t.facet == "IMA,e" for t in equation.error) else set()
    return tuple(f for f, letter in LETTERS.items() if letter in letters)


def limit(fit: Fitted, equation: Equation, base: Sizes, facet: Facet = "tasks") -> float:
    """ρ as one size grows without bound (equation 8)."""
    return fit.reliability(equation, replace(base, **{facet: math.inf}))


def smallest(
    fit: Fitted, equation: Equation, base: Sizes, target: float, facet: Facet = "tasks"
) -> float:
    """The least n of one size at which ρ ≥ target, the others as in ``base``; ∞ if none is.

    With x = 1/n: S₀ + S₁x ≥ t (S₀ + E₀ + (S₁ + E₁) x), that is α + βx ≥ 0 on 0 < x ≤ 1.
    """
    s1, e1 = fit.sums(equation, replace(base, **{facet: 1.0}))
    s0, e0 = fit.sums(equation, replace(base, **{facet: math.inf}))
    alpha = s0 - target * (s0 + e0)
    at_one = s1 - target * (s1 + e1)
    slack = FLOOR * (s1 + e1)
    if at_one >= -slack:
        return 1.0
    if alpha <= slack:
        return math.inf
    return float(math.ceil((alpha - at_one) / alpha * (1 - FLOOR)))


def cheapest(
    fit: Fitted, equation: Equation, target: float, price: float, most: SearchBounds
) -> Planned | None:
    """The design of least cost that reaches the target within the bounds; None if none does.

    For every number of benchmarks, scaffolds and runs the tasks are the fewest that suffice.
    """
    best: Planned | None = None
    for base in _bases(equation, most):
        n = smallest(fit, equation, base, target)
        if n > most.tasks:
            continue
        found = _planned(fit, equation, replace(base, tasks=n), price)
        if best is None or _order(found) < _order(best):
            best = found
    return best


def _order(plan: Planned) -> tuple[float, ...]:
    """Cheaper first; of equal cost the more reliable, then the one with fewer levels."""
    s = plan.sizes
    return (plan.trials, -plan.reliability, s.benchmarks, s.scaffolds, s.runs)


def best_within(
    fit: Fitted, equation: Equation, budget: float, price: float, most: SearchBounds
) -> Planned | None:
    """The most reliable design that the budget (per model) buys; None if it buys no trial."""
    trials = math.floor(min(budget / price, 1e15) + FLOOR)
    plans = []
    for base in _bases(equation, most):
        tasks = min(trials // int(base.benchmarks * base.scaffolds * base.runs), most.tasks)
        if tasks >= 1:
            plans.append(_planned(fit, equation, replace(base, tasks=float(tasks)), price))
    return min(plans, key=lambda p: (-p.reliability, *_order(p)), default=None)


def _bases(equation: Equation, most: SearchBounds) -> Iterator[Sizes]:
    """Numbers of benchmarks, scaffolds and runs that the estimand depends on, up to the bounds."""
    free = varied(equation)
    spans = (
        range(1, (getattr(most, facet) if facet in free else 1) + 1)
        for facet in ("benchmarks", "scaffolds", "runs")
    )
    for benchmarks, scaffolds, runs in product(*spans):
        yield Sizes(benchmarks=benchmarks, scaffolds=scaffolds, runs=runs)


def _planned(fit: Fitted, equation: Equation, sizes: Sizes, price: float) -> Planned:
    trials = sizes.benchmarks * sizes.tasks * sizes.scaffolds * sizes.runs
    return Planned(sizes, fit.reliability(equation, sizes), trials, price * trials)
