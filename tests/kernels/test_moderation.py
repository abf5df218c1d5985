"""Naive against fast: the moderated variance written from its docstring, one pair at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiebreak.kernels.moderation import (
    PRIOR_DF,
    PSEUDO_TASKS,
    moderation,
    pseudo_variance,
    sampling_variance,
    sum_of_fourths,
    wilson,
)
from tiebreak.kernels.moments import CellMoments, all_pairs, pair_moments

# The two sides sum in different orders over at most 6 cells.
CLOSE = {"rtol": 1e-10, "atol": 1e-14}
DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=0, max_size=9)


@st.composite
def contrasts(draw):
    """Differences per cell and weights that vanish where a cell is empty."""
    cells = draw(
        st.lists(DIFFERENCES, min_size=1, max_size=6).filter(lambda c: sum(map(len, c)) > 1)
    )
    raw = [draw(st.integers(0, 4)) * bool(d) for d in cells]
    raw = raw if any(raw) else [float(bool(d)) for d in cells]
    return cells, [r / sum(raw) for r in raw]


def naive_variance(n, s2, w, v):
    """V of the module docstring: prior, own weights, pseudo-tasks; s2 is NaN for one task."""
    f = [max(x - 1, 0) for x in n]
    lam = [x / (PRIOR_DF + x) for x in f]
    prior = sum(a * s for a, s in zip(lam, s2, strict=True) if a) / sum(lam)
    total = 0.0
    for size, own, s, weight in zip(n, lam, s2, w, strict=True):
        if not weight:
            continue
        moderated = (own * s if own else 0.0) + (1 - own) * prior
        pseudo = PSEUDO_TASKS * abs(weight) / sum(map(abs, w))
        total += weight**2 / size * (size * moderated + pseudo * v) / (size + pseudo)
    return total


def moments_of(cells):
    n = np.array([[float(len(d)) for d in cells]])
    mean = np.array([[sum(d) / len(d) if d else np.nan for d in cells]])
    ss = np.array([[sum((x - sum(d) / len(d)) ** 2 for x in d) if d else 0.0 for d in cells]])
    return CellMoments(n, mean, ss)


def sample_variances(cells):
    return [float(np.var(d, ddof=1)) if len(d) > 1 else math.nan for d in cells]


@given(contrasts(), st.sampled_from([0.25, 1.0]))
def test_variance_is_the_formula_of_the_docstring(contrast, v):
    cells, w = contrast
    moments, weights = moments_of(cells), np.array([w])
    constants = moderation(moments.n, weights)
    got = sampling_variance(moments, weights, constants) + constants.r * v
    if max(map(len, cells)) > 1:
        expected = naive_variance([len(d) for d in cells], sample_variances(cells), w, v)
        np.testing.assert_allclose(got, [expected], **CLOSE)


@given(contrasts())
def test_degrees_of_freedom_are_satterthwaites(contrast):
    """a_x is the derivative of the naive V by SS_x; df = (Σ a f)² / Σ a² f."""
    cells, w = contrast
    n = [len(d) for d in cells]
    if max(n) < 2:
        return
    f = [max(x - 1, 0) for x in n]
    a = [
        naive_variance(n, [float(i == x) / f[i] if f[i] else 0 for i in range(len(n))], w, 0.0)
        for x in range(len(n))
    ]
    expected = sum(map(math.prod, zip(a, f, strict=True))) ** 2
    expected /= sum(x * x * y for x, y in zip(a, f, strict=True))
    got = moderation(np.array([n], float), np.array([w]))
    np.testing.assert_allclose(got.df, [expected], rtol=1e-9)
    np.testing.assert_allclose(
        got.a[0] * (np.array(f) > 0), np.array(a) * (np.array(f) > 0), **CLOSE
    )


def test_cells_of_one_task_each_are_collapsed_to_one_cell():
    """Hand-made: d = 1, 0, 0, −1 with w = ¼: about the common mean 0, V = ¼ · 2/3, df = 3."""
    moments = moments_of([[1.0], [0.0], [0.0], [-1.0]])
    weights = np.full((1, 4), 0.25)
    constants = moderation(moments.n, weights)
    assert constants.collapsed.tolist() == [True]
    assert constants.df.tolist() == [3.0]
    np.testing.assert_allclose(sampling_variance(moments, weights, constants), [1 / 6])


def test_one_task_alone_has_no_variance_to_state():
    moments = moments_of([[1.0]])
    constants = moderation(moments.n, np.ones((1, 1)))
    assert sampling_variance(moments, np.ones((1, 1)), constants).tolist() == [np.inf]


@pytest.mark.parametrize("same", [-1.0, 0.0, 1.0])
def test_equal_differences_are_not_certain(same):
    moments = moments_of([[same] * 5, [same] * 3])
    weights = np.array([[0.5, 0.5]])
    constants = moderation(moments.n, weights)
    assert sampling_variance(moments, weights, constants).tolist() == [0.0]
    assert constants.r[0] > 0


def test_a_cell_of_one_task_borrows_the_pooled_variance():
    """Without borrowing, weight ½ on one task would add nothing to V (the percentile fault)."""
    spread = [[1.0, 0.0, 0.0, 1.0, 0.0, 1.0]]
    alone, both = moments_of(spread), moments_of([*spread, [1.0]])
    half = sampling_variance(alone, np.array([[0.5]]), moderation(alone.n, np.array([[0.5]])))
    weights = np.array([[0.5, 0.5]])
    with_tiny = sampling_variance(both, weights, moderation(both.n, weights))
    assert with_tiny[0] > 5 * half[0]


@given(st.data())
def test_sum_of_fourths_equals_a_loop(data):
    values = np.array(
        data.draw(
            st.lists(
                st.lists(st.sampled_from([0.0, 0.3, 0.5, 1.0, np.nan]), min_size=6, max_size=6),
                min_size=2,
                max_size=4,
            )
        )
    )
    left, right = all_pairs(len(values))
    expected = [np.nansum((values[i] - values[j]) ** 4) for i, j in zip(left, right, strict=True)]
    # Σd⁴ by its binomial expansion cancels numbers up to 6·6: absolute error of 1e-13 at most.
    np.testing.assert_allclose(sum_of_fourths(values, left, right), expected, atol=1e-13)


def test_pseudo_variance_is_half_the_typical_squared_difference():
    squares = np.array([0.0, 7.0])
    np.testing.assert_allclose(pseudo_variance(squares, squares), [0.5, 0.5])  # twins, 0/1
    values = np.array([[0.5, 0.5, 1.0], [0.25, 0.5, 0.5]])
    moments = pair_moments(values, np.zeros(3, np.intp), 1, *all_pairs(2))
    squares = (moments.ss + moments.n * moments.mean**2).sum(axis=1)
    fourths = sum_of_fourths(values, *all_pairs(2))
    d = values[0] - values[1]
    expected = ((d**4).sum() + PSEUDO_TASKS) / ((d**2).sum() + PSEUDO_TASKS) / 2
    np.testing.assert_allclose(pseudo_variance(squares, fourths), [expected])


def scored(cells, w, alpha):
    moments, weights = moments_of(cells), np.array([w])
    constants = moderation(moments.n, weights)
    score = np.nansum(moments.mean * weights, axis=1)
    variance = sampling_variance(moments, weights, constants)
    variance = variance + constants.r * (score**2 + (1 - score) ** 2) / 2
    low, high = wilson(score, variance, moments, weights, constants, np.array([alpha]))
    return score[0], variance[0], constants, low[0], high[0]


SCORED = st.lists(
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=9), min_size=1, max_size=5
)


@given(SCORED, st.sampled_from([0.01, 0.05, 0.2]))
def test_wilson_stays_in_the_scale_holds_the_score_and_is_never_of_zero_width(cells, alpha):
    score, _, _, low, high = scored(cells, [1 / len(cells)] * len(cells), alpha)
    assert 0 <= low <= score + 1e-12
    assert score - 1e-12 <= high <= 1
    assert high - low > 0.01


def naive_centre(cells, w, r):
    """ψ₀: cell means moderated like the variances, then pulled to ½ by the pseudo-tasks."""
    lam = [(len(d) - 1) / (PRIOR_DF + len(d) - 1) for d in cells]
    means = [sum(d) / len(d) for d in cells]
    pooled = sum(a * m for a, m in zip(lam, means, strict=True)) / sum(lam)
    centre = sum(x * (a * m + (1 - a) * pooled) for x, a, m in zip(w, lam, means, strict=True))
    n_eff = 1 / sum(x * x / len(d) for x, d in zip(w, cells, strict=True))
    return (n_eff * centre + r * n_eff**2 / 2) / (n_eff + r * n_eff**2)


def naive_flatness(centre, cells, w, alpha):
    """Quantile of a symmetric beta of the score's kurtosis over the normal's, by scipy.stats."""
    sizes = [len(d) for d in cells]
    rest = sum(x**4 / n**3 for x, n in zip(w, sizes, strict=True))
    rest /= sum(x**2 / n for x, n in zip(w, sizes, strict=True)) ** 2
    kurtosis = max((1 / (centre * (1 - centre)) - 6) * rest, -1.2)
    if kurtosis > -1e-6:
        return 1.0
    shape = (-6 / kurtosis - 3) / 2
    beta = stats.beta(shape, shape)
    quantile = (beta.ppf(1 - alpha / 2) - 0.5) / beta.std()
    return quantile / stats.norm.ppf(1 - alpha / 2)


@given(SCORED.filter(lambda cells: max(map(len, cells)) > 1))
def test_wilson_bounds_solve_its_equation(cells):
    """(ψ − p)² = (f t)² p(1 − p)/N at both bounds, N = ψ₀(1 − ψ₀)/V; ψ₀, f from the docstring."""
    w = [1 / len(cells)] * len(cells)
    score, variance, constants, low, high = scored(cells, w, 0.05)
    centre = naive_centre(cells, w, constants.r[0])
    flat = naive_flatness(centre, cells, w, 0.05)
    t = flat * stats.t.ppf(0.975, constants.df[0])
    size = centre * (1 - centre) / variance
    for p in (low, high):
        if 0 < p < 1:
            # rel_tol: inverse incomplete betas of large shape agree to about 1e-9.
            assert math.isclose((score - p) ** 2, t * t * p * (1 - p) / size, rel_tol=1e-6)


def test_wilson_says_nothing_of_a_single_task():
    assert scored([[1.0]], [1.0], 0.05)[3:] == (0.0, 1.0)
