"""tau2-bench result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

COLUMNS = [
    "configuration", "task", "run", "status", "score", "cost_usd", "duration_s",
    "model", "scaffold", "domain", "mode",
]  # fmt: skip
A, B = ("aurora-1", "llm_agent"), ("birch-2", "llm_agent")
DEFAULT, SOLO = ("retail", "default"), ("retail", "no-user")
GOLDEN = [
    ("llm_agent | aurora-1", "retail/0", "0", "ok", 1.0, 0.02, 10.0, *A, *DEFAULT),
    ("llm_agent | aurora-1", "retail/0", "1", "limit", 0.0, 0.03, 90.0, *A, *DEFAULT),
    ("llm_agent | aurora-1", "retail/1", "0", "infrastructure", None, None, None, *A, *DEFAULT),
    ("llm_agent | aurora-1", "retail/1", "1", "error", 0.0, 0.01, 4.5, *A, *DEFAULT),
    ("llm_agent | aurora-1", "retail/2", "0", "not_run", None, None, None, *A, *DEFAULT),
    ("llm_agent | aurora-1", "retail/2", "1", "not_run", None, None, None, *A, *DEFAULT),
    ("llm_agent | aurora-1", "retail/no-user/0", "0", "ok", 1.0, 0.02, 8.0, *A, *SOLO),
    ("llm_agent | aurora-1", "retail/no-user/1", "0", "error", None, 0.02, 8.0, *A, *SOLO),
    ("llm_agent | birch-2", "airline/0", "0", "ok", 0.5, None, 3.0, *B, "airline", "default"),
]


def test_golden(fixtures: Path) -> None:
    unnamed = fixtures / "tau2" / "more" / "birch_airline.json"
    trials = read(fixtures / "tau2")
    found = trials.table().sort("configuration", "task", "run")
    assert found.columns == COLUMNS
    assert found.rows() == GOLDEN
    assert trials.kind == "item"
    assert trials.task_columns == ("domain", "mode")
    assert trials.accounting.read == 10
    assert dict(trials.accounting.excluded) == {"no task id": 1}
    assert trials.missing == {"not_run": 2, "infrastructure": 1, "error": 1}
    assert trials.notes == (
        f"{unnamed}: 1 simulations name no task, excluded",
        "2 trials of listed tasks were not run (status not_run)",
        "unpriced: 2 of 7 trials cost 0 or nothing is stated "
        "(llm_agent | aurora-1, llm_agent | birch-2)",
        "user simulators differ between files: usersim-1, usersim-2",
        "1 JSON files are no results, left out: plot_settings.json",
    )


def test_recognised_by_content(fixtures: Path) -> None:
    reader, reason = choose(fixtures / "tau2" / "aurora_retail.json")
    assert reader.name == "tau2"
    assert reason == "a tau2-bench result file (keys info, user_info, agent_info)"
    assert choose(fixtures / "tau2")[0].name == "tau2"


def test_one_file_does_not_depend_on_its_neighbours(fixtures: Path) -> None:
    trials = read(fixtures / "tau2" / "aurora_retail_solo.json")
    assert trials.tasks.rows() == [
        ("retail/no-user/0", "retail", "no-user"),
        ("retail/no-user/1", "retail", "no-user"),
    ]


def result(**changes: Any) -> dict[str, Any]:
    """A minimal result file of two listed tasks, one of them run."""
    content = {
        "info": {
            "agent_info": {"implementation": "llm_agent", "llm": "aurora-1"},
            "user_info": {"implementation": "user_simulator", "llm": "usersim-1"},
            "environment_info": {"domain_name": "mock"},
        },
        "tasks": [{"id": "a"}, {"id": "b"}],
        "simulations": [{"task_id": "a", "trial": 0, "reward_info": {"reward": 1.0}}],
    }
    return content | changes


def written(folder: Path, content: object, name: str = "result.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_same_trial_in_two_files_is_a_duplicate(tmp_path: Path) -> None:
    written(tmp_path, result(), "one.json")
    written(tmp_path, result(), "two.json")
    with pytest.raises(InputError, match=r"2 rows repeat 1 .* keys"):
        read(tmp_path)
    assert read(tmp_path, duplicates="first").accounting.excluded == {"duplicate (first)": 1}


def test_task_run_in_another_file_is_not_missing(tmp_path: Path) -> None:
    written(tmp_path, result(), "one.json")
    second = [{"task_id": "b", "trial": 0, "reward_info": {"reward": 0.0}}]
    written(tmp_path, result(simulations=second), "two.json")
    assert read(tmp_path).missing == {}


def test_listed_task_is_unknown_where_ids_are_lost(tmp_path: Path) -> None:
    """A record without its id may be the record of any listed task."""
    lost = [*result()["simulations"], {"reward_info": {"reward": 0.0}}]
    trials = read(written(tmp_path, result(simulations=lost)))
    assert trials.table().select("task", "score").rows() == [("mock/a", 1.0)]
    assert trials.accounting.excluded == {"no task id": 1}


def test_run_that_never_started(tmp_path: Path) -> None:
    trials = read(written(tmp_path, result(simulations=[])))
    assert trials.table().select("task", "run", "status", "score").rows() == [
        ("mock/a", "0", "not_run", None),
        ("mock/b", "0", "not_run", None),
    ]


def test_run_kept_as_a_directory(tmp_path: Path) -> None:
    """Index in results.json, simulations in files of their own."""
    index = [{"id": "x", "task_id": 7, "trial": 1, "reward": 0.0, "termination_reason": "timeout"}]
    content = result(tasks=[{"id": 7}], simulation_index=index)
    del content["simulations"]
    written(tmp_path, content, "results.json")
    written(tmp_path, {"id": "x", "task_id": 7, "messages": []}, "simulations/x.json")
    row = read(tmp_path).table().select("task", "run", "status", "score").row(0)
    assert row == ("mock/7", "1", "limit", 0.0)


def test_flat_description(tmp_path: Path) -> None:
    simulation = {
        "task_id": "0",
        "trial": 0,
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0},
    }
    content = {"domain": "mock", "agent": "mine", "model": "aurora-1", "simulations": [simulation]}
    trials = read(written(tmp_path, content))
    assert trials.table().select("configuration", "task", "score").row(0) == (
        "mine | aurora-1",
        "mock/0",
        1.0,
    )


@pytest.mark.parametrize(
    ("agent", "user", "audio", "scaffold", "mode"),
    [
        ("llm_agent", "user_simulator", None, "llm_agent", "default"),
        ("llm_agent_solo", "dummy_user", None, "llm_agent", "no-user"),
        ("llm_agent_gt", "user_simulator", None, "llm_agent", "oracle-plan"),
        ("my_agent", "dummy_user", None, "my_agent", "no-user"),
        ("voice_agent", "voice_user", {"provider": "x"}, "voice_agent", "voice"),
    ],
)
def test_modes(
    tmp_path: Path, agent: str, user: str, audio: object, scaffold: str, mode: str
) -> None:
    info = {
        "agent_info": {"implementation": agent, "llm": None},
        "user_info": {"implementation": user},
        "environment_info": {"domain_name": "mock"},
        "audio_native_config": audio,
    }
    row = read(written(tmp_path, result(info=info))).table().row(0, named=True)
    assert (row["configuration"], row["scaffold"], row["mode"]) == (scaffold, scaffold, mode)
    assert row["task"] == ("mock/a" if mode == "default" else f"mock/{mode}/a")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            result(simulations=[{"task_id": "a", "reward_info": {"reward": 1.5}}]),
            r"field simulations\[0\].reward_info.reward: the reward is no score; "
            r"allowed: a number in \[0, 1\].*; found: 1.5",
        ),
        (
            result(simulations=[{"task_id": "a", "reward_info": {"reward": "won"}}]),
            r"field `\$.simulations\[0\].reward_info.reward`: Expected `float \| null`, got `str`",
        ),
        (
            result(simulations=[{"task_id": None}]),
            "no simulation names its task.*found: 1 simulations without one",
        ),
        (result(simulations=None), "field simulations: no simulations"),
        (result(tasks=[{"name": "a"}]), "missing required field `id`"),
    ],
)
def test_faults_name_file_and_field(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as fault:
        read(written(tmp_path, content))
    assert "result.json" in str(fault.value)


def test_truncated_file_in_a_directory(tmp_path: Path) -> None:
    written(tmp_path, result(), "whole.json")
    (tmp_path / "cut.json").write_text(json.dumps(result())[:-20], encoding="utf-8")
    with pytest.raises(InputError, match=r"cut.json: not valid JSON"):
        read(tmp_path)


def test_stated_format_on_a_folder_without_results(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tau2-bench result file here"):
        read(tmp_path, format="tau2")


def test_model_training(data: Path) -> None:
    """Counts of rewards taken from the eight files with the json module."""
    trials = read(data / "tau2-bench" / "results_reduced" / "model_training")
    tuned = "llm_agent | ft:gpt-4.1-2025-04-14:sierra:tau2-full-sft:BzrYdMNm"
    passed = (
        trials.table()
        .group_by("configuration", "domain", "mode")
        .agg(pl.len(), pl.col("score").sum())
    )
    assert set(passed.rows()) == {
        (tuned, "airline", "default", 20, 13.0),
        (tuned, "retail", "default", 40, 34.0),
        (tuned, "telecom", "default", 40, 30.0),
        (tuned, "telecom", "no-user", 40, 34.0),
        ("llm_agent | gpt-4.1", "airline", "default", 20, 10.0),
        ("llm_agent | gpt-4.1", "retail", "default", 40, 34.0),
        ("llm_agent | gpt-4.1", "telecom", "default", 40, 18.0),
        ("llm_agent | gpt-4.1", "telecom", "no-user", 40, 20.0),
    }
    assert trials.tasks.height == 140
    costs = trials.frame.group_by("configuration").agg(pl.col("cost_usd").null_count())
    assert dict(costs.rows()) == {tuned: 140, "llm_agent | gpt-4.1": 0}


def test_everything_reduced(data: Path) -> None:
    trials = read(data / "tau2-bench" / "results_reduced")
    assert trials.accounting.excluded == {"no task id": 50}  # the first upload of toolorchestra
    # 6 airline tasks that ironshell never reached; one lost to infrastructure, its reward null
    assert trials.missing == {"not_run": 6, "infrastructure": 1}
    assert (trials.accounting.read, trials.configurations.height) == (992, 15)


def test_full_and_reduced_files_agree(data: Path) -> None:
    name = "gpt-4.1-2025-04-14_telecom_no-user_gpt-4.1-2025-04-14_4trials_5tasks.json"
    place = data / "tau2-bench"
    full = read(place / "results_full" / name)
    reduced = read(place / "results_reduced" / "exp" / name)
    assert full.table().equals(reduced.table())
    assert full.frame["run"].unique().sort().to_list() == ["0", "1", "2", "3"]


def test_files_without_a_single_task_id(data: Path) -> None:
    place = data / "tau2-bench" / "results_reduced" / "submissions_trajectories"
    with pytest.raises(InputError, match="no simulation names its task"):
        read(place / "toolorchestra_nvidia_2025-12-02_first-upload")


@pytest.mark.parametrize("folder", ["results_full", "results_reduced/results_whissle"])
def test_no_column_is_doubled(data: Path, folder: str) -> None:
    """A task column that is constant within each configuration stays a task column only."""
    assert read(data / "tau2-bench" / folder).table().columns == COLUMNS
