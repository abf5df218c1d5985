"""Components on the observed (probability) scale that a fit on the logit scale implies.

Two trials of different (model, scaffold, item, benchmark) levels share the latent variance s of the
facets on whose levels they agree. With v the total latent variance and g = logit⁻¹,

    C(s) = Cov(p, p') = E_t[h(t)²] − h̄²,   h(t) = E_e[g(μ + t + e)],  t ~ N(0, s), e ~ N(0, v − s)

For a set S of factors (M, A, I[B], B) let s(S) be the variance of the facets within S. The implied
component of facet S is what is shared by S beyond what its subsets explain, by inclusion–exclusion
(as in Nakagawa, Johnson & Schielzeth 2017, whose ratios it refines; Browne et al. 2005):

    σ²_S = Σ_{T ⊆ S} (−1)^{|S| − |T|} C(s(T))

They are ≥ 0 up to rounding where C is used at unions of facets, and sum to Var(p) = C(v); facets
that are not fitted can be nonzero: g is not linear. What is left of p̄(1 − p̄) is Bernoulli noise.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from tiebreak.kernels.decomposition.layout import Array

NODES = 41
"""Gauss–Hermite nodes of each of the two normals; C off by 1e-7, 6e-6, 2e-5 at v = 4, 9, 16."""
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(NODES)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


class Observed(NamedTuple):
    """Mean p̄, ``components`` by facet, and p̄(1 − p̄) − Var(p), the noise of one trial."""

    mean: float
    components: dict[str, float]
    noise: float


def shared_covariance(intercept: float, total: float, shared: Array) -> Array:
    """C(s) for every s in ``shared`` (S,), 0 ≤ s ≤ v = ``total``."""
    within = np.sqrt(shared)[:, None] * _POINTS
    beyond = np.sqrt(np.maximum(total - shared, 0))[:, None, None] * _POINTS
    h = expit(intercept + within[:, :, None] + beyond) @ _WEIGHTS
    covariance: Array = h**2 @ _WEIGHTS - (h @ _WEIGHTS) ** 2
    return covariance


def implied_components(facets: tuple[str, ...], variance: Array, intercept: float) -> Observed:
    """Observed-scale components of every combination of the factors in ``facets``.

    ``facets`` are named by letters; where any holds B, items are nested, so I stands for B and I.
    """
    latent = {_factors(f, facets): float(v) for f, v in zip(facets, variance, strict=True)}
    names = _combinations(facets)
    sets = [frozenset(), *names]
    shared = [sum(v for f, v in latent.items() if f <= s) for s in sets]
    total = sum(latent.values())
    at = dict(zip(sets, shared_covariance(intercept, total, np.array(shared)), strict=True))
    found: dict[frozenset[str], float] = {frozenset(): 0.0}
    for s in sorted(names, key=len):
        found[s] = float(at[s]) - sum(found[t] for t in found if t < s)
    mean = float(expit(intercept + np.sqrt(total) * _POINTS) @ _WEIGHTS)
    noise = mean * (1 - mean) - float(shared_covariance(intercept, total, np.array([total]))[0])
    return Observed(mean, {names[s]: found[s] for s in names}, noise)


def _factors(facet: str, facets: tuple[str, ...]) -> frozenset[str]:
    """The factors whose levels a facet fixes: an item fixes its benchmark."""
    nested = "I" in facet and any("B" in other for other in facets)
    return frozenset(facet) | (frozenset("B") if nested else frozenset())


def _combinations(facets: tuple[str, ...]) -> dict[frozenset[str], str]:
    """Every set of factors that occurs in the model's factors, with its facet's name."""
    letters = [letter for letter in "BIMA" if any(letter in facet for facet in facets)]
    named: dict[frozenset[str], str] = {}
    for size in range(1, len(letters) + 1):
        for chosen in combinations(letters, size):
            if "I" in chosen and "B" in chosen:
                continue
            facet = "".join(chosen)
            named[_factors(facet, facets)] = facet
    return named
