"""Ranks of jointly normal effects: their distribution, intervals and dominance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from tiebreak.kernels.decomposition.layout import Array, Index


class RankDraws(NamedTuple):
    """Of n effects: interval bounds (n,), ranks from 1 for the largest, P(rank = r) (n, n).

    ``above`` (n, n) is P(θ_i > θ_j), ½ for effects that are equal for certain; ``dominance`` (n,)
    is its mean over the others (evaluation-reliability, Figures 13 and 14).
    """

    low: Array
    high: Array
    median_rank: Array
    rank_low: Index
    rank_high: Index
    probabilities: Array
    above: Array
    dominance: Array


def rank_draws(
    mean: Array, covariance: Array, draws: int, level: float, rng: np.random.Generator
) -> RankDraws:
    """Ranks over normal draws; bounds and dominance are exact: no draw is needed for a pair.

    Equal effects take ranks at random: a draw's ties are broken by dust of the rounding's size.
    """
    n, sd = mean.size, np.sqrt(np.maximum(np.diag(covariance), 0.0))
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = mean + rng.standard_normal((draws, n)) @ root.T
    drawn += 1e-12 * (1 + np.abs(mean).max()) * rng.standard_normal(drawn.shape)
    ranks = np.argsort(np.argsort(-drawn, axis=1), axis=1) + 1
    probabilities = np.stack([(ranks == r).mean(axis=0) for r in range(1, n + 1)], axis=1)
    tails = [(1 - level) / 2, 0.5, (1 + level) / 2]
    least, median, most = np.quantile(ranks, tails, axis=0, method="inverted_cdf")
    z = float(ndtri((1 + level) / 2))
    above = _above(mean, covariance)
    dominance = (above.sum(axis=1) - 0.5) / max(n - 1, 1)
    return RankDraws(
        mean - z * sd,
        mean + z * sd,
        median.astype(float),
        least.astype(np.intp),
        most.astype(np.intp),
        probabilities,
        above,
        dominance,
    )


def _above(mean: Array, covariance: Array) -> Array:
    """Φ((μ_i − μ_j) / √(c_ii + c_jj − 2c_ij)); ½ on the diagonal."""
    c = np.diag(covariance)
    spread = np.sqrt(np.maximum(c[:, None] + c - covariance - covariance.T, 0.0))
    gap = mean[:, None] - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(spread > 0, gap / spread, np.where(gap == 0, 0.0, np.inf * np.sign(gap)))
    above: Array = ndtr(scaled)
    return above
