"""Scores and gaps by the reference with each source as the judge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from tiebreak.design import Design
from tiebreak.errors import TiebreakError
from tiebreak.estimand import Estimand
from tiebreak.estimate.contract import Index
from tiebreak.estimate.powered import Labelled, powered_estimates
from tiebreak.estimate.powered import Powered as Estimates
from tiebreak.kernels.moments import all_pairs
from tiebreak.panel import Panel, build_panel, common_support
from tiebreak.questions.judge import number
from tiebreak.questions.labels.labelled import Labels
from tiebreak.results.label_lines import Powered, PoweredLine
from tiebreak.trials import Trials, label_column

UNSUPPORTED = "a cell that the target weighs has no task with a reference label"


def powered(labels: Labels, source: str, estimand: Estimand, design: Design) -> Powered | str:
    """Prediction-powered scores and gaps, or why there are none.

    A graded judge is used with its scores: they say more than its labels, and any number will do.
    """
    if not labels.paired(source).any():
        return f"no trial has a label of '{labels.asked.reference}' and of '{source}'"
    trials = _with_scores(labels, source)
    try:
        reference, judge = (
            _panel(trials, name, estimand) for name in (labels.asked.reference, source)
        )
    except TiebreakError as fault:
        return fault.what
    given = Labelled(reference.values, judge.values, reference.cells, reference.weights)
    k = len(reference.configurations)
    everyone: Index = np.arange(k)
    left, right = all_pairs(k)
    scores = powered_estimates(given, everyone, None, design)
    gaps = powered_estimates(given, left, right, design) if k > 1 else None
    names = reference.configurations
    return Powered(
        source,
        tuple(_line(scores, i, (name,)) for i, name in enumerate(names)),
        ()
        if gaps is None
        else tuple(
            _line(gaps, p, (names[i], names[j]))
            for p, (i, j) in enumerate(zip(left, right, strict=True))
        ),
    )


def _with_scores(labels: Labels, source: str) -> Trials:
    scores = pl.Series(label_column(source), labels.scores[source], nan_to_null=True)
    return replace(labels.trials, frame=labels.trials.frame.with_columns(scores))


def _panel(trials: Trials, name: str, estimand: Estimand) -> Panel:
    panel = build_panel(
        trials, replace(estimand, label_source=name, missing="drop", support="full")
    )
    return common_support(panel) if estimand.support == "common" else panel


def _line(found: Estimates, at: int, who: tuple[str, ...]) -> PoweredLine:
    own, alone, added = found.powered, found.reference, found.correction
    value = number(own.value[at])
    known = value is not None
    effective = number(found.n_effective[at]) if known else None
    n = int(added.n[at])
    a, b = who if len(who) == 2 else (None, None)
    return PoweredLine(
        configuration=who[0] if len(who) == 1 else None,
        a=a,
        b=b,
        value=value,
        low=number(own.low[at]),
        high=number(own.high[at]),
        se=number(own.se[at]),
        value_reference=number(alone.value[at]),
        low_reference=number(alone.low[at]),
        high_reference=number(alone.high[at]),
        rate=number(added.rate[at]) if known else None,
        n_reference=n,
        n_judge=int(added.extra[at]),
        n_effective=effective,
        saved=None if effective is None else number(effective - n),
        explained=number(added.explained[at]) if known else None,
        reason=None if known else UNSUPPORTED,
    )
