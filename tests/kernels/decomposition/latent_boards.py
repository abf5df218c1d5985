"""Seeded boards with known components on the logit scale, and small ragged ones."""

from __future__ import annotations

import numpy as np

from tiebreak.kernels.decomposition.layout import Layout

TRUTH = {"I": 1.5, "M": 0.6, "A": 0.4, "IM": 0.7, "IA": 0.5, "MA": 0.3}
"""Standard deviations on the logit scale."""


def dense(values):
    """Levels counted from 0 without holes."""
    return np.unique(values, return_inverse=True)[1]


def board(seed, truth=TRUTH, items=(110,), grid=(20, 4), pairs=37, intercept=-0.3, **options):
    """Pairs drawn from a models × scaffolds grid in each benchmark, all items tried by all pairs.

    ``trials`` repeats a cell; ``keep`` is the chance that a cell is observed.
    """
    trials, keep = options.get("trials", 1), options.get("keep", 1.0)
    rng = np.random.default_rng(seed)
    model, scaffold, benchmark, item, pair = [], [], [], [], []
    for b, count in enumerate(items):
        chosen = np.sort(rng.choice(grid[0] * grid[1], pairs, replace=False))
        own = len(model) + np.arange(pairs)
        model += (chosen // grid[1]).tolist()
        scaffold += (chosen % grid[1]).tolist()
        benchmark += [b] * pairs
        item += np.repeat(sum(items[:b]) + np.arange(count), pairs).tolist()
        pair += np.tile(own, count).tolist()
    seen = rng.random(len(item)) < keep
    where = [dense(values) for values in (model, scaffold, benchmark)]
    empty = np.zeros(int(seen.sum()))
    cells = dense(np.array(item)[seen]), np.array(pair)[seen]
    layout = Layout(*where, *cells, empty, empty + trials, empty)
    eta = np.full(empty.size, intercept)
    for facet, sd in truth.items():
        levels = layout.levels(facet)
        eta += sd * rng.normal(size=int(levels.max()) + 1)[levels]
    mean = rng.binomial(trials, 1 / (1 + np.exp(-eta))) / trials
    return Layout(*where, *cells, mean, empty + trials, trials * mean * (1 - mean))


def covariance(layout, facets, variance, shared):
    """Cov η written out, (N, N)."""
    total = np.full((layout.item.size, layout.item.size), shared)
    for facet, v in zip(facets, variance, strict=True):
        levels = layout.levels(facet)
        total += v * (levels[:, None] == levels)
    return total


POOLED_TRUTH = {"B": 1.0, "BA": 0.5, "BM": 0.4, "BMA": 0.4, "I": 1.4, "IM": 0.5, "IA": 0.5}
POOLED_TRUTH |= {"M": 0.6, "A": 0.5, "MA": 0.3}
REPEATED_TRUTH = TRUTH | {"IMA": 0.8}


def golden_boards():
    """The boards of tests/goldens/glmmtmb.json by name, each with its facets."""
    small = {"items": (40,), "grid": (10, 3), "pairs": 18}
    pooled = {"items": (50, 40, 30, 40), "grid": (12, 3), "pairs": 16}
    return {
        "one": (board(1), tuple(TRUTH)),
        "repeated": (
            board(2, REPEATED_TRUTH, **small, trials=5, keep=0.8),
            tuple(REPEATED_TRUTH),
        ),
        "pooled": (board(3, POOLED_TRUTH, **pooled), tuple(POOLED_TRUTH)),
    }


def write_csv(layout, facets, path):
    """Successes k, trials n and the level of every facet, one row a cell: what R reads."""
    columns = [np.rint(layout.mean * layout.trials), layout.trials]
    columns += [layout.levels(facet) for facet in facets]
    head = ",".join(["k", "n", *facets])
    np.savetxt(path, np.column_stack(columns), "%d", ",", header=head, comments="")
