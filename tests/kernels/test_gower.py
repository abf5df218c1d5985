"""Gower's distance: loops against columns, and by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiebreak.kernels.gower import gower

NAN = np.nan


@st.composite
def tables(draw):
    n, p, q = draw(st.integers(1, 6)), draw(st.integers(0, 3)), draw(st.integers(0, 3))
    number = st.sampled_from([NAN, -2.0, 0.0, 0.5, 3.0])
    return (
        draw(hnp.arrays(float, (n, p), elements=number)),
        draw(hnp.arrays(np.intp, (n, q), elements=st.integers(-1, 2))),
    )


def naive(numeric, codes, i, j):
    parts = []
    for column in numeric.T:
        seen = [x for x in column if not np.isnan(x)]
        if not np.isnan(column[i]) and not np.isnan(column[j]):
            width = max(seen) - min(seen)
            parts.append(abs(column[i] - column[j]) / width if width else 0.0)
    parts += [float(c[i] != c[j]) for c in codes.T if c[i] >= 0 and c[j] >= 0]
    return sum(parts) / len(parts) if parts else NAN


@given(tables())
def test_distance_is_the_mean_over_columns(table):
    numeric, codes = table
    n = len(numeric)
    expected = [[0.0 if i == j else naive(*table, i, j) for j in range(n)] for i in range(n)]
    # means of at most six numbers in [0, 1]
    np.testing.assert_allclose(gower(numeric, codes), np.reshape(expected, (n, n)), atol=1e-15)


def test_by_hand():
    """Range 4; |1 − 3|/4 = .5 and a mismatch: mean .75. Row 2 lacks its number."""
    numeric = np.array([[1.0], [3.0], [NAN], [5.0]])
    codes = np.array([[0], [1], [0], [0]])
    expected = [[0, 0.75, 0, 0.5], [0.75, 0, 1, 0.75], [0, 1, 0, 0], [0.5, 0.75, 0, 0]]
    np.testing.assert_array_equal(gower(numeric, codes), expected)


def test_nothing_to_compare_is_unknown():
    distance = gower(np.array([[NAN], [1.0]]), np.zeros((2, 0), dtype=int))
    np.testing.assert_array_equal(distance, [[0, NAN], [NAN, 0]])
