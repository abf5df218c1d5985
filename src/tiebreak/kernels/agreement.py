"""How a label source agrees with a reference: rates whose intervals take tasks as clusters.

Every rate is a smooth function g, homogeneous of degree 0, of the totals T = Σ_c T_c of four
counts (true and false positives, false and true negatives) over the clusters c. So with
u_c = ∇g(T)·T_c, which sums to 0,

    V = C/(C − 1) Σ_c u_c²

over the C clusters that hold any of the rate's base (linearisation: Särndal, Swensson & Wretman
1992, *Model Assisted Survey Sampling*, section 5.5). Intervals are Wilson's with the effective
sample size that V implies (Korn & Graubard 1998) on the rate's own range, so that none leaves it:

    D = V n / (q (1 − q)),  D* = (e D + D_max)/(e + 1),  N = n/D*

with q the rate scaled to [0, 1], n the trajectories in its base and D_max = Σ m_c²/n, the design
effect where all m_c trajectories of a task agree. e = n q (1 − q), n for bias and κ, which lie in
the middle of their range. Where no error was seen V is 0 and says nothing: N is then the effective
number of tasks. t on n/D_max − 1 df. Coverage: ``docs/coverage.md``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from tiebreak.kernels.student import t_quantile

Array = NDArray[np.float64]
Index = NDArray[np.intp]

RATIOS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "bias": ((0, 1, -1, 0), (1, 1, 1, 1)),
    "fpr": ((0, 1, 0, 0), (0, 1, 0, 1)),
    "fnr": ((0, 0, 1, 0), (1, 0, 1, 0)),
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
    "agreement": ((1, 0, 0, 1), (1, 1, 1, 1)),
}
"""Numerator and denominator of each ratio over (tp, fp, fn, tn)."""
STATISTICS = (*RATIOS, "kappa")
LOWEST = {"bias": -1.0, "kappa": -1.0}
"""Lower ends of ranges other than [0, 1]."""


class Rate(NamedTuple):
    """A rate with its interval and linearised standard error; NaN where its base is empty."""

    value: float
    low: float
    high: float
    se: float


class EqualRates(NamedTuple):
    """An F test; NaN where nothing can be told."""

    statistic: float
    df1: float
    df2: float
    p: float


def confusion(reference: Array, label: Array, clusters: Index) -> Array:
    """Counts (clusters, 4) of true and false positives, false and true negatives.

    ``reference`` and ``label`` are 0 or 1 per trajectory; ``clusters`` are codes from 0. Clusters
    without a trajectory have a row of zeros.
    """
    kind = np.where(label == 1, np.where(reference == 1, 0, 1), np.where(reference == 1, 2, 3))
    size = 4 * (int(clusters.max(initial=-1)) + 1)
    return np.bincount(clusters * 4 + kind, minlength=size).reshape(-1, 4).astype(float)


def rates(tables: Array, level: float) -> dict[str, Rate]:
    """Every rate of ``STATISTICS`` from the counts of clusters, (clusters, 4)."""
    tables = tables[tables.any(axis=1)]
    found = {name: _ratio(tables, name, level) for name in RATIOS}
    return found | {"kappa": _kappa(tables, level)}


def _ratio(tables: Array, name: str, level: float) -> Rate:
    top, bottom = (tables @ np.array(side, dtype=float) for side in RATIOS[name])
    total = float(bottom.sum())
    if total == 0:
        return Rate(np.nan, np.nan, np.nan, np.nan)
    value = float(top.sum()) / total
    base = (tables * (np.array(RATIOS[name][1]) > 0)).sum(axis=1)
    return _interval(value, (top - value * bottom) / total, base, level, LOWEST.get(name, 0.0))


def _kappa(tables: Array, level: float) -> Rate:
    """Cohen's κ = 2 (tp·tn − fp·fn)/((tp + fp)(fp + tn) + (tp + fn)(fn + tn)).

    NaN where both label everything alike: chance alone agrees.
    """
    tp, fp, fn, tn = tables.sum(axis=0)
    bottom = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    if bottom == 0:
        return Rate(np.nan, np.nan, np.nan, np.nan)
    value = float(2 * (tp * tn - fp * fn) / bottom)
    slopes = np.array(
        [
            2 * tn - value * (fp + tn + fn + tn),
            -2 * fn - value * (fp + tn + tp + fp),
            -2 * fp - value * (fn + tn + tp + fn),
            2 * tp - value * (tp + fp + tp + fn),
        ]
    )
    return _interval(value, tables @ slopes / bottom, tables.sum(axis=1), level, LOWEST["kappa"])


def _interval(value: float, influence: Array, base: Array, level: float, lowest: float) -> Rate:
    """Wilson's interval on [lowest, 1] with the effective sample size; see the module."""
    base, influence = base[base > 0], influence[base > 0]
    c, n, width = base.size, float(base.sum()), 1 - lowest
    most = float((base**2).sum()) / n
    if c < 2:
        return Rate(value, lowest, 1.0, np.nan)
    variance = c / (c - 1) * float(influence @ influence)
    q = (value - lowest) / width
    weight = n if lowest < 0 else n * q * (1 - q)
    effect = n * variance / (width**2 * q * (1 - q)) if 0 < q < 1 else 0.0
    size = n * (weight + 1) / (weight * effect + most)
    df = np.array(max(n / most - 1, 1.0))
    z = float(t_quantile((1 + level) / 2, df)) ** 2 / size
    middle, half = (q + z / 2) / (1 + z), np.sqrt(max(q * (1 - q) * z + z * z / 4, 0.0)) / (1 + z)
    low = lowest if q <= 0 else lowest + width * max(middle - half, 0.0)
    high = 1.0 if q >= 1 else lowest + width * min(middle + half, 1.0)
    return Rate(value, low, high, float(np.sqrt(variance)))


def equal_rates(errors: Array, groups: Index, clusters: Index) -> EqualRates:
    """Do errors come at one rate in all groups? A cluster-robust score test with an F reference.

    Parameters
    ----------
    errors
        Per trajectory of the base: 1 where the label errs (for a bias: label − reference).
    groups, clusters
        Codes of its configuration and its task.

    Returns
    -------
    With ē the mean of all n errors, a cluster's contribution to the score of group a is

        s_ca = Σ_{i in c, a} (e_i − ē) − (n_a/n) Σ_{i in c} (e_i − ē),

    the second part for the estimation of ē (Boos 1992, *Am. Stat.* 46:327). Pearson's
    X² = Σ_a S_a²/n_a over S_a = Σ_c s_ca has the mean tr A and the spread tr A², with
    A = D^(−1/2) V D^(−1/2), V = C/(C − 1) Σ_c s_c s_c′ and D = diag(n_a). So X²/tr A is referred
    to F on d = (tr A)²/tr A² and d (C − 1) df: the second-order correction of Rao & Scott 1984,
    *Ann. Stat.* 12:46, in the form of Brunner, Dette & Munk 1997, *JASA* 92:1494. NaN where fewer
    than two groups have a base, or nothing varies.
    """
    _, group = np.unique(groups, return_inverse=True)
    _, cluster = np.unique(clusters, return_inverse=True)
    k, c = int(group.max(initial=-1)) + 1, int(cluster.max(initial=-1)) + 1
    if k < 2 or c < 2:
        return EqualRates(np.nan, np.nan, np.nan, np.nan)
    moved, n = errors - errors.mean(), np.bincount(group, minlength=k)
    own = np.bincount(cluster * k + group, weights=moved, minlength=c * k).reshape(c, k)
    scores = own - own.sum(axis=1, keepdims=True) * (n / n.sum())
    spread = c / (c - 1) * scores.T @ scores / np.sqrt(np.outer(n, n))
    mean = float(np.trace(spread))
    if mean <= 1e-12:
        return EqualRates(np.nan, np.nan, np.nan, np.nan)
    statistic = float((scores.sum(axis=0) ** 2 / n).sum()) / mean
    df = mean**2 / float((spread**2).sum())
    return EqualRates(statistic, df, df * (c - 1), float(fdtrc(df, df * (c - 1), statistic)))


def scott_pi(first: Array, second: Array) -> float:
    """Agreement of interchangeable annotators beyond chance, (A − A₀)/(1 − A₀).

    A₀ = p² + (1 − p)² with p the share of 1 over both (Scott 1955, *Public Opin. Q.* 19:321).
    NaN where all labels are alike.
    """
    p = float(np.concatenate([first, second]).mean())
    chance = p**2 + (1 - p) ** 2
    if chance >= 1:
        return float("nan")
    return (float((first == second).mean()) - chance) / (1 - chance)
