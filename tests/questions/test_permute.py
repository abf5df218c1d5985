"""The permutation check on boards whose answer is known."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.simulate.ranking_reversal import table, trials

TASKS = {f"t{i}": "xy"[i % 2] for i in range(40)}


@pytest.fixture(scope="module")
def apart(make_trials):
    """One solves everything, one nothing, one every other task."""
    return make_trials(
        {
            "all": dict.fromkeys(TASKS, 1.0),
            "half": {t: float(i % 4 < 2) for i, t in enumerate(TASKS)},
            "none": dict.fromkeys(TASKS, 0.0),
        },
        TASKS,
    )


def test_configurations_far_apart_are_not_exchangeable(apart):
    found = tb.permute(apart, cells="cell", permutations=200)
    assert (found.max_gap, found.practical_gaps) == (1.0, 3)
    assert (found.max_gap_a, found.max_gap_b) == ("all", "none")
    assert found.max_gap_p == 1 / 201
    assert "not exchangeable" in found.headline
    assert found.to_dict()["estimand"]["target"] == "equal:cell"


def test_twins_are_exchangeable(make_trials):
    same = {t: float(i % 3 == 0) for i, t in enumerate(TASKS)}
    found = tb.permute(make_trials({"a": same, "b": same}, TASKS), permutations=100)
    assert (found.max_gap, found.max_gap_p, found.practical_gaps_p) == (0.0, 1.0, 1.0)
    assert "could be" in found.headline


def test_p_is_uniform_where_labels_mean_nothing(make_trials):
    """60 boards of exchangeable configurations: the share of p ≤ .2 is .2 to 3 standard errors."""
    rng, hits = np.random.default_rng(11), 0
    for seed in range(60):
        scores = rng.random((3, 40)) < rng.random(40)
        board = {
            f"c{i}": dict(zip(TASKS, row.astype(float), strict=True))
            for i, row in enumerate(scores)
        }
        found = tb.permute(make_trials(board, TASKS), permutations=99, seed=seed)
        hits += found.max_gap_p <= 0.2
    assert abs(hits / 60 - 0.2) < 3 * (0.16 / 60) ** 0.5


def test_two_tasks_have_every_permutation(make_trials):
    """A solves both of two tasks, B none: of four boards two have the largest gap, 1."""
    tasks = {"t0": "x", "t1": "y"}
    board = make_trials({"A": dict.fromkeys(tasks, 1.0), "B": dict.fromkeys(tasks, 0.0)}, tasks)
    found = tb.permute(board, permutations=4000)
    assert found.max_gap_p == pytest.approx(0.5, abs=3 * 0.5 / 4000**0.5)


def test_runs_stay_together(make_trials):
    """Runs that agree within a task carry no more than one of them."""
    once = {t: float(i % 2) for i, t in enumerate(TASKS)}
    often = {t: [v] * 5 for t, v in once.items()}
    other = {t: float(i % 3 == 0) for i, t in enumerate(TASKS)}
    single, repeated = (
        tb.permute(make_trials({"a": a, "b": other}, TASKS), permutations=100)
        for a in (once, often)
    )
    assert single.max_gap_reference == repeated.max_gap_reference
    assert single.max_gap_p == repeated.max_gap_p


def test_which_gap_is_said_where_they_differ(make_trials):
    easy = {f"e{i}": "x" for i in range(10)}
    hard = {f"h{i}": "x" for i in range(10)}
    everywhere = {**dict.fromkeys(easy, 1.0), **dict.fromkeys(hard, 0.0)}
    board = make_trials({"full": everywhere, "part": dict.fromkeys(easy, 1.0)})
    matched, standardized = (
        tb.permute(board, gap=gap, permutations=50) for gap in ("matched", "standardized")
    )
    assert matched.max_gap == 0.0
    assert standardized.gap == "standardized"
    assert standardized.max_gap == 0.5
    assert (standardized.max_gap_a, standardized.max_gap_b) == ("part", "full")
    assert "matched" in str(matched)


def test_a_target_that_nobody_shares_says_so(make_trials):
    tasks = {"t0": "x", "t1": "x", "t2": "y", "t3": "y"}
    board = make_trials(
        {"a": {"t0": 1.0, "t1": 0.0, "t2": 1.0}, "b": {"t0": 1.0, "t1": 1.0}}, tasks
    )
    with pytest.raises(tb.InputError, match="no two configurations have scores"):
        tb.permute(board, cells="cell", gap="standardized")
    assert tb.permute(board, cells="cell").max_gap == 0.5


def test_cells_mean_equal_weights_and_a_target_is_heeded(apart):
    reversal = trials()
    by_cells = tb.permute(reversal, cells="family", permutations=50)
    stated = tb.permute(reversal, target="equal:family", permutations=50)
    observed = tb.permute(reversal, target="observed", permutations=50)
    assert by_cells.to_json() == stated.to_json()
    assert by_cells.max_gap == pytest.approx(0.3625)
    assert observed.max_gap == pytest.approx(0.03)


def test_the_same_seed_gives_the_same_bytes(apart):
    once, again, other = (
        tb.permute(apart, cells="cell", permutations=60, seed=s) for s in (5, 5, 6)
    )
    assert once.to_json() == again.to_json()
    assert once.max_gap_reference != other.max_gap_reference


def test_the_command_and_python_agree(tmp_path, capsys):
    path = tmp_path / "log.csv"
    table().write_csv(path)
    assert main(["permute", str(path), "--cells", "family", "--permutations", "60", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = tb.permute(tb.read(path), cells="family", permutations=60).to_dict()
    assert found == json.loads(json.dumps(expected))
    assert (found["n"], found["gap"]) == (60, "matched")
