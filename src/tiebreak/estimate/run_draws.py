"""The second level of the bootstrap: one common set of runs per draw, for all tasks."""

from __future__ import annotations

import numpy as np

from tiebreak.estimate.contract import Array, Index, Sample
from tiebreak.repeats import Repeats


class RunDraws:
    """Crossed runs resampled as wholes (Davison & Hinkley 1997, section 3.8).

    With m_r the times run r is drawn of R and c_t the counts of tasks, a draw of a score is
    Σ_t c_t w_t Σ_r (m_r/R) y_tr = Σ_t c_t w_t ȳ_t + Σ_r (m_r/R) Σ_t c_t w_t d_tr: the second term
    is what this adds to the draws of task means. Configurations whose runs have the same ids draw
    the same ones. Nested trials add nothing: their noise is in the task means.
    """

    def __init__(self, repeats: Repeats, draws: int, rng: np.random.Generator) -> None:
        self._repeats = repeats
        self._shares = _shares(repeats, draws, rng)

    def scores(self, rows: Index, weighted: Array, counts: Array) -> Array:
        """Second terms (rows, draws) for task weights (rows or 1, tasks) and counts of tasks."""
        d = np.nan_to_num(self._repeats.deviations(rows))
        total = np.zeros((rows.size, counts.shape[1]))
        for r in range(d.shape[2]):
            share = np.stack([self._shares[self._repeats.ids(int(row))][r] for row in rows])
            total += share * ((d[:, :, r] * weighted) @ counts)
        return total

    def units(self, sample: Sample, part: slice, weighted: Array, counts: Array) -> Array:
        """The same for units: configurations, or pairs as left − right."""
        found = self.scores(sample.left[part], weighted, counts)
        if sample.right is None:
            return found
        return found - self.scores(sample.right[part], weighted, counts)


def _shares(repeats: Repeats, draws: int, rng: np.random.Generator) -> dict[tuple[str, ...], Array]:
    """m_r/R over all run ids (run ids, draws), one set for each set of ids; zeros where nested."""
    found: dict[tuple[str, ...], Array] = {}
    for row in range(repeats.crossed.size):
        ids = repeats.ids(row)
        if ids in found:
            continue
        found[ids] = np.zeros((repeats.outcomes.shape[2], draws))
        if ids:
            at = [repeats.names.index(name) for name in ids]
            times = rng.multinomial(len(ids), np.full(len(ids), 1 / len(ids)), size=draws)
            found[ids][at] = times.T / len(ids)
    return found


def run_draws(sample: Sample, draws: int, rng: np.random.Generator) -> RunDraws | None:
    """None where no configuration has crossed runs."""
    repeats = sample.repeats
    if repeats is None or not repeats.crossed.any():
        return None
    return RunDraws(repeats, draws, rng)
