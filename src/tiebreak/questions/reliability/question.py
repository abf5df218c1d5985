"""What a ranking is about, and which source of noise limits it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from tiebreak.design import Design
from tiebreak.errors import InputError, SpecError, TiebreakError
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.progress import track
from tiebreak.questions.reliability.asked import DecompositionOptions, Question, question
from tiebreak.questions.reliability.fits import Cells, answer, cells_of, fit
from tiebreak.questions.reliability.observations import Observations, observe, parts_of
from tiebreak.questions.reliability.refits import refits
from tiebreak.questions.reliability.subsampling import subsample, transport
from tiebreak.questions.reliability.support import identifiability, merged_lines
from tiebreak.questions.reliability.words import sentence
from tiebreak.results.provenance import Data, Provenance
from tiebreak.results.reliability import FitLines, Part, Refit, ReliabilityResult, SubsampleRow
from tiebreak.trials import Trials

SUBSAMPLES = 100


def reliability(
    trials: Trials,
    *,
    engine: str | None = None,
    object: str | None = None,
    tasks: float | None = None,
    scaffolds: float | None = None,
    benchmarks: float | None = None,
    runs: float | None = None,
    per: str | None = None,
    reach: float = 0.8,
    price: float | None = None,
    budget: float | None = None,
    leave_out: bool = True,
    **options: Unpack[DecompositionOptions],
) -> ReliabilityResult:
    """Variance components, reliability coefficients, and the designs that would raise them.

    Parameters
    ----------
    trials
        Checked records whose configurations state a model and a scaffold.
    engine
        ``reml``, ``ep``, ``laplace``, ``bayes``, ``moments`` or ``disco``; by default ``reml`` and
        ``ep``, side by side.
    object
        What is ranked: ``model``, ``system`` or ``scaffold``; by default all.
    tasks, scaffolds, benchmarks, runs
        Sizes that coefficients are stated at: by default the tasks of a benchmark, one scaffold
        (the published convention), all benchmarks, the runs of a cell. Infinity gives limits.
    per
        Task column: one answer for each of its values.
    reach, price, budget
        Reliability that designs should reach, price of a trial (by default its mean measured
        cost) and budget per model, USD.
    leave_out
        Refit with every benchmark, scaffold and model left out (by REML).
    options
        ``label_source``, ``missing``, ``prior``, ``level``, ``draws``, ``seed``.

    Raises
    ------
    SpecError, InputError
        Options without meaning, or records that allow no answer.
    """
    sizes = {"tasks": tasks, "scaffolds": scaffolds, "benchmarks": benchmarks, "runs": runs}
    asked = question(engine, object, sizes, options)
    asked = replace(asked, **_checked(reach, price, budget), refits=leave_out)
    found, notes = observe(trials, asked.estimand)
    parts, left_out = _parts(trials, found, per, asked)
    return ReliabilityResult(
        per=per,
        parts=parts,
        left_out={**trials.left_out, **left_out},
        transport=transport(found) if len(found.benchmarks) > 1 else (),
        notes=notes,
        answer=sentence(parts),
        design=asked.design,
        provenance=provenance(trials, asked),
    )


def provenance(trials: Trials, asked: Question) -> Provenance:
    """What the records were, and the rule for missing outcomes as it is applied."""
    source = asked.estimand.label_source or trials.sources[0]
    d = asked.design
    estimand = replace(asked.estimand, label_source=source)
    design = Design(level=d.level, draws=d.draws, seed=d.seed)
    return Provenance(estimand, design, Data.of(trials))


def _checked(reach: float, price: float | None, budget: float | None) -> dict[str, Any]:
    if not 0 < reach < 1:
        raise SpecError("a reliability out of range", allowed="0 < reach < 1", got=f"{reach:g}")
    for name, value in (("price", price), ("budget", budget)):
        if value is not None and not 0 < value < float("inf"):
            raise SpecError(f"{name} out of range", allowed="a number above 0", got=f"{value:g}")
    return {"reach": reach, "price": price, "budget": budget}


def _parts(
    trials: Trials, found: Observations, per: str | None, asked: Question
) -> tuple[tuple[Part, ...], dict[str, str]]:
    """One part for each value; those without an answer by name with the reason."""
    groups = list(parts_of(found, trials, per))
    parts, left_out = [], {}
    for name, records in track(groups, len(groups), "decomposing"):
        try:
            parts.append(_part(name, records, asked))
        except InputError as fault:
            if per is None:
                raise _at(fault, trials.origin) from fault
            left_out[name] = str(fault)
    if not parts:
        raise InputError("no part allows an answer", where=trials.origin, got=str(left_out))
    return tuple(parts), left_out


def _at(fault: TiebreakError, where: str) -> InputError:
    return InputError(
        fault.what, where=where, allowed=fault.allowed, got=fault.got, hint=fault.hint
    )


def _part(name: str, found: Observations, asked: Question) -> Part:
    cells = cells_of(found, asked)
    fits, whole, failed = _fits(cells, asked)
    return Part(
        name=name,
        sizes={
            "models": len(found.models),
            "scaffolds": len(found.scaffolds),
            "benchmarks": len(found.benchmarks),
            "pairs": int(cells.layout.model.size),
            "tasks": len(found.items),
            "cells": int(cells.layout.item.size),
            "trials": int(found.score.size),
        },
        identifiability=identifiability(cells),
        merged=merged_lines(cells),
        fits=fits,
        left_out_fits=failed,
        refits=_refits(cells, whole, asked),
        subsampling=() if cells.pooled else _subsampled(found, asked),
    )


def _fits(
    cells: Cells, asked: Question
) -> tuple[tuple[FitLines, ...], Components | None, dict[str, str]]:
    """Answers of the engines, the REML fit if any, and why an engine has none.

    A single engine that fails is an error, as are all.
    """
    fits: list[FitLines] = []
    whole, failed = None, {}
    for engine in asked.engines:
        try:
            lines, found = answer(cells, engine, asked)
        except InputError as fault:
            if asked.stated or (engine == asked.engines[-1] and not fits):
                raise
            failed[engine] = str(fault)
        else:
            fits.append(lines)
            whole = found if engine == "reml" else whole
    return tuple(fits), whole, failed


def _refits(cells: Cells, whole: Components | None, asked: Question) -> tuple[Refit, ...]:
    if not asked.refits:
        return ()
    return refits(cells, whole or fit(cells, "reml", asked), asked)


def _subsampled(found: Observations, asked: Question) -> tuple[SubsampleRow, ...]:
    """Nothing where there is too little to leave out: too few systems or tasks."""
    try:
        return subsample(found, SUBSAMPLES, asked.design.seed)
    except InputError:
        return ()
