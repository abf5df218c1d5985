"""One configuration: claims, components, curves, failures, cost, plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tiebreak.design import CLAIMS, Design
from tiebreak.estimand import Estimand
from tiebreak.kernels.components import MeanSquares, crossed_components, nested_components
from tiebreak.kernels.moments import score_moments
from tiebreak.panel import Panel
from tiebreak.questions.judge import number
from tiebreak.questions.runs.estimates import claim_panels, curve, population_panel, score
from tiebreak.questions.runs.failures import cost_per_resolved, failures
from tiebreak.questions.runs.plan import plan_lines
from tiebreak.repeats import Repeats
from tiebreak.results.runs import ComponentLine, ConfigurationLine, RunScore
from tiebreak.trials import Trials


def configuration_line(
    trials: Trials, name: str, estimand: Estimand, design: Design
) -> ConfigurationLine:
    """Everything that its own runs can claim."""
    own = trials.only([name]) if trials.configurations.height > 1 else trials
    if design.assume_run_sd is not None and not _single(own, estimand):
        design = replace(design, assume_run_sd=None)  # stated for those with a single run
    panels = claim_panels(own, estimand, design)
    panel = population_panel(own, estimand, design)
    fewest, most = run_range(panel)
    binary = _binary(panel)
    top = fewest if binary else 0
    components = components_of(panel)
    pass_at, pass_hat = (curve(own, estimand, design, kind, top) for kind in ("pass@", "pass^"))
    return ConfigurationLine(
        configuration=name,
        n_tasks=int((~np.isnan(panel.values[0])).sum()),
        fewest_runs=fewest,
        most_runs=most,
        runs_are=runs_are(panel, 0),
        short_tasks=_short(panel, fewest, most),
        run_scores=run_scores(panel),
        claims={claim: score(panels[claim], design, claim) for claim in CLAIMS},
        components=components,
        pass_at=pass_at,
        pass_hat=pass_hat,
        graded=not binary,
        infrastructure=failures(own, estimand),
        cost_per_resolved=cost_per_resolved(own, panel, design.level),
        plan=plan_lines(components, panel, design),
    )


def _single(trials: Trials, estimand: Estimand) -> bool:
    return bool(population_panel(trials, estimand, Design()).single_runs.all())


def run_range(panel: Panel) -> tuple[int, int]:
    """Smallest and largest number of outcomes of a task."""
    if panel.repeats is None:
        return 1, 1
    return int(panel.repeats.fewest.min()), int(panel.repeats.counts.max())


def runs_are(panel: Panel, row: int) -> str:
    """crossed, nested or single."""
    if panel.repeats is None or not panel.repeats.several[row]:
        return "single"
    return "crossed" if panel.repeats.crossed[row] else "nested"


def run_scores(panel: Panel) -> tuple[RunScore, ...]:
    """Σ_x π_x mean of a run's outcomes in cell x, for every crossed run of the only one."""
    r = panel.repeats
    if r is None or not r.crossed[0]:
        return ()
    moments = score_moments(r.outcomes[0].T, panel.cells, len(panel.cell_names))
    weighed = panel.weights != 0
    scores = moments.mean[:, weighed] @ panel.weights[weighed]
    sizes = moments.n.sum(axis=1)
    return tuple(
        RunScore(name, number(score), int(n))
        for name, score, n in zip(r.names, scores, sizes, strict=True)
        if n > 0
    )


def components_of(panel: Panel) -> ComponentLine:
    """Mean squares of the only configuration."""
    if panel.repeats is None or not panel.repeats.several[0]:
        return ComponentLine(reason="a single run shows no run noise")
    return component_line(mean_squares(panel.repeats, 0))


def mean_squares(repeats: Repeats, row: int) -> MeanSquares:
    """Crossed or nested, by the runs' design."""
    one = slice(row, row + 1)
    if repeats.crossed[row]:
        return crossed_components(repeats.outcomes[one])
    return nested_components(repeats.means[one], repeats.within[one], repeats.counts[one])


def component_line(found: MeanSquares) -> ComponentLine:
    """Components as plain values; a run effect is null where runs are nested."""
    values: dict[str, Any] = {
        "task": number(found.task[0]),
        "run": number(found.run[0]),
        "task_run": number(found.task_run[0]),
        "run_is_shared": number(found.p_shared[0]),
    }
    nested = values["run"] is None
    reason = "nested trials share no run: 'task_run' is all within-task noise" if nested else None
    return ComponentLine(**values, reason=reason)


def _binary(panel: Panel) -> bool:
    values = panel.values if panel.repeats is None else panel.repeats.within
    if panel.repeats is None:
        return bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
    # k outcomes of 0 or 1 with mean m have the sum of squares k m (1 − m), and no others do
    r = panel.repeats
    kept = r.counts > 0
    m = r.means[kept]
    expected = r.counts[kept] * m * (1 - m)
    return bool(np.allclose(r.within[kept], expected, atol=1e-9))


def _short(panel: Panel, fewest: int, most: int) -> tuple[str, ...]:
    """Tasks with the fewest outcomes, where others have more."""
    if panel.repeats is None or fewest == most:
        return ()
    at = np.flatnonzero((panel.repeats.counts == fewest).any(axis=0))
    return tuple(panel.tasks[int(t)] for t in at)
