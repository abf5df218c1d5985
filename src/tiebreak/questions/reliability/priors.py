"""Facets of few levels: the same records under both priors, and how far they were learnt from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from tiebreak.estimate.decomposition import PRIORS, Prior
from tiebreak.kernels.decomposition.coefficients import weighted_quantiles
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.layout import Array, Layout
from tiebreak.kernels.decomposition.priors import log_prior
from tiebreak.questions.judge import number
from tiebreak.results.reliability import PriorLine

if TYPE_CHECKING:
    from tiebreak.questions.reliability.asked import Question
    from tiebreak.questions.reliability.fits import Cells

FEW: Final = 5
SPREAD: Final = {
    "half-t(3, 2.5)": 18.75 - (5 * math.sqrt(3) / math.pi) ** 2,
    "half-normal(1)": 1 - 2 / math.pi,
}
"""Variances of a standard deviation under its prior: E σ² − (E σ)²."""
LEAST_EFFECTIVE: Final = 30.0


def few_levels(layout: Layout, facets: tuple[str, ...]) -> tuple[str, ...]:
    """Main facets with fewer than five levels."""
    return tuple(f for f in facets if len(f) == 1 and int(layout.levels(f).max()) + 1 < FEW)


def prior_lines(cells: Cells, found: Components, asked: Question) -> tuple[PriorLine, ...]:
    """Every facet of few levels under each prior.

    The other prior's posterior is the draws weighted by the ratio of the priors; where too few of
    them remain effective, its bounds are left open.
    """
    few = few_levels(cells.layout, found.facets)
    lines = []
    for facet in few:
        k, levels = found.facets.index(facet), int(cells.layout.levels(facet).max()) + 1
        for prior in PRIORS:
            weights = _weights(found, asked.asked.prior, prior)
            lines.append(_line(facet, levels, prior, found, k, weights, asked.design.level))
    return tuple(lines)


def _weights(found: Components, fitted: Prior, other: Prior) -> Array | None:
    """Weights of the draws under another prior; None if too few of them count."""
    if found.draws is None:
        return None
    sd = np.sqrt(found.draws)
    log_ratio = (_density(other, sd) - _density(fitted, sd)).sum(axis=1)
    base = np.full(len(sd), 1 / len(sd)) if found.weights is None else found.weights
    weights = base * np.exp(log_ratio - log_ratio.max())
    weights /= weights.sum()
    return weights if 1 / float(weights @ weights) >= LEAST_EFFECTIVE else None


def _density(prior: Prior, sd: Array) -> Array:
    return log_prior(prior, sd)[0]


def _line(
    facet: str,
    levels: int,
    prior: Prior,
    found: Components,
    k: int,
    weights: Array | None,
    level: float,
) -> PriorLine:
    if weights is None or found.draws is None:
        return PriorLine(facet, levels, prior, None, None, None, None)
    draws = found.draws[:, k]
    middle, low, high = weighted_quantiles(draws, weights, [0.5, (1 - level) / 2, (1 + level) / 2])
    sd = np.sqrt(draws)
    spread = float(weights @ sd**2 - (weights @ sd) ** 2)
    contraction = 1 - spread / SPREAD[prior]
    return PriorLine(
        facet, levels, prior, number(middle), number(low), number(high), number(contraction)
    )
