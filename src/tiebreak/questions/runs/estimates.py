"""Panels of one or two configurations under a claim, and their estimates as plain values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from tiebreak.design import Claim, Design
from tiebreak.errors import TiebreakError
from tiebreak.estimand import Estimand, Protocol
from tiebreak.estimate.contract import Index
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.estimate.scores import estimate_scores
from tiebreak.panel import Panel
from tiebreak.questions.judge import number
from tiebreak.questions.prepare import claimed_panel
from tiebreak.results.runs import CurvePoint, Estimate
from tiebreak.trials import Trials

FIRST, SECOND = np.array([0], dtype=np.intp), np.array([1], dtype=np.intp)


def population_panel(trials: Trials, estimand: Estimand, design: Design) -> Panel:
    """The panel that all answers start from."""
    return claimed_panel(trials, estimand, replace(design, claim="population"))


def other_panel(trials: Trials, estimand: Estimand, design: Design, claim: Claim) -> Panel | str:
    """The panel of another claim, or why the records do not allow it."""
    try:
        return claimed_panel(trials, estimand, replace(design, claim=claim))
    except TiebreakError as fault:
        return fault.what


def claim_panels(trials: Trials, estimand: Estimand, design: Design) -> dict[Claim, Panel | str]:
    """Panels of all claims."""
    panels: dict[Claim, Panel | str] = {"population": population_panel(trials, estimand, design)}
    others: tuple[Claim, ...] = ("benchmark", "reliability")
    panels.update((claim, other_panel(trials, estimand, design, claim)) for claim in others)
    return panels


def score(panel: Panel | str, design: Design, claim: Claim) -> Estimate:
    """The only configuration's score under a claim."""
    if isinstance(panel, str):
        return Estimate(reason=panel)
    found = estimate_scores(panel, replace(design, claim=claim))
    return _estimate(found.score[0], found.se[0], found.bounds.low[0], found.bounds.high[0])


def gap(panel: Panel | str, design: Design, claim: Claim, rows: tuple[Index, Index]) -> Estimate:
    """The pair's gap under a claim, with df and p value."""
    if isinstance(panel, str):
        return Estimate(reason=panel)
    fit = fit_pairs(panel, replace(design, claim=claim), *rows)
    bounds = fit.fit.interval(np.array([design.alpha]))
    estimate = np.nan_to_num(fit.weights) * np.nan_to_num(fit.moments.mean)
    value = float(estimate.sum()) if fit.covered[0] > 0 else np.nan
    found = _estimate(value, fit.fit.se[0], bounds.low[0], bounds.high[0])
    df = None if fit.fit.df is None else number(fit.fit.df[0])
    supported = bool(fit.covered[0] >= 1 - 1e-9)
    return replace(found, df=df, p=number(fit.fit.p_values()[0]), supported=supported)


def curve(
    trials: Trials, estimand: Estimand, design: Design, kind: Literal["pass@", "pass^"], most: int
) -> tuple[CurvePoint, ...]:
    """pass@k or pass^k for k = 1 … most, over the population of tasks."""
    points = []
    for k in range(1, most + 1):
        asked = replace(estimand, protocol=Protocol(kind, k))
        found = score(population_panel(trials, asked, design), design, "population")
        points.append(CurvePoint(k, found.value, found.low, found.high))
    return tuple(points)


def _estimate(value: Any, se: Any, low: Any, high: Any) -> Estimate:
    reason = None
    if not np.isfinite(value):
        reason = "the target puts weight on tasks that never ran"
    elif not np.isfinite(se):
        reason = "one task shows no variance"
    return Estimate(number(value), number(low), number(high), number(se), reason)
