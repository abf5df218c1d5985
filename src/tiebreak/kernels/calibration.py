"""How good predicted probabilities are, and how their loss moves with the tasks that were drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
BINS = 10
"""Bins of a reliability curve, of equal width on [0, 1]."""
LEAST = 1e-15
"""Probabilities are kept this far from 0 and 1 where their logarithm is taken."""


class Reliability(NamedTuple):
    """Filled bins of a reliability curve: edges, counts, mean prediction, observed rate."""

    low: Array
    high: Array
    n: Index
    predicted: Array
    observed: Array


def brier(outcome: Array, predicted: Array) -> float:
    """Mean squared error of probabilities (Brier 1950, *Mon. Weather Rev.* 78:1)."""
    return float(np.mean((predicted - outcome) ** 2))


def log_loss(outcome: Array, predicted: Array) -> float:
    """Mean negative log likelihood, in nats."""
    p = np.clip(predicted, LEAST, 1 - LEAST)
    return float(-np.mean(outcome * np.log(p) + (1 - outcome) * np.log1p(-p)))


def auc(outcome: Array, predicted: Array) -> float:
    """P(a success is predicted above a failure), ties ½ (Mann & Whitney); NaN with one class."""
    _, level, count = np.unique(predicted, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2  # mid-ranks
    positives = float(outcome.sum())
    negatives = outcome.size - positives
    if positives == 0 or negatives == 0:
        return float("nan")
    total = float((rank[level] * outcome).sum())
    return (total - positives * (positives + 1) / 2) / (positives * negatives)


def reliability(outcome: Array, predicted: Array) -> Reliability:
    """Predicted against observed in bins of equal width; the last one holds 1."""
    at = np.minimum((predicted * BINS).astype(np.intp), BINS - 1)
    n = np.bincount(at, minlength=BINS)
    filled = np.flatnonzero(n)
    means = [
        np.bincount(at, weights=v, minlength=BINS)[filled] / n[filled] for v in (predicted, outcome)
    ]
    return Reliability(filled / BINS, (filled + 1) / BINS, n[filled], means[0], means[1])


class Linear(NamedTuple):
    """Means that move with the tasks: Σ_x π_x (Σ_c m_c loss_c / Σ_c m_c n_c) + Σ_c (m_c − 1) k_c.

    ``loss``, ``n`` and ``moved`` (k) are (quantities, tasks): losses of a task added up, how many
    there are, and one step of what was fitted per extra copy of the task. ``weights``
    (quantities, cells) is π; m_c counts the copies of a task, 1 for the data themselves.
    """

    loss: Array
    n: Array
    moved: Array
    weights: Array

    def of_tasks(self, tasks: Index | NDArray[np.bool_]) -> Linear:
        """Some of the tasks, or all in another order."""
        return Linear(self.loss[:, tasks], self.n[:, tasks], self.moved[:, tasks], self.weights)

    def influence(self, cells: Index) -> Array:
        """Change of each quantity per extra copy of a task, (quantities, tasks)."""
        found = self.moved.copy()
        for x in range(self.weights.shape[1]):
            at = cells == x
            n = self.n[:, at].sum(axis=1, keepdims=True)
            mean = self.loss[:, at].sum(axis=1, keepdims=True) / np.maximum(n, 1)
            found[:, at] += (
                self.weights[:, [x]]
                * (self.loss[:, at] - mean * self.n[:, at])
                / (np.maximum(n, 1))
            )
        return found

    def value(self, cells: Index, copies: Array) -> Array:
        """The means for task counts (tasks, draws), as (quantities, draws)."""
        total: Array = self.moved @ (copies - 1)
        for x in range(self.weights.shape[1]):
            at = cells == x
            top, bottom = self.loss[:, at] @ copies[at], self.n[:, at] @ copies[at]
            mean = np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)
            total += np.where(self.weights[:, [x]] > 0, self.weights[:, [x]] * mean, 0.0)
        return total
