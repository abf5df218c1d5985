"""What a page needs to redo scores and gaps at other weights, margins and prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
import polars as pl

from tiebreak.design import Design
from tiebreak.estimand import Target
from tiebreak.estimate.contract import Array, Index
from tiebreak.estimate.grouped import cell_rates
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.kernels.moments import score_moments
from tiebreak.options import Options, specs
from tiebreak.panel import Panel, target_weights, trial_mass
from tiebreak.questions.prepare import prepare
from tiebreak.results.board import BoardResult
from tiebreak.results.whatif import WhatIf
from tiebreak.trials import Trials


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
    prepared = prepare(trials, *specs(options))
    names, order = prepared.panel.configurations, _order(board)
    rows = [names.index(n) for n in order]
    panel, others = prepared.panel.take(rows), [p.take(rows) for p in prepared.others]
    rates, mass = _rates(panel)
    ragged = panel.counts is None and bool(np.isnan(panel.values).any())
    return WhatIf(
        configurations=tuple(order),
        cells=panel.cell_names,
        weights=panel.weights,
        by_task=panel.by_task,
        observed=_observed(panel),
        observed_by_task=panel.counts is None,
        rates=rates,
        mass=mass,
        task_values=panel.values if ragged else None,
        task_cells=panel.cells if ragged else None,
        ran=panel.ran if ragged else None,
        all_ran=np.all(panel.ran, axis=1),
        disagree_below=_disagree_below(panel, others, prepared.provenance.design, board),
        costs=_costs(trials, panel),
        unit="tasks" if panel.counts is None else "trials",
    )


def _order(board: BoardResult) -> list[str]:
    """By raw score from high to low, ties by name, as pairs are read."""
    standings = sorted(
        board.standings,
        key=lambda s: (-(-1.0 if s.score_observed is None else s.score_observed), s.configuration),
    )
    return [s.configuration for s in standings]


def _rates(panel: Panel) -> tuple[Array, Array]:
    if panel.counts is not None:
        return cell_rates(panel)
    moments = score_moments(panel.values, panel.cells, len(panel.cell_names))
    return moments.mean, moments.n


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


def _costs(trials: Trials, panel: Panel) -> Array:
    """Mean over tasks of their trials' mean cost, (configurations, cells).

    A cell with an unpriced trial (0 or null) has none.
    """
    shape = (len(panel.configurations), len(panel.tasks))
    if "cost_usd" not in trials.frame.columns or trials.kind != "item":
        return np.full((shape[0], len(panel.cell_names)), np.nan)
    rows = {name: i for i, name in enumerate(panel.configurations)}
    columns = {name: t for t, name in enumerate(panel.tasks)}
    ran = trials.frame.filter(pl.col("status") != "not_run").select(
        pl.col("configuration").cast(pl.String).replace_strict(rows, default=None),
        pl.col("task").cast(pl.String).replace_strict(columns, default=None),
        pl.when(pl.col("cost_usd") > 0).then(pl.col("cost_usd")).cast(pl.Float64).alias("cost"),
    )
    kept = ran.drop_nulls(["configuration", "task"])
    at = (kept["configuration"] * shape[1] + kept["task"]).to_numpy()
    cost = kept["cost"].fill_null(float("nan")).to_numpy()
    size = shape[0] * shape[1]
    n = np.bincount(at, minlength=size)
    total = np.bincount(at, weights=cost, minlength=size)
    per_task = np.divide(total, n, out=np.full(size, np.nan), where=n > 0).reshape(shape)
    hot = (panel.cells[:, None] == np.arange(len(panel.cell_names))).astype(float)
    counted = (n.reshape(shape) > 0).astype(float)
    unpriced = (np.isnan(per_task) * counted) @ hot > 0
    tasks = counted @ hot
    mean = np.divide(
        np.nan_to_num(per_task) @ hot, tasks, out=np.full(tasks.shape, np.nan), where=tasks > 0
    )
    return np.where(unpriced, np.nan, mean)
