"""Are configurations exchangeable within tasks? Labels permuted, the whole board recomputed.

Under the null the scores of a task are equally likely to belong to any of the configurations
that have it. Permuting the labels within every task keeps task difficulty, the mix of cells and
the pattern of absent scores (the rank-comparison paper, section IV-C). Runs stay together:
values are means over runs.

Statistics per board: the largest |gap| of all pairs and the number of pairs whose |gap| reaches
the margin. A gap is either

standardized: ψ(a) − ψ(b), ψ(a) = Σ_x π_x mean of a's tasks in x;
matched: Σ_x π_x mean of y_a − y_b over the tasks of x that both have, π restricted to the cells
where there are such tasks.

On a complete panel the two agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.moments import BLOCK
from tiebreak.kernels.radius import DUST

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Group = tuple[Index, Index]
Gaps = Callable[[Array], Array]


class BoardStatistics(NamedTuple):
    """Largest |gap| and number of practical gaps of every board, (boards,) each."""

    max_gap: Array
    practical_gaps: NDArray[np.intp]


class Exchange(NamedTuple):
    """The statistics of a board of values (configurations, tasks), and of its permutations."""

    values: Array
    gaps: Gaps
    margin: float

    def observed(self) -> BoardStatistics:
        """Statistics of the board as it is, (1,) each."""
        return board_statistics(self.gaps(_filled(self.values)[None]), self.margin)

    def permuted(self, permutations: int, rng: np.random.Generator) -> Iterator[BoardStatistics]:
        """Statistics of permuted boards, in blocks that fit memory."""
        groups, board = task_groups(self.values), _filled(self.values)
        step = max(1, BLOCK // max(board.size, board.shape[1] ** 2))
        for start in range(0, permutations, step):
            boards = permuted_boards(board, groups, min(step, permutations - start), rng)
            yield board_statistics(self.gaps(boards), self.margin)


def exchange(
    values: Array, cells: Index, weights: Array, margin: float, *, matched: bool
) -> Exchange:
    """Set up the check.

    Parameters
    ----------
    values
        (configurations, tasks) in [0, 1], NaN where absent.
    cells
        (tasks,) cell of each task.
    weights
        π, (cells,), sums to 1.
    margin
        The smallest gap that matters; a gap within ``DUST`` of it reaches it.
    matched
        Matched gaps, else standardized ones. A configuration that lacks a weighted cell has no
        standardized score: its labels are permuted, but no pair of it is counted. Nor is a pair
        without a matched task.
    """
    present = ~np.isnan(values)
    complete = present.all() and np.isin(np.flatnonzero(weights), cells).all()
    if matched and not complete:
        return Exchange(values, matched_gaps(present, cells, weights), margin)
    return Exchange(values, standardized_gaps(present, cells, weights), margin)


def plus_one_p(reference: Array, observed: float) -> float:
    """(1 + number of reference values ≥ observed) / (N + 1), ties to within ``DUST`` counted."""
    return float((1 + np.count_nonzero(reference >= observed - DUST)) / (reference.size + 1))


def task_groups(values: Array) -> list[Group]:
    """Tasks that share a number of present scores: rows (g, 1) and configurations (g, n).

    Tasks whose scores are all alike are left out: permuting them changes nothing.
    """
    low, high = np.nanmin(_some(values), axis=0), np.nanmax(_some(values), axis=0)
    counts = np.where(high > low, (~np.isnan(values)).sum(axis=0), 0)
    groups = []
    for n in np.unique(counts[counts > 1]):
        tasks = np.flatnonzero(counts == n)
        having = np.nonzero(~np.isnan(values.T[tasks]))[1].reshape(-1, n)
        groups.append((tasks[:, None], having))
    return groups


def permuted_boards(
    board: Array, groups: list[Group], boards: int, rng: np.random.Generator
) -> Array:
    """Uniform permutations within tasks of a board (tasks, configurations), (boards, …)."""
    drawn = np.repeat(board[None], boards, axis=0)
    for tasks, having in groups:
        part = drawn[:, tasks, having]
        drawn[:, tasks, having] = rng.permuted(part, axis=2, out=part)
    return drawn


def standardized_gaps(present: Mask, cells: Index, weights: Array) -> Gaps:
    """Boards (boards, tasks, configurations) → ψ(a) − ψ(b), (boards, pairs)."""
    hot = (cells[:, None] == np.arange(weights.size)).astype(float)
    n = present @ hot
    per_task = np.divide(weights, n, out=np.zeros_like(n), where=n > 0)[:, cells]
    contrast = np.where(present, per_task, 0.0).T
    scored = np.flatnonzero(((n > 0) | (weights == 0)).all(axis=1))
    left, right = np.triu_indices(scored.size, 1)

    def gaps(boards: Array) -> Array:
        scores: Array = np.einsum("btk,tk->bk", boards, contrast)[:, scored]
        return scores[:, left] - scores[:, right]

    return gaps


def matched_gaps(present: Mask, cells: Index, weights: Array) -> Gaps:
    """Boards (boards, tasks, configurations) → gaps on matched tasks, (boards, pairs).

    With M the mask of a cell and Y its values, Σ (y_a − y_b) over matched tasks is A − Aᵀ,
    A = Yᵀ M.
    """
    masks = [
        (np.flatnonzero(cells == x), present[:, cells == x].T.astype(float))
        for x in range(weights.size)
    ]
    n = np.stack([mask.T @ mask for _, mask in masks])
    kept = np.where(n > 0, weights[:, None, None], 0.0)
    covered = kept.sum(axis=0)
    scale = np.divide(kept, n * covered, out=np.zeros_like(n), where=(n > 0) & (covered > 0))
    left, right = np.nonzero(np.triu(covered > 0, 1))

    def gaps(boards: Array) -> Array:
        total = np.zeros((len(boards), len(present), len(present)))
        for (tasks, mask), q in zip(masks, scale, strict=True):
            total += boards[:, tasks].swapaxes(1, 2) @ mask * q
        return total[:, left, right] - total[:, right, left]

    return gaps


def board_statistics(gaps: Array, margin: float) -> BoardStatistics:
    """Both statistics from all gaps, (boards, pairs)."""
    size = np.abs(gaps)
    return BoardStatistics(size.max(axis=1, initial=0.0), (size >= margin - DUST).sum(axis=1))


def _filled(values: Array) -> Array:
    """(tasks, configurations), absent scores 0."""
    return np.ascontiguousarray(np.nan_to_num(values.T))


def _some(values: Array) -> Array:
    """Values with 0 in tasks that nobody has."""
    return np.where(np.isnan(values).all(axis=0), 0.0, values)
