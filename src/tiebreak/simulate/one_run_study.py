"""The study of the one-run paper: its four results and its table of runs, with our methods beside.

Each function draws its replicates in blocks and gives figures by name. Rates are shares of
replicates; standard deviations are on the score scale. *Bench* is the expected score on a
replicate's own tasks, *pop* the one over the population.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.design import Claim, Design
from tiebreak.estimate.contract import Bounds, Sample
from tiebreak.estimate.engines import make_engine
from tiebreak.kernels.moments import CellMoments
from tiebreak.kernels.ustatistics import protocol_values, shock_sensitivity
from tiebreak.progress import track
from tiebreak.repeats import Repeats
from tiebreak.simulate.one_run import AGENTS, TASKS, Draw, draw, population_rate

Array = NDArray[np.float64]
Figures = dict[str, float]
BLOCK = 100
"""Replicates drawn at once."""
Z = float(ndtri(0.975))
RESAMPLES = 1000
CLAIMED: tuple[tuple[Claim, str], ...] = (("benchmark", "within"), ("population", "ours"))


class Study(NamedTuple):
    """Replicates of each result, and the seed of all."""

    replicates: int
    seed: int

    def blocks(self, label: str, names: str, runs: int) -> Iterator[Draw]:
        """The replicates of a result, block by block, with the rate of runs on the bar."""
        rng = np.random.default_rng([self.seed, *map(ord, label)])
        sizes = [BLOCK] * (self.replicates // BLOCK)
        sizes += [self.replicates % BLOCK] if self.replicates % BLOCK else []
        made = (draw(list(names), TASKS, runs, rng, replicates=size) for size in sizes)
        yield from track(made, len(sizes), label, BLOCK * runs * len(names), "runs")


def spread(study: Study) -> Figures:
    """Result 1: SD of C over runs on the same tasks, over redrawn tasks, and together."""
    scores, rates = [], []
    for d in study.blocks("result 1", "C", 2):
        scores.append(d.solved[:, 0].mean(axis=1))
        rates.append(d.rates[:, 0].mean(axis=1))
    score, rate = np.concatenate(scores), np.concatenate(rates)
    within = (score - rate[:, None]).ravel()
    low, high = population_rate(AGENTS["C"]) + np.quantile(within, [0.025, 0.975])
    return {
        "sd_runs": float(within.std()),
        "sd_tasks": float(rate.std(ddof=1)),
        "sd_total": float(score[:, 0].std(ddof=1)),
        "range_low": float(low),
        "range_high": float(high),
    }


def coverage(study: Study) -> Figures:
    """Result 2: coverage of the paper's intervals and of ours, five runs of C."""
    rng = np.random.default_rng([study.seed, 2])
    run_shares = rng.multinomial(5, np.full(5, 0.2), size=RESAMPLES).T / 5.0
    task_shares = rng.multinomial(TASKS, np.full(TASKS, 1 / TASKS), size=RESAMPLES).T / TASKS
    hits: dict[str, list[NDArray[np.bool_]]] = {}
    truth = population_rate(AGENTS["C"])
    for d in study.blocks("result 2", "C", 5):
        y, bench = d.solved[:, 0].astype(float), d.rates[:, 0].mean(axis=1)
        first = y[:, :, 0].mean(axis=1)
        half = Z * np.sqrt(first * (1 - first) / TASKS)
        over_runs = np.quantile(y.mean(axis=1) @ run_shares, [0.025, 0.975], axis=1)
        both = np.matmul(y.transpose(0, 2, 1), task_shares) * run_shares
        two_level = np.quantile(both.sum(axis=1), [0.025, 0.975], axis=1)
        intervals: Mapping[str, tuple[Array, Array, Array | float]] = {
            "binomial_bench": (first - half, first + half, bench),
            "binomial_pop": (first - half, first + half, truth),
            "runs_bench": (*over_runs, bench),
            "two_level_pop": (*two_level, truth),
            "ours_bench": (*claimed(d, "benchmark"), bench),
            "ours_pop": (*claimed(d, "population"), truth),
        }
        for name, (low, high, aim) in intervals.items():
            hits.setdefault(name, []).append((low <= aim) & (aim <= high))
    return {name: float(np.concatenate(found).mean()) for name, found in hits.items()}


def comparisons(study: Study) -> Figures:
    """Result 3: B against C by number of runs, the order of A, B and C, and the paired test."""
    found: dict[str, list[Array | NDArray[np.bool_]]] = {}
    for d in study.blocks("result 3", "ABC", 10):
        a, b, c = np.moveaxis(d.solved.mean(axis=2), 1, 0)
        for runs in (1, 3, 5, 10):
            behind = b[:, :runs].mean(axis=1) >= c[:, :runs].mean(axis=1) - 1e-12
            found.setdefault(f"behind_{runs}", []).append(behind)
        order = (a[:, 0] < b[:, 0]) & (b[:, 0] < c[:, 0])
        found.setdefault("order", []).append(order)
        for runs in (1, 10):
            means = d.solved[:, 1:, :, :runs].mean(axis=3)
            found.setdefault(f"power_{runs}", []).append(paired(means[:, 1] - means[:, 0]))
    return {name: float(np.concatenate(values).mean()) for name, values in found.items()}


def null(study: Study) -> Figures:
    """Result 3: how often tests reject C against its identical twin, a population null."""
    found: dict[str, list[NDArray[np.bool_]]] = {}
    for d in study.blocks("identical twin", "CC", 10):
        for runs in (1, 3, 5, 10):
            part = d.solved[..., :runs]
            means = part.mean(axis=3)
            scores = means.mean(axis=2)
            tests = {
                f"paired_{runs}": paired(means[:, 0] - means[:, 1]),
                f"unpaired_{runs}": unpaired(scores, TASKS * runs),
            }
            if runs > 1:
                cut = Draw(d.names, part, d.lost[..., :runs], d.rates)
                for claim, name in CLAIMED:
                    low, high = claimed(cut, claim)
                    tests[f"{name}_{runs}"] = (low > 0) | (high < 0)
            for name, rejected in tests.items():
                found.setdefault(name, []).append(rejected)
    return {name: float(np.concatenate(values).mean()) for name, values in found.items()}


def reliability(study: Study) -> Figures:
    """Result 4: solved at least once and every time in five runs, C and D."""
    found: dict[str, list[Array]] = {}
    for d in study.blocks("result 4", "CD", 5):
        for i, name in enumerate(d.names):
            found.setdefault(f"any_{name}", []).append(d.solved[:, i].any(axis=2).mean(axis=1))
            found.setdefault(f"all_{name}", []).append(d.solved[:, i].all(axis=2).mean(axis=1))
    return {name: float(np.concatenate(values).mean()) for name, values in found.items()}


def runs_needed(study: Study) -> Figures:
    """The table of runs: SD of the difference of B and C about its expectation on the tasks."""
    steps = (1, 2, 3, 5, 8, 10, 15)
    squares: dict[int, list[Array]] = {runs: [] for runs in steps}
    for d in study.blocks("how many runs", "BC", 15):
        scores, bench = d.solved.mean(axis=2), d.rates.mean(axis=2)
        off = (scores[:, 1] - scores[:, 0]) - (bench[:, 1] - bench[:, 0])[:, None]
        for runs in steps:
            squares[runs].append(off[:, :runs].mean(axis=1) ** 2)
    return {f"sd_{r}": float(np.sqrt(np.concatenate(s).mean())) for r, s in squares.items()}


def paired(differences: Array) -> NDArray[np.bool_]:
    """z test on differences of task means, tasks taken as independent."""
    n = differences.shape[1]
    se = differences.std(axis=1, ddof=1) / np.sqrt(n)
    rejected: NDArray[np.bool_] = np.abs(differences.mean(axis=1)) > Z * se
    return rejected


def unpaired(scores: Array, outcomes: int) -> NDArray[np.bool_]:
    """Two-proportion z test that takes all outcomes as independent."""
    pooled = scores.mean(axis=1)
    se = np.sqrt(2 * pooled * (1 - pooled) / outcomes)
    rejected: NDArray[np.bool_] = np.abs(scores[:, 0] - scores[:, 1]) > Z * se
    return rejected


def claimed(d: Draw, claim: Claim) -> tuple[Array, Array]:
    """The library's own interval of every replicate, of the score of one or the gap of two."""
    bounds = engine_bounds(d.solved, Design(claim=claim))
    return bounds.low, bounds.high


def engine_bounds(solved: NDArray[np.bool_], design: Design) -> Bounds:
    """Intervals of all replicates by the library's engine, where each stands for a unit.

    ``solved`` is (replicates, 1 or 2 configurations, tasks, runs): the score of one, or the gap of
    two. The reliability claim is about all runs.
    """
    replicates, names, tasks, runs = solved.shape
    outcomes = np.concatenate([solved[:, i] for i in range(names)]).astype(float)
    sums, counts = outcomes.sum(axis=2), np.full(outcomes.shape[:2], float(runs))
    k = runs if design.claim == "reliability" else 1
    values = protocol_values(sums, counts, "pass^", k)
    means = sums / runs
    repeats = None
    if runs > 1:
        repeats = Repeats(
            counts=counts,
            means=means,
            within=((outcomes - means[:, :, None]) ** 2).sum(axis=2),
            crossed=np.full(len(outcomes), design.runs != "nested"),
            outcomes=outcomes,
            names=tuple(map(str, range(runs))),
            scale=shock_sensitivity(sums, counts, "pass^", k),
        )
    left = np.arange(replicates)
    right = left + replicates if names == 2 else None
    unit = values if right is None else values[:replicates] - values[replicates:]
    mean = unit.mean(axis=1, keepdims=True)
    n = np.full(mean.shape, float(tasks))
    moments = CellMoments(n, mean, ((unit - mean) ** 2).sum(axis=1, keepdims=True))
    cells = np.zeros(tasks, dtype=np.intp)
    sample = Sample(values, cells, 1, left, right, moments, repeats)
    return (
        make_engine(sample, design)
        .fit(np.ones(mean.shape))
        .interval(np.full(replicates, design.alpha))
    )
