"""What would improve a coefficient: grids, limits, the smallest, cheapest and best designs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tiebreak.kernels.decomposition.coefficients import (
    BY_NAME,
    Equation,
    NotSeparateError,
    Sizes,
    coefficient,
    weigh,
)
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.design_study import (
    LETTERS,
    Facet,
    Fitted,
    Planned,
    SearchBounds,
    best_within,
    cheapest,
    limit,
    smallest,
    varied,
)
from tiebreak.questions.judge import number
from tiebreak.questions.reliability.lines import Merged
from tiebreak.results.reliability import PlanLine, SmallestLine, Study, StudyRow

NUMBERS: dict[Facet, tuple[float, ...]] = {
    "tasks": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, math.inf),
    "scaffolds": (1, 2, 3, 4, 5, 8, math.inf),
    "benchmarks": (1, 2, 3, 5, 8, 10, 20, math.inf),
    "runs": (1, 2, 3, 5, 10, math.inf),
}
STUDIED = {
    False: ("model", "system", "inter_scaffold", "scaffold"),
    True: ("leaderboard", "leaderboard_system", "leaderboard_scaffold"),
}
"""Estimands of one benchmark and of a leaderboard that designs are planned for."""
PLANNED = ("model", "system", "leaderboard", "leaderboard_system")
"""Estimands that designs are costed for, per model."""
BEYOND = 100_000
"""Sizes beyond which a design is no answer."""
MOST = SearchBounds()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be reached (a reliability), the price of a trial and the budget per model, USD."""

    reach: float = 0.8
    price: float | None = None
    price_is: str = "not known: costs are in trials"
    budget: float = math.inf


def study(
    fit: Components, merged: Merged, base: Sizes, wanted: Wanted, names: Sequence[str], level: float
) -> Study:
    """Designs for the named estimands around the base sizes."""
    equations = [BY_NAME[name] for name in names if _separate(BY_NAME[name], fit, merged, base)]
    price = wanted.price or 1.0
    budget = wanted.budget
    found = Fitted(fit, merged)
    return Study(
        rows=tuple(row for e in equations for row in _rows(e, found, base, level)),
        smallest=tuple(line for e in equations for line in _smallest(e, found, base, wanted.reach)),
        plans=tuple(
            p
            for e in equations
            if e.name in PLANNED
            for p in _plans(e, found, wanted.reach, price, budget)
        ),
        price=wanted.price,
        price_is=wanted.price_is,
        budget=number(budget),
    )


def _separate(equation: Equation, fit: Components, merged: Merged, base: Sizes) -> bool:
    try:
        weigh(equation, fit.facets, fit.scale, base, merged)
    except NotSeparateError:
        return False
    return True


def _free(equation: Equation, found: Fitted, base: Sizes) -> tuple[Facet, ...]:
    """Sizes that may be varied: merged facets must weigh the same at every one of them."""
    fit, merged = found.components, found.merged
    return tuple(
        facet
        for facet in varied(equation)
        if _separate(equation, fit, merged, replace(base, **{facet: 2.0}))
        and _separate(equation, fit, merged, replace(base, **{facet: 1.0}))
    )


def _rows(equation: Equation, found: Fitted, base: Sizes, level: float) -> Iterator[StudyRow]:
    """One size varied at a time; for a leaderboard also the same tasks over more benchmarks."""
    for facet in _free(equation, found, base):
        for n in NUMBERS[facet]:
            yield _row(equation, found, replace(base, **{facet: float(n)}), facet, level)
    if equation.pooled:
        total = base.tasks * base.benchmarks
        for n in NUMBERS["benchmarks"]:
            if math.isfinite(n) and total / n >= 1:
                sizes = replace(base, benchmarks=float(n), tasks=total / n)
                yield _row(equation, found, sizes, "same tasks over benchmarks", level)


def _row(equation: Equation, found: Fitted, sizes: Sizes, vary: str, level: float) -> StudyRow:
    fit = found.components
    c = coefficient(weigh(equation, fit.facets, fit.scale, sizes, found.merged), fit, level)
    trials = sizes.tasks * sizes.scaffolds * sizes.benchmarks * sizes.runs
    n = {f: number(getattr(sizes, f)) for f in ("tasks", "scaffolds", "benchmarks", "runs")}
    return StudyRow(
        name=equation.name,
        object=equation.object,
        vary=vary,
        n_tasks=n["tasks"],
        n_scaffolds=n["scaffolds"],
        n_benchmarks=n["benchmarks"],
        n_runs=n["runs"],
        trials=number(trials),
        limit=math.isinf(trials),
        value=number(c.value),
        low_68=number(c.low_68),
        high_68=number(c.high_68),
        snr=number(c.snr),
    )


def _smallest(
    equation: Equation, found: Fitted, base: Sizes, reach: float
) -> Iterator[SmallestLine]:
    for facet in _free(equation, found, base):
        n = smallest(found, equation, base, reach, facet)
        n = math.inf if n > BEYOND else n
        most = limit(found, equation, base, facet)
        reason = None
        if math.isinf(n):
            reason = f"unlimited {facet} reach {most:.3f} at most; the rest of the error stays"
            reason = reason if most < reach else f"more than {BEYOND:,} {facet}"
        whole = None if math.isinf(n) else int(n)
        top = number(most)
        yield SmallestLine(equation.name, equation.object, facet, reach, whole, top, reason)


def _plans(
    equation: Equation, found: Fitted, reach: float, price: float, budget: float
) -> Iterator[PlanLine]:
    """Cheapest for the target and best for the budget; over benchmarks and within one."""
    free = (*_free(equation, found, Sizes()), "tasks")
    most = replace(MOST, **{facet: 1 for facet in LETTERS if facet not in free})
    options = {"free": most} | (
        {"one benchmark": replace(most, benchmarks=1)} if equation.pooled else {}
    )
    costs: dict[str, float] = {}
    for spread, most in options.items():
        plan = cheapest(found, equation, reach, price, most)
        if plan:
            costs[spread] = plan.cost
        why = f"no design of up to {_bounds(most)} reaches {reach:g}"
        yield _plan(equation, "cheapest", spread, plan, why, _saving(costs, spread))
        plan = best_within(found, equation, budget, price, most)
        yield _plan(equation, "best for the budget", spread, plan, "the budget buys no trial", None)


def _saving(costs: dict[str, float], spread: str) -> float | None:
    """Of the spread design against that in one benchmark, stated with the latter."""
    if spread == "free" or len(costs) < 2:
        return None
    return number(1 - costs["free"] / costs[spread])


def _bounds(most: SearchBounds) -> str:
    return (
        f"{most.tasks:,} tasks, {most.scaffolds} scaffolds, "
        f"{most.benchmarks} benchmarks and {most.runs} runs"
    )


def _plan(
    equation: Equation,
    kind: str,
    spread: str,
    plan: Planned | None,
    why: str,
    saving: float | None,
) -> PlanLine:
    if plan is None:
        nothing = (None,) * 7
        return PlanLine(equation.name, equation.object, kind, spread, *nothing, reason=why)
    s = plan.sizes
    return PlanLine(
        name=equation.name,
        object=equation.object,
        kind=kind,
        spread=spread,
        n_tasks=int(s.tasks),
        n_scaffolds=int(s.scaffolds),
        n_benchmarks=int(s.benchmarks),
        n_runs=int(s.runs),
        trials=int(plan.trials),
        cost=number(plan.cost),
        value=number(plan.reliability),
        saving=saving,
    )
