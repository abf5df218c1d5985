"""Sensitivity of the fixed board: one configuration left out, half of the tasks."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from tiebreak.design import PairDesign
from tiebreak.errors import InputError
from tiebreak.estimate.contract import Array, Index
from tiebreak.kernels.pair_counts.rules import PairRule, row_sums
from tiebreak.kernels.pair_counts.thinning import Thinned, thin
from tiebreak.panel import Panel
from tiebreak.questions.pairs.exact import SAFE, Board, task_weights, whole_values
from tiebreak.results.pair_counts import LeaveOneOut, Thinning

MOST_PAIRS = 500_000
"""Boards of more pairs are not thinned: every draw would order all of them."""


def leave_one_out(rule: PairRule, names: tuple[str, ...]) -> LeaveOneOut | str:
    """U without configuration i is (S − 2 r_i)/((M − 1)(M − 2)), from row sums."""
    m = rule.size
    if m < 3:
        return "without one of two configurations there is no pair"
    rows = row_sums(rule)
    means = (rows.sum() - 2 * rows) / ((m - 1) * (m - 2))
    change = np.abs(means - float(rule.total / (m * (m - 1) // 2)))
    at = int(change.argmax())
    return LeaveOneOut(
        largest_change=round(float(change[at]), 15),
        configuration=names[at],
        low=round(float(means.min()), 12),
        high=round(float(means.max()), 12),
    )


def thinning(board: Board, design: PairDesign) -> Thinning | str:
    """Orders on half of the tasks, drawn within cells where the target weighs cells."""
    panel = board.panels[-1]
    reason = _unthinnable(panel)
    if reason:
        return reason
    cells, n_cells = panel.cells, len(panel.cell_names)
    if panel.by_task:
        cells, n_cells = np.zeros_like(cells), 1
    found = _thinned(panel, cells, n_cells, design)
    quantiles = [(1 - design.level) / 2, (1 + design.level) / 2]
    kept = (np.bincount(cells, minlength=n_cells) + 1) // 2
    ends = [np.quantile(rate, quantiles) for rate in found]
    numbers = [
        round(float(v), 12)
        for rate, (low, high) in zip(found, ends, strict=True)
        for v in (rate.mean(), low, high)
    ]
    return Thinning(len(panel.tasks), int(kept.sum()), design.draws, *numbers)


def _unthinnable(panel: Panel) -> str | None:
    if panel.counts is not None:
        return "grouped records hold no tasks to thin"
    if np.isnan(panel.values).any():
        return "task values are missing, so halves would not be the same for every pair"
    if len(panel.tasks) < 2:
        return "there is one task"
    m = len(panel.configurations)
    if m * (m - 1) // 2 > MOST_PAIRS:
        return f"more than {MOST_PAIRS:,} pairs"
    return None


def _thinned(panel: Panel, cells: Index, n_cells: int, design: PairDesign) -> Thinned:
    """Whole numbers throughout, unless they would be too large to add up exactly."""
    values, _ = whole_values(panel)
    sizes = np.bincount(cells, minlength=n_cells)
    rng = np.random.default_rng([design.seed, *map(ord, "thinning")])
    if panel.by_task:
        ones = np.ones(cells.size)
        return thin(values.astype(float), ones, ones, cells, n_cells, design.draws, rng)
    full = _whole(task_weights(panel))
    half = _whole(task_weights(panel, ((sizes + 1) // 2).astype(float)))
    return thin(values.astype(float), full, half, cells, n_cells, design.draws, rng)


def _whole(weights: list[Fraction]) -> Array:
    """Weights over their common denominator, so that equal scores stay equal."""
    unit = lcm(*(w.denominator for w in weights))
    if unit >= SAFE:
        raise InputError("the target's weights have too large a common denominator to thin tasks")
    return np.array([float(w * unit) for w in weights])
