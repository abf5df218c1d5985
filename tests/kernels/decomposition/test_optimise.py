"""Searches over bounded variances: quadratics by hand, two hills, singular trial points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tiebreak.kernels.decomposition.optimise import Evaluation, maximise, maximise_from

ZERO = np.zeros(1)


def quadratic(top, curve):
    """−½ (v − top)ᵀ curve (v − top)."""

    def evaluate(v):
        away = v - top
        return Evaluation(float(-away @ curve @ away / 2), -curve @ away, curve)

    return evaluate


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_a_quadratic_is_maximised_within_its_bounds(seed):
    rng = np.random.default_rng(seed)
    root, top = rng.standard_normal((4, 4)), rng.standard_normal(4)
    evaluate = quadratic(top, root @ root.T + 0.1 * np.eye(4))
    found = maximise(evaluate, np.ones(4), np.zeros(4))
    other = minimize(
        lambda v: -evaluate(v).value,
        np.ones(4),
        jac=lambda v: -evaluate(v).gradient,
        bounds=[(0, None)] * 4,
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    # a step that promises 1e-9 ends the search
    assert found.converged
    assert found.value == pytest.approx(-other.fun, abs=1e-6)
    assert found.at.min() >= 0


def hills(v):
    """Hills of height 1 at 1 and 2 at 5, each with the information of its own top."""
    x = float(v[0])
    left, right = np.exp(-((x - 1) ** 2) / 2), 2 * np.exp(-((x - 5) ** 2) / 2)
    gradient = left * (1 - x) + right * (5 - x)
    return Evaluation(float(left + right), np.array([gradient]), np.array([[max(left, right)]]))


def test_the_higher_of_two_hills_is_found_from_two_starts():
    found = maximise_from(hills, [np.array([0.6]), np.array([4.2])], ZERO)
    assert [o.at[0] for o in found] == pytest.approx(
        [1, 5], abs=5e-3
    )  # each lifts the other's side
    assert max(found, key=lambda o: o.value).value == pytest.approx(2, abs=1e-3)


def test_a_search_ends_where_its_next_step_lands_on_a_found_top():
    calls = []

    def counted(v):
        calls.append(v)
        return hills(v)

    alone = maximise(counted, np.array([4.2]), ZERO)
    first, calls[:] = len(calls), []
    second = maximise(counted, np.array([5.7]), ZERO, [alone])
    assert (second.at, second.value) == (alone.at, alone.value)
    assert len(calls) < first


def test_trial_points_without_a_value_are_stepped_back_from():
    top = quadratic(np.array([3.0]), np.eye(1))

    def evaluate(v):
        if v[0] > 3.5:
            raise np.linalg.LinAlgError("singular")
        found = top(v)
        return Evaluation(found.value, found.gradient, found.information / 3)  # steps too long

    found = maximise(evaluate, np.array([1.0]), ZERO)
    assert found.converged
    assert found.at[0] == pytest.approx(3, abs=1e-4)
