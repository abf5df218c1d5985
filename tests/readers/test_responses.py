"""Responses by configuration: successes in a number of trials."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

GOLDEN = [
    ("aurora", "fix-build", "1", "ok", 0.0),
    ("aurora", "sort-list", "1", "ok", 1.0),
    ("aurora", "sort-list", "2", "ok", 1.0),
    ("aurora", "sort-list", "3", "ok", 0.0),
    ("birch", "sort-list", "1", "ok", 1.0),
    ("birch", "sort-list", "2", "ok", 1.0),
]
GOOD = '{"subject_id": "a", "responses": {"x": {"successes": 1, "trials": 2}}}\n'


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "responses" / "responses.jsonl")
    found = trials.table().sort("configuration", "task", "run")
    assert found.columns == ["configuration", "task", "run", "status", "score"]
    assert found.rows() == GOLDEN
    assert trials.kind == "item"
    assert trials.accounting.read == 6
    assert trials.notes == (
        "counts expanded to trials: the order of runs is unknown (nested runs)",
    )


def test_recognised_by_content(fixtures: Path) -> None:
    reader, reason = choose(fixtures / "responses" / "responses.jsonl")
    assert reader.name == "responses"
    assert "subject_id" in reason


def line(task: str) -> str:
    return '{"subject_id": "b", "responses": {"y": ' + task + "}}\n"


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            line('{"successes": 3, "trials": 2}'),
            "line 2, configuration 'b', task 'y': more successes than trials; "
            "allowed: 0 to 2 successes; found: 3",
        ),
        (line('{"successes": -1, "trials": 2}'), r"task 'y', field `\$.successes`: .*>= 0"),
        (line('{"successes": 0, "trials": 0}'), r"task 'y', field `\$.trials`: .*>= 1"),
        (line('{"successes": 0.5, "trials": 1}'), r"task 'y', field `\$.successes`: .*`int`"),
        (line('{"successes": null, "trials": 1}'), r"task 'y', field `\$.successes`: .*`null`"),
        (line('{"successes": 1}'), "task 'y'.*missing required field `trials`"),
        (GOOD[:-5], "line 2: not valid JSON"),
        ('{"subject_id": "b"}\n', "line 2.*missing required field `responses`"),
    ],
)
def test_faults_name_line_and_task(tmp_path: Path, second: str, message: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(GOOD + second, encoding="utf-8")
    with pytest.raises(InputError, match=message) as fault:
        read(path)
    assert "r.jsonl" in str(fault.value)


def test_configuration_in_two_lines_is_a_duplicate(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(GOOD + GOOD, encoding="utf-8")
    with pytest.raises(InputError, match="4 rows repeat 2 "):
        read(path)


def test_no_responses(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"subject_id": "a", "responses": {}}\n', encoding="utf-8")
    with pytest.raises(InputError, match="no responses"):
        read(path, format="responses")


def test_terminal_bench_2(data: Path) -> None:
    """Trials per configuration and task as SOURCE.md counts them."""
    trials = read(data / "terminal-bench-2-responses" / "responses_raw.jsonl")
    assert (trials.configurations.height, trials.tasks.height) == (83, 88)
    per_cell = trials.frame.group_by("configuration", "task").len()["len"].value_counts()
    assert dict(per_cell.rows()) == {5: 7060, 4: 142, 6: 94, 3: 5, 2: 2, 1: 1}
    droid = trials.table().filter(
        pl.col("configuration") == "factory_droid_gpt-5_2_at_openai",
        pl.col("task") == "adaptive-rejection-sampler",
    )
    assert droid["score"].to_list() == [1.0, 1.0, 1.0, 1.0, 0.0]


def test_terminal_bench_1_reads_as_a_table(data: Path) -> None:
    """Rates and counts in long form need no reader of their own."""
    path = data / "terminal-bench-1" / "eval-arena-data" / "terminal-bench-1.0.jsonl"
    assert choose(path)[0].name == "table"
    trials = read(path)
    shape = (trials.configurations.height, trials.tasks.height, trials.frame.height)
    assert shape == (25, 80, 10_000)
    means = trials.table().group_by("configuration").agg(pl.col("score").mean())
    assert dict(means.rows())["20250924_droid_gpt-5"] == pytest.approx(0.525)
