"""Distance components (DISCO) of facets, each by itself.

The share of the total dispersion that lies between the levels of a facet (Rizzo & Székely 2010,
eq. 2.6) with squared distances, the sums of squares of the analysis of variance: on 0/1 outcomes
|x − y| = (x − y)², so every index gives the same and no distance is ever formed:

    share_f = Σ_a n_a (ȳ_a − ȳ)² / Σ (y − ȳ)²

Nothing is taken off for chance or for the facets it holds: k levels of N trials get (k − 1)/(N − 1)
by chance alone, and an interaction holds its main effects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiebreak.kernels.decomposition.layout import RESIDUAL, Array, Layout


class DistanceShares(NamedTuple):
    """Shares (F,), their null expectation (k − 1)/(N − 1), (F,), and the numbers of levels k."""

    facets: tuple[str, ...]
    share: Array
    null: Array
    levels: Array


def distance_components(layout: Layout, facets: tuple[str, ...]) -> DistanceShares:
    """Shares of the facets, the residual left out; NaN where all outcomes are equal."""
    kept = tuple(f for f in facets if f != RESIDUAL)
    n, size = layout.trials, float(layout.trials.sum())
    centred = layout.mean - n @ layout.mean / size
    total = float(n @ centred**2 + layout.within.sum())
    share, levels = np.full(len(kept), np.nan), np.zeros(len(kept))
    for i, facet in enumerate(kept):
        level = layout.levels(facet)
        trials, sums = np.bincount(level, n), np.bincount(level, n * centred)
        levels[i] = trials.size
        if total > 0:
            share[i] = (sums**2 / trials).sum() / total
    null = (levels - 1) / max(size - 1, 1.0)
    return DistanceShares(kept, share, null, levels)
