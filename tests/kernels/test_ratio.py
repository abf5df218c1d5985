"""Ratios of means and unbroken rows of marks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tiebreak.kernels.ratio import fieller, longest_streak, streak_probability


def test_fieller_solves_its_own_equation():
    rng = np.random.default_rng(0)
    x, y = rng.random(40) + 1, rng.random(40) + 0.2
    value, low, high = fieller(x, y, 0.95)
    assert low < value < high
    for bound in (low, high):
        d = x - bound * y
        assert abs(d.mean()) / (d.std(ddof=1) / math.sqrt(40)) == pytest.approx(2.02269, abs=1e-4)


def test_fieller_covers():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(2000):
        y = (rng.random(60) < 0.4).astype(float)
        _, low, high = fieller(rng.gamma(4, 0.25, 60), y, 0.95)
        hits += low <= 2.5 <= high
    assert hits / 2000 == pytest.approx(0.95, abs=0.015)


def test_nothing_resolved_has_no_ratio_and_few_have_no_upper_bound():
    assert all(math.isnan(v) for v in fieller(np.ones(5), np.zeros(5), 0.95))
    value, low, high = fieller(np.ones(5), np.array([0, 0, 0, 0, 1.0]), 0.95)
    assert (value, math.isinf(high), low >= 0) == (5.0, True, True)
    assert math.isinf(fieller(np.ones(1), np.ones(1), 0.95)[2])


def test_streaks():
    assert longest_streak(np.array([0, 1, 1, 0, 1, 1, 1], dtype=bool)) == (4, 3)
    assert longest_streak(np.zeros(4, dtype=bool)) == (0, 0)
    assert streak_probability(3, 3, 500) == pytest.approx(498 / math.comb(500, 3))
    assert streak_probability(2, 400, 500) == 1.0
