"""The bundled example: a leaderboard of ten coding agents that never existed, with known truth.

Ten configurations (four models × three scaffolds, not all pairs), 240 tasks in eight
repositories of very unequal size, three runs. What is built in, for a reader to find:

- ``patchbot | tundra-4`` is made for the largest repository and leads the raw board; with equal
  repository weights ``loopwright | sorrel-large`` is better.
- The judge forgives most failures of ``loopwright | quince-1`` and few of anyone else.
- ``plainshell | sorrel-large`` never ran one repository; ``patchbot | quince-1`` has no prices.
- A few trials died of infrastructure and have no outcome.

Model. The difficulty z_t of a task is standard normal, shared by all configurations and runs.
With ρ the share of difficulty and r the rate of a configuration in a repository,

    P(success | z_t) = Φ((Φ⁻¹(r) − √ρ z_t) / √(1 − ρ)),    E over tasks = r,

so that ``RATES`` are exactly the success probabilities in the population of tasks. Runs are
independent given the task. ``python -m tiebreak.simulate.example`` writes the file anew.
"""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from tiebreak.data import EXAMPLE

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

SEED = 2026
RUNS = 3
REPOSITORIES = {
    "webframe": 96, "plotlab": 52, "dbkit": 34, "netproxy": 24,
    "docgen": 16, "authd": 10, "mlpipe": 5, "tinytz": 3,
}  # fmt: skip
"""Repositories and their numbers of tasks."""
RATES = {
    "patchbot | tundra-4":      (0.90, 0.78, 0.50, 0.46, 0.44, 0.40, 0.36, 0.34),
    "loopwright | sorrel-large": (0.62, 0.68, 0.68, 0.72, 0.70, 0.74, 0.70, 0.72),
    "loopwright | tundra-4":    (0.70, 0.66, 0.64, 0.62, 0.64, 0.66, 0.60, 0.62),
    "patchbot | sorrel-large":  (0.64, 0.66, 0.62, 0.60, 0.62, 0.60, 0.64, 0.60),
    "plainshell | tundra-4":    (0.58, 0.60, 0.58, 0.58, 0.56, 0.54, 0.56, 0.56),
    "plainshell | sorrel-large": (0.60, 0.56, 0.56, 0.54, 0.56, 0.54, 0.52, 0.54),
    "patchbot | quince-1":      (0.50, 0.48, 0.44, 0.46, 0.42, 0.46, 0.40, 0.42),
    "loopwright | quince-1":    (0.46, 0.44, 0.42, 0.44, 0.42, 0.40, 0.42, 0.40),
    "loopwright | sorrel-small": (0.42, 0.36, 0.36, 0.34, 0.32, 0.30, 0.30, 0.28),
    "plainshell | sorrel-small": (0.28, 0.24, 0.22, 0.20, 0.20, 0.18, 0.16, 0.16),
}  # fmt: skip
"""True success probability per configuration and repository."""
DIFFICULTY = 0.8
"""ρ: the share of the outcome's latent variance that belongs to the task."""
FALSE_NEGATIVE, FALSE_POSITIVE, LENIENT_FALSE_POSITIVE = 0.06, 0.05, 0.60
"""Error rates of the judge given the official outcome."""
LENIENT_TO, UNPRICED = "loopwright | quince-1", "patchbot | quince-1"
NOT_RUN = ("plainshell | sorrel-large", "authd")
INFRASTRUCTURE = 0.004
PRICE = {"tundra-4": 0.90, "sorrel-large": 0.60, "quince-1": 0.35, "sorrel-small": 0.08}
"""Typical USD of a trial."""
EFFORT = {"loopwright": 1.6, "patchbot": 1.0, "plainshell": 0.7}
"""Length of a trial, relative."""
COLUMNS = (
    "model", "scaffold", "repo", "task", "run", "status",
    "label:official", "label:judge", "cost_usd", "duration_s",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What the example's records were drawn from.

    ``rates`` (configurations × repositories); scores (configurations,) under either target.
    The rates hold for every repository, also for the one that a configuration never ran.
    """

    configurations: tuple[str, ...]
    repositories: tuple[str, ...]
    sizes: NDArray[np.intp]
    rates: Array

    @property
    def score_observed(self) -> Array:
        """Σ (n_x/n) r_x: every task weighs the same."""
        score: Array = self.rates @ (self.sizes / self.sizes.sum())
        return score

    @property
    def score_equal(self) -> Array:
        """Mean of the repositories' rates, the target ``equal:repo``."""
        score: Array = self.rates.mean(axis=1)
        return score

    def gap(self, a: str, b: str, *, equal: bool) -> float:
        """True gap a − b under ``equal:repo`` or in the observed mix."""
        score = self.score_equal if equal else self.score_observed
        at = self.configurations.index
        return float(score[at(a)] - score[at(b)])


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Everything random; arrays are (configurations, tasks, runs)."""

    official: Flags
    judge: Flags
    lost: Flags
    cost_usd: Array
    duration_s: Array


def truth() -> Truth:
    """The true rates and the scores and gaps that follow from them."""
    sizes = np.array(list(REPOSITORIES.values()), dtype=np.intp)
    return Truth(tuple(RATES), tuple(REPOSITORIES), sizes, np.array(list(RATES.values())))


def draw(seed: int = SEED) -> Draws:
    """Outcomes, judge labels, infrastructure failures, costs and durations."""
    rng, known = np.random.default_rng(seed), truth()
    cells = np.repeat(np.arange(known.sizes.size), known.sizes)
    difficulty = np.sqrt(DIFFICULTY) * rng.standard_normal(cells.size)
    chance = ndtr((ndtri(known.rates[:, cells]) - difficulty) / np.sqrt(1 - DIFFICULTY))
    shape = (*chance.shape, RUNS)
    official = rng.random(shape) < chance[:, :, None]
    wrong = rng.random(shape) < np.where(official, FALSE_NEGATIVE, _false_positive()[:, None, None])
    price, effort = _price_and_effort()
    length = effort * np.exp(0.35 * rng.standard_normal(shape) + 0.3 * ~official)
    return Draws(
        official=official,
        judge=official ^ wrong,
        lost=rng.random(shape) < INFRASTRUCTURE,
        cost_usd=price * length,
        duration_s=240 * length * np.exp(0.2 * rng.standard_normal(shape)),
    )


def _false_positive() -> Array:
    lenient = np.array([name == LENIENT_TO for name in RATES])
    return np.where(lenient, LENIENT_FALSE_POSITIVE, FALSE_POSITIVE)


def _price_and_effort() -> tuple[Array, Array]:
    """Per configuration, shaped to multiply (configurations, tasks, runs)."""
    parts = [name.split(" | ") for name in RATES]
    table = np.array([(PRICE[model], EFFORT[scaffold]) for scaffold, model in parts])
    return table[:, 0, None, None], table[:, 1, None, None]


def rows(draws: Draws) -> Iterator[tuple[str, ...]]:
    """The records as text, in the order of ``COLUMNS``."""
    tasks = [(repo, i) for repo, n in REPOSITORIES.items() for i in range(1, n + 1)]
    places = itertools.product(enumerate(RATES), enumerate(tasks), range(RUNS))
    for (c, name), (t, (repo, number)), run in places:
        if (name, repo) == NOT_RUN:
            continue
        scaffold, model = name.split(" | ")
        at, lost = (c, t, run), draws.lost[c, t, run]
        yield (
            model,
            scaffold,
            repo,
            f"{repo}-{number:03d}",
            str(run + 1),
            "infrastructure" if lost else "ok",
            "" if lost else str(int(draws.official[at])),
            "" if lost else str(int(draws.judge[at])),
            "" if name == UNPRICED else f"{draws.cost_usd[at]:.3f}",
            f"{draws.duration_s[at]:.0f}",
        )


def table(seed: int = SEED) -> str:
    """The whole example as CSV text."""
    return "".join(",".join(row) + "\n" for row in (COLUMNS, *rows(draw(seed))))


def write_example(path: Path = EXAMPLE) -> None:
    """Write the example; no time stamp, so that the same records are the same bytes."""
    path.write_bytes(gzip.compress(table().encode(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    write_example()
