"""The tidy trial table: its checks, its accounting and its identity."""

from __future__ import annotations

import polars as pl
import pytest

import tiebreak as tb
from tiebreak.errors import InputError
from tiebreak.trials import Accounting, check_scores

OUTCOMES = {"a": {"t1": 1.0, "t2": 0.0}, "b": {"t1": 0.0, "t2": None}}


@pytest.mark.parametrize(
    ("rule", "score"),
    [("first", 0.0), ("last", 1.0), ("any", 1.0), ("mean", 2 / 3), ("majority", 1.0)],
)
def test_duplicates_merge_by_the_named_rule(make_table, rule, score):
    table = make_table({"a": {"t": [0.0, 1.0, 1.0]}}).with_columns(run=pl.lit(1))
    trials = tb.read(table, duplicates=rule)
    assert trials.frame["score"].to_list() == [pytest.approx(score)]
    assert trials.accounting.excluded == {f"duplicate ({rule})": 2}


def test_a_tie_is_no_majority_and_a_missing_label_outvotes_nobody(make_table):
    for scores, expected in (([0.0, 1.0], 0.0), ([None, 1.0], 1.0), ([None, None], None)):
        table = make_table({"a": {"t": scores}, "b": {"t": 1.0}}).with_columns(run=pl.lit(1))
        merged = tb.read(table, duplicates="majority").frame
        assert merged.filter(pl.col("configuration") == "a")["score"].to_list() == [expected]


def test_what_is_read_is_used_or_excluded_for_a_reason():
    assert Accounting(5, 3, {"duplicate": 2, "none": 0}).excluded == {"duplicate": 2}
    with pytest.raises(InputError, match="does not add up; allowed: used \\+ excluded = read"):
        Accounting(5, 3, {"duplicate": 1})


def test_accounting_must_match_the_table(make_trials):
    from dataclasses import replace

    trials = make_trials(OUTCOMES)
    with pytest.raises(InputError, match="allowed: 4 used; found: 3"):
        replace(trials, accounting=Accounting(3, 3))


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), float("inf")])
def test_scores_off_the_scale_are_refused_with_their_place(score):
    frame = pl.DataFrame({"configuration": ["a"], "task": ["t9"], "score": [score]})
    with pytest.raises(InputError, match=f"configuration 'a', task 't9'.*found: {score}"):
        check_scores(frame, ("score",))


def test_the_hash_is_of_the_records_not_of_their_order(make_table):
    table = make_table(OUTCOMES)
    assert tb.read(table).hash == tb.read(table).hash
    renamed = table.with_columns(pl.col("task") + "x")
    assert tb.read(renamed).hash != tb.read(table).hash


def test_missing_outcomes_are_counted_by_status(make_trials):
    assert make_trials(OUTCOMES).missing == {"error": 1}


def test_only_some_configurations_keep_the_universe_and_the_account(make_trials):
    trials = make_trials(OUTCOMES | {"c": {"t3": 1.0}})
    some = trials.only(["a", "b"])
    assert some.tasks.height == 3
    assert some.configurations["configuration"].to_list() == ["a", "b"]
    assert some.accounting.excluded == {"other configuration": 1}


def test_the_canonical_table_joins_everything(make_trials):
    table = make_trials(OUTCOMES, {"t1": "x", "t2": "y"}).table()
    assert table.columns[:5] == ["configuration", "task", "run", "status", "score"]
    assert table["cell"].to_list() == ["x", "y", "x", "y"]
    assert table["status"].to_list() == ["ok", "ok", "ok", "error"]
