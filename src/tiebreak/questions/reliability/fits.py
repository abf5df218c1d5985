"""Engines → answers: what each can be asked for, what it says, and what to be wary of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tiebreak.errors import InputError, SpecError
from tiebreak.estimate.decomposition import ENGINES
from tiebreak.kernels.decomposition.coefficients import Sizes
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.identifiability import Merging, merge_facets
from tiebreak.kernels.decomposition.layout import ONE_BENCHMARK, POOLED, RESIDUAL, Layout
from tiebreak.kernels.decomposition.observed import implied_components
from tiebreak.kernels.decomposition.profile import boundary_upper
from tiebreak.questions.judge import number
from tiebreak.questions.reliability.asked import Question
from tiebreak.questions.reliability.lines import (
    OBJECTS,
    coefficient_line,
    component_lines,
    wanted,
)
from tiebreak.questions.reliability.observations import Observations
from tiebreak.questions.reliability.priors import FEW, few_levels, prior_lines
from tiebreak.questions.reliability.study import STUDIED, study
from tiebreak.results.reliability import ComponentLine, FitLines

GRADED = "graded scores have no logit scale here; --engine reml takes them"


@dataclass(frozen=True, slots=True)
class Cells:
    """A part's records as an engine takes them, with the facets that it can tell apart."""

    found: Observations
    layout: Layout
    merging: Merging
    sizes: Sizes

    @property
    def pooled(self) -> bool:
        """Whether benchmarks are a facet."""
        return len(self.found.benchmarks) > 1

    def facets(self, scale: str) -> tuple[str, ...]:
        """Facets of a fit: on the logit scale what is one with the trials' noise is the link's."""
        if scale == "probability":
            return self.merging.kept
        return tuple(f for f in self.merging.kept if f != RESIDUAL)

    def merged(self, scale: str) -> dict[str, tuple[str, ...]]:
        """Fitted facet → those whose sum it is."""
        sets = {names[0]: names for names in self.merging.merged}
        return {f: sets[f] for f in self.facets(scale) if f in sets}


def cells_of(found: Observations, asked: Question) -> Cells:
    """Layout and facets of the records.

    Raises
    ------
    InputError
        One system or one task only, or all outcomes equal.
    """
    layout = found.layout()
    for what, n in (("model–scaffold pair", layout.model.size), ("task", layout.n_items)):
        if n < 2:
            what = f"one {what} only: there is no variance to decompose"
            raise InputError(what, allowed="two or more")
    if np.ptp(layout.mean) == 0 and not layout.within.any():
        got = f"{layout.mean[0]:g} in all {int(layout.trials.sum()):,} trials"
        raise InputError("all outcomes are equal: there is no variance to decompose", got=got)
    facets: tuple[str, ...] = POOLED if len(found.benchmarks) > 1 else ONE_BENCHMARK
    if layout.repeated:
        facets = (*facets[:-1], "IMA", RESIDUAL)
    return Cells(found, layout, merge_facets(layout, facets), asked.sizes(found))


def fit(cells: Cells, engine: str, asked: Question) -> Components:
    """Components of one engine.

    Raises
    ------
    InputError
        Graded scores on the logit scale, or records on which the engine breaks down.
    SpecError
        The engine's optional packages are not installed.
    """
    made = ENGINES[engine]
    if made.scale == "logit" and cells.found.graded:
        raise InputError(f"{engine} needs outcomes of 0 and 1", got="graded scores", hint=GRADED)
    facets = cells.facets(made.scale)
    if not facets:
        raise InputError(f"{engine}: no facet can be told from the noise of a trial")
    try:
        return made.run(cells.layout, facets, asked.asked)
    except ModuleNotFoundError as fault:
        what = f"the engine {engine} needs packages that are not installed"
        hint = "pip install 'tiebreak[bayes]'"
        raise SpecError(what, got=f"no {fault.name}", hint=hint) from fault
    except (np.linalg.LinAlgError, ValueError) as fault:
        raise InputError(f"{engine} breaks down on these records", got=str(fault)) from fault


def answer(cells: Cells, engine: str, asked: Question) -> tuple[FitLines, Components]:
    """One engine's components, coefficients, designs and warnings."""
    found = fit(cells, engine, asked)
    scale, level = found.scale, asked.design.level
    merged = cells.merged(scale)
    shares = engine == "disco"
    equations = () if shares else wanted(cells.pooled, asked.object)
    lines = [coefficient_line(e, found, engine, cells.sizes, merged, level) for e in equations]
    names = [e for e in STUDIED[cells.pooled] if _studied(e, asked.object)]
    plan = asked.wanted(cells.found)
    priors = prior_lines(cells, found, asked) if ENGINES[engine].prior else ()
    made = FitLines(
        engine=engine,
        scale=scale,
        components=_components(cells, found, engine, level),
        coefficients=tuple(lines),
        study=None if shares else study(found, merged, cells.sizes, plan, names, level),
        priors=priors,
        intercept=found.intercept,
        log_likelihood=None if found.log_likelihood is None else number(found.log_likelihood),
        diagnostics={name: float(v) for name, v in found.diagnostics.items()},
        warnings=tuple(_warnings(cells, found, engine)),
        implied=_implied(found) if scale == "logit" else (),
    )
    return made, found


def _studied(name: str, of: str | None) -> bool:
    """Whether an estimand is about the object that was asked for."""
    ends = {"model": ("model", "leaderboard", "inter_scaffold", "model_in_scaffold")}
    return of not in OBJECTS or name in ends.get(of, (of, f"leaderboard_{of}"))


def _components(
    cells: Cells, found: Components, engine: str, level: float
) -> tuple[ComponentLine, ...]:
    lines = component_lines(found, cells.layout, cells.merged(found.scale), level)
    if engine == "reml":
        return _bounded(lines, cells.layout, found, level)
    if engine != "disco":
        return lines
    chance = [found.diagnostics[f"chance_{f}"] for f in found.facets]
    shares = zip(lines, found.variance, chance, strict=True)
    return tuple(
        replace(line, variance=None, share=number(s), low=None, expected_share=number(c))
        for line, s, c in shares
    )


def _bounded(
    lines: tuple[ComponentLine, ...], layout: Layout, found: Components, level: float
) -> tuple[ComponentLine, ...]:
    """Components at zero end where the likelihood ratio does; null where the records bound none."""
    if not found.at_boundary.any():
        return lines
    ends = zip(*(boundary_upper(layout, found, p) for p in (level, 0.68)), strict=True)
    return tuple(
        replace(line, high=number(high), high_68=number(high_68)) if line.at_boundary else line
        for line, (high, high_68) in zip(lines, ends, strict=True)
    )


def _implied(found: Components) -> tuple[ComponentLine, ...]:
    """Components on the probability scale that a logit fit implies."""
    seen = implied_components(found.facets, found.variance, found.intercept)
    values = {**seen.components, RESIDUAL: seen.noise}
    total = sum(values.values())
    blank = dict.fromkeys(("se", "low", "high", "low_68", "high_68"))
    return tuple(
        ComponentLine(f, 0, number(v), number(v / total), **blank, at_boundary=False)  # type: ignore[arg-type]
        for f, v in values.items()
    )


def _warnings(cells: Cells, found: Components, engine: str) -> Iterator[str]:
    told = found.diagnostics
    if engine == "laplace":
        yield "variances of interactions with few trials a level come out too low; ep does not"
    if engine == "disco":
        yield "shares are not corrected for chance and overlap: no reliability follows from them"
    if engine == "moments" and (found.variance < 0).any():
        yield "moment estimates may be negative; they are kept so"
    if told.get("converged", 1.0) != 1.0:
        yield "the search did not converge"
    if engine == "ep" and found.draws is None:
        n = told["effective_draws"]
        yield f"only {n:.0f} effective draws: they are withheld, errors are those of the curvature"
    if told.get("passed", 1.0) != 1.0:
        least = min(told["least_bulk"], told["least_tail"])
        yield (
            f"NOT CONVERGED, not to be relied on: worst R-hat {told['worst_rhat']:.3f} "
            f"(at most 1.01), least effective draws {least:.0f} (at least 400)"
        )
    few = few_levels(cells.layout, found.facets)
    if few and ENGINES[engine].prior:
        yield f"fewer than {FEW} levels of {', '.join(few)}: the prior weighs in, see both priors"
    elif few and engine != "disco":
        yield f"fewer than {FEW} levels of {', '.join(few)}: that variance is hardly known"
