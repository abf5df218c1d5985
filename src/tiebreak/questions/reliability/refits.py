"""Refits with one benchmark, scaffold or model left out, by REML from the whole fit's optimum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tiebreak.errors import InputError
from tiebreak.estimate.decomposition import refit_reml
from tiebreak.kernels.decomposition.coefficients import (
    BY_NAME,
    NotSeparateError,
    Sizes,
    coefficient,
    weigh,
)
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.progress import track
from tiebreak.questions.judge import number
from tiebreak.questions.reliability.asked import Question
from tiebreak.questions.reliability.fits import Cells, cells_of
from tiebreak.questions.reliability.lines import label
from tiebreak.results.reliability import Refit

FOLLOWED = {False: ("model", "system"), True: ("leaderboard", "leaderboard_system")}
FACETS = ("benchmark", "scaffold", "model")


def refits(cells: Cells, whole: Components, asked: Question) -> tuple[Refit, ...]:
    """One refit for every level of the facets that have several; sizes stay those of the whole."""
    levels = [
        (facet, level)
        for facet in FACETS
        for level in range(len(getattr(cells.found, f"{facet}s")))
        if len(getattr(cells.found, f"{facet}s")) > 1
    ]
    return tuple(
        _refit(cells, whole, asked, facet, level)
        for facet, level in track(levels, len(levels), "refits with one level left out")
    )


def _refit(cells: Cells, whole: Components, asked: Question, facet: str, level: int) -> Refit:
    name = getattr(cells.found, f"{facet}s")[level]
    try:
        part = cells_of(cells.found.without(facet, level), asked)
    except InputError as fault:
        return Refit(facet, name, {}, {}, fault.what)
    try:
        found = refit_reml(part.layout, part.merging.kept, whole)
    except (np.linalg.LinAlgError, ValueError) as fault:
        return Refit(facet, name, {}, {}, f"reml breaks down: {fault}")
    merged = part.merged("probability")
    total = float(found.variance.sum())
    shares = {
        label(f, merged): number(v / total)
        for f, v in zip(found.facets, found.variance, strict=True)
    }
    return Refit(facet, name, shares, dict(_followed(part, cells.sizes, found, asked)))


def _followed(
    part: Cells, sizes: Sizes, found: Components, asked: Question
) -> Iterator[tuple[str, float | None]]:
    """The main coefficients, None where this part of the records does not identify them."""
    for name in FOLLOWED[part.pooled]:
        try:
            weights = weigh(
                BY_NAME[name], found.facets, found.scale, sizes, part.merged("probability")
            )
        except NotSeparateError:
            yield name, None
        else:
            yield name, number(coefficient(weights, found, asked.design.level).plug_in)
