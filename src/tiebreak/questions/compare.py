"""One pair in full."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import SpecError
from tiebreak.estimate.contract import Array
from tiebreak.estimate.grouped import cell_rates
from tiebreak.kernels.combine import undoing_variance
from tiebreak.kernels.moments import score_moments
from tiebreak.options import Options, find_configuration, specs
from tiebreak.panel import Panel
from tiebreak.questions.judge import Judged, judge, number
from tiebreak.questions.prepare import prepare
from tiebreak.results.compare import CellLine, CompareResult
from tiebreak.results.pairs import Comparison, Standing
from tiebreak.trials import Trials


def compare(trials: Trials, a: str, b: str, **options: Unpack[Options]) -> CompareResult:
    """Does the evidence support "a is better than b"?

    Parameters
    ----------
    trials
        Checked records.
    a, b
        Names of configurations, or fragments that match one name each.
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`).

    Returns
    -------
    CompareResult
        Estimand, support, scores, gap with interval, radius, flags, verdict and a sentence.
        The gap is that of matched tasks under the target; where the pair does not support the
        target it is the gap of the restricted target, and the verdict is ``unsupported``.

    Raises
    ------
    SpecError, InputError
        Names that match nothing or several, the same configuration twice, options or records
        that allow no comparison.
    """
    estimand, design = specs(options)
    names = trials.configurations["configuration"].to_list()
    first, second = find_configuration(names, a), find_configuration(names, b)
    if first == second:
        raise SpecError(
            "a configuration cannot be compared with itself", got=first, allowed="two names"
        )
    prepared = prepare(trials.only([first, second]), estimand, design)
    at = [prepared.panel.configurations.index(n) for n in (first, second)]
    panel, others = prepared.panel.take(at), [p.take(at) for p in prepared.others]
    judged = judge(panel, design, np.array([0]), np.array([1]), others)
    comparison = judged.comparisons()[0]
    return CompareResult(
        comparison=comparison,
        scores=(_standing(judged, 0), _standing(judged, 1)),
        cells=_cells(panel),
        label_sources=_source_names(judged),
        provenance=prepared.provenance,
        shock_to_undo=_shock_to_undo(comparison, design),
    )


def _shock_to_undo(c: Comparison, design: Design) -> float | None:
    """SD of an unseen run shock in either, |gap| = t √(se² + 2σ²); null where 0 is inside."""
    if "single_run" not in c.flags or c.gap is None or c.gap_low is None or c.gap_high is None:
        return None
    if c.df is None or c.gap_se is None or c.gap_low <= 0 <= c.gap_high:
        return None
    return number(np.sqrt(undoing_variance(c.gap, c.gap_se**2, c.df, design.alpha) / 2))


def _standing(judged: Judged, row: int) -> Standing:
    """A score line; ranks follow from this one pair."""
    s, winner = judged.scores, judged.decisions.winner[0] * (1 if row == 0 else -1)
    order = np.sign(np.nan_to_num(s.score[row] - s.score[1 - row]))
    ranked = judged.panel.counts is None
    return Standing(
        configuration=judged.panel.configurations[row],
        score_observed=number(s.observed[row]),
        score=number(s.score[row]),
        score_low=number(s.bounds.low[row]),
        score_high=number(s.bounds.high[row]),
        score_se=number(s.se[row]),
        rank=None if np.isnan(s.score[row]) else (2 if order < 0 else 1),
        rank_low=(2 if winner < 0 else 1) if ranked else None,
        rank_high=(1 if winner > 0 else 2) if ranked else None,
        tier=(2 if winner < 0 else 1) if ranked else None,
        n_tasks=int(s.n_tasks[row]),
    )


def _cells(panel: Panel) -> tuple[CellLine, ...]:
    rates, mass = _rates(panel)
    return tuple(
        CellLine(
            cell=name,
            weight=float(panel.weights[x]),
            n_a=int(mass[0, x]),
            n_b=int(mass[1, x]),
            rate_a=number(rates[0, x]),
            rate_b=number(rates[1, x]),
            gap=number(rates[0, x] - rates[1, x]),
        )
        for x, name in enumerate(panel.cell_names)
    )


def _rates(panel: Panel) -> tuple[Array, Array]:
    if panel.counts is not None:
        return cell_rates(panel)
    moments = score_moments(panel.values, panel.cells, len(panel.cell_names))
    return moments.mean, moments.n


def _source_names(judged: Judged) -> dict[str, dict[str, str | None]]:
    """Per further source: whom the primary source and it select, on the tasks both labelled."""
    names = judged.panel.configurations
    chosen = {1.0: names[0], -1.0: names[1]}
    primary = judged.panel.estimand.label_source or "score"
    return {
        source: {primary: chosen.get(float(own[0])), source: chosen.get(float(theirs[0]))}
        for source, (own, theirs) in judged.sources.items()
    }
