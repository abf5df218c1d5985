"""HAL databases: literal lists, nested brackets, reruns, tasks in neither list, no lists at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tiebreak.cli import main
from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

NAMES = ("benchmark_name", "agent_name", "model_name", "run_id", "date", "successful_tasks")
NAMES += ("failed_tasks", "total_cost", "accuracy")
FORGE, RETRY = "Forge (Nova 1 (May 2025))", "Retrial (5x) (Nova 1 (May 2025))"
PUZZLES = [
    ("puzzles", FORGE, "Nova 1 (May 2025)", "p1", "2025-05-01", "['1']", "['2', '3']", 3.0, 1 / 3),
    ("puzzles", FORGE, "Nova 1 (May 2025)", "p2", "2025-08-01", "['1', '2']", "['3']", 6.0, 2 / 3),
    ("puzzles", RETRY, "Nova 1 (May 2025)", "p3", "2025-06-01", "['3', '3']", "['1']", 0.0, 0.5),
]
GOLDEN = [
    (FORGE, "1", "ok", 1.0, 2.0),
    (FORGE, "2", "ok", 1.0, 2.0),
    (FORGE, "3", "ok", 0.0, 2.0),
    (RETRY, "1", "ok", 0.0, None),
    (RETRY, "2", "not_run", None, None),
    (RETRY, "3", "ok", 1.0, None),
]


def database(path: Path, rows: list[tuple[object, ...]], names: tuple[str, ...] = NAMES) -> Path:
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"CREATE TABLE parsed_results ({', '.join(names)})")
        marks = ", ".join("?" for _ in names)
        made.executemany(f"INSERT INTO parsed_results VALUES ({marks})", rows)
        made.commit()
    return path


def test_golden(tmp_path: Path) -> None:
    trials = read(database(tmp_path / "puzzles.db", PUZZLES))
    found = trials.table().select("configuration", "task", "status", "score", "cost_usd")
    assert found.rows() == GOLDEN
    attributes = trials.configurations.select("configuration", "scaffold", "model").rows()
    model = "Nova 1 (May 2025)"
    assert attributes == [(FORGE, "Forge", model), (RETRY, "Retrial (5x)", model)]
    assert trials.missing == {"not_run": 1}
    assert dict(trials.accounting.excluded) == {
        "earlier run of the same system": 3,
        "task listed twice in a run": 1,
    }
    assert "puzzles: Forge (Nova 1 (May 2025)) ran again: p1 left out" in trials.notes


def test_a_folder_holds_benchmarks_whose_ids_do_not_clash(tmp_path: Path) -> None:
    database(tmp_path / "puzzles.db", PUZZLES)
    errands = [
        ("errands", FORGE, None, "e1", "2025-05-01", "['1']", "[2]", None, 0.9),
        ("errands", FORGE, None, "e0", "2025-05-01", "[]", "['1', '2']", None, 0.0),
    ]
    database(tmp_path / "errands.db", errands)
    essays = [("essays", FORGE, None, "x", "2025-05-01", "None", "None", 1.0, 0.7)]
    database(tmp_path / "essays.db", essays)
    (tmp_path / "notes.txt").write_text("nothing to see")
    trials = read(tmp_path)
    assert trials.task_columns == ("benchmark",)
    errand = trials.frame.filter(trials.frame["task"].cast(str).str.starts_with("errands/"))
    assert errand["score"].to_list() == [1.0, 0.0]
    assert trials.frame.height == 8
    assert dict(trials.left_out) == {
        "essays": "no task lists in any of its 1 runs: headline scores only"
    }
    assert trials.accounting.excluded["run without task lists"] == 1
    assert "errands: headline accuracy is not the share of solved tasks in 1 runs" in trials.notes


def test_without_a_model_column_the_last_bracket_names_it(tmp_path: Path) -> None:
    names = tuple(n for n in NAMES if n != "model_name")
    rows = [row[:2] + row[3:] for row in PUZZLES]
    trials = read(database(tmp_path / "old.db", rows, names))
    assert trials.configurations["scaffold"].to_list() == ["Forge", "Retrial (5x)"]


def test_recognised_only_with_its_columns(tmp_path: Path) -> None:
    fine = database(tmp_path / "puzzles.db", PUZZLES)
    assert choose(fine)[0].name == choose(tmp_path)[0].name == "hal"
    with pytest.raises(InputError, match="nothing readable"):
        choose(database(tmp_path / "other.db", [], ("a", "b")))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({5: "['1'", 6: "['2']"}, "not a list of tasks"),
        ({5: "[['1']]"}, "not a list of task ids"),
        ({5: "{[]}"}, "not a list of tasks"),
        ({5: "['1']", 6: "['1']"}, "tasks both solved and failed"),
        ({5: "None"}, "one list of tasks without the other"),
        ({5: "None", 6: "None"}, "no run with task lists"),
        ({1: ""}, "a run without agent_name"),
    ],
)
def test_faults_name_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[int, str], what: str
) -> None:
    row = list(PUZZLES[0])
    for at, value in change.items():
        row[at] = value
    path = database(tmp_path / "bad.db", [tuple(row)])
    assert main(["inspect", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert what in err


def test_a_broken_database_is_said_to_be_that(tmp_path: Path) -> None:
    path = database(tmp_path / "puzzles.db", PUZZLES)
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))
    with pytest.raises(InputError, match="not a HAL database"):
        read(path, format="hal")


def test_the_public_records(data: Path) -> None:
    trials = read(data / "hal" / "preprocessed_traces")
    assert set(trials.left_out) == {"colbench_frontend_design", "scienceagentbench"}
    assert (trials.frame.height, trials.tasks.height, trials.tasks["benchmark"].n_unique()) == (
        34136,
        2015,
        9,
    )
    assert trials.missing == {"not_run": 78}
