"""Perturbed weights: laws of the draws, tested against exact distributions and rejection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import ks_2samp, kstest

from tiebreak.kernels.perturbation import (
    dirichlet_weights,
    l1_ball_weights,
    top_gap_quantiles,
    top_shares,
)

DRAWS = 20_000
UNLIKELY = 1e-4
"""p value below which a fixed-seed test fails: wrong laws give less than 1e-10 here."""


def test_dirichlet_moments_and_zero_cells():
    target, concentration = np.array([0.5, 0.0, 0.3, 0.2]), 20.0
    drawn = dirichlet_weights(target, concentration, DRAWS, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum(axis=1), 1, atol=1e-12)
    assert (drawn[:, 1] == 0).all()
    variance = target * (1 - target) / (concentration + 1)
    # four standard errors of a mean; the variance of a variance is about 2 σ⁴ / draws
    assert (np.abs(drawn.mean(axis=0) - target) <= 4 * np.sqrt(variance / DRAWS)).all()
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=4 * np.sqrt(2.5 / DRAWS))


def test_tiny_concentrations_are_weights_too():
    drawn = dirichlet_weights(np.array([0.999, 0.001]), 0.01, 1000, np.random.default_rng(2))
    np.testing.assert_allclose(drawn.sum(axis=1), 1, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(
    hnp.arrays(int, st.integers(1, 5), elements=st.integers(0, 4)).filter(lambda raw: raw.any()),
    st.sampled_from([0.0, 0.1, 0.7, 2.0]),
)
def test_draws_lie_in_the_ball_and_on_the_simplex(raw, radius):
    target = raw / raw.sum()
    drawn = l1_ball_weights(target, radius, 20, np.random.default_rng(3))
    np.testing.assert_allclose(drawn.sum(axis=1), 1, atol=1e-12)
    assert (drawn >= 0).all()
    assert (drawn[:, target == 0] == 0).all()
    assert (np.abs(drawn - target).sum(axis=1) <= radius + 1e-12).all()


@pytest.mark.parametrize("cells", [2, 3, 12, 30])
def test_uniform_in_a_ball_inside_the_simplex(cells):
    """The ball scales: (‖u‖/ρ)^(C−1) is uniform on [0, 1], and each cell moves both ways alike."""
    target, radius = np.full(cells, 1 / cells), 1.5 / cells
    drawn = l1_ball_weights(target, radius, DRAWS, np.random.default_rng(5)) - target
    size = np.abs(drawn).sum(axis=1) / radius
    assert kstest(size ** (cells - 1), "uniform").pvalue > UNLIKELY
    for x in (0, cells - 1):
        assert ks_2samp(drawn[:, x], -drawn[:, x]).pvalue > UNLIKELY


def accepted(target, radius, draws, rng):
    """Uniform on the simplex, kept where in the ball."""
    kept = np.zeros((0, target.size))
    while len(kept) < draws:
        tried = rng.dirichlet(np.ones(target.size), size=200_000)
        kept = np.concatenate([kept, tried[np.abs(tried - target).sum(axis=1) <= radius]])
    return kept[:draws]


@pytest.mark.parametrize(
    ("target", "radius"),
    [
        ([0.8, 0.2], 0.9),  # the ball is cut by the simplex on one side
        ([0.7, 0.28, 0.02], 0.4),
        ([0.46, 0.3, 0.2, 0.03, 0.01], 0.5),
        ([0.4, 0.3, 0.2, 0.1], 2.0),  # the whole simplex
    ],
)
def test_uniform_where_the_simplex_cuts_the_ball(target, radius):
    rng, target = np.random.default_rng(6), np.array(target)
    drawn = l1_ball_weights(target, radius, DRAWS, rng)
    reference = accepted(target, radius, DRAWS, rng)
    for law in (*np.eye(target.size), np.arange(target.size) ** 2.0):
        assert ks_2samp(drawn @ law, reference @ law).pvalue > UNLIKELY
    sizes = (np.abs(w - target).sum(axis=1) for w in (drawn, reference))
    assert ks_2samp(*sizes).pvalue > UNLIKELY


def test_the_same_seed_gives_the_same_draws():
    target = np.array([0.5, 0.3, 0.2])
    for draw in (dirichlet_weights, l1_ball_weights):
        first, again, other = (
            draw(target, 0.3, 5, np.random.default_rng(seed)) for seed in (7, 7, 8)
        )
        np.testing.assert_array_equal(first, again)
        assert (first != other).any()


@given(hnp.arrays(int, (7, 4), elements=st.integers(0, 3)))
def test_top_shares_split_ties(scores):
    expected = np.zeros(4)
    for row in scores:
        top = [i for i in range(4) if row[i] == max(row)]
        expected[top] += 1 / len(top) / len(scores)
    np.testing.assert_allclose(top_shares(scores / 3), expected, atol=1e-15)


def test_a_tie_but_for_rounding_is_a_tie():
    assert top_shares(np.array([[0.1 + 0.2, 0.3]])).tolist() == [0.5, 0.5]


def test_top_gap_quantiles_are_of_type_7():
    """Gaps 0, .1, .2, .3: type 7 puts the 10 % quantile at 0 + .3 · (.1 − 0)."""
    scores = np.array([[0.5, 0.3, 0.5], [0.6, 0.5, 0], [0, 0.7, 0.5], [0.8, 0.1, 0.5]])
    got = top_gap_quantiles(scores, np.array([0.0, 0.1, 0.5, 1.0]))
    np.testing.assert_allclose(got, [0, 0.03, 0.15, 0.3], atol=1e-15)
