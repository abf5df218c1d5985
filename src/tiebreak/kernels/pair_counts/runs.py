"""Resampled runs: whole runs where they are crossed, each task's trials where they are nested."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class ResampledRuns:
    """Task values of freshly drawn runs.

    Parameters
    ----------
    counts, means
        Number of outcomes and their mean, (M, T).
    outcomes
        Outcomes by run id, (M, T, run ids), NaN where there is none; only crossed rows are used.
    crossed
        Configurations whose runs span their tasks, (M,). They draw as many of their runs as they
        have, for all tasks at once, and those with the same run ids draw the same ones. Nested
        trials are drawn task by task: binomial, so their outcomes must be 0 or 1.
    """

    def __init__(self, counts: Array, means: Array, outcomes: Array, crossed: Flags) -> None:
        self._counts, self._means = counts.astype(int), means
        self._crossed, self._nested = np.flatnonzero(crossed), np.flatnonzero(~crossed)
        part = outcomes[self._crossed] if self._crossed.size else np.zeros((0, 0, 0))
        self._present = (~np.isnan(part)).astype(float)
        self._outcomes = np.nan_to_num(part)
        self._sets = _sets(np.asarray(self._present.any(axis=1)))

    def draw(self, rng: np.random.Generator) -> Array:
        """Task values (M, T) on the score scale."""
        values = self._means.copy()
        for rows, ids in self._sets:
            times = rng.multinomial(ids.size, np.full(ids.size, 1 / ids.size)).astype(float)
            n = self._present[rows][:, :, ids] @ times
            total = self._outcomes[rows][:, :, ids] @ times
            at = self._crossed[rows]
            values[at] = np.divide(total, n, out=self._means[at].copy(), where=n > 0)
        n = self._counts[self._nested]
        hits = rng.binomial(n, np.clip(self._means[self._nested], 0.0, 1.0))
        values[self._nested] = hits / n
        return values


def _sets(ran: Flags) -> Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows that ran the same run ids, and these ids."""
    by_ids: dict[bytes, list[int]] = {}
    for row, ids in enumerate(ran):
        by_ids.setdefault(ids.tobytes(), []).append(row)
    return [(np.array(rows), np.flatnonzero(ran[rows[0]])) for rows in by_ids.values()]
