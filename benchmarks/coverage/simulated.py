"""What the study draws: pairs of configurations on tasks in cells, with known truth.

Tasks sampled within fixed cells (:func:`draw_pairs`). Each replicate draws its own truth on the
logit scale: rate of configuration a in cell x = logit(rate) + cell_x + configuration_a +
both_ax, normal with the standard deviations of ``SPREAD``. The outcomes of a pair on one task come
from a Gaussian copula: each is 1 where a standard normal falls below Φ⁻¹(rate), and the two normals
of a task are correlated by a difficulty that both share, ρ ~ U(0.3, 0.9) per replicate. So
outcomes have exactly the drawn rates, and the 2×2 table of a cell (both pass, only a, only b,
neither) is multinomial; its probabilities come by quadrature over the difficulty. The cost does
not depend on the number of tasks.

Whole cells sampled (:func:`draw_sampled_cells`). Outcome of a on task t of cell x is Bernoulli with
logit m_a + u_x + v_ax + w_t, and u, v, w are drawn anew in every replicate. The truth is the
expectation over all of them, which is the same under every target.

Leaderboards (:func:`draw_board`). Tasks sampled within fixed cells for many configurations at
once, same copula: used for simultaneous statements.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri

from tiebreak.kernels.moments import CellMoments

Array = NDArray[np.float64]

SWE = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)
"""Tasks per repository of SWE-bench Verified."""
LAYOUTS: dict[str, tuple[int, ...]] = {
    "12 SWE": SWE,
    "4 equal": (1, 1, 1, 1),
    "4 unequal": (70, 20, 8, 2),
}
"""Cells of the study: sizes in proportion, scaled to any number of tasks."""
TARGETS = ("observed", "equal")


class Spread(NamedTuple):
    """Standard deviations on the logit scale: of cells, of configurations, of both together."""

    cell: float
    configuration: float
    both: float


SPREAD = Spread(0.7, 0.5, 0.4)
SHARED_DIFFICULTY = (0.3, 0.9)
TASK_SD = 1.2
"""Standard deviation of tasks on the logit scale, where whole cells are sampled."""
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(48)


def generator(seed: int, *key: object) -> np.random.Generator:
    """A stream of its own for every row of the study: leaving rows out changes no other row."""
    return np.random.default_rng([seed, zlib.crc32(repr(key).encode())])


def cell_sizes(layout: str, tasks: int) -> Array:
    """Tasks per cell: the layout's proportions by largest remainders, at least one in each."""
    share = np.array(LAYOUTS[layout], dtype=float)
    exact = share / share.sum() * tasks
    sizes = np.maximum(np.floor(exact), 1)
    while sizes.sum() < tasks:
        sizes[np.argmax(exact - sizes)] += 1
    while sizes.sum() > tasks:
        sizes[np.argmax(np.where(sizes > 1, sizes - exact, -np.inf))] -= 1
    return sizes


def target_weights(kind: str, sizes: Array) -> Array:
    """π over cells: n_x/n, or 1/C."""
    return sizes / sizes.sum() if kind == "observed" else np.full(sizes.size, 1 / sizes.size)


@dataclass(frozen=True)
class Pairs:
    """Replicates of a pair: ``tables`` (replicates, cells, 4) counts tasks that both pass, only a,
    only b, neither; ``rates`` (replicates, 2, cells) is the truth.
    """

    sizes: Array
    tables: NDArray[np.int64]
    rates: Array

    @cached_property
    def gap_moments(self) -> CellMoments:
        """Moments of d = y_a − y_b."""
        only_a, only_b = self.tables[..., 1], self.tables[..., 2]
        return _moments(self.sizes, only_a - only_b, only_a + only_b)

    @cached_property
    def score_moments(self) -> CellMoments:
        """Moments of y_a."""
        passed = self.tables[..., 0] + self.tables[..., 1]
        return _moments(self.sizes, passed, passed)

    def truths(self, weights: Array) -> tuple[Array, Array]:
        """True gap and true score of a under target weights."""
        a, b = self.rates[:, 0] @ weights, self.rates[:, 1] @ weights
        return a - b, a

    def first(self, replicates: int) -> Pairs:
        """The first replicates."""
        return Pairs(self.sizes, self.tables[:replicates], self.rates[:replicates])

    def values(self) -> tuple[Array, NDArray[np.intp]]:
        """0/1 task values (2 · replicates, tasks), all of a and then all of b, and sorted cells.

        Tasks of a cell are exchangeable, so they are listed in the order of the table.
        """
        cells = np.repeat(np.arange(self.sizes.size), self.sizes.astype(int))
        start = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        place = np.arange(cells.size) - start[cells]
        ends = np.cumsum(self.tables, axis=2)[:, cells]
        a = place < ends[..., 1]
        b = (place < ends[..., 0]) | ((place >= ends[..., 1]) & (place < ends[..., 2]))
        return np.concatenate([a, b]).astype(float), cells


def _moments(sizes: Array, total: NDArray[Any], squares: NDArray[Any]) -> CellMoments:
    mean = total / sizes
    return CellMoments(np.broadcast_to(sizes, total.shape), mean, squares - total * mean)


def draw_pairs(
    rng: np.random.Generator, sizes: Array, rate: float, replicates: int, spread: Spread = SPREAD
) -> Pairs:
    """Replicates of a pair with tasks sampled within fixed cells."""
    return draw_tables(rng, sizes, draw_rates(rng, (replicates, 2, sizes.size), rate, spread))


def draw_rates(
    rng: np.random.Generator, shape: tuple[int, int, int], rate: float, spread: Spread
) -> Array:
    """True rates (replicates, configurations, cells)."""
    replicates, configurations, cells = shape
    cell = spread.cell * rng.standard_normal((replicates, 1, cells))
    own = spread.configuration * rng.standard_normal((replicates, configurations, 1))
    both = spread.both * rng.standard_normal(shape)
    rates: Array = expit(logit(rate) + cell + own + both)
    return rates


def twin_rates(rates: Array) -> Array:
    """The same rates for both configurations: identical in distribution."""
    return np.repeat(rates[:, :1], 2, axis=1)


def draw_tables(rng: np.random.Generator, sizes: Array, rates: Array) -> Pairs:
    """Replicates of a pair whose true rates (replicates, 2, cells) are given."""
    shared = rng.uniform(*SHARED_DIFFICULTY, size=len(rates))
    tasks = np.broadcast_to(sizes.astype(int), (len(rates), sizes.size))
    return Pairs(sizes, rng.multinomial(tasks, table_probabilities(rates, shared)), rates)


def table_probabilities(rates: Array, shared: Array) -> Array:
    """Probabilities of the 2×2 table, (replicates, cells, 4), by quadrature over the difficulty."""
    at, root = ndtri(rates), np.sqrt(shared)[:, None]
    own = np.sqrt(1 - shared)[:, None]
    both = np.zeros(at[:, 0].shape)
    for node, weight in zip(NODES, NODE_WEIGHTS / NODE_WEIGHTS.sum(), strict=True):
        both += weight * ndtr((at[:, 0] + root * node) / own) * ndtr((at[:, 1] + root * node) / own)
    a, b = rates[:, 0], rates[:, 1]
    both = np.clip(both, np.maximum(0, a + b - 1), np.minimum(a, b))
    p = np.clip(np.stack([both, a - both, b - both, 1 - a - b + both], axis=-1), 0, 1)
    return p / p.sum(axis=-1, keepdims=True)


def draw_board(rng: np.random.Generator, cells: NDArray[np.intp], rates: Array) -> Array:
    """0/1 outcomes (configurations, tasks) of a board whose true rates are (configurations, cells).

    Tasks share their difficulty over all configurations.
    """
    shared = rng.uniform(*SHARED_DIFFICULTY)
    latent = np.sqrt(shared) * rng.standard_normal(cells.size)
    own = np.sqrt(1 - shared) * rng.standard_normal((len(rates), cells.size))
    return (latent + own < ndtri(rates)[:, cells]).astype(float)


class Clusters(NamedTuple):
    """Where cells are sampled: sizes, the rate of each configuration, and the logit effects.

    One rate stands for a single score, two for a gap.
    """

    sizes: Array
    rates: tuple[float, ...]
    effect_sd: float
    cell_sd: float = 0.5


def draw_sampled_cells(
    rng: np.random.Generator, clusters: Clusters, replicates: int
) -> tuple[CellMoments, float]:
    """Moments of d (or y) over freshly drawn cells, and the true gap (or score)."""
    sizes, c = clusters.sizes, clusters
    cells = np.repeat(np.arange(sizes.size), sizes.astype(int))
    easy = (c.cell_sd * rng.standard_normal((replicates, sizes.size)))[:, cells]
    easy += TASK_SD * rng.standard_normal((replicates, cells.size))
    total_sd = np.sqrt(c.cell_sd**2 + c.effect_sd**2 + TASK_SD**2)
    d, truth = np.zeros(easy.shape), 0.0
    for sign, rate in zip((1, -1), c.rates, strict=False):
        own = c.effect_sd * rng.standard_normal((replicates, sizes.size))
        p = expit(intercept(rate, total_sd) + easy + own[:, cells])
        d += sign * (rng.random(p.shape) < p)
        truth += sign * rate
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
    total, squares = (np.add.reduceat(x, starts, axis=1) for x in (d, d**2))
    return _moments(sizes, total, squares), truth


def intercept(rate: float, sd: float) -> float:
    """m with E expit(m + sd Z) = rate."""
    weights = NODE_WEIGHTS / NODE_WEIGHTS.sum()
    return float(brentq(lambda m: weights @ expit(m + sd * NODES) - rate, -20, 20))
