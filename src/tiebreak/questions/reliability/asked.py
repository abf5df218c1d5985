"""What is asked of a reliability question: engines, objects, sizes, designs; checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from tiebreak.design import ComponentDesign
from tiebreak.errors import SpecError, listed
from tiebreak.estimand import Estimand, Missing
from tiebreak.estimate.decomposition import DEFAULT, ENGINES, PRIORS, Asked
from tiebreak.kernels.decomposition.coefficients import Sizes
from tiebreak.questions.reliability.lines import OBJECTS
from tiebreak.questions.reliability.observations import Observations
from tiebreak.questions.reliability.study import Wanted

SIZES: Final = ("tasks", "scaffolds", "benchmarks", "runs")


class DecompositionOptions(TypedDict, total=False):
    """Keywords that all questions about components share."""

    label_source: str | None
    missing: Missing
    prior: str
    level: float
    draws: int
    seed: int


@dataclass(frozen=True, slots=True)
class Question:
    """Checked options: ``given`` are the sizes that were stated."""

    engines: tuple[str, ...]
    stated: bool
    object: str | None
    given: Mapping[str, float]
    estimand: Estimand
    design: ComponentDesign
    reach: float = 0.8
    price: float | None = None
    budget: float | None = None
    refits: bool = True

    @property
    def asked(self) -> Asked:
        """How engines are run."""
        d = self.design
        return Asked(d.prior, d.draws, d.seed)  # type: ignore[arg-type]

    def sizes(self, found: Observations) -> Sizes:
        """Stated sizes; else the tasks of a benchmark, one scaffold, all benchmarks, the runs."""
        cells = found.layout()
        observed = Sizes(
            tasks=len(found.items) / len(found.benchmarks),
            scaffolds=1.0,
            benchmarks=float(len(found.benchmarks)),
            runs=float(cells.trials.mean()),
            models=float(len(found.models)),
        )
        return replace(observed, **self.given)

    def wanted(self, found: Observations) -> Wanted:
        """Target, price (stated, else the mean measured cost of a trial) and budget.

        Without a stated budget it is that of a model's run of all tasks.
        """
        price, said = self.price, "stated"
        if price is None:
            price, said = found.price, "mean measured cost of a trial"
        wanted = Wanted(self.reach) if price is None else Wanted(self.reach, price, said)
        runs = float(found.layout().trials.mean())
        observed = len(found.items) * runs * (1.0 if price is None else price)
        return replace(wanted, budget=observed if self.budget is None else self.budget)


def question(
    engine: str | None,
    of: str | None,
    sizes: Mapping[str, float | None],
    options: DecompositionOptions,
    *,
    default: tuple[str, ...] = DEFAULT,
) -> Question:
    """Options → what is asked.

    Raises
    ------
    SpecError
        An unknown engine, object, prior or option, a size below 1, or too few draws.
    """
    allowed = DecompositionOptions.__annotations__
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise SpecError("unknown option", allowed=listed(allowed), got=listed(unknown))
    if engine is not None and engine not in ENGINES:
        raise SpecError("unknown engine", allowed=listed(ENGINES), got=engine)
    if of is not None and of not in OBJECTS:
        raise SpecError("unknown object of a ranking", allowed=listed(OBJECTS), got=of)
    given = {name: float(n) for name, n in sizes.items() if n is not None}
    for name, n in given.items():
        if not n >= 1:
            raise SpecError(f"number of {name} out of range", allowed="1 or more", got=f"{n:g}")
    kept = {k: v for k, v in options.items() if v is not None}
    estimand = Estimand(**{k: kept.pop(k) for k in ("label_source", "missing") if k in kept})  # type: ignore[arg-type]
    if kept.get("prior", PRIORS[0]) not in (*PRIORS, "none"):
        raise SpecError(
            "unknown prior", allowed=listed((*PRIORS, "none"), 3), got=str(kept["prior"])
        )
    engines = (engine,) if engine else default
    design = ComponentDesign(engines=engines, **kept)  # type: ignore[arg-type]
    if design.prior == "none" and "bayes" in engines:
        raise SpecError("the exact posterior needs a prior", allowed=listed(PRIORS), got="none")
    return Question(engines, engine is not None, of, given, estimand, design)
