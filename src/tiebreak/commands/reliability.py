"""``tiebreak reliability``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiebreak.arguments import DECOMPOSING, OUTPUT, READING, Decomposing, Output, Reading

LEAVE_OUT = Parameter(negative="--no-leave-out")


def reliability(
    path: Path,
    *,
    object: str | None = None,
    tasks: float | None = None,
    scaffolds: float | None = None,
    benchmarks: float | None = None,
    runs: float | None = None,
    per: str | None = None,
    reach: float = 0.8,
    price: float | None = None,
    budget: float | None = None,
    leave_out: Annotated[bool, LEAVE_OUT] = True,
    source: Reading = READING,
    settings: Decomposing = DECOMPOSING,
    output: Output = OUTPUT,
) -> None:
    """What a ranking is about (models, systems, scaffolds) and which noise limits it.

    Parameters
    ----------
    path
        Records in any readable layout whose configurations state a model and a scaffold.
    object
        What is ranked: model, system or scaffold (default: all).
    tasks
        Tasks per benchmark that coefficients are stated at (default: those observed).
    scaffolds
        Scaffolds that a model's score is averaged over (default 1).
    benchmarks
        Benchmarks (default: those observed).
    runs
        Runs of a cell (default: those observed).
    per
        Task column: one answer for each of its values, such as benchmark.
    reach
        Reliability that designs should reach.
    price
        USD per trial (default: the mean measured cost, else costs are in trials).
    budget
        USD per model (default: the cost of the observed design).
    leave_out
        Refit with every benchmark, scaffold and model left out.
    """
    from tiebreak.questions.reliability import reliability as question

    result = question(
        source.read(path),
        object=object,
        tasks=tasks,
        scaffolds=scaffolds,
        benchmarks=benchmarks,
        runs=runs,
        per=per,
        reach=reach,
        price=price,
        budget=budget,
        leave_out=leave_out,
        **settings.keywords(),
    )
    output.show(result)
