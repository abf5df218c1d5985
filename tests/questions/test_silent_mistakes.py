"""Cases that existing tools get silently wrong, each with the right answer (known by hand)."""

from __future__ import annotations

import math

import polars as pl
import pytest

import tiebreak as tb

TASKS = [f"t{i:02}" for i in range(40)]
EASY, HARD = TASKS[:20], TASKS[20:]


@pytest.fixture
def easy_only(make_trials):
    """a passes all 20 easy tasks and no hard one; b ran the easy ones only and passes 18."""
    a = {t: float(t in EASY) for t in TASKS}
    return make_trials({"a": a, "b": {t: float(t in EASY[:18]) for t in EASY}})


def test_running_only_the_easy_tasks_is_no_win(easy_only):
    result = tb.compare(easy_only, "a", "b")
    assert result.verdict == "unsupported"
    assert result.winner is None
    assert result.support == 0.5
    assert result.gap == pytest.approx(0.1), "on the common tasks a is ahead, not behind"
    assert "do not support" in result.sentence


def test_on_the_common_tasks_the_one_who_ran_all_is_not_behind(easy_only):
    result = tb.compare(easy_only, "a", "b", support="common")
    assert result.support == 1.0
    assert result.gap == pytest.approx(0.1)
    assert result.winner in (None, "a")
    assert "20 tasks that all ran" in str(result)


def test_the_board_ranks_nobody_on_tasks_they_did_not_run(easy_only):
    standings = {s.configuration: s for s in tb.board(easy_only).standings}
    assert standings["b"].score is None
    assert standings["b"].rank is None
    assert standings["b"].score_observed == pytest.approx(0.9)
    assert standings["a"].tier == standings["b"].tier == 1


def test_tasks_weigh_the_same_whatever_their_number_of_runs(make_trials):
    """Identical outcomes; b ran its easy tasks five times. A mean of rows says .833 to .500."""
    a = {t: float(t in EASY) for t in TASKS}
    b = {t: [1.0] * 5 if t in EASY else 0.0 for t in TASKS}
    result = tb.compare(make_trials({"a": a, "b": b}), "a", "b")
    assert result.gap == 0
    assert [s.score for s in result.scores] == [0.5, 0.5]
    assert result.verdict == "underpowered"


def test_every_run_in_the_file_is_used(make_trials):
    """Run 0 alone says b wins all; over all five runs a wins four of five on every task.

    Runs that differ this much as wholes settle little, but never that b is better.
    """
    runs = {"a": [0.0, 1, 1, 1, 1], "b": [1.0, 0, 0, 0, 0]}
    trials = make_trials({c: dict.fromkeys(TASKS, scores) for c, scores in runs.items()})
    result = tb.compare(trials, "a", "b")
    assert result.gap == pytest.approx(0.6)
    # One run in five turns every task round: a shock that the runs share leaves nothing settled.
    assert result.winner is None
    result = tb.compare(trials, "a", "b", runs="nested")
    assert result.gap == pytest.approx(0.6)
    assert result.winner != "b"
    assert result.to_dict()["data"]["used"] == 400
    assert "single_run" not in result.flags


def test_all_one_against_all_zero_is_the_largest_difference(make_trials):
    sure = {"a": dict.fromkeys(TASKS, 1.0), "b": dict.fromkeys(TASKS, 0.0)}
    result = tb.compare(make_trials(sure), "a", "b")
    assert (result.gap, result.verdict, result.winner) == (1.0, "stable", "a")
    assert 0.5 < result.gap_low < 1.0 == result.gap_high
    assert all(0 <= s.score_low < s.score_high <= 1 for s in result.scores)


@pytest.mark.parametrize("interval", ["t", "percentile"])
def test_identical_configurations_are_a_tie_with_some_uncertainty(make_trials, interval):
    row = {t: float(i % 3 == 0) for i, t in enumerate(TASKS)}
    result = tb.compare(make_trials({"a": row, "b": row}), "a", "b", interval=interval)
    assert (result.gap, result.verdict, result.winner) == (0.0, "underpowered", None)
    if interval == "t":
        assert result.gap_low < 0 < result.gap_high


def test_no_shared_task_cannot_be_compared(make_trials):
    split = {"a": dict.fromkeys(EASY, 1.0), "b": dict.fromkeys(HARD, 0.0)}
    result = tb.compare(make_trials(split), "a", "b")
    assert (result.verdict, result.gap, result.winner) == ("unsupported", None, None)
    assert "share no scored task" in result.sentence
    assert result.reasons["gap"] == "no shared scored task"


def test_no_shared_task_is_no_common_support(make_trials):
    split = {"a": dict.fromkeys(EASY, 1.0), "b": dict.fromkeys(HARD, 0.0)}
    with pytest.raises(tb.InputError, match=r"no common support"):
        tb.compare(make_trials(split), "a", "b", support="common")


@pytest.mark.parametrize("support", ["full", "common"])
def test_one_shared_task_settles_nothing(make_trials, support):
    split = {"a": dict.fromkeys(TASKS[:5], 1.0), "b": dict.fromkeys(TASKS[4:9], 0.0)}
    result = tb.compare(make_trials(split), "a", "b", support=support)
    assert result.verdict == ("unsupported" if support == "full" else "underpowered")
    assert (result.gap, result.gap_low, result.gap_high) == (1.0, -1.0, 1.0)
    assert result.winner is None


def test_a_table_of_one_task_settles_nothing(make_trials):
    result = tb.compare(make_trials({"a": {"t": 1.0}, "b": {"t": 0.0}}), "a", "b")
    assert result.verdict == "underpowered"


def test_percent_beside_fractions_is_an_error_not_a_gap_of_49(make_table):
    table = make_table({"a": dict.fromkeys(TASKS, 0.5), "b": dict.fromkeys(TASKS, 50.0)})
    with pytest.raises(tb.InputError, match=r"mixes fractions and percentages"):
        tb.read(table)


def test_task_zero_of_two_domains_is_two_tasks():
    rows = [(c, d, "0", s) for c, s in (("a", 1.0), ("b", 0.0)) for d in ("air", "shop")]
    frame = pl.DataFrame(rows, schema=["configuration", "domain", "task", "score"], orient="row")
    trials = tb.read(frame)
    assert trials.tasks["task"].to_list() == ["air/0", "shop/0"]
    assert tb.compare(trials, "a", "b", target="equal:domain").n_tasks == 2


def test_conflicting_duplicates_need_a_rule(make_table):
    table = make_table({"a": {"t": [1.0, 0.0]}, "b": {"t": 0.0}}).with_columns(run=pl.lit(0))
    with pytest.raises(tb.InputError, match=r"1 of them disagree.*--duplicates first\|last\|any"):
        tb.read(table)
    assert tb.read(table, duplicates="any").accounting.excluded == {"duplicate (any)": 1}


def test_a_score_that_is_nan_is_an_error_not_significant(make_table):
    table = make_table({"a": dict.fromkeys(TASKS, 1.0), "b": dict.fromkeys(TASKS, math.nan)})
    with pytest.raises(tb.InputError, match=r"no scores.*found: nan"):
        tb.read(table)


def test_a_directory_with_nothing_readable_is_an_error(tmp_path):
    (tmp_path / "notes.txt").write_text("100/100")
    with pytest.raises(tb.InputError, match=r"nothing readable here.*a directory with notes.txt"):
        tb.read(tmp_path)
