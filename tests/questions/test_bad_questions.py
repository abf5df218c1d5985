"""Bad specs and questions: the message says what, where, what is allowed and what was found."""

from __future__ import annotations

import polars as pl
import pytest

import tiebreak as tb

CELLS = {"t1": "x", "t2": "x", "t3": "y"}
OUTCOMES = {
    "alpha one": {"t1": 1.0, "t2": 0.0, "t3": 1.0},
    "alpha two": {"t1": 0.0, "t2": 0.0, "t3": 1.0},
    "beta": {"t1": 1.0, "t2": 1.0, "t3": 0.0},
}


@pytest.fixture
def trials(make_trials):
    return make_trials(OUTCOMES, CELLS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "stated:cell(x=0.5;z=0.5)"}, "no task is in; allowed: x, y; found: z"),
        ({"target": "stated:cell(x=0.5;y=0.4)"}, "do not sum to 1; allowed: .*; found: 0.9"),
        ({"target": "stated:cell(x=1.5;y=-0.5)"}, "negative or not finite.*found: y=-0.5"),
        ({"target": "equal:repo"}, "frame: no task column 'repo'.*allowed: cell"),
        ({"target": "even"}, "unknown target; allowed: observed.*found: even"),
        ({"cells": "nope"}, "no task column 'nope'.*allowed: cell"),
        ({"label_source": "judge"}, "unknown label source; allowed: score; found: judge"),
        ({"protocol": "pass@2"}, "pass@2 asks for more runs than 3 tasks.*allowed: k ≤ 1"),
        ({"protocol": "best"}, "unknown protocol.*found: best"),
        ({"missing": "zero"}, "rule for missing outcomes; allowed: fail, drop, error"),
        ({"support": "some"}, "unknown support; allowed: full, common; found: some"),
        ({"sampled": "cells"}, "cells are sampled, but no column forms them"),
        ({"interval": "wild"}, "no such interval where tasks are sampled"),
        ({"level": 95}, "confidence level out of range.*found: 95"),
        ({"margn": 0.1}, "unknown option; allowed: .*; found: margn"),
    ],
)
@pytest.mark.parametrize("question", ["compare", "board"])
def test_a_spec_without_meaning_is_refused(trials, question, options, message):
    with pytest.raises(tb.SpecError, match=message):
        ask(question, trials, **options)


def ask(question, trials, **options):
    if question == "board":
        return tb.board(trials, **options)
    return tb.compare(trials, "beta", "one", **options)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("alpha", "beta", "'alpha' matches 2 .*found: alpha one, alpha two"),
        ("gamma", "beta", "no configuration matches 'gamma'; allowed: "),
        ("beta", "bet", "cannot be compared with itself; allowed: two names; found: beta"),
    ],
)
def test_names_that_are_not_two_configurations_are_refused(trials, a, b, message):
    with pytest.raises(tb.SpecError, match=message):
        tb.compare(trials, a, b)


def test_one_configuration_is_nothing_to_compare(make_trials):
    with pytest.raises(
        tb.InputError, match=r"frame: one configuration only.*two or more.*found: a"
    ):
        tb.board(make_trials({"a": {"t1": 1.0, "t2": 0.0}}))


@pytest.mark.parametrize("top", [1, 0, -3])
def test_a_top_of_fewer_than_two_is_refused(trials, top):
    with pytest.raises(tb.SpecError, match=f"allowed: 2 or more; found: {top}"):
        tb.board(trials, top=top)


def test_a_column_that_contradicts_itself_forms_no_cells(make_table):
    table = make_table(OUTCOMES).with_columns(
        repo=pl.Series(["x", "y", "z", "other", "y", "z", "x", "y", "z"])
    )
    with pytest.raises(tb.SpecError, match=r"no task column 'repo'.*task 't1' has other, x"):
        tb.board(tb.read(table), target="equal:repo")


def test_a_task_without_a_cell_is_refused(make_table):
    table = make_table(OUTCOMES).with_columns(cell=pl.Series(["x", "y", None] * 3))
    with pytest.raises(tb.InputError, match=r"no value for 1 tasks; found: t3"):
        tb.board(tb.read(table), target="equal:cell")


def test_missing_outcomes_need_a_rule(make_trials):
    trials = make_trials(OUTCOMES | {"gap": {"t1": None, "t2": 1.0, "t3": 0.0}})
    with pytest.raises(tb.InputError, match=r"1 of 12 trials have no outcome.*--missing fail"):
        tb.board(trials)
    with pytest.raises(tb.InputError, match=r"no outcome"):
        tb.board(trials, missing="error")


def test_graded_scores_have_no_pass_at_k(make_trials):
    trials = make_trials({c: {"t1": [0.5, 1.0]} for c in ("a", "b")})
    with pytest.raises(tb.SpecError, match=r"pass\^2 needs outcomes that are 0 or 1"):
        tb.board(trials, protocol="pass^2")


def test_nothing_scored_at_all_is_refused(make_trials):
    trials = make_trials({"a": {"t1": None}, "b": {"t1": None}})
    with pytest.raises(tb.InputError, match=r"no trial has an outcome"):
        tb.board(trials, missing="drop")


def test_cells_that_nobody_shares_are_no_common_support(make_trials):
    trials = make_trials({"a": {"t1": 1.0}, "b": {"t3": 1.0}}, CELLS)
    with pytest.raises(tb.InputError, match=r"no common support; found: a, b"):
        tb.board(trials, target="equal:cell", support="common")


def test_an_unknown_column_for_the_support_table_is_refused(trials):
    with pytest.raises(tb.SpecError, match=r"no task column 'nope'"):
        tb.inspect(trials, cells="nope")
