"""Reliability coefficients from variance components: what is ranked, over which sizes.

Every estimand is signal over signal plus error (evaluation-reliability, Tables 1 and 9), and both
are linear in the variances: each facet's variance over the number of levels that it is averaged
over. With s and e the weights of the facets and S = s·σ², E = e·σ²,

    ρ = S / (S + E),  SNR = S / E,  ∂ρ/∂σ²_f = (s_f E − e_f S) / (S + E)².

A size may be infinite: its terms vanish (equation 8). σ²_IMA,e is an IMA component plus the
residual over the runs of a cell; on the logit scale the residual is that of the link, π²/3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.layout import RESIDUAL, Array

LINK: Final = math.pi**2 / 3
"""Variance of the standard logistic distribution: the residual on the logit scale."""
ERROR: Final = "IMA,e"
FARTHEST: Final = 3.0
"""Half width of an interval, in logits, beyond which the logit of ρ is not near normal."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Levels that a score is averaged over: per benchmark tasks, scaffolds, benchmarks, runs.

    ``models`` counts them where scaffolds are the object. Infinite sizes give limits.
    """

    tasks: float = 1.0
    scaffolds: float = 1.0
    benchmarks: float = 1.0
    runs: float = 1.0
    models: float = 1.0

    def over(self, letters: str) -> float:
        """1 / Π n of the letters: i tasks, a scaffolds, b benchmarks, r runs, m models."""
        named = {"i": self.tasks, "a": self.scaffolds, "b": self.benchmarks}
        named |= {"r": self.runs, "m": self.models}
        return math.prod(1.0 / named[letter] for letter in letters)


class Term(NamedTuple):
    """σ² of a facet over the levels that the letters name; ``sign`` −1 in a contrast."""

    facet: str
    over: str = ""
    sign: float = 1.0


@dataclass(frozen=True, slots=True)
class Equation:
    """An estimand: its number in the paper ("–": not there), its object, its two sums."""

    name: str
    number: str
    object: str
    signal: tuple[Term, ...]
    error: tuple[Term, ...]
    pooled: bool = False

    @property
    def facets(self) -> frozenset[str]:
        """Facets whose variances it needs."""
        return frozenset(t.facet for t in (*self.signal, *self.error))


def _terms(text: str) -> tuple[Term, ...]:
    """``"IM/i MA/a -A"`` → terms."""
    parts = (word.partition("/") for word in text.split())
    return tuple(
        Term(facet.lstrip("-"), over, -1.0 if facet.startswith("-") else 1.0)
        for facet, _, over in parts
    )


def _equation(
    name: str, number: str, of: str, signal: str, error: str, *, pooled: bool = False
) -> Equation:
    return Equation(name, number, of, _terms(signal), _terms(error), pooled)


SYSTEM_ERROR = "IM/i IA/i IMA,e/i"
EQUATIONS: Final = (
    _equation("model", "3", "model", "M", "IM/i MA/a IMA,e/ia"),
    _equation("system", "4", "system", "M A MA", SYSTEM_ERROR),
    _equation("model_in_scaffold", "–", "model in one scaffold", "M MA", "IM/i IMA,e/i"),
    _equation("inter_scaffold", "5", "model order between scaffolds", "M IM/i", "MA IMA,e/i"),
    _equation("scaffold", "Table 17", "scaffold", "A", "IA/i MA/m IMA,e/im"),
    _equation("model_one_task", "Table 17", "model, one task", "M", "IM"),
    _equation("scaffold_one_task", "Table 17", "scaffold, one task", "A", "IA"),
    _equation(
        "model_minus_scaffold", "11, Figure 2", "model − scaffold", "M -A", f"A A MA {SYSTEM_ERROR}"
    ),
    _equation(
        "model_minus_scaffold_literal",
        "11",
        "model − scaffold, as printed",
        "M -A",
        f"MA {SYSTEM_ERROR}",
    ),
    _equation(
        "leaderboard", "7", "model", "M", "BM/b MA/a BMA/ba IM/bi IMA,e/bia", pooled=True
    ),
    _equation(
        "leaderboard_system",
        "–",
        "system",
        "M A MA",
        "BM/b BA/b BMA/b IM/bi IA/bi IMA,e/bi",
        pooled=True,
    ),
    _equation(
        "leaderboard_scaffold",
        "–",
        "scaffold",
        "A",
        "BA/b MA/m BMA/bm IA/bi IMA,e/bim",
        pooled=True,
    ),
)  # fmt: skip
"""Estimands of one benchmark and, ``pooled``, of a leaderboard. Figure 2 divides σ²_M − σ²_A by the
whole of equation 4: the error is that whole less the signal. Equation 11 as printed comes after."""
BY_NAME: Final = {equation.name: equation for equation in EQUATIONS}
CONTRASTS: Final = ("model_minus_scaffold", "model_minus_scaffold_literal")
ONE_TASK: Final = ("model_one_task", "scaffold_one_task")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights of the facets in signal and error, (F,) each, and the link's residual in both."""

    signal: Array
    error: Array
    link_signal: float
    link_error: float

    def sums(self, variance: Array) -> tuple[Array, Array]:
        """S and E of variances (…, F)."""
        return (
            np.asarray(variance @ self.signal + self.link_signal),
            np.asarray(variance @ self.error + self.link_error),
        )


class NotSeparateError(ValueError):
    """An estimand needs facets that this design does not tell apart."""


def weigh(
    equation: Equation,
    facets: tuple[str, ...],
    scale: str,
    sizes: Sizes,
    merged: Mapping[str, tuple[str, ...]] | None = None,
) -> Weights:
    """Weights over the fitted facets.

    ``merged`` maps a fitted facet to all those whose sum it is; they must weigh the same here.

    Raises
    ------
    NotSeparateError
        A facet is not in the fit, or merged with one of another weight.
    """
    parts = {f: (f,) for f in facets} | dict(merged or {})
    held = {member for members in parts.values() for member in members}
    sums = []
    for terms in (equation.signal, equation.error):
        wanted = _by_facet(terms, sizes, separate="IMA" in held)
        link = wanted.pop(RESIDUAL, 0.0) if scale == "logit" else 0.0
        sums.append((wanted, link))
    absent = sorted({f for wanted, _ in sums for f in wanted} - held)
    if absent:
        raise NotSeparateError(f"{', '.join(absent)} cannot be estimated in this design")
    (signal, link_s), (error, link_e) = sums
    return Weights(
        np.array([_shared(signal, error, parts[f], 0) for f in facets]),
        np.array([_shared(signal, error, parts[f], 1) for f in facets]),
        link_s * LINK,
        link_e * LINK,
    )


def _by_facet(terms: tuple[Term, ...], sizes: Sizes, *, separate: bool) -> dict[str, float]:
    """Weight of every facet; σ²_IMA,e is split into IMA and the residual of ``runs`` runs."""
    found: dict[str, float] = {}
    for term in terms:
        weight = term.sign * sizes.over(term.over)
        parts = {term.facet: weight}
        if term.facet == ERROR:
            parts = {RESIDUAL: weight * sizes.over("r")} | ({"IMA": weight} if separate else {})
        for facet, value in parts.items():
            found[facet] = found.get(facet, 0.0) + value
    return found


def _shared(
    signal: dict[str, float], error: dict[str, float], members: tuple[str, ...], side: int
) -> float:
    """The one weight of a merged set on a side (0 signal, 1 error)."""
    weights = {(signal.get(m, 0.0), error.get(m, 0.0)) for m in members}
    if len(weights) > 1:
        raise NotSeparateError(f"{' and '.join(members)} cannot be told apart in this design")
    return weights.pop()[side]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """ρ with intervals; NaN where there is none. ``plug_in`` is ρ at the point estimates.

    ``value`` is the median over draws where there are draws, else ``plug_in``; ``snr`` likewise,
    infinite where there is no error. ``held`` names components taken as exactly zero.
    """

    value: float
    plug_in: float
    snr: float
    low: float = math.nan
    high: float = math.nan
    low_68: float = math.nan
    high_68: float = math.nan
    held: tuple[str, ...] = ()


def coefficient(weights: Weights, fit: Components, level: float = 0.95) -> Coefficient:
    """An estimand from a fit: draw by draw where it has draws, else by the delta method.

    The delta interval is taken on the logit of ρ; on ρ itself for contrasts, which may be negative,
    and, cut to [0, 1], at 0 and 1 and where it would be wider than ``FARTHEST`` logits a side.
    """
    signal, error = (float(v) for v in weights.sums(fit.variance))
    plug_in = _share(signal, error)
    if fit.draws is not None:
        return _from_draws(weights, fit, plug_in, level)
    snr = signal / error if error > 0 else (math.inf if signal > 0 else math.nan)
    se, held = _delta_se(weights, fit, signal, error)
    bounds = [_delta_bounds(plug_in, se, q, weights) for q in (level, 0.68)]
    return Coefficient(plug_in, plug_in, snr, *bounds[0], *bounds[1], held)


def _share(signal: float, error: float) -> float:
    total = signal + error
    return signal / total if total > 0 else math.nan


def _from_draws(weights: Weights, fit: Components, plug_in: float, level: float) -> Coefficient:
    signal, error = weights.sums(np.asarray(fit.draws))
    with np.errstate(divide="ignore", invalid="ignore"):
        values, ratios = signal / (signal + error), signal / error
    points = [0.5, (1 - level) / 2, (1 + level) / 2, 0.16, 0.84]
    found = weighted_quantiles(values, fit.weights, points)
    snr = float(weighted_quantiles(ratios, fit.weights, [0.5])[0])
    value, low, high, low_68, high_68 = (float(v) for v in found)
    return Coefficient(value, plug_in, snr, low, high, low_68, high_68)


def weighted_quantiles(values: Array, weights: Array | None, points: list[float]) -> Array:
    """Quantiles of weighted draws: interpolated between the midpoints of cumulated weights.

    Equal weights give Hazen's definition (``method="hazen"``). NaN draws give NaN.
    """
    if np.isnan(values).any():
        return np.full(len(points), np.nan)
    order = np.argsort(values, kind="stable")
    w = np.full(values.size, 1.0 / values.size) if weights is None else weights[order]
    middle = np.cumsum(w) - w / 2
    found: Array = np.interp(points, middle / w.sum(), values[order])
    return found


def _delta_se(
    weights: Weights, fit: Components, signal: float, error: float
) -> tuple[float, tuple[str, ...]]:
    """√(g' C g); components without a variance of their own are held at their estimate."""
    total = signal + error
    if fit.covariance is None or total <= 0:
        return math.nan, ()
    gradient = (weights.signal * error - weights.error * signal) / total**2
    known = ~np.isnan(np.diag(fit.covariance))
    g, c = gradient[known], fit.covariance[np.ix_(known, known)]
    used = (gradient != 0) & ~known
    held = tuple(f for f, u in zip(fit.facets, used, strict=True) if u)
    return math.sqrt(max(float(g @ c @ g), 0.0)), held


def _delta_bounds(value: float, se: float, level: float, weights: Weights) -> tuple[float, float]:
    if math.isnan(se) or math.isnan(value):
        return math.nan, math.nan
    z = float(ndtri((1 + level) / 2))
    if (weights.signal < 0).any():
        return value - z * se, value + z * se
    if not 0 < value < 1 or z * se > FARTHEST * value * (1 - value):
        return max(value - z * se, 0.0), min(value + z * se, 1.0)
    shift = z * se / (value * (1 - value))
    centre = float(logit(value))
    return float(expit(centre - shift)), float(expit(centre + shift))
