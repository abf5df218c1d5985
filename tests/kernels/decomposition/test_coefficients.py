"""Coefficients: every equation written out by hand, its gradient, merged facets, draws, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.decomposition.coefficients import (
    BY_NAME,
    CONTRASTS,
    EQUATIONS,
    LINK,
    NotSeparateError,
    Sizes,
    coefficient,
    weigh,
    weighted_quantiles,
)
from tiebreak.kernels.decomposition.layout import ONE_BENCHMARK, POOLED

SIZES = Sizes(tasks=20, scaffolds=3, benchmarks=4, runs=2, models=5)
UNIT = st.floats(0.01, 2.0)


def by_hand(name, v, n, e):
    """Signal and error of the paper's equations; ``e`` is σ²_IMA,e already over the runs."""
    i, a, b, m = n.tasks, n.scaffolds, n.benchmarks, n.models
    system = v["M"] + v["A"] + v["MA"]
    noise = (v["IM"] + v["IA"] + e) / i
    gap = v["M"] - v["A"]
    one = {
        "model": (v["M"], v["IM"] / i + v["MA"] / a + e / (i * a)),
        "system": (system, noise),
        "inter_scaffold": (v["M"] + v["IM"] / i, v["MA"] + e / i),
        "model_in_scaffold": (v["M"] + v["MA"], (v["IM"] + e) / i),
        "scaffold": (v["A"], v["IA"] / i + v["MA"] / m + e / (i * m)),
        "model_one_task": (v["M"], v["IM"]),
        "scaffold_one_task": (v["A"], v["IA"]),
        "model_minus_scaffold": (gap, system + noise - gap),
        "model_minus_scaffold_literal": (gap, v["MA"] + noise),
    }
    if name in one:
        return one[name]
    deep = v["IM"] / (b * i)
    return {
        "leaderboard": (
            v["M"],
            v["BM"] / b + v["MA"] / a + v["BMA"] / (b * a) + deep + e / (b * i * a),
        ),
        "leaderboard_system": (
            system,
            (v["BM"] + v["BA"] + v["BMA"]) / b + deep + (v["IA"] + e) / (b * i),
        ),
        "leaderboard_scaffold": (
            v["A"],
            v["BA"] / b + v["MA"] / m + v["BMA"] / (b * m) + v["IA"] / (b * i) + e / (b * i * m),
        ),
    }[name]


@settings(max_examples=25, deadline=None)
@given(values=st.lists(UNIT, min_size=12, max_size=12), logit=st.booleans(), repeated=st.booleans())
def test_every_equation_is_the_one_written_out(fit, values, logit, repeated):
    names = [f for f in POOLED if f != "residual" or not logit] + (["IMA"] if repeated else [])
    v = dict(zip(names, values, strict=False))
    residual = LINK if logit else v["residual"]
    e = residual / SIZES.runs + v.get("IMA", 0.0)
    scale = "logit" if logit else "probability"
    found = fit(names, list(v.values()), scale=scale)
    for equation in EQUATIONS:
        sums = weigh(equation, found.facets, scale, SIZES).sums(found.variance)
        assert sums == pytest.approx(by_hand(equation.name, v, SIZES, e), rel=1e-12)


def test_all_equations_are_written_out_here():
    v = dict.fromkeys(POOLED, 1.0)
    assert all(by_hand(equation.name, v, SIZES, 1.0) for equation in EQUATIONS)
    numbers = {equation.number for equation in EQUATIONS}
    assert {"3", "4", "5", "7", "11", "11, Figure 2", "Table 17"} <= numbers


@pytest.mark.parametrize("equation", EQUATIONS, ids=lambda e: e.name)
def test_the_delta_method_is_the_derivative(fit, equation):
    rng = np.random.default_rng(1)
    variance = rng.uniform(0.1, 1.0, len(POOLED))
    root = rng.normal(size=(len(POOLED), len(POOLED))) * 0.01
    c = root @ root.T
    weights = weigh(equation, POOLED, "probability", SIZES)

    def value(v):
        s, e = weights.sums(v)
        return s / (s + e)

    step = 1e-6
    gradient = [
        (value(variance + step * d) - value(variance - step * d)) / (2 * step)
        for d in np.eye(len(POOLED))
    ]
    se = math.sqrt(gradient @ c @ gradient)
    found = coefficient(weights, fit(POOLED, variance, covariance=c))
    rho = found.value
    assert rho == pytest.approx(value(variance))
    if equation.name in CONTRASTS:
        expected = (rho - 1.959964 * se, rho + 1.959964 * se)
    else:
        centre, shift = math.log(rho / (1 - rho)), 1.959964 * se / (rho * (1 - rho))
        expected = tuple(1 / (1 + math.exp(-(centre + sign * shift))) for sign in (-1, 1))
    # central differences with a step of 1e-6 are good to about 1e-9
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-6)
    assert found.low < found.low_68 < found.value < found.high_68 < found.high


def test_an_infinite_size_is_the_limit(fit):
    v = fit(ONE_BENCHMARK, [1, 0.4, 0.2, 0.3, 0.2, 0.1, 0.5])
    far = Sizes(tasks=math.inf)
    rho = coefficient(weigh(BY_NAME["model"], v.facets, v.scale, far), v).value
    assert rho == pytest.approx(0.4 / 0.5)  # equation 8: σ²_M / (σ²_M + σ²_MA / n_a)


def test_components_at_the_boundary_are_held_and_said(fit):
    c = np.diag([1.0, 1, 1, 1, 1, np.nan, 1]) * 1e-4
    c[5] = c[:, 5] = np.nan
    v = fit(ONE_BENCHMARK, [1, 0.4, 0.2, 0.3, 0.2, 0.0, 0.5], covariance=c)
    found = coefficient(weigh(BY_NAME["model"], v.facets, v.scale, SIZES), v)
    assert found.held == ("MA",)
    assert 0 < found.low < found.value < found.high < 1


def test_nothing_to_rank_has_an_upper_bound_only(fit):
    c = np.eye(7) * 1e-4
    v = fit(ONE_BENCHMARK, [1, 0.0, 0.2, 0.3, 0.2, 0.1, 0.5], covariance=c)
    found = coefficient(weigh(BY_NAME["model"], v.facets, v.scale, SIZES), v)
    assert (found.value, found.snr) == (0.0, 0.0)
    assert found.low == 0
    assert 0 < found.high < 1


def test_draws_give_quantiles_of_the_coefficient(fit):
    rng = np.random.default_rng(2)
    draws = rng.gamma(2.0, 0.1, (999, 7))
    v = fit(ONE_BENCHMARK, draws.mean(axis=0), draws=draws)
    weights = weigh(BY_NAME["system"], v.facets, v.scale, SIZES)
    s = draws[:, [1, 2, 5]].sum(axis=1)
    e = (draws[:, 3] + draws[:, 4] + draws[:, 6] / SIZES.runs) / SIZES.tasks
    expected = np.quantile(s / (s + e), [0.5, 0.025, 0.975, 0.16, 0.84], method="hazen")
    found = coefficient(weights, v)
    assert [found.value, found.low, found.high, found.low_68, found.high_68] == pytest.approx(
        expected
    )
    assert found.plug_in != found.value
    assert found.snr == pytest.approx(np.median(s / e))


def test_weights_count_like_copies():
    """A draw of weight k is k draws: exact at the midpoint of its own mass."""
    values = np.array([3.0, 1.0, 2.0])
    found = weighted_quantiles(values, np.array([0.25, 0.5, 0.25]), [0.25, 0.625, 0.875])
    assert found == pytest.approx([1.0, 2.0, 3.0])


def test_merged_facets_count_where_they_weigh_the_same(fit):
    facets = ("I", "M", "A", "IM", "IA", "residual")
    v = fit(facets, [1, 0.4, 0.3, 0.3, 0.2, 0.5])
    merged = {"A": ("A", "MA")}
    signal, _ = weigh(BY_NAME["system"], facets, "probability", SIZES, merged).sums(v.variance)
    assert signal == pytest.approx(0.7)
    with pytest.raises(NotSeparateError, match="A and MA cannot be told apart"):
        weigh(BY_NAME["model"], facets, "probability", SIZES, merged)
    with pytest.raises(NotSeparateError, match="MA cannot be estimated"):
        weigh(BY_NAME["system"], facets, "probability", SIZES)
