"""Trials under an estimand as dense arrays, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.errors import SpecError
from tiebreak.estimand import Estimand, Protocol, Target
from tiebreak.panel import build_panel, common_support

NAN = np.nan
CELLS = {"t1": "y", "t2": "x", "t3": "y", "t4": "x"}
OUTCOMES = {
    "a": {"t1": 1.0, "t2": [0.0, 1.0], "t3": 0.0, "t4": 1.0},
    "b": {"t1": 0.0, "t2": None, "t3": 1.0},
}


@pytest.fixture
def trials(make_trials):
    return make_trials(OUTCOMES, CELLS)


def panel_of(trials, **fields):
    return build_panel(trials, Estimand(**({"missing": "drop"} | fields)))


def test_tasks_are_ordered_by_cell_and_runs_are_averaged(trials):
    panel = panel_of(trials, target=Target("equal", "cell"))
    assert panel.tasks == ("t2", "t4", "t1", "t3")
    assert panel.cell_names == ("x", "y")
    assert panel.cells.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(panel.values, [[0.5, 1, 1, 0], [NAN, NAN, 0, 1]])
    assert panel.max_runs == 2


def test_a_dropped_outcome_was_run_and_a_task_that_is_not_there_was_not(trials):
    panel = panel_of(trials, target=Target("equal", "cell"))
    assert panel.ran.tolist() == [[True] * 4, [True, False, True, True]]
    assert panel.support.tolist() == [[2, 2], [1, 2]]


def test_fail_counts_missing_outcomes_as_zero_but_not_tasks_without_a_record(trials):
    panel = panel_of(trials, missing="fail", target=Target("equal", "cell"))
    np.testing.assert_array_equal(panel.values[1], [0, NAN, 0, 1])


@pytest.mark.parametrize(
    ("target", "weights"),
    [
        (Target(), [1.0]),
        (Target("observed", "cell"), [0.5, 0.5]),
        (Target("equal", "cell"), [0.5, 0.5]),
        (Target.stated("cell", {"y": 0.8, "x": 0.2}), [0.2, 0.8]),
        (Target.stated("cell", {"y": 1.0}), [0.0, 1.0]),
    ],
)
def test_targets_become_weights_over_the_cells(trials, target, weights):
    np.testing.assert_allclose(panel_of(trials, target=target).weights, weights)


def test_observed_weights_follow_the_sizes_of_the_cells(make_trials):
    outcomes = {"a": {f"t{i}": 1.0 for i in range(8)}}
    cells = {f"t{i}": "x" if i < 6 else "y" for i in range(8)}
    panel = panel_of(make_trials(outcomes, cells), target=Target("observed", "cell"))
    assert panel.weights.tolist() == [0.75, 0.25]


def test_only_the_observed_target_weighs_tasks_by_themselves(trials):
    assert panel_of(trials).by_task
    assert panel_of(trials, target=Target("observed", "cell")).by_task
    assert not panel_of(trials, target=Target("equal", "cell")).by_task


def test_common_support_keeps_the_shared_tasks_of_an_observed_target(trials):
    shared = common_support(panel_of(trials, target=Target("observed", "cell")))
    assert shared.tasks == ("t2", "t1", "t3")
    np.testing.assert_allclose(shared.weights, [1 / 3, 2 / 3])
    assert shared.by_task


def test_common_support_rescales_the_shared_cells_of_another_target(make_trials):
    trials = make_trials({"a": OUTCOMES["a"], "b": {"t1": 0.0}}, CELLS)
    shared = common_support(panel_of(trials, target=Target.stated("cell", {"x": 0.6, "y": 0.4})))
    assert shared.weights.tolist() == [0.0, 1.0]
    assert shared.tasks == ("t2", "t4", "t1", "t3")


def test_protocols_give_task_level_values(make_trials):
    trials = make_trials({"a": {"t1": [1, 1, 0], "t2": [0, 0, 0]}})
    values = panel_of(trials, protocol=Protocol("pass^", 2)).values
    np.testing.assert_allclose(values, [[1 / 3, 0.0]])


def test_a_protocol_names_the_tasks_with_too_few_runs(trials):
    with pytest.raises(SpecError, match=r"pass@2 asks for more runs than 3 tasks .*t1, t3, t4"):
        panel_of(trials, protocol=Protocol("pass@", 2))


def test_configurations_can_be_taken_in_another_order(trials):
    panel = panel_of(trials)
    taken = panel.take([1, 0])
    assert taken.configurations == ("b", "a")
    np.testing.assert_array_equal(taken.values, panel.values[::-1])
    np.testing.assert_array_equal(taken.ran, panel.ran[::-1])


def test_fail_counts_a_task_that_is_listed_as_not_run(make_table):
    """A record that states the lack of a trial is outside support, unless it counts as failed."""
    table = make_table({"a": {"t1": 1.0, "t2": None}}).with_columns(
        status=pl.Series(["ok", "not_run"])
    )
    trials = tb.read(table)
    dropped, failed = panel_of(trials), panel_of(trials, missing="fail")
    assert dropped.ran.tolist() == [[True, False]]
    assert failed.ran.tolist() == [[True, True]]
    assert failed.values.tolist() == [[1.0, 0.0]]
