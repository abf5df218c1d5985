"""Quantiles of two-part variances: coverage by quadrature, limits, and the p value's inverse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit
from scipy.stats import chi2

from tiebreak.kernels.combine import satterthwaite, two_part_p, two_part_quantile

INFINITE = np.array(np.inf)


def coverage(f, noise, shock):
    """P(|Z| √(1 + shock) ≤ half-width): task variance 1, of which ``noise`` is task × run."""
    at = (np.arange(2001) + 0.5) / 2001
    x = (noise + shock) * chi2.ppf(at, f) / f
    known = np.full(x.size, 1 - noise)
    half = two_part_quantile(0.05, known, INFINITE, x, np.array(float(f))) * np.sqrt(known + x)
    return float(np.mean(2 * ndtr(half / np.sqrt(1 + shock)) - 1))


@pytest.mark.parametrize(
    ("f", "low", "high"),
    [(1, 0.93, 0.97), (2, 0.945, 0.96), (4, 0.948, 0.958), (9, 0.948, 0.955)],
)
def test_coverage_whatever_the_shares(f, low, high):
    found = [
        coverage(f, noise, shock)
        for noise in (0.05, 0.2, 0.4, 0.6, 0.8)
        for shock in (0, 0.1, 0.3, 1, 3, 10, 100)
    ]
    assert low <= min(found)
    assert max(found) <= high


def test_one_part_alone_is_students_t():
    zero, one, f = np.array([0.0]), np.array([1.0]), np.array([4.0])
    assert two_part_quantile(0.05, zero, INFINITE, one, f)[0] == pytest.approx(stdtrit(4, 0.975))
    known = two_part_quantile(0.05, one, np.array([30.0]), zero, np.array([np.inf]))
    assert known[0] == pytest.approx(stdtrit(30, 0.975))


def test_satterthwaite_of_two_equal_parts():
    one = np.array([1.0])
    assert satterthwaite(one, np.array(3.0), one, np.array(3.0))[0] == pytest.approx(6.0)


def test_an_infinite_part_gives_its_own_df():
    infinite, one = np.array([np.inf]), np.array([1.0])
    assert satterthwaite(infinite, np.array(7.0), one, np.array(2.0))[0] == pytest.approx(7.0)
    assert np.isfinite(two_part_quantile(0.05, infinite, np.array(7.0), one, np.array(2.0)))[0]


def test_the_p_value_is_the_level_whose_bound_is_at_zero():
    known, few, f = np.array([1.0, 0.5]), np.array([0.3, 2.0]), np.array([2.0, 4.0])
    statistic = np.array([2.4, -3.0])
    p = two_part_p(statistic, known, INFINITE, few, f)
    again = two_part_quantile(p, known, INFINITE, few, f)
    assert again == pytest.approx(np.abs(statistic), rel=1e-6)
