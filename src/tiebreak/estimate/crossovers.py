"""Which crossover weights of a path the data allow: Fieller's set from an engine's variances."""

from __future__ import annotations

import numpy as np

from tiebreak.estimate.contract import Array, Engine
from tiebreak.kernels.crossovers import CrossoverSet, fieller
from tiebreak.kernels.student import t_quantile


def crossover_sets(
    engine: Engine, gaps: tuple[Array, Array], ends: tuple[Array, Array], alpha: float
) -> CrossoverSet:
    """All λ at which the 1 − α interval of the gap holds 0, for every pair.

    Parameters
    ----------
    engine
        Gives variances; one with degrees of freedom, else the normal quantile is taken.
    gaps
        Gaps at λ = 0 and at λ = 1, (pairs,) each.
    ends
        Cell weights there, (cells,) each.

    Notes
    -----
    V is quadratic in the weights, so the covariance of both ends is 2 V(mid) − (V₀ + V₁)/2. The
    engine moderates variances by the weights, which makes that approximate; the covariance is
    kept within what the two variances allow. Degrees of freedom: the smallest of the three.
    ``benchmarks/crossovers.py`` measures the coverage.
    """
    first, last = (np.tile(weights, (gaps[0].size, 1)) for weights in ends)
    fits = [engine.fit(weights) for weights in (first, last, (first + last) / 2)]
    v0, v1, middle = (fit.se**2 for fit in fits)
    with np.errstate(invalid="ignore"):
        most = np.sqrt(v0 * v1)
        between = np.clip(2 * middle - (v0 + v1) / 2, -most, most)
    dfs = [np.full(gaps[0].shape, np.inf) if fit.df is None else fit.df for fit in fits]
    t = t_quantile(1 - alpha / 2, np.stack(dfs).min(axis=0))
    return fieller(*gaps, v0, between, v1, t)
