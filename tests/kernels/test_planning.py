"""What runs and tasks buy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tiebreak.kernels.planning import (
    Components,
    detectable_gap,
    enough_runs,
    planned_sd,
    runs_for,
    sd_floor,
    tasks_for,
)

FOUND = Components(0.04, 0.0009, 0.16)


def test_the_three_parts_add_up():
    sd = planned_sd(FOUND, np.array([500.0]), np.array([5.0]), population=True)
    assert sd[0] == pytest.approx(math.sqrt(0.04 / 500 + 0.0009 / 5 + 0.16 / 2500))
    fixed = planned_sd(FOUND, np.array([500.0]), np.array([5.0]), population=False)
    assert fixed[0] == pytest.approx(math.sqrt(0.0009 / 5 + 0.16 / 2500))


def test_more_runs_come_near_the_floor_and_never_below():
    sd = planned_sd(FOUND, np.array(100.0), 10.0 ** np.arange(7), population=True)
    floor = sd_floor(FOUND, 100, population=True)
    assert (np.diff(sd) < 0).all()
    assert floor < sd[-1] < floor * 1.001
    assert sd_floor(FOUND, 100, population=False) == 0.0


def test_enough_is_the_first_run_whose_successor_gains_too_little():
    enough = enough_runs(FOUND, 500, gain=0.001, population=True)
    sd = planned_sd(FOUND, np.array(500.0), np.arange(1, 40.0), population=True)
    gains = -np.diff(sd)
    assert (gains[: enough - 1] >= 0.001).all()
    assert gains[enough - 1] < 0.001


def test_negative_and_unknown_components_plan_as_zero():
    assert Components(-0.1, math.nan, 0.2).positive == Components(0.0, 0.0, 0.2)


def test_the_detectable_gap_has_its_power():
    assert detectable_gap(np.array(1.0)) == pytest.approx(1.959964 + 0.841621, abs=1e-5)


@pytest.mark.parametrize("runs", [1, 3, 5])
@pytest.mark.parametrize("sd", [0.03, 0.025, 0.05])
def test_the_tasks_asked_for_are_just_enough(runs, sd):
    n = tasks_for(FOUND, runs, sd)
    if math.isinf(n):
        assert FOUND.run / runs >= sd**2
        return
    fewer = max(n - 1, 1)
    reached = planned_sd(FOUND, np.array([n, fewer]), np.array(float(runs)), population=True)
    assert reached[0] <= sd * (1 + 1e-9)
    assert n == 1 or reached[1] > sd


@pytest.mark.parametrize("tasks", [50, 200, 500])
@pytest.mark.parametrize("sd", [0.01, 0.02, 0.05])
def test_the_runs_asked_for_are_just_enough(tasks, sd):
    R = runs_for(FOUND, tasks, sd)
    if math.isinf(R):
        assert sd_floor(FOUND, tasks, population=True) >= sd
        return
    fewer = max(R - 1, 1)
    reached = planned_sd(FOUND, np.array(float(tasks)), np.array([R, fewer]), population=True)
    assert reached[0] <= sd * (1 + 1e-9)
    assert R == 1 or reached[1] > sd


def test_without_run_noise_the_tasks_alone_decide():
    assert runs_for(Components(0.04, 0.0, 0.0), 100, 0.03) == 1.0
    assert math.isinf(runs_for(Components(0.04, 0.0, 0.0), 100, 0.01))
    assert tasks_for(Components(0.04, 0.0, 0.0), 1, 0.02) == 100.0
