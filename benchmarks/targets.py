"""Seconds of targets and permutation checks, kernels and whole questions, on simulated boards.

    OMP_NUM_THREADS=1 python benchmarks/targets.py

Exits with 1 where anything takes longer than allowed. The shapes are those of SWE-bench Verified
(134 submissions, 500 tasks in 12 repositories) and AgentRewardBench (4 agents, 351 tasks in 4
groups); all data are drawn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

import tiebreak as tb
from tiebreak.kernels.crossovers import fieller, pair_crossovers, upper_envelope
from tiebreak.kernels.gower import gower
from tiebreak.kernels.permutation import Exchange, exchange
from tiebreak.kernels.perturbation import dirichlet_weights, l1_ball_weights, top_shares
from tiebreak.kernels.radius import l1_witness
from tiebreak.kernels.regions import never_wins, simplex_shares_exact, simplex_shares_sampled
from tiebreak.kernels.transport import wasserstein_radius

Array = NDArray[np.float64]
Case = tuple[str, float | None, Callable[[], object]]
REPOSITORIES = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)
SWE_CELLS = np.repeat(np.arange(12), REPOSITORIES)
MARGIN = 0.02


def board(k: int, tasks: int, rng: np.random.Generator) -> Array:
    """Scores of 0 and 1; configurations and tasks differ."""
    rate = 1 / (1 + np.exp(-rng.normal(0, 0.5, (k, 1)) - rng.normal(0, 1.5, tasks)))
    return (rng.random((k, tasks)) < rate).astype(float)


def with_holes(values: Array, share: float, rng: np.random.Generator) -> Array:
    """The same, a share of it absent."""
    return np.where(rng.random(values.shape) < share, np.nan, values)


def radii(rng: np.random.Generator) -> list[Case]:
    """L1 for all pairs; Wasserstein over tasks with Gower's distance."""
    gaps, weights = rng.uniform(-0.3, 0.5, (8911, 12)), rng.dirichlet(np.ones(12), 8911)
    columns, codes = rng.random((300, 2)), rng.integers(0, 5, (300, 3))
    cost, even = gower(columns, codes), np.full(300, 1 / 300)
    lead, levels = rng.choice([-1.0, 0.0, 0.0, 1.0, 1.0], 300), rng.uniform(-0.6, 1.0, 300)

    def both() -> object:
        return [l1_witness(gaps, weights, level) for level in (0.0, MARGIN)]

    return [
        ("both L1 radii with witnesses, 8,911 pairs × 12 cells", 0.5, both),
        ("Gower distance, 300 tasks × 5 columns", None, lambda: gower(columns, codes)),
        (
            "Wasserstein radius, 300 tasks, gaps −1, 0, 1",
            1.0,
            lambda: wasserstein_radius(lead, even, cost),
        ),
        (
            "Wasserstein radius, 300 tasks, real gaps",
            1.0,
            lambda: wasserstein_radius(levels, even, cost),
        ),
    ]


def weights_cases(rng: np.random.Generator) -> list[Case]:
    """Lines, regions and perturbed weights of 134 configurations in 12 cells."""
    rates = np.clip(rng.normal(0.5, 0.15, (134, 1)) + rng.normal(0, 0.1, (134, 12)), 0, 1)
    start, end = rates.mean(axis=1), rates[:, 0]
    left, right = np.triu_indices(134, 1)
    d0, d1, v = start[left] - start[right], end[left] - end[right], np.full(8911, 1e-3)
    target = rng.dirichlet(np.ones(12))
    return [
        ("crossovers, 8,911 pairs", None, lambda: pair_crossovers(start, end)),
        ("crossover intervals, 8,911 pairs", None, lambda: fieller(d0, d1, v, v / 2, v, 2.0)),
        ("upper envelope, 134 lines", None, lambda: upper_envelope(start, end)),
        ("exact regions, 134 × 3 cells", None, lambda: simplex_shares_exact(rates[:, :3])),
        (
            "sampled regions, 134 × 12 cells, 10,000 draws",
            None,
            lambda: simplex_shares_sampled(rates, 10_000, rng),
        ),
        ("never on top, 134 × 12 cells", None, lambda: never_wins(rates)),
        (
            "1,000 Dirichlet weights, top shares",
            None,
            lambda: top_shares(dirichlet_weights(target, 50, 1000, rng) @ rates.T),
        ),
        (
            "1,000 L1-ball weights, top shares",
            None,
            lambda: top_shares(l1_ball_weights(target, 0.2, 1000, rng) @ rates.T),
        ),
    ]


def permutation_cases(rng: np.random.Generator) -> list[Case]:
    """10,000 permutations; ``matched`` boards have holes, for otherwise it is standardized."""
    agents, groups = board(4, 351, rng), np.sort(rng.integers(0, 4, 351))
    swe = board(134, SWE_CELLS.size, rng)
    cases: list[Case] = []
    for name, allowed, values, cells, holes in (
        ("4 × 351", 10.0, agents, groups, 0.1),
        ("134 × 500", 60.0, swe, SWE_CELLS, 0.05),
    ):
        n_cells = int(cells[-1]) + 1
        for matched in (False, True):
            seen = with_holes(values, holes, rng) if matched else values
            weights = np.full(n_cells, 1 / n_cells)
            check = exchange(seen, cells, weights, MARGIN, matched=matched)
            label = f"10,000 permutations, {name}, {'matched' if matched else 'standardized'}"
            cases.append((label, allowed, partial(run_through, check, rng)))
    return cases


def run_through(check: Exchange, rng: np.random.Generator) -> None:
    """All blocks."""
    for _ in check.permuted(10_000, rng):
        pass


def asked(rng: np.random.Generator) -> list[Case]:
    """The questions themselves, from checked trials to the printed answer."""
    groups = [f"group {g}" for g in np.sort(rng.integers(0, 4, 351))]
    repositories = [f"repository {r}" for r in SWE_CELLS]
    agents = as_trials(board(4, 351, rng), groups)
    swe = as_trials(board(134, SWE_CELLS.size, rng), repositories)
    return [
        (
            "tb.permute, 10,000 permutations, 4 × 351",
            10.0,
            lambda: str(tb.permute(agents, cells="cell", permutations=10_000)),
        ),
        (
            "tb.permute, 10,000 permutations, 134 × 500",
            60.0,
            lambda: str(tb.permute(swe, cells="cell", permutations=10_000)),
        ),
        (
            "tb.targets, top 10, 1,000 perturbed weights",
            None,
            lambda: str(tb.targets(swe, cells="cell", top=10, perturb=1000)),
        ),
        (
            "tb.targets, all 8,911 pairs, two targets, as JSON",
            None,
            lambda: tb.targets(swe, cells="cell").to_json(),
        ),
    ]


def as_trials(values: Array, cells: list[str]) -> tb.Trials:
    """A complete board as checked trials."""
    k, tasks = values.shape
    return tb.read(
        pl.DataFrame(
            {
                "configuration": np.repeat([f"configuration {i}" for i in range(k)], tasks),
                "task": np.tile([f"task {t}" for t in range(tasks)], k),
                "cell": np.tile(cells, k),
                "score": values.ravel(),
            }
        )
    )


def main() -> int:
    """Print the table; 1 where something is too slow."""
    rng, slow = np.random.default_rng(20260601), 0
    cases = [*radii(rng), *weights_cases(rng), *permutation_cases(rng), *asked(rng)]
    for label, allowed, run in cases:
        started = time.perf_counter()
        run()
        seconds = time.perf_counter() - started
        slow += allowed is not None and seconds > allowed
        limit = "" if allowed is None else f"allowed {allowed:g}"
        print(f"{label:58} {seconds:9.4f} s  {limit}".rstrip(), flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
