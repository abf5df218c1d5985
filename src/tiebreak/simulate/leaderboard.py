"""Sparse leaderboards of models × scaffolds × tasks (× benchmarks, × runs) with known components.

On the logit scale every trial's success has the linear predictor

    intercept + Σ_f u_f,  u_f ~ N(0, σ²_f)

over the facets: I, M, A, IM, IA, MA and, with several benchmarks, B, BA, BM, BMA; IMA where cells
have several runs. As on the Holistic Agent Leaderboard only some (model, scaffold) pairs exist:
one scaffold is on every benchmark, others come from a pool, and each covers some of the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy.special import expit

from tiebreak.errors import SpecError
from tiebreak.kernels.decomposition.layout import Index, Layout
from tiebreak.trials import Trials

TRUTH: Mapping[str, float] = {
    "I": 2.25, "M": 0.5, "A": 0.15, "IM": 0.49, "IA": 0.16, "MA": 0.1, "IMA": 0.25,
    "B": 1.0, "BA": 0.15, "BM": 0.2, "BMA": 0.15,
}  # fmt: skip
"""Variances on the logit scale, of the size that fits of public leaderboards have; with them σ_IM
is 0.70. IMA is drawn only where cells have several runs: with one run it would be a part of the
noise that no fit could tell from the link's."""
SHARED, POOL = 1, 6
"""Scaffolds on every benchmark, and those that benchmarks draw the others from."""


@dataclass(frozen=True, slots=True)
class World:
    """Sizes and truth of a leaderboard.

    ``tasks``, ``scaffolds``: per benchmark. ``coverage``: share of the models that a scaffold is
    tried with.

    Raises
    ------
    SpecError
        Sizes that make no leaderboard, or more than a table holds.
    """

    models: int = 20
    scaffolds: int = 3
    tasks: int = 100
    benchmarks: int = 1
    runs: int = 1
    coverage: float = 0.7
    intercept: float = -0.5
    truth: Mapping[str, float] = field(default_factory=lambda: dict(TRUTH))

    def __post_init__(self) -> None:
        for name, least, most in (
            ("models", 2, 500),
            ("scaffolds", 2, SHARED + POOL),
            ("tasks", 2, 100_000),
            ("benchmarks", 1, 100),
            ("runs", 1, 1000),
        ):
            _check(name, getattr(self, name), least, most)
        _check("coverage", self.coverage, 0.05, 1.0)

    @property
    def facets(self) -> tuple[str, ...]:
        """Facets that are drawn."""
        over = ("B", "BA", "BM", "BMA") if self.benchmarks > 1 else ()
        return (*over, "I", "IM", "IA", "M", "A", "MA", *(("IMA",) if self.runs > 1 else ()))

    @property
    def components(self) -> dict[str, float]:
        """Variances of the facets that are drawn."""
        return {f: self.truth[f] for f in self.facets}


def _check(what: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise SpecError(f"{what} out of range", allowed=f"{least:g} to {most:g}", got=str(value))


def draw(world: World, rng: np.random.Generator) -> Layout:
    """A fresh leaderboard: which pairs were tried, effects of every facet, outcomes."""
    model, scaffold, benchmark = _pairs(world, rng)
    item, pair = _cells(world, benchmark)
    blank = np.zeros(item.size)
    empty = Layout(model, scaffold, benchmark, item, pair, blank, blank + world.runs, blank)
    predictor = np.full(item.size, world.intercept)
    for facet, variance in world.components.items():
        levels = empty.levels(facet)
        effects = np.sqrt(variance) * rng.standard_normal(int(levels.max()) + 1)
        predictor += effects[levels]
    solved = rng.binomial(world.runs, expit(predictor)).astype(float)
    mean = solved / world.runs
    within = solved * (1 - mean)
    return Layout(model, scaffold, benchmark, item, pair, mean, blank + world.runs, within)


def _pairs(world: World, rng: np.random.Generator) -> tuple[Index, Index, Index]:
    """Model, scaffold and benchmark of every pair; everybody is on the shared scaffold's first."""
    found: list[tuple[int, int, int]] = []
    wanted = max(round(world.coverage * world.models), 1)
    for b in range(world.benchmarks):
        others = SHARED + rng.choice(POOL, world.scaffolds - SHARED, replace=False)
        for a in (*range(SHARED), *sorted(int(o) for o in others)):
            models = rng.choice(world.models, wanted, replace=False)
            found += [(int(m), int(a), b) for m in sorted(models)]
    columns = np.array(found, dtype=np.intp).T
    model, scaffold, benchmark = (
        np.unique(c, return_inverse=True)[1].astype(np.intp) for c in columns
    )
    return model, scaffold, benchmark


def _cells(world: World, benchmark: Index) -> tuple[Index, Index]:
    """Every pair on every task of its benchmark, sorted by task, then pair."""
    item, pair = [], []
    for b in range(world.benchmarks):
        pairs = np.flatnonzero(benchmark == b)
        tasks = b * world.tasks + np.arange(world.tasks)
        item.append(np.repeat(tasks, pairs.size))
        pair.append(np.tile(pairs, world.tasks))
    return np.concatenate(item), np.concatenate(pair)


def trials(seed: int, world: World | None = None) -> Trials:
    """A leaderboard as a trial table.

    Raises
    ------
    SpecError
        A negative seed.
    """
    from tiebreak.readers import read

    _check("a seed", seed, 0, 2**63)
    rng = np.random.default_rng(seed)
    world = world or World()
    return read(table(draw(world, rng), world, rng))


def table(layout: Layout, world: World, rng: np.random.Generator) -> pl.DataFrame:
    """One row per trial; which of a cell's runs were solved is drawn too."""
    runs = np.arange(world.runs)
    order = rng.random((layout.item.size, world.runs)).argsort(axis=1)
    score = (order < np.rint(layout.mean * world.runs)[:, None]).astype(float)
    cell = np.repeat(np.arange(layout.item.size), world.runs)
    pair, item = layout.pair[cell], layout.item[cell]
    frame = pl.DataFrame(
        {
            "model": _named("model", layout.model[pair]),
            "scaffold": _named("scaffold", layout.scaffold[pair]),
            "benchmark": _named("benchmark", layout.benchmark[pair]),
            "task": _named("task", item),
            "run": [str(r + 1) for r in np.tile(runs, layout.item.size)],
            "score": score.ravel(),
        }
    )
    return frame if world.benchmarks > 1 else frame.drop("benchmark")


def _named(word: str, levels: Index) -> list[str]:
    width = len(str(int(levels.max()) + 1))
    return [f"{word}-{n + 1:0{width}d}" for n in levels]
