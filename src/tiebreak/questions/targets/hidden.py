"""Counts behind the rates, and what an aggregate of them hides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tiebreak.estimate.contract import Array
from tiebreak.kernels.aggregate import (
    all_one_cells,
    all_zero_cells,
    cell_interval,
    effective_tasks,
    thin_weight,
)
from tiebreak.questions.judge import number
from tiebreak.questions.targets.paths import target_name
from tiebreak.questions.targets.setup import Setup
from tiebreak.results.target_lines import CellCount, Hidden, TargetLine, WideCell


def cell_counts(setup: Setup) -> tuple[CellCount, ...]:
    """k, n and rate of every configuration in every cell that it has scores in."""
    return tuple(
        _count(setup, i, x)
        for i in range(len(setup.names))
        for x in range(len(setup.panel.cell_names))
        if setup.sizes[i, x] > 0
    )


def _count(setup: Setup, i: int, x: int) -> CellCount:
    known = bool(_counted(setup)[i, x])
    n, rate = float(setup.sizes[i, x]), float(setup.rates[i, x])
    k, size = (_tidy(rate * n), _tidy(n)) if known else (None, None)
    return CellCount(setup.names[i], setup.panel.cell_names[x], k, size, number(rate))


def _counted(setup: Setup) -> NDArray[np.bool_]:
    """Where k and n are known: everywhere but in groups that state no count."""
    panel = setup.panel
    if panel.counts is None:
        return np.ones(setup.rates.shape, dtype=bool)
    hot = panel.cells[:, None] == np.arange(len(panel.cell_names))
    lacking = ~np.isnan(panel.values) & np.isnan(panel.counts)
    return np.asarray(lacking.astype(float) @ hot == 0)


def _tidy(value: float) -> float:
    """Whole where rounding dust is all that keeps it from being so."""
    return round(value) if abs(value - round(value)) < 1e-9 else round(value, 12)


def hidden(setup: Setup, wide: float) -> Hidden | None:
    """Zero, full and wide cells; None where no count is stated at all."""
    counted = _counted(setup) & (setup.sizes > 0)
    if not counted.any():
        return None
    n = np.where(counted, setup.sizes, 0.0)
    k = np.where(counted, np.nan_to_num(setup.rates) * n, 0.0)
    low, high = cell_interval(k, n, setup.design.alpha)
    return Hidden(
        wide_limit=wide,
        zero=tuple(_named(setup, all_zero_cells(k, n))),
        full=tuple(_named(setup, all_one_cells(k, n))),
        wide=tuple(_wide(setup, counted & (high - low > wide), low, high)),
    )


def _named(setup: Setup, mask: NDArray[np.bool_]) -> Iterator[CellCount]:
    return (_count(setup, int(i), int(x)) for i, x in np.argwhere(mask))


def _wide(setup: Setup, mask: NDArray[np.bool_], low: Array, high: Array) -> Iterator[WideCell]:
    for i, x in np.argwhere(mask):
        line = _count(setup, int(i), int(x))
        if line.k is not None and line.n is not None:
            bounds = (round(float(v[i, x]), 12) for v in (low, high))
            yield WideCell(line.configuration, line.cell, line.k, line.n, *bounds)


def target_lines(setup: Setup) -> tuple[TargetLine, ...]:
    """Every target: weights, what lies outside common support, how few tasks it rests on.

    A cell has as many tasks as the shown configuration with the fewest there.
    """
    n = np.where(_counted(setup), setup.sizes, np.nan).min(axis=0)[setup.common]
    return tuple(_target_line(setup, t, n) for t in range(len(setup.prepared)))


def _target_line(setup: Setup, t: int, n: Array) -> TargetLine:
    panel, weights = setup.prepared[t].panel, setup.weights(t)
    by_cell = zip(panel.cell_names, panel.weights, strict=True)
    known = not (np.isnan(n).any() or np.isnan(weights).any())
    return TargetLine(
        target=target_name(setup, t),
        weights={cell: round(float(w), 12) for cell, w in by_cell},
        outside=number(1 - panel.weights[setup.common].sum()) or 0.0,
        n_tasks=_tidy(float(n[weights > 0].sum())) if known else None,
        n_effective=number(effective_tasks(weights, n)) if known else None,
        thin_weight=number(thin_weight(weights, n)) if known else None,
    )
