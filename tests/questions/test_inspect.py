"""What was read: counts, support and missing outcomes, by hand."""

from __future__ import annotations

import pytest

import tiebreak as tb

CELLS = {"t1": "x", "t2": "x", "t3": "y"}


@pytest.fixture
def result(make_trials):
    outcomes = {"a": {"t1": [1.0, 0.0], "t2": None, "t3": 1.0}, "b": {"t1": 0.0}}
    return tb.inspect(make_trials(outcomes, CELLS))


def test_counts_add_up(result):
    assert result.counts == {"configurations": 2, "tasks": 3, "trials": 5, "runs": 2}
    data = result.to_dict()["data"]
    assert data["read"] == data["used"] + sum(data["excluded"].values()) == 5
    assert data["missing"] == {"error": 1}


def test_support_counts_tasks_per_configuration_and_cell(result):
    assert result.to_rows() == [
        {"configuration": "a", "tasks": 3, "x": 2, "y": 1},
        {"configuration": "b", "tasks": 1, "x": 1, "y": 0},
    ]


def test_missing_outcomes_are_listed(result):
    assert result.to_dict()["missing"] == [{"configuration": "a", "status": "error", "count": 1}]


def test_the_mapping_found_is_shown(result):
    assert "configuration ← configuration" in str(result)
    assert result.columns["task"] == ("cell",)


@pytest.mark.parametrize("names", [("tasks", "configuration"), ("x", "tasks")])
def test_cells_may_have_any_name(make_trials, names):
    cells = dict(zip(("t1", "t2"), names, strict=True))
    result = tb.inspect(make_trials({"a": {"t1": 1.0, "t2": 0.0}, "b": {"t1": 0.0}}, cells))
    assert result.counts["tasks"] == 2
    assert str(result)
