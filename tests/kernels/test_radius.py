"""Outside golden: the closed-form radius against the linear program solved by SciPy's HiGHS."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tiebreak.kernels.radius import l1_radius

NAN = np.nan


def highs(gaps, weights, level):
    """min Σ(u + v) s.t. π₀ + u − v ≥ 0, Σ(u − v) = 0, Σ(π₀ + u − v) d ≤ level, on support."""
    kept = [i for i, d in enumerate(gaps) if not np.isnan(d)]
    d, start = np.array([gaps[i] for i in kept]), np.array([weights[i] for i in kept])
    k = len(kept)
    below = np.concatenate([-np.eye(k), np.eye(k)], axis=1)
    found = linprog(
        np.ones(2 * k),
        A_ub=np.vstack([np.concatenate([d, -d]), below]),
        b_ub=np.concatenate([[level - start @ d], start]),
        A_eq=np.concatenate([np.ones(k), -np.ones(k)])[None],
        b_eq=[0.0],
        method="highs",
    )
    return found.fun if found.status == 0 else np.inf


@st.composite
def instances(draw):
    """Gaps on a grid of twentieths (so ties and zeros occur), some unsupported; whole weights."""
    k = draw(st.integers(1, 7))
    grid = st.one_of(st.integers(-20, 20).map(lambda i: i / 20), st.just(NAN))
    gaps = draw(st.lists(grid, min_size=k, max_size=k).filter(lambda g: not all(map(np.isnan, g))))
    raw = [draw(st.integers(0, 5)) * (not np.isnan(g)) for g in gaps]
    raw = raw if any(raw) else [float(not np.isnan(g)) for g in gaps]
    return gaps, [r / sum(raw) for r in raw]


@settings(max_examples=300)
@given(instances(), st.sampled_from([0.0, 0.02, 0.05, 0.1]))
def test_radius_is_the_optimum_of_the_linear_program(instance, level):
    gaps, weights = instance
    got = l1_radius(np.array([gaps]), np.array([weights]), level)[0]
    # HiGHS solves to a feasibility tolerance of 1e-7 over gaps as small as 1/20.
    np.testing.assert_allclose(got, highs(gaps, weights, level), atol=1e-5)


@pytest.mark.parametrize(
    ("gaps", "weights", "level", "expected"),
    [
        ([0.5, -0.5], [0.75, 0.25], 0.0, 0.5),  # by hand: a quarter of the mass moves
        ([0.5, -0.5], [0.25, 0.75], 0.0, 0.0),  # already behind
        ([0.5, 0.1], [0.5, 0.5], 0.0, np.inf),  # ahead everywhere: no mix flips the sign
        ([0.5, 0.0], [0.5, 0.5], 0.0, 1.0),  # a cell with d = 0 makes it finite
        ([0.5, -0.5], [1.0, 0.0], 0.0, 1.0),  # supported cells of weight 0 may receive
        ([0.5, NAN], [1.0, 0.0], 0.0, np.inf),  # an unsupported cell may not
        ([0.5, 0.1], [0.5, 0.5], 0.1, 1.0),  # margin flip where the sign never flips
        ([0.5, 0.1], [0.5, 0.5], 0.3, 0.0),  # the margin is already met
        ([NAN, NAN], [0.0, 0.0], 0.0, NAN),
    ],
)
def test_hand_made_cases(gaps, weights, level, expected):
    np.testing.assert_allclose(l1_radius(np.array([gaps]), np.array([weights]), level), [expected])


def test_rows_are_judged_on_their_own():
    gaps = np.array([[0.5, -0.5], [0.5, 0.1], [NAN, -0.2]])
    weights = np.array([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]])
    together = l1_radius(gaps, weights)
    alone = [l1_radius(gaps[[i]], weights[[i]])[0] for i in range(3)]
    assert together.tolist() == alone == [0.5, np.inf, 0.0]
