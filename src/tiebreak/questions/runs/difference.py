"""A pair: the gap under every claim, its components, its plan, and what would undo it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tiebreak.decide import practical_winner
from tiebreak.design import CLAIMS, Design
from tiebreak.estimand import Estimand
from tiebreak.kernels.combine import undoing_variance
from tiebreak.kernels.components import MeanSquares, crossed_components
from tiebreak.panel import Panel
from tiebreak.questions.runs.configuration import component_line, mean_squares, runs_are
from tiebreak.questions.runs.estimates import (
    FIRST,
    SECOND,
    claim_panels,
    gap,
    population_panel,
)
from tiebreak.questions.runs.plan import plan_lines
from tiebreak.results.runs import ComponentLine, DifferenceLine, Estimate
from tiebreak.trials import Trials


def difference_line(
    trials: Trials, names: tuple[str, str], estimand: Estimand, design: Design
) -> DifferenceLine:
    """a − b under the three claims."""
    panels = claim_panels(trials, estimand, design)
    panel = population_panel(trials, estimand, design)
    rows = (FIRST, SECOND) if panel.configurations == names else (SECOND, FIRST)
    claims: dict[str, Estimate] = {
        claim: gap(panels[claim], design, claim, rows) for claim in CLAIMS
    }
    components = _components(panel, rows[0][0] == 0)
    single = bool(panel.single_runs.any())
    population = claims["population"]
    return DifferenceLine(
        a=names[0],
        b=names[1],
        paired=_paired(panel),
        claims=claims,
        winners={claim: _winner(e, names, design) for claim, e in claims.items()},
        components=components,
        single_run=single and design.assume_run_sd is None,
        shock_to_undo=shock_to_undo(population, design) if single else None,
        plan=plan_lines(components, panel, design),
    )


def pair_components(
    trials: Trials, names: tuple[str, str], estimand: Estimand, design: Design
) -> ComponentLine:
    """Components of a − b alone, all tasks weighing the same."""
    panel = population_panel(trials.only(list(names)), estimand, design)
    return _components(panel, panel.configurations == names)


def shock_to_undo(population: Estimate, design: Design) -> float | None:
    """SD of an unseen run shock, in either, at which the interval would reach 0.

    |gap| = t √(se² + 2σ²) solved for σ; null where the interval includes 0 already.
    """
    e = population
    if e.value is None or e.low is None or e.high is None or e.se is None or e.low <= 0 <= e.high:
        return None
    df = math.inf if e.df is None else e.df
    return round(math.sqrt(undoing_variance(e.value, e.se**2, df, design.alpha) / 2), 12)


def _winner(estimate: Estimate, names: tuple[str, str], design: Design) -> str | None:
    if estimate.value is None or estimate.low is None or not estimate.supported:
        return None
    value, low, high = (np.array([v]) for v in (estimate.value, estimate.low, estimate.high))
    won = float(practical_winner(value, low, high, design.margin)[0])
    return {1.0: names[0], -1.0: names[1]}.get(won)


def _paired(panel: Panel) -> bool:
    """Both have crossed runs of the same ids."""
    r = panel.repeats
    return r is not None and r.ids(0) == r.ids(1) and bool(r.ids(0))


def _components(panel: Panel, in_order: bool) -> ComponentLine:
    """Of the within-run differences, or of the two added up where runs do not pair."""
    if panel.repeats is None or panel.single_runs.any():
        return ComponentLine(reason="a single run shows no run noise")
    if _paired(panel):
        first, second = panel.repeats.outcomes if in_order else panel.repeats.outcomes[::-1]
        return component_line(crossed_components((first - second)[None]))
    crossed = [runs_are(panel, row) == "crossed" for row in (0, 1)]
    a, b = (mean_squares(panel.repeats, row) for row in (0, 1))
    task = np.nanvar(panel.values[0] - panel.values[1], ddof=1)
    noise = sum(
        m.task_run / np.maximum(panel.repeats.counts[row], 1).mean() for row, m in enumerate((a, b))
    )
    run = np.nan_to_num(a.run) + np.nan_to_num(b.run)
    found = MeanSquares(
        task=np.asarray(task - noise),
        run=run if any(crossed) else np.full(1, np.nan),
        task_run=a.task_run + b.task_run,
        p_shared=np.full(1, np.nan),
    )
    line = component_line(found)
    return replace(line, reason="the runs of the two do not pair: components are added up")
