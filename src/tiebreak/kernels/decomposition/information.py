"""The expected information of variance components: what a design can tell, before any outcome.

    E_fg = ½ tr(P V_f P V_g)

depends on the design and the variances alone and is the mean of the average information. With the
symbols of :mod:`tiebreak.kernels.decomposition.likelihood` and U_f = Zᵀ V₀⁻¹ V_f V₀⁻¹ Z,

    tr(P V_f P V_g) = Σ_i tr(W V_f W V_g) − 2 Σ_i tr(Q W V_f W V_g W) + tr(U_f Q U_g Q)

for two facets inside items, tr(E_g (I − SQ) U_f (I − QS)) with I − QS = S⁻¹R for such a one and a
pair facet, tr(E_f R E_g R) for two pair facets.
"""

from __future__ import annotations

import numpy as np

from tiebreak.kernels.decomposition.blocks import Block, sandwich, whole
from tiebreak.kernels.decomposition.layout import RESIDUAL, Array
from tiebreak.kernels.decomposition.likelihood import (
    Factors,
    Structure,
    factor,
    in_order,
    q_within,
)


def expected_information(made: Structure, variances: Array, repeats: float) -> Array:
    """E at variances (F,), (F, F); ``repeats`` are the degrees of freedom within cells."""
    factors = factor(made, made.named(variances))
    traces, u = _item_traces(made, factors)
    pull = factors.s_inverse @ factors.r
    pairs = list(made.same.values())
    mixed = [[float((e * (pull.T @ part @ pull)).sum()) for e in pairs] for part in u]
    turned = [e @ factors.r for e in pairs]
    among = [[float((a * b.T).sum()) for b in turned] for a in turned]
    n, size = len(u), len(made.facets)
    out = np.zeros((size, size))
    out[:n, :n], out[n:, n:] = traces, np.reshape(among, (size - n, size - n))
    out[:n, n:] = np.reshape(mixed, (n, size - n))
    out[n:, :n] = out[:n, n:].T
    order = in_order(made)
    out = out[np.ix_(order, order)] / 2
    at = made.facets.index(RESIDUAL)
    out[at, at] += repeats / variances[at] ** 2 / 2
    return out


def _item_traces(made: Structure, factors: Factors) -> tuple[Array, list[Array]]:
    """tr(P V_f P V_g) among facets inside items, and their U_f over all pairs."""
    n, p = len(made.inside), made.layout.model.size
    out, u = np.zeros((n, n)), [np.zeros((p, p)) for _ in range(n)]
    for block, w in zip(made.blocks, factors.inverses, strict=True):
        at = np.ix_(block.pairs, block.pairs)
        for total, facet in zip(u, made.inside, strict=True):
            total[at] = sandwich(block, w, facet)
        full = whole(block, w)
        out += _within_items(made, block, full, full @ q_within(factors, block))
    s_inverse, r = factors.s_inverse, factors.r
    q = s_inverse - s_inverse @ r @ s_inverse
    uq = [part @ q for part in u]
    out += [[float((a * b.T).sum()) for b in uq] for a in uq]
    return out, u


def _within_items(made: Structure, block: Block, w: Array, wq: Array) -> Array:
    """Σ over the items of tr(W V_f W V_g) − 2 tr(Q W V_f W V_g W), symmetric in f and g."""
    x = [_right(block, facet, w) for facet in made.inside]
    items = block.items
    out = np.zeros((len(x),) * 2)
    for g, right in enumerate(x):
        turned = (right - 2 * right @ wq).transpose(0, 2, 1)
        out[:, g] = [float(items @ (left * turned).sum(axis=(1, 2))) for left in x]
    return (out + out.T) / 2


def _right(block: Block, facet: str, w: Array) -> Array:
    """W V_f of every pattern, (k, p, p)."""
    if facet in ("I", "IM", "IA"):
        return block.same(facet, w)
    return w * block.diagonal(facet)[:, None]
