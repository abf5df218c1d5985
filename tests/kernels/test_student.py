"""Outside golden: Student's t against scipy.stats, which this kernel avoids importing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tiebreak.kernels.student import flat_top, normal_two_sided_p, t_quantile, two_sided_p

DF = np.array([1.0, 2.5, 30.0, 1e4])


@pytest.mark.parametrize("p", [0.5, 0.9, 0.975, 0.9995])
def test_quantiles_are_scipys(p):
    # rtol: both go through the same inverse incomplete beta, to about 1e-10.
    np.testing.assert_allclose(t_quantile(p, DF), stats.t.ppf(p, DF), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("x", [-3.0, 0.0, 0.3, 12.0])
def test_two_sided_p_values_are_scipys(x):
    np.testing.assert_allclose(
        two_sided_p(np.full(4, x), DF), 2 * stats.t.sf(abs(x), DF), rtol=1e-9
    )


def test_infinite_degrees_of_freedom_are_the_normal():
    df = np.array([np.inf])
    np.testing.assert_allclose(t_quantile(0.975, df), [stats.norm.ppf(0.975)], rtol=1e-12)
    np.testing.assert_allclose(two_sided_p(np.array([1.5]), df), [2 * stats.norm.sf(1.5)])
    assert normal_two_sided_p(-1.5) == pytest.approx(2 * stats.norm.sf(1.5), rel=1e-12)


def test_a_flat_top_brings_the_quantile_nearer():
    """By hand: kurtosis −1.2 is the uniform, whose .975 quantile is 0.95·√3; 0 is the normal."""
    ratio = flat_top(np.array([-1.2, -2.0, 0.0, 3.0]), np.array([0.05]))
    uniform = 0.95 * np.sqrt(3) / stats.norm.ppf(0.975)
    np.testing.assert_allclose(ratio, [uniform, uniform, 1.0, 1.0], rtol=1e-9)
