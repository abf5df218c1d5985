"""The restricted likelihood of variance components, its gradient and its information.

With the blocks' W of :mod:`tiebreak.kernels.decomposition.blocks`, let

    S = Zᵀ V₀⁻¹ Z,   ỹ = S⁻¹ Zᵀ V₀⁻¹ y,   H = (K + S⁻¹)⁻¹,   R = H − H11ᵀH / 1ᵀH1:

ỹ are generalised least squares means of pairs with covariance K + S⁻¹, and for the projection
P = V⁻¹ − V⁻¹1(1ᵀV⁻¹1)⁻¹1ᵀV⁻¹ of an intercept

    log|V| = Σ_i log|V_i| + log|S| + log|K + S⁻¹|,   1ᵀV⁻¹1 = 1ᵀH1,   ZᵀPZ = R,
    P = V₀⁻¹ − V₀⁻¹ Z Q Zᵀ V₀⁻¹,   Q = S⁻¹ − S⁻¹RS⁻¹.

For N trials in C cells with sum of squares SS within them (Patterson & Thompson 1971; Gilmour,
Thompson & Cullis 1995)

    −2ℓ  = (N − 1) log 2π + log|V| + log 1ᵀV⁻¹1 + yᵀPy + Σ log trials + (N − C) log σ²_e + SS/σ²_e
    ∂ℓ/∂σ²_f  = −½ [tr(P V_f) − yᵀP V_f P y]
    average information  A_fg = ½ yᵀP V_f P V_g P y
    expected information E_fg = ½ tr(P V_f P V_g)

and, for the residual, the terms of the runs within cells. ℓ is lme4's ``logLik(REML = TRUE)``; the
observed information is 2A − E.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from tiebreak.kernels.decomposition.blocks import (
    Block,
    Inverse,
    Variances,
    blocks,
    invert,
    same_level,
    sandwich,
    times,
    total,
    trace,
)
from tiebreak.kernels.decomposition.layout import PAIR_FACETS, RESIDUAL, Array, Layout
from tiebreak.kernels.decomposition.optimise import Evaluation


@dataclass(frozen=True, slots=True)
class Structure:
    """What the design alone decides; fits of new outcomes on one design share it.

    ``facets`` end with the residual; ``same`` is E_f of the pair facets, (P, P).
    """

    layout: Layout
    facets: tuple[str, ...]
    blocks: tuple[Block, ...]
    same: Mapping[str, Array]

    @property
    def inside(self) -> tuple[str, ...]:
        """The facets that act within items, the residual among them."""
        return tuple(f for f in self.facets if f not in PAIR_FACETS)

    def named(self, variances: Array) -> Variances:
        """Variances by facet."""
        return dict(zip(self.facets, variances.tolist(), strict=True))


class Outcomes(NamedTuple):
    """What was observed on a design: cell means (N,), Σ of squares within cells, trials in all."""

    mean: Array
    within: float
    trials: float

    @property
    def repeats(self) -> float:
        """Degrees of freedom within cells."""
        return self.trials - self.mean.size


class Factors(NamedTuple):
    """V⁻¹ at one set of variances, as in the module's equations; ``size`` is 1ᵀV⁻¹1."""

    inverses: tuple[Inverse, ...]
    s_inverse: Array
    h: Array
    r: Array
    log_det: float
    size: float


class Residuals(NamedTuple):
    """P y of every block, items × pairs; ZᵀPy; yᵀPy; the pairs' means ỹ."""

    inside: tuple[Array, ...]
    pairs: Array
    quadratic: float
    means: Array


def structure(layout: Layout, facets: tuple[str, ...]) -> Structure:
    """Blocks of a layout for a set of facets, the residual last; every pair has met an item."""
    same = {f: same_level(layout, f) for f in facets if f in PAIR_FACETS}
    return Structure(layout, facets, blocks(layout), same)


def outcomes_of(layout: Layout) -> Outcomes:
    """The layout's own outcomes."""
    return Outcomes(layout.mean, float(layout.within.sum()), float(layout.trials.sum()))


def factor(made: Structure, v: Variances) -> Factors:
    """Factorise V at variances ≥ 0, the residual's > 0.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where V is singular to working precision.
    """
    inverses = tuple(invert(block, v) for block in made.blocks)
    n = made.layout.model.size
    s_inverse, log_det = np.zeros((n, n)), sum(w.log_det for w in inverses)
    for block, w in zip(made.blocks, inverses, strict=True):
        part, log_s = positive_inverse(total(block, w))
        s_inverse[np.ix_(block.pairs, block.pairs)] = part
        log_det += log_s
    k = s_inverse.copy()
    for facet, e in made.same.items():
        if v[facet] > 0:
            k += v[facet] * e
    h, log_k = positive_inverse(k)
    row = h.sum(axis=1)
    size = float(row.sum())
    if not size > 0:
        raise np.linalg.LinAlgError("covariance is singular to working precision")
    return Factors(inverses, s_inverse, h, h - np.outer(row, row) / size, log_det + log_k, size)


def positive_inverse(a: Array) -> tuple[Array, float]:
    """Inverse and log-determinant of a symmetric positive definite matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        Where it is not.
    """
    root, failed = dpotrf(a, lower=1)
    inverse, singular = dpotri(root, lower=1)
    if failed or singular:
        raise np.linalg.LinAlgError("covariance is not positive definite")
    inverse += inverse.T  # its upper triangle held zeros
    inverse[np.diag_indices_from(inverse)] /= 2
    return inverse, 2 * float(np.log(np.diagonal(root)).sum())


def evaluate(made: Structure, seen: Outcomes, variances: Array) -> Evaluation:
    """ℓ, its gradient (F,) and the average information (F, F), in the order of the facets."""
    factors = factor(made, made.named(variances))
    py = residuals(made, factors, seen)
    squares, average = _quadratics(made, factors, py)
    gradient = (squares - _traces(made, factors)) / 2
    value = -(factors.log_det + np.log(factors.size) + py.quadratic) / 2 - _constant(made, seen)
    at = made.facets.index(RESIDUAL)
    error = variances[at]
    gradient[at] -= (seen.repeats / error - seen.within / error**2) / 2
    average[at, at] += seen.within / error**3 / 2
    value -= (seen.repeats * np.log(error) + seen.within / error) / 2
    return Evaluation(float(value), gradient, average)


def residuals(made: Structure, factors: Factors, seen: Outcomes) -> Residuals:
    """P y, taken about the pairs' least squares means so that nothing cancels."""
    y = [block.padded(seen.mean) for block in made.blocks]
    wy = np.zeros(made.layout.model.size)
    for block, w, rows in zip(made.blocks, factors.inverses, y, strict=True):
        wy[block.pairs] = times(block, w, rows[:, None]).sum(axis=(0, 1))
    means = factors.s_inverse @ wy
    pulled = factors.r @ means
    fitted = means - factors.s_inverse @ pulled
    inside, quadratic = [], float(means @ pulled)
    for block, w, rows in zip(made.blocks, factors.inverses, y, strict=True):
        both = np.stack([rows - means[block.pairs], rows - fitted[block.pairs]], axis=1)
        w_both = times(block, w, both)
        quadratic += float((both[:, 0] * w_both[:, 0]).sum())
        inside.append(w_both[:, 1])
    return Residuals(tuple(inside), pulled, quadratic, means)


def _quadratics(made: Structure, factors: Factors, py: Residuals) -> tuple[Array, Array]:
    """yᵀP V_f P y, (F,), and ½ yᵀP V_f P V_g P y, (F, F), in the order of the facets.

    For q = V_f P y of an item facet and t = Zᵀ V₀⁻¹ q: ZᵀPq = R S⁻¹ t, and
    qᵀPq' = qᵀV₀⁻¹q' − tᵀQt'. For a pair facet q = Z E_f ZᵀPy.
    """
    inside, pairs = made.inside, [e @ py.pairs for e in made.same.values()]
    n = len(inside)
    squares, across = np.zeros(n), np.zeros((n, n))
    t = np.zeros((n, made.layout.model.size))
    for block, w, rows in zip(made.blocks, factors.inverses, py.inside, strict=True):
        q = np.stack([_apply(block, f, rows) for f in inside], axis=1)
        wq = times(block, w, q)
        squares += (q * rows[:, None]).sum(axis=(0, 2))
        across += np.tensordot(q, wq, axes=([0, 2], [0, 2]))
        t[:, block.pairs] = wq.sum(axis=0)
    lowered = t @ factors.s_inverse
    pulled = lowered @ factors.r
    across -= t @ lowered.T - pulled @ lowered.T
    c = np.reshape(pairs, (len(pairs), -1)) if pairs else np.zeros((0, py.pairs.size))
    average = np.block([[across, pulled @ c.T], [c @ pulled.T, c @ factors.r @ c.T]]) / 2
    order = in_order(made)
    return np.concatenate([squares, c @ py.pairs])[order], average[np.ix_(order, order)]


def _apply(block: Block, facet: str, rows: Array) -> Array:
    """V_f of items × pairs rows."""
    if facet in ("I", "IM", "IA"):
        return block.same(facet, rows)
    return rows * block.diagonal(facet)[block.pattern]


def _traces(made: Structure, factors: Factors) -> Array:
    """tr(P V_f), (F,), in the order of the facets; Q is needed within benchmarks only."""
    inside = np.zeros(len(made.inside))
    for block, w in zip(made.blocks, factors.inverses, strict=True):
        q = q_within(factors, block)
        for i, facet in enumerate(made.inside):
            inside[i] += trace(block, w, facet) - float((q * sandwich(block, w, facet)).sum())
    pairs = [float((e * factors.r).sum()) for e in made.same.values()]
    return np.concatenate([inside, pairs])[in_order(made)]


def q_within(factors: Factors, block: Block) -> Array:
    """Q between the pairs of one benchmark; S is block-diagonal over benchmarks."""
    at = np.ix_(block.pairs, block.pairs)
    s_inverse = factors.s_inverse[at]
    q: Array = s_inverse - s_inverse @ factors.r[at] @ s_inverse
    return q


def in_order(made: Structure) -> list[int]:
    """Where each facet stands in (facets inside items, pair facets)."""
    stacked = [*made.inside, *made.same]
    return [stacked.index(f) for f in made.facets]


def _constant(made: Structure, seen: Outcomes) -> float:
    """The part of −ℓ that no variance changes."""
    logs = float(np.log(made.layout.trials).sum())
    return ((seen.trials - 1) * float(np.log(2 * np.pi)) + logs) / 2
