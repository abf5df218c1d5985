"""Scores as rational numbers, and task values as whole ones: near ties are decided in integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError, listed
from tiebreak.estimate.grouped import grouped_scores
from tiebreak.kernels.pair_counts.bootstrap import TaskScores
from tiebreak.kernels.pair_counts.rules import Whole, whole_scores
from tiebreak.panel import Array, Panel

DIGITS = 10
"""Decimal outcomes have at most this many places; others are taken as their float is printed."""
NEAR = 1e-12
SAFE = 2**52
"""Whole numbers below this add up exactly in floating point."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The configurations that every target supports, with exact scores.

    ``panels`` one per target, restricted to them. ``scores`` per target: whole numbers and the
    number that is a score of 1. ``left_out``: reason by configuration. ``origin``: of the records.
    """

    panels: tuple[Panel, ...]
    scores: tuple[tuple[Whole, int], ...]
    left_out: dict[str, str]
    origin: str

    @property
    def names(self) -> tuple[str, ...]:
        """The configurations whose pairs are counted."""
        return self.panels[0].configurations

    @property
    def size(self) -> int:
        """M."""
        return len(self.names)


def make_board(panels: tuple[Panel, ...], origin: str) -> Board:
    """Exact scores of the supported configurations.

    Raises
    ------
    InputError
        Fewer than two configurations have a score under every target.
    """
    supported = np.logical_and.reduce([_supported(p) for p in panels])
    names = panels[0].configurations
    left_out = {
        n: "the target puts weight where it has no outcome"
        for n, s in zip(names, supported, strict=True)
        if not s
    }
    if supported.sum() < 2:
        raise InputError(
            "fewer than two configurations have a score under the target",
            where=origin,
            got=f"no score: {listed(left_out)}",
            hint="restrict it to common support: --support common",
        )
    kept = tuple(p.take([int(i) for i in np.flatnonzero(supported)]) for p in panels)
    return Board(kept, tuple(whole_scores(exact_scores(p)) for p in kept), left_out, origin)


def _supported(panel: Panel) -> NDArray[np.bool_]:
    """Who has an outcome wherever the target puts weight."""
    scored = ~np.isnan(panel.values)
    if panel.by_task:
        return np.asarray(panel.ran.all(axis=1) & scored.any(axis=1))
    hot = panel.cells[:, None] == np.arange(len(panel.cell_names))
    per_cell = scored.astype(float) @ hot
    return np.asarray(((per_cell > 0) | (panel.weights == 0)).all(axis=1))


def exact_scores(panel: Panel) -> list[Fraction]:
    """ψ_i = Σ_x π_x mean_x, or Σ y/n over own tasks where the target weighs tasks."""
    if panel.counts is not None:
        return [exact_value(s, [1]) for s in grouped_scores(panel).score.tolist()]
    whole, scale = whole_values(panel)
    present = ~np.isnan(panel.values)
    if panel.by_task:
        totals, n = whole.sum(axis=1), present.sum(axis=1)
        return [Fraction(int(t), int(k) * scale) for t, k in zip(totals, n, strict=True)]
    scores = [Fraction(0)] * len(whole)
    for x, weight in enumerate(exact_weights(panel)):
        if not weight:
            continue
        at = panel.cells == x
        totals, n = whole[:, at].sum(axis=1), present[:, at].sum(axis=1)
        cell = (Fraction(int(t), int(k) * scale) for t, k in zip(totals, n, strict=True))
        scores = [s + weight * c for s, c in zip(scores, cell, strict=True)]
    return scores


def exact_weights(panel: Panel) -> list[Fraction]:
    """π_x: n_x/n, 1/C, or as the stated weights are written, over the supported cells."""
    target = panel.estimand.target
    sizes = np.bincount(panel.cells, minlength=len(panel.cell_names)).tolist()
    stated = {c: Fraction(repr(w)) for c, w in target.weights}
    raw = {
        "observed": [Fraction(n) for n in sizes],
        "equal": [Fraction(1)] * len(sizes),
        "stated": [stated.get(name, Fraction(0)) for name in panel.cell_names],
    }[target.kind]
    kept = [r if w > 0 else Fraction(0) for r, w in zip(raw, panel.weights, strict=True)]
    total = sum(kept, Fraction(0))
    return [k / total for k in kept]


def exact_value(value: float, denominators: list[int]) -> Fraction:
    """A task value as a ratio: decimals over a number of runs, else as its float is printed."""
    for n in denominators:
        total = round(value * n, DIGITS)
        if abs(value * n - total) <= NEAR * n:
            return Fraction(repr(total)) / n
    return Fraction(repr(value))


def whole_values(panel: Panel) -> tuple[Whole, int]:
    """Task values in units of 1/scale, (M, T), 0 where there is none, and that scale."""
    present = ~np.isnan(panel.values)
    seen, codes = np.unique(panel.values[present], return_inverse=True)
    k = panel.estimand.protocol.k
    denominators = sorted({comb(n, k) for n in range(k, max(panel.max_runs, k) + 1)})
    ratios = [exact_value(v, denominators) for v in seen.tolist()]
    scale = lcm(*(r.denominator for r in ratios))
    table: list[Any] = [int(r * scale) for r in ratios]
    fits = scale * panel.values.shape[1] < 2**62
    whole = np.zeros(panel.values.shape, dtype=np.int64 if fits else object)
    whole[present] = np.array(table, dtype=whole.dtype)[codes]
    return whole, scale


def task_scores(board: Board, *, runs: bool) -> tuple[TaskScores, bool]:
    """What is resampled, in whole numbers where they stay exact in floats (the flag says so).

    Raises
    ------
    InputError
        Grouped records, or outcomes that are missing: a draw would have to invent them.
    """
    panel = board.panels[0]
    if panel.counts is not None:
        raise InputError("grouped records hold no tasks to match or resample", where=board.origin)
    lost = np.isnan(panel.values).sum()
    if lost:
        raise InputError(
            f"{int(lost)} task values are missing, so tasks can be neither matched nor resampled",
            where=board.origin,
            hint="count them as failures with --missing fail",
        )
    whole, scale = whole_values(panel)
    weights = [task_weights(p) for p in board.panels]
    units = [lcm(*(w.denominator for w in each)) for each in weights]
    observed = panel.estimand.target.kind == "observed" and panel.estimand.target.column is None
    cells, n_cells = panel.cells, 1 if observed else len(panel.cell_names)
    if runs or max(units) * scale * len(panel.tasks) >= SAFE:
        plain = tuple(np.array([float(w) for w in each]) for each in weights)
        return TaskScores(panel.values, 1, plain, cells, n_cells), False
    counted = tuple(
        np.array([float(w * u) for w in each]) for each, u in zip(weights, units, strict=True)
    )
    return TaskScores(whole.astype(float), scale, counted, cells, n_cells), True


def task_weights(panel: Panel, sizes: Array | None = None) -> list[Fraction]:
    """π_x / n_x of every task; ``sizes`` in the place of n_x where only some tasks are kept."""
    n = np.bincount(panel.cells, minlength=len(panel.cell_names)) if sizes is None else sizes
    cells = [w / int(k) if k else Fraction(0) for w, k in zip(exact_weights(panel), n, strict=True)]
    return [cells[x] for x in panel.cells]
