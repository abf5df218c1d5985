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
