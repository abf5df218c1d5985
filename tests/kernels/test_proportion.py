"""Wilson's interval against SciPy and against the intervals of Table I."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tiebreak.kernels.proportion import wilson_interval


@pytest.mark.parametrize(
    ("successes", "published"),
    # Rank-comparison paper, Table I: 300 replicates, rates and bounds to three decimals.
    [(299, (0.981, 0.999)), (295, (0.962, 0.993)), (300, (0.987, 1.0)), (287, (0.927, 0.975))],
)
def test_table_one_of_the_paper(successes: int, published: tuple[float, float]) -> None:
    # half of the last published digit, and a little where SciPy itself gives .9994 for .999
    assert wilson_interval(successes, 300) == pytest.approx(published, abs=0.0006)


@given(n=st.integers(1, 500), share=st.floats(0, 1), level=st.floats(0.5, 0.999))
def test_equals_scipy(n: int, share: float, level: float) -> None:
    k = round(share * n)
    expected = binomtest(k, n).proportion_ci(level, method="wilson")
    assert wilson_interval(k, n, level) == pytest.approx(tuple(expected), abs=1e-9)
