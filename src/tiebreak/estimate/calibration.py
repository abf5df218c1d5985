"""P(reference success | labels, cell, …) on held-out trajectories, and how its loss compares.

Two ways of holding out: folds of tasks (cross-fitting) and one configuration at a time (does the
calibration carry over to a configuration it has not seen?). Loss differences, calibrated minus
raw, have a task-group bootstrap of one step: tasks are resampled within cells, and the fit follows
each draw by one Newton step from the data's own fit instead of a refit. The interval is about the
difference that a calibration fitted to as many tasks as here has over the population of tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from tiebreak.estimate.logistic import Array, Index, Logistic, fit_logistic
from tiebreak.kernels.calibration import Linear
from tiebreak.kernels.moderation import moderation, sampling_variance
from tiebreak.kernels.moments import score_moments
from tiebreak.kernels.resampling import quantile_pair, task_counts
from tiebreak.kernels.student import t_quantile

MOST_COPIES = 50_000_000
"""Task counts drawn per bootstrap: with very many tasks fewer draws say the same."""
BLOCK = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Trajectories with their features.

    ``outcome`` is the reference (0 or 1), ``raw`` the label as it stands (NaN where several
    sources stand together). ``pattern`` indexes ``design`` (patterns, coefficients), whose first
    column is ones. ``task``, ``cell`` (of the row) and ``task_cell`` (of the task) are codes.
    """

    outcome: Array
    raw: Array
    pattern: Index
    design: Array
    task: Index
    cell: Index
    task_cell: Index

    @property
    def n_tasks(self) -> int:
        """Number of tasks, whether they hold a row or not."""
        return self.task_cell.size


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Predictions for held-out rows (NaN for others) and what moves with the tasks, per fold."""

    predicted: Array
    steps: Array


def held_out(rows: Rows, fold: Index, n_folds: int, weights: Array) -> HeldOut:
    """Predict every fold from a model fitted to the others.

    Parameters
    ----------
    rows, fold
        Trajectories and the fold of each; rows of fold −1 take no part.
    n_folds
        Number of folds.
    weights
        Weight of each row in the quantity of its fold.

    Returns
    -------
    ``steps`` (folds, tasks): change of the fold's weighted squared error per extra copy of a
    task, through the fit: (Σ_i w_i 2 (p_i − y_i) ∂p_i/∂β) · H⁻¹ Σ_{j in task} x_j (y_j − p_j).
    """
    predicted = np.full(rows.outcome.size, np.nan)
    steps = np.zeros((n_folds, rows.n_tasks))
    for f in range(n_folds):
        test, train = fold == f, (fold != f) & (fold >= 0)
        model = _fit(rows, train)
        p = model.probabilities[rows.pattern]
        predicted[test] = p[test]
        pull = weights[test] * 2 * (p[test] - rows.outcome[test])
        gradient = model.slopes()[rows.pattern[test]].T @ pull
        residual = rows.outcome[train] - p[train]
        moved = model.influence(residual, rows.pattern[train], rows.task[train], rows.n_tasks)
        steps[f] = moved @ gradient
    return HeldOut(predicted, steps)


def _fit(rows: Rows, train: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Logistic:
    k = len(rows.design)
    pattern, won = rows.pattern[train], rows.outcome[train]
    return fit_logistic(
        rows.design,
        np.bincount(pattern, weights=won, minlength=k).astype(float),
        np.bincount(pattern, weights=1 - won, minlength=k).astype(float),
    )


def task_folds(task_cell: Index, n_folds: int, rng: np.random.Generator) -> Index:
    """A fold for every task: shuffled within cells and dealt out, so folds are alike in cells."""
    fold = np.zeros(task_cell.size, dtype=np.intp)
    shuffled = rng.permutation(task_cell.size)
    dealt = shuffled[np.argsort(task_cell[shuffled], kind="stable")]
    fold[dealt] = np.arange(task_cell.size) % n_folds
    return fold


def loss_by_task(rows: Rows, loss: Array) -> tuple[Array, Array]:
    """Losses added up and counted per task; NaN losses are not counted."""
    known = ~np.isnan(loss)
    task, n = rows.task[known], rows.n_tasks
    return (
        np.bincount(task, weights=loss[known], minlength=n).astype(float),
        np.bincount(task, minlength=n).astype(float),
    )


def bootstrap_size(draws: int, n_tasks: int) -> int:
    """Draws of the task-group bootstrap: as stated, fewer where tasks are very many."""
    return max(min(draws, MOST_COPIES // max(n_tasks, 1)), min(draws, 1000))


def bootstrap_bounds(
    quantities: Linear, average: Array, task_cell: Index, draws: int, alpha: float, seed: int
) -> tuple[Array, Array]:
    """Stretched percentile bounds of every quantity, then of its averages.

    ``average`` (averages, quantities) forms further rows from the quantities of the same draw.
    Percentiles are moved away from the estimate by :func:`stretch`.
    """
    order = np.argsort(task_cell, kind="stable")
    cells = task_cell[order]
    ordered = quantities.of_tasks(order)
    n_cells, rng = quantities.weights.shape[1], np.random.default_rng(seed)
    parts = [
        ordered.value(cells, task_counts(cells, n_cells, size, rng))
        for size in _sizes(draws, cells.size)
    ]
    drawn = np.concatenate(parts, axis=1)
    every = np.concatenate([drawn, average @ drawn])
    low, high, _, _ = quantile_pair(every, np.full(len(every), alpha))
    once = ordered.value(cells, np.ones((cells.size, 1)))[:, 0]
    at, wider = np.concatenate([once, average @ once]), stretch(ordered, average, cells, alpha)
    return at + wider * (low - at), at + wider * (high - at)


def stretch(quantities: Linear, average: Array, cells: Index, alpha: float) -> Array:
    """How much wider than the resampling's an interval has to be, at least 1.

    A cell of n tasks is resampled with (n − 1)/n of its variance, and what that variance was is
    known badly where n is small. So the plain variance of the tasks' own losses within cells gives
    way to the default engine's moderated one, and the normal quantile to its t quantile. What the
    fit adds comes from the tasks of all cells and stays as it is.
    """
    n_cells = quantities.weights.shape[1]
    own = quantities._replace(moved=np.zeros_like(quantities.moved)).influence(cells)
    own, fitted = (np.concatenate([v, average @ v]) for v in (own, quantities.moved))
    weights = np.concatenate([quantities.weights, average @ quantities.weights])
    sizes = np.bincount(cells, minlength=n_cells).astype(float)
    scale = np.divide(sizes, weights, out=np.zeros_like(weights), where=weights > 0)
    moments = score_moments(own * scale[:, cells], cells, n_cells)
    constants = moderation(moments.n, weights)
    plain = ((weights / np.maximum(sizes, 1)) ** 2 * moments.ss).sum(axis=1)
    added = ((own + fitted) ** 2 - own**2).sum(axis=1)
    variance = sampling_variance(moments, weights, constants) + added
    quantile = t_quantile(1 - alpha / 2, constants.df) / ndtri(1 - alpha / 2)
    ratio = np.divide(variance, plain + added, out=np.ones_like(plain), where=plain + added > 0)
    wider: Array = np.maximum(quantile * np.sqrt(np.maximum(ratio, 1.0)), 1.0)
    return wider


def _sizes(draws: int, n_tasks: int) -> Iterator[int]:
    step = max(1, BLOCK // max(n_tasks, 1))
    return (min(step, draws - start) for start in range(0, draws, step))
