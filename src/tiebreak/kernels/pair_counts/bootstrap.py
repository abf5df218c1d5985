"""Resampled means over all pairs: configurations, tasks, whole cells, runs, and them together.

Configurations are drawn by multinomial counts w, and copies of one tie with each other:
U* = (Σ_{i<j} w_i w_j h_ij + Σ_i w_i (w_i − 1)/2 · h_ii) / N. Scores are drawn by counts of tasks
or cells applied to whole numbers, and near ties are decided against what was drawn: with blocks
of unequal size the threshold follows the drawn number of tasks (Owen 2007 for both together).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.pair_counts.rules import BLOCK, PairRule
from tiebreak.kernels.resampling import task_counts, uniform_counts

Array = NDArray[np.float64]
Index = NDArray[np.intp]


def draw_blocks(draws: int, width: int) -> Iterator[int]:
    """Sizes of blocks of draws whose working arrays stay bounded; the same for the same records."""
    step = max(1, BLOCK // max(width, 1))
    return (min(step, draws - start) for start in range(0, draws, step))


def configuration_draws(rule: PairRule, draws: int, rng: np.random.Generator) -> Array:
    """U* of resampled configurations, (draws,)."""
    parts = [
        resampled_mean(rule, uniform_counts(rule.size, size, rng))
        for size in draw_blocks(draws, rule.size)
    ]
    return np.concatenate(parts)


def resampled_mean(rule: PairRule, counts: Array) -> Array:
    """U* for counts of configurations, (M, draws)."""
    ordered = np.einsum("ij,ij->j", counts, rule.apply(counts))
    ordered += rule.own * np.einsum("ij,ij->j", counts, counts - 1)
    found: Array = ordered / (rule.size * (rule.size - 1))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One draw: whole scores (M,) per weighting and the total that is a score of 1 in each."""

    scores: tuple[Array, ...]
    totals: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TaskScores:
    """What scores are made of.

    ``values`` (M, T) whole numbers in units of 1/``scale``; ``weights`` one (T,) of whole numbers
    per target; ``cells`` (T,) sorted: tasks are drawn within cells, or whole cells are.
    """

    values: Array
    scale: int
    weights: tuple[Array, ...]
    cells: Index
    n_cells: int


class RunSource(Protocol):
    """Resampled runs of the same configurations and tasks."""

    def draw(self, rng: np.random.Generator) -> Array:
        """Task values (M, T), in the same units."""


def score_draws(
    made: TaskScores, source: str | None, runs: RunSource | None, draws: int, rng: Any
) -> Iterator[Drawn]:
    """Draws of all scores; ``source`` is tasks, cells or None (only runs are drawn)."""
    for size in draw_blocks(draws, max(made.values.shape)):
        counts = _task_counts(made, source, size, rng)
        totals = [made.scale * (w @ counts) for w in made.weights]
        if runs is None:
            scores = [(made.values * w) @ counts for w in made.weights]
        else:
            scores = _run_scores(made, runs, counts, rng)
        for b in range(size):
            yield Drawn(tuple(s[:, b] for s in scores), tuple(float(t[b]) for t in totals))


def _task_counts(
    made: TaskScores, source: str | None, size: int, rng: np.random.Generator
) -> Array:
    """How often each task is drawn, (T, size)."""
    if source == "tasks":
        return task_counts(made.cells, made.n_cells, size, rng)
    if source == "cells":
        return uniform_counts(made.n_cells, size, rng)[made.cells]
    return np.ones((made.cells.size, size))


def _run_scores(
    made: TaskScores, runs: RunSource, counts: Array, rng: np.random.Generator
) -> list[Array]:
    scores = [np.empty((len(made.values), counts.shape[1])) for _ in made.weights]
    for b in range(counts.shape[1]):
        values = runs.draw(rng)
        for found, w in zip(scores, made.weights, strict=True):
            found[:, b] = values @ (w * counts[:, b])
    return scores


def near_mean(scores: Array, limits: Array, counts: Array | None) -> Array:
    """Share of near ties at several limits (k,), for whole scores (M,) and counts or None.

    All are whole numbers below 2^53 (or multiples of a fixed quantum), so floats are exact.
    """
    order = np.argsort(scores, kind="stable")
    ordered, m = scores[order], scores.size
    w = np.ones(m) if counts is None else counts[order]
    sums = np.concatenate([[0.0], np.cumsum(w)])
    top = np.searchsorted(ordered, ordered + limits[:, None], side="right")
    low = np.searchsorted(ordered, ordered - limits[:, None], side="left")
    window: Array = ((sums[top] - sums[low]) * w).sum(axis=1)
    # copies are in each other's window and in their own: w(w − 1) of w² are pairs
    found: Array = (window - w.sum()) / (m * (m - 1))
    return found


def gap_mean(scores: Array, total: float, counts: Array | None) -> float:
    """Mean absolute gap of resampled scores."""
    order = np.argsort(scores, kind="stable")
    ordered, m = scores[order], scores.size
    w = np.ones(m) if counts is None else counts[order]
    below = np.cumsum(w)
    return float((w * ordered * (2 * below - w - below[-1])).sum() / total * 2 / (m * (m - 1)))


def reversed_mean(first: Array, second: Array, counts: Array | None, dust: float = 0.0) -> float:
    """Share of pairs in strictly opposite orders under two targets; ``dust`` apart is a tie."""
    one, other = first[:, None] - first, second[:, None] - second
    product = ((one > dust) & (other < -dust)) | ((one < -dust) & (other > dust))
    m = first.size
    w = np.ones(m) if counts is None else counts
    return float(w @ product @ w / (m * (m - 1)))


def discordance_draws(
    made: TaskScores, source: str, configurations: bool, draws: int, rng: np.random.Generator
) -> Array:
    """Mean of |y_it − y_jt| over drawn tasks (or cells) and pairs, (draws,).

    For thresholds u between the values that occur, |a − b| = Σ_u step_u |1[a > u] − 1[b > u]|,
    and the pairs that a threshold tells apart are k(M − k), k being how many are above it.
    """
    m, w = len(made.values), made.weights[0]
    levels = np.unique(made.values)
    found = []
    for size in draw_blocks(draws, max(made.values.shape)):
        picked = uniform_counts(m, size, rng) if configurations else np.ones((m, 1))
        counts = _task_counts(made, source, size, rng)
        apart = np.zeros((made.cells.size, picked.shape[1]))
        for low, high in pairwise(levels):
            above = (made.values > low).T.astype(float) @ picked
            apart += (high - low) * above * (m - above)
        total = made.scale * (w @ counts)
        found.append(((w[:, None] * counts) * apart).sum(axis=0) / total * 2 / (m * (m - 1)))
    return np.concatenate(found)
