"""Near the top: what is resolved, told in sentences, and plans that have the power they state."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.data import EXAMPLE
from tiebreak.kernels.planning import detectable_gap
from tiebreak.questions.settle import settle

Z = float(detectable_gap(np.array(1.0)))


def outcomes(rng, n, rates):
    """Independent successes of every configuration on n tasks, as trials."""
    return tb.read(
        pl.DataFrame(
            {
                "configuration": [c for c in rates for _ in range(n)],
                "task": [f"t{t}" for _ in rates for t in range(n)],
                "score": np.concatenate([rng.random(n) < p for p in rates.values()]).astype(float),
            }
        )
    )


@pytest.fixture(scope="module")
def example():
    trials = tb.read(EXAMPLE)
    board = tb.board(trials, target="equal:repo", missing="fail")
    return settle(trials, board)


def test_counts_are_those_of_the_board(example):
    trials = tb.read(EXAMPLE)
    board = tb.board(trials, target="equal:repo", missing="fail", top=4)
    found = settle(trials, board)
    assert found.n_pairs == len(board.comparisons) == 6
    assert found.resolved == board.summary["resolved"]
    assert found.verdicts == board.summary["verdicts"]
    assert sum(map(len, found.better.values())) == found.resolved
    assert set(found.near) == {n for c in board.comparisons for n in (c.a, c.b)}


def test_near_is_the_first_by_raw_score(example):
    trials = tb.read(EXAMPLE)
    board = tb.board(trials, target="equal:repo", missing="fail")
    three = settle(trials, board, near=3)
    raw = sorted(board.standings, key=lambda s: -(s.score_observed or 0))
    assert set(three.near) <= {s.configuration for s in raw[:4]}
    assert three.n_pairs == 3
    assert "of all 45 judged pairs, 27" in three.answer


def test_the_plan_of_single_runs_is_the_textbook_formula():
    trials = outcomes(np.random.default_rng(3), 120, {"a": 0.55, "b": 0.5})
    board = tb.board(trials)
    (pair,) = settle(trials, board).open_pairs
    c = board.comparisons[0]
    assert pair.sought == max(abs(c.gap), 0.02)
    assert pair.tasks == math.ceil(round(120 * (Z * c.gap_se / pair.sought) ** 2, 9))
    assert pair.runs is None
    assert pair.reasons == {"runs": "a single run shows no run noise"}


def test_a_pair_planned_to_be_found_is_found_that_often():
    """p = 0.6 against 0.5, independent: V = 0.49/n, so 384 tasks find 10 points with power 0.8."""
    n = math.ceil(0.49 * (Z / 0.1) ** 2)
    rng = np.random.default_rng(11)
    found = [
        tb.board(outcomes(rng, n, {"a": 0.6, "b": 0.5}), margin=0.0).comparisons[0]
        for _ in range(300)
    ]
    power = np.mean([c.winner == "a" for c in found])
    assert abs(power - 0.8) < 3 * math.sqrt(0.8 * 0.2 / 300)


def test_plans_with_runs_reach_the_gap_they_seek(example):
    several = [p for p in example.open_pairs if p.runs is not None]
    assert len(several) >= 5
    for p in several:
        assert p.runs > p.n_runs
        assert p.tasks is None or p.tasks > p.n_tasks
        assert (p.tasks is None) == ("tasks" in p.reasons)


def test_no_margin_and_no_gap_leave_nothing_to_plan(make_trials):
    row = {f"t{i}": float(i % 2) for i in range(20)}
    turned = {f"t{i}": float(i % 4 > 1) for i in range(20)}
    trials = make_trials({"a": row, "b": turned})
    (pair,) = settle(trials, tb.board(trials, margin=0.0)).open_pairs
    assert (pair.tasks, pair.runs) == (None, None)
    assert "no gap to find" in pair.reasons["tasks"]


def sentence(found, topic):
    return next(s.sentence for s in found.sentences if s.topic == topic)


def test_the_sentences_say_what_the_numbers_say(example):
    assert example.answer == "27 of 45 pairs are resolved at 95 % among the top 10 by raw score."
    told = sentence(example, "Told apart")
    best = max(example.better, key=lambda n: len(example.better[n]))
    assert told.startswith(f"{best} is shown better than {example.better[best][0]}")
    assert f"and {len(example.better[best]) - 3} more" in told
    depends = sentence(example, "It depends")
    for verdict, n in example.verdicts.items():
        assert f"{n} " in depends
        assert verdict in depends
    plan = sentence(example, "What would settle the rest")
    easiest = min((p for p in example.open_pairs if p.tasks), key=lambda p: p.tasks)
    assert f"{easiest.a} against {easiest.b} takes {easiest.tasks:,} tasks (now 240)" in plan


def test_nothing_told_apart_is_said():
    trials = outcomes(np.random.default_rng(0), 30, {"a": 0.5, "b": 0.5, "c": 0.5})
    found = settle(trials, tb.board(trials))
    assert found.resolved == 0
    assert sentence(found, "Told apart") == "None of them can be told apart from another."
    assert "single run" in sentence(found, "Not in the intervals")


def test_everything_stable_needs_no_plan(make_trials):
    rows = {"a": {f"t{i}": 1.0 for i in range(80)}, "b": {f"t{i}": 0.0 for i in range(80)}}
    trials = make_trials(rows)
    found = settle(trials, tb.board(trials))
    assert found.open_pairs == ()
    assert found.tables() == []
    assert sentence(found, "It depends") == "1 verdict holds under every check (stable)."
    assert found.answer == "1 of 1 pair is resolved at 95 % among the top 2 by raw score."


def test_it_is_strict_json(example):
    text = example.to_json()
    assert "NaN" not in text
    assert len(example.to_dict()["open"]) == len(example.open_pairs)
