"""Naive against fast: moments through matrix products equal loops over pairs and tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiebreak.kernels.moments import BLOCK, all_pairs, blocks, pair_moments, score_moments

# Sums of at most 12 numbers in [0, 1]: the two orders of summation differ by a few 1e-16.
CLOSE = {"rtol": 1e-12, "atol": 1e-12}
SCORES = st.sampled_from([0.0, 1.0, 0.25, 0.5, float("nan")])


@st.composite
def panels(draw):
    """(configurations × tasks) values with holes, and sorted cells of which some may be empty."""
    k, n = draw(st.integers(2, 5)), draw(st.integers(1, 12))
    values = draw(hnp.arrays(float, (k, n), elements=SCORES))
    cells = np.sort(draw(hnp.arrays(np.intp, n, elements=st.integers(0, 3))))
    return values, cells


def naive(differences, cells, cell):
    """Count, mean and sum of squares about the mean of one cell, two passes."""
    d = [x for x, c in zip(differences, cells, strict=True) if c == cell and not np.isnan(x)]
    if not d:
        return 0, np.nan, 0.0
    mean = sum(d) / len(d)
    return len(d), mean, sum((x - mean) ** 2 for x in d)


def assert_same(moments, row, differences, cells, n_cells=4):
    expected = [naive(differences, cells, c) for c in range(n_cells)]
    for got, want in zip(moments, zip(*expected, strict=True), strict=True):
        np.testing.assert_allclose(got[row], want, **CLOSE)


@given(panels())
def test_pair_moments_equal_a_loop_over_pairs(panel):
    values, cells = panel
    left, right = all_pairs(len(values))
    moments = pair_moments(values, cells, 4, left, right)
    for p, (i, j) in enumerate(zip(left, right, strict=True)):
        assert_same(moments, p, values[i] - values[j], cells)


@given(panels())
def test_score_moments_equal_a_loop_over_configurations(panel):
    values, cells = panel
    moments = score_moments(values, cells, 4)
    for i, row in enumerate(values):
        assert_same(moments, i, row, cells)


@given(panels())
def test_complete_rows_take_the_short_path_to_the_same_moments(panel):
    """A cell without holes is computed without masks; a hole elsewhere must not change it."""
    values, cells = np.nan_to_num(panel[0]), panel[1]
    holed = np.vstack([values, np.full(values.shape[1], np.nan)])
    left, right = all_pairs(len(values))
    short = pair_moments(values, cells, 4, left, right)
    masked = pair_moments(holed, cells, 4, left, right)
    for a, b in zip(short, masked, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)


def test_equal_differences_leave_no_rounding_dust():
    """0.1 + 0.2 style dust in SS would make equal differences look uncertain by accident."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 8, (1, 40)) / 10
    values = np.vstack([base, base + 0.1, base + 0.2])
    assert pair_moments(values, np.zeros(40, np.intp), 1, *all_pairs(3)).ss.tolist() == [[0.0]] * 3


def test_all_pairs_come_row_by_row():
    left, right = all_pairs(3)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("total", "width"), [(0, 5), (1, 1), (10, BLOCK), (10, BLOCK // 3), (7, 0)]
)
def test_blocks_cover_everything_once_within_the_size(total, width):
    parts = list(blocks(total, width))
    covered = [i for part in parts for i in range(part.start, part.stop)]
    assert covered == list(range(total))
    assert all((p.stop - p.start) * width <= BLOCK or p.stop - p.start == 1 for p in parts)
