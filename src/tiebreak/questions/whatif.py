"""What a page needs to redo scores and gaps at other weights, margins and prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import SpecError, TiebreakError
from tiebreak.estimand import Target
from tiebreak.estimate.contract import Array, Index
from tiebreak.estimate.grouped import cell_rates
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.kernels.moments import score_moments
from tiebreak.options import Options, specs
from tiebreak.panel import Panel, target_weights, trial_mass
from tiebreak.questions.cost.setup import spending
from tiebreak.questions.prepare import prepare
from tiebreak.results.board import BoardResult
from tiebreak.results.whatif import Layer, WhatIf
from tiebreak.spending import USD
from tiebreak.trials import Trials

MOST_PRICED = 200_000
"""Prices by task are kept, where some are missing, for up to so many pairs of configuration and
task: they take 11 characters each."""


def whatif(trials: Trials, board: BoardResult, **options: Unpack[Options]) -> WhatIf:
    """Cell rates, matched values, prices and the margins at which label sources part.

    Parameters
    ----------
    trials
        The records the board was made of.
    board
        Its result: configurations take the order of its pairs.
    options
        The options it was made with.

    Raises
    ------
    SpecError, InputError
        As :func:`tiebreak.questions.board.board`.
    """
    estimand, design = specs(options)
    if design.estimator != "direct":
        raise SpecError(
            "other weights are tried on the rates of cells as they are: --estimator is for board "
            "and compare",
            got=design.estimator,
        )
    prepared = prepare(trials, estimand, design)
    names, order = prepared.panel.configurations, _order(board)
    rows = [names.index(n) for n in order]
    panel, others = prepared.panel.take(rows), [p.take(rows) for p in prepared.others]
    scores = _layer(panel)
    paid, costs = _priced(trials, panel, prepared.provenance.design)
    ragged = any(x is not None and x.task_values is not None for x in (scores, paid, costs))
    return WhatIf(
        configurations=tuple(order),
        cells=panel.cell_names,
        weights=panel.weights,
        by_task=panel.by_task,
        observed=_observed(panel),
        observed_by_task=panel.counts is None,
        scores=scores,
        paid=paid,
        costs=costs,
        task_cells=panel.cells if ragged else None,
        ran=panel.ran if ragged else None,
        all_ran=np.all(panel.ran, axis=1),
        disagree_below=_disagree_below(panel, others, prepared.provenance.design, board),
        unit="tasks" if panel.counts is None else "trials",
        scale=panel.scale,
    )


def _order(board: BoardResult) -> list[str]:
    """By raw score from high to low, ties by name, as pairs are read."""
    standings = sorted(
        board.standings,
        key=lambda s: (-(-1.0 if s.score_observed is None else s.score_observed), s.configuration),
    )
    return [s.configuration for s in standings]


def _layer(panel: Panel) -> Layer:
    if panel.counts is not None:
        return Layer(*cell_rates(panel), None)
    moments = score_moments(panel.values, panel.cells, len(panel.cell_names))
    ragged = bool(np.isnan(panel.values).any())
    return Layer(moments.mean, moments.n, panel.values if ragged else None)


def _priced(
    trials: Trials, panel: Panel, design: Design
) -> tuple[Layer, Layer] | tuple[None, None]:
    """Success and dollars on the trials that have a price, none where those are other tasks."""
    estimand = panel.estimand
    if estimand.utility or estimand.support == "common":
        return None, None
    try:
        spent = spending(trials, estimand, design, [USD])
    except TiebreakError:
        return None, None
    rows = [_row(spent.names, name) for name in panel.configurations]
    success, cost = (_with_blanks(p, rows) for p in (spent.success, spent.amounts[USD]))
    if np.isnan(success.values).any() and success.values.size > MOST_PRICED:
        return None, None
    return _layer(success), _layer(cost)


def _row(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else -1


def _with_blanks(panel: Panel, rows: list[int]) -> Panel:
    """The rows in order; -1 stands for a configuration that has nothing."""
    taken = panel.take(rows)
    blank = np.array(rows)[:, None] < 0
    return replace(taken, values=np.where(blank, np.nan, taken.values))


def _observed(panel: Panel) -> Array:
    """The observed mix of the panel's tasks, or of the trials behind its groups."""
    return target_weights(Target(), panel.cells, panel.cell_names, trial_mass(panel.counts))


def _disagree_below(
    panel: Panel, others: Sequence[Panel], design: Design, board: BoardResult
) -> Array:
    """min(|gap|, |gap'|) where both intervals exclude 0 on opposite sides, else NaN."""
    index = {name: i for i, name in enumerate(panel.configurations)}
    left = np.array([index[c.a] for c in board.comparisons], dtype=np.intp)
    right = np.array([index[c.b] for c in board.comparisons], dtype=np.intp)
    limit = np.full(left.size, np.nan)
    if panel.counts is not None:
        return limit
    for other in others:
        unpaired = np.isnan(panel.values) | np.isnan(other.values)
        own, theirs = (_supported_sides(p, unpaired, design, left, right) for p in (panel, other))
        opposite = own * theirs < 0
        here = np.where(opposite, np.minimum(np.abs(own), np.abs(theirs)), np.nan)
        limit = np.fmax(limit, here)
    return limit


def _supported_sides(
    panel: Panel, unpaired: np.ndarray, design: Design, left: Index, right: Index
) -> Array:
    """Gaps whose interval excludes 0, else 0."""
    paired = replace(panel, values=np.where(unpaired, np.nan, panel.values))
    e = fit_pairs(paired, design, left, right).estimates(design)
    with np.errstate(invalid="ignore"):
        told = ((e.bounds.low > 0) | (e.bounds.high < 0)) & ~e.unsupported
    return np.where(told, e.gap, 0.0)
