"""How often the interval of a crossover holds the true one: simulated pairs of known rates.

    OMP_NUM_THREADS=1 python benchmarks/crossovers.py [REPLICATES]

The weight of the first cell is swept, the rest split equally. Replicates stand in the place of
pairs, so one call of the product's estimate serves them all; a set that is not an interval counts
by what it holds. Seeded: the same command gives the same table.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import Design
from tiebreak.estimand import Estimand
from tiebreak.estimate.contract import contrast
from tiebreak.estimate.crossovers import crossover_sets
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.kernels.crossovers import KINDS, CrossoverSet, sweep_ends
from tiebreak.panel import Panel

Array = NDArray[np.float64]
SWE = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)
SEED, REPLICATES = 20260601, 4000


class Row(NamedTuple):
    """Sizes of cells; rates of both in the first cell and in the others; shared difficulty."""

    name: str
    sizes: tuple[int, ...]
    first: tuple[float, float]
    others: tuple[float, float]
    shared: float = 0.0

    @property
    def truth(self) -> float:
        """Weight of the first cell at which the true scores tie."""
        here, rest = self.first[0] - self.first[1], self.others[0] - self.others[1]
        return rest / (rest - here)


ROWS = (
    Row("80/10/5/5, far apart", (80, 10, 5, 5), (0.95, 0.8), (0.3, 0.8)),
    Row("80/40/40/40", (80, 40, 40, 40), (0.9, 0.75), (0.55, 0.7)),
    Row("SWE sizes", SWE, (0.80, 0.72), (0.55, 0.65)),
    Row("SWE sizes, shared difficulty", SWE, (0.80, 0.72), (0.55, 0.65), 0.7),
    Row("50/50", (50, 50), (0.7, 0.5), (0.4, 0.6)),
    Row("200/200/200, shared difficulty", (200, 200, 200), (0.7, 0.6), (0.45, 0.55), 0.6),
)


def simulate(row: Row, replicates: int, rng: np.random.Generator) -> Panel:
    """Two configurations per replicate; with ``shared`` both meet the same difficulty."""
    cells = np.repeat(np.arange(len(row.sizes)), row.sizes)
    own = rng.random((2, replicates, cells.size))
    same = rng.random((replicates, cells.size)) < row.shared
    own[1] = np.where(same, own[0], own[1])
    rates = np.where(cells == 0, np.array(row.first)[:, None], np.array(row.others)[:, None])
    values = (own < rates[:, None]).astype(float).reshape(-1, cells.size)
    return Panel(
        estimand=Estimand(),
        configurations=tuple(str(i) for i in range(len(values))),
        tasks=tuple(str(t) for t in range(cells.size)),
        values=values,
        ran=np.ones(values.shape, dtype=bool),
        cells=cells,
        cell_names=tuple(str(c) for c in range(len(row.sizes))),
        weights=np.full(len(row.sizes), 1 / len(row.sizes)),
        by_task=False,
        max_runs=1,
    )


def holds(found: CrossoverSet, truth: float) -> NDArray[np.bool_]:
    """Which sets hold the true crossover."""
    kinds = [found.kind == KINDS.index(k) for k in ("bounded", "outside", "whole")]
    inside = (found.low <= truth) & (truth <= found.high)
    outside = (truth <= found.low) | (truth >= found.high)
    return np.select(kinds, [inside, outside, np.ones_like(inside)], default=False)


def cover(row: Row, replicates: int, seed: int) -> tuple[float, CrossoverSet]:
    """Coverage of a row at 95 %, and the sets."""
    panel = simulate(row, replicates, np.random.default_rng(seed))
    left = np.arange(replicates)
    fit = fit_pairs(panel, Design(), left, left + replicates)
    ends = sweep_ends(panel.weights, 0)
    gaps = tuple(contrast(fit.moments, np.tile(w, (replicates, 1))) for w in ends)
    found = crossover_sets(fit.engine, (gaps[0], gaps[1]), ends, 0.05)
    return float(holds(found, row.truth).mean()), found


def main(argv: list[str]) -> int:
    """Print the table."""
    replicates = int(argv[0]) if argv else REPLICATES
    print("| cells | true weight | coverage % | ± | interval | all but one | whole |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for i, row in enumerate(ROWS):
        share, found = cover(row, replicates, SEED + i)
        error = 100 * (share * (1 - share) / replicates) ** 0.5
        kinds = [f"{100 * (found.kind == k).mean():.1f} %" for k in range(3)]
        print(
            f"| {row.name} | {row.truth:.3f} | {100 * share:.2f} | {error:.2f} "
            f"| {' | '.join(kinds)} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
