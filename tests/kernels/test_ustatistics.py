"""Naive against fast: pass@k and pass^k against the enumeration of every subset of runs."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.kernels.ustatistics import protocol_values


def enumerated(c, runs, kind, k):
    """Share of the k-subsets of runs that hold a success (pass@) or only successes (pass^)."""
    outcomes = [1] * c + [0] * (runs - c)
    subsets = list(combinations(outcomes, k))
    good = sum((any if kind == "pass@" else all)(s) for s in subsets)
    return Fraction(good, len(subsets))


@pytest.mark.parametrize("kind", ["pass@", "pass^"])
@given(runs=st.integers(1, 8), data=st.data())
def test_value_is_the_share_of_subsets(kind, runs, data):
    k, c = data.draw(st.integers(1, runs)), data.draw(st.integers(0, runs))
    got = protocol_values(np.array([float(c)]), np.array([runs]), kind, k)[0]
    assert got == pytest.approx(float(enumerated(c, runs, kind, k)), abs=1e-12)


@pytest.mark.parametrize(("kind", "k"), [("pass@", 1), ("pass@", 2), ("pass^", 2)])
def test_a_task_without_runs_has_no_value(kind, k):
    values = protocol_values(np.array([0.0, 2.0]), np.array([0, 3]), kind, k)
    assert np.isnan(values[0])
    assert np.isfinite(values[1])


def test_thousands_of_runs_do_not_overflow():
    """C(5000, 2500) has 1,504 digits; the ratio here is 1 − 4998·4997/(5000·4999) by hand."""
    got = protocol_values(np.array([2.0]), np.array([5000]), "pass@", 2)[0]
    # log-gamma of 5000 is about 4e4: its rounding of 1e-12 is all that is lost.
    assert got == pytest.approx(1 - 4998 * 4997 / (5000 * 4999), abs=1e-10)
