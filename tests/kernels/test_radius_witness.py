"""The L1 radius and its witness against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiebreak.kernels.radius import l1_radius, l1_witness

ROWS, CELLS = 20, 4
NAN = np.nan
# Gaps are multiples of 1/20: an excess off by a few 1e-16, divided by a gain of at least 1/20.
EXACT = 1e-12


@st.composite
def boards(draw):
    """Gaps as twentieths (None: unsupported) and whole-number weights; every row has weight."""
    twentieths = draw(hnp.arrays(int, (ROWS, CELLS), elements=st.integers(-20, 20)))
    absent = draw(hnp.arrays(bool, (ROWS, CELLS)))
    absent[:, 0] = False
    raw = draw(hnp.arrays(int, (ROWS, CELLS), elements=st.integers(0, 3)))
    raw[absent] = 0
    raw[raw.sum(axis=1) == 0, 0] = 1
    return twentieths, absent, raw


def floats(twentieths, absent, raw):
    return np.where(absent, NAN, twentieths / 20), raw / raw.sum(axis=1, keepdims=True)


def exact_radius(d, w, level):
    """Least mass moved to the lowest cell, over every choice of full givers and one partial."""
    excess = sum(a * b for a, b in zip(d, w, strict=True)) - level
    if excess <= 0:
        return Fraction(0)
    gain = [x - min(d) for x in d]
    best = None
    for size in range(len(d)):
        for full in combinations(range(len(d)), size):
            left = excess - sum(gain[x] * w[x] for x in full)
            for x in set(range(len(d))) - set(full):
                if gain[x] > 0 and 0 <= left <= gain[x] * w[x]:
                    cost = 2 * (sum(w[y] for y in full) + left / gain[x])
                    best = cost if best is None else min(best, cost)
    return best


@settings(max_examples=150, deadline=None)
@given(boards(), st.sampled_from([Fraction(0), Fraction(1, 50), Fraction(1, 10)]))
def test_radius_is_exact(board, level):
    radius = l1_radius(*floats(*board), float(level))
    for row, (d, absent, w) in enumerate(zip(*board, strict=True)):
        kept = np.flatnonzero(~absent)
        gaps = [Fraction(int(d[x]), 20) for x in kept]
        mass = [Fraction(int(w[x]), int(w.sum())) for x in kept]
        expected = exact_radius(gaps, mass, level)
        if expected is None:
            assert radius[row] == np.inf
        else:
            assert abs(radius[row] - expected) <= EXACT


@settings(max_examples=150, deadline=None)
@given(boards(), st.sampled_from([0.0, 0.02, 0.1]))
def test_the_witness_attains_the_radius(board, level):
    gaps, weights = floats(*board)
    radius, moved = l1_witness(gaps, weights, level)
    found = np.isfinite(radius)
    assert np.isnan(moved[~found]).all()
    gaps, weights, radius, moved = gaps[found], weights[found], radius[found], moved[found]
    after = weights + moved
    np.testing.assert_allclose(moved.sum(axis=1), 0, atol=EXACT)
    np.testing.assert_allclose(np.abs(moved).sum(axis=1), radius, atol=EXACT)
    assert (after >= -EXACT).all()
    assert (moved[np.isnan(gaps)] == 0).all()
    assert (np.nansum(after * gaps, axis=1) <= level + EXACT).all()


def test_the_largest_gap_gives_to_the_smallest():
    """By hand: excess .26 (.19 above .07): .15 from cell 0, .08 (.04) from cell 1, .03 from 2."""
    radius, moved = l1_witness(np.array([[0.5, 0.4, 0.3, 0.0]]), np.array([[0.3, 0.2, 0.1, 0.4]]))
    np.testing.assert_allclose(radius, [1.2])
    np.testing.assert_allclose(moved, [[-0.3, -0.2, -0.1, 0.6]])
    radius, moved = l1_witness(
        np.array([[0.5, 0.4, 0.3, 0.0]]), np.array([[0.3, 0.2, 0.1, 0.4]]), 0.07
    )
    np.testing.assert_allclose(radius, [0.8])
    np.testing.assert_allclose(moved, [[-0.3, -0.1, 0, 0.4]], atol=EXACT)


@pytest.mark.parametrize(
    ("gaps", "weights", "expected"),
    [
        ([0.79 - 0.77, 0.5], [0.5, 0.5], 1.0),  # .79 − .77 exceeds .02 by rounding only
        ([0.79 - 0.77, 0.02], [0.5, 0.5], 0.0),  # and so does the weighted gap here
        ([0.021, 0.5], [0.5, 0.5], np.inf),
    ],
)
def test_a_level_met_to_rounding_is_met(gaps, weights, expected):
    radius = l1_radius(np.array([gaps]), np.array([weights]), 0.02)
    np.testing.assert_allclose(radius, [expected], atol=EXACT)


def test_no_support_no_answer():
    radius, moved = l1_witness(np.array([[NAN, NAN]]), np.zeros((1, 2)))
    assert np.isnan(radius).all()
    assert np.isnan(moved).all()
