"""The generator of the one-run paper, and its variants, with known truth.

Task t has a difficulty d_t ~ N(0, 2²); configuration a a skill s_a, a sharpness κ_a and an affinity
η_at ~ N(0, 0.8²) to every task; run r of it a shock δ_ar ~ N(0, 0.15²) that its tasks share. With
harness failures at rate f = 0.02,

    P(success) = (1 − f) σ(κ_a (s_a + η_at − d_t) + δ_ar):

the affinity inside κ, the shock outside. Skills are calibrated so that the population rates are
33, 35.5, 38 and 38 % (:func:`calibrated_skill` repeats it by quadrature). Variants: no or larger
shocks, and shocks that are drawn anew for every trial (``nested``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from tiebreak.errors import SpecError
from tiebreak.trials import Trials

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FAILURE, DIFFICULTY_SD, AFFINITY_SD, SHOCK_SD = 0.02, 2.0, 0.8, 0.15
TASKS = 500
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(101)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


class Agent(NamedTuple):
    """A configuration: skill and sharpness."""

    skill: float
    sharpness: float


AGENTS = {
    "A": Agent(-0.9703, 2.2),
    "B": Agent(-0.8116, 2.2),
    "C": Agent(-0.6566, 2.2),
    "D": Agent(-0.7880, 1.0),
}
TARGET_RATES = {"A": 0.33, "B": 0.355, "C": 0.38, "D": 0.38}


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Outcomes (replicates, configurations, tasks, runs) and what they were drawn from.

    ``lost`` marks harness failures: they are failures in ``solved``. ``rates`` (replicates,
    configurations, tasks) is each task's success probability over runs, the benchmark's truth.
    """

    names: tuple[str, ...]
    solved: Flags
    lost: Flags
    rates: Array


def draw(
    names: Sequence[str],
    tasks: int,
    runs: int,
    rng: np.random.Generator,
    *,
    replicates: int = 1,
    shock_sd: float = SHOCK_SD,
    nested: bool = False,
) -> Draw:
    """Fresh tasks, affinities, shocks and outcomes in every replicate.

    A name that recurs is an identical twin: the same skill, affinities of its own.
    """
    shape = (replicates, len(names), tasks)
    difficulty = DIFFICULTY_SD * rng.standard_normal((replicates, 1, tasks))
    affinity = AFFINITY_SD * rng.standard_normal(shape)
    skill, sharpness = (np.array([AGENTS[n][i] for n in names])[:, None] for i in (0, 1))
    logit = sharpness * (skill + affinity - difficulty)
    shocks = shock_sd * rng.standard_normal((*shape[:2], tasks if nested else 1, runs))
    chance = expit(logit[..., None] + shocks)
    lost = rng.random(chance.shape) < FAILURE
    solved = (rng.random(chance.shape) < chance) & ~lost
    return Draw(tuple(names), solved, lost, (1 - FAILURE) * _over_shocks(logit, shock_sd))


def _over_shocks(logit: Array, shock_sd: float) -> Array:
    """E σ(x + δ) over the shock, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    total = np.zeros_like(logit)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        total += weight * expit(logit + shock_sd * node)
    return total


def population_rate(agent: Agent, k: int = 1, shock_sd: float = SHOCK_SD) -> float:
    """True pass^k over the population of tasks (k = 1: the resolve rate).

    Runs have shocks of their own, so pass^k is the mean of (mean rate of the task)^k.
    """
    spread = np.hypot(DIFFICULTY_SD, AFFINITY_SD)
    logit = agent.sharpness * (agent.skill + spread * NODES)
    return float(NODE_WEIGHTS @ ((1 - FAILURE) * _over_shocks(logit, shock_sd)) ** k)


def population_ever(agent: Agent, k: int, shock_sd: float = SHOCK_SD) -> float:
    """True pass@k over the population of tasks."""
    spread = np.hypot(DIFFICULTY_SD, AFFINITY_SD)
    logit = agent.sharpness * (agent.skill + spread * NODES)
    missed = 1 - (1 - FAILURE) * _over_shocks(logit, shock_sd)
    return float(1 - NODE_WEIGHTS @ missed**k)


def calibrated_skill(rate: float, sharpness: float) -> float:
    """The skill whose population rate is ``rate``."""
    return float(brentq(lambda s: population_rate(Agent(s, sharpness)) - rate, -6, 6))


def trials(
    runs: int, seed: int, *, tasks: int = TASKS, shock_sd: float = SHOCK_SD, nested: bool = False
) -> Trials:
    """A, B, C and D on the same tasks as a trial table; harness failures have no outcome.

    Raises
    ------
    SpecError
        Fewer than one run or two tasks, a negative seed or shock, or more than a table holds.
    """
    from tiebreak.readers import read

    _check("runs", runs, 1, 1000)
    _check("tasks", tasks, 2, 100_000)
    _check("a seed", seed, 0, 2**63)
    _check("a shock SD", shock_sd, 0, 10)
    made = draw(
        tuple(AGENTS), tasks, runs, np.random.default_rng(seed), shock_sd=shock_sd, nested=nested
    )
    return read(table(made))


def _check(what: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise SpecError(f"{what} out of range", allowed=f"{least:g} to {most:g}", got=str(value))


def table(made: Draw) -> pl.DataFrame:
    """The first replicate, one row per trial."""
    solved, lost = made.solved[0], made.lost[0]
    c, t, r = (index.ravel() for index in np.indices(solved.shape))
    width = len(str(solved.shape[1]))
    flat = lost.ravel()
    return pl.DataFrame(
        {
            "configuration": np.array(made.names)[c],
            "task": [f"task-{i + 1:0{width}d}" for i in t],
            "run": [str(i + 1) for i in r],
            "score": np.where(flat, np.nan, solved.ravel().astype(float)),
            "status": np.where(flat, "infrastructure", "ok"),
        }
    ).with_columns(pl.col("score").fill_nan(None))
