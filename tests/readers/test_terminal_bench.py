"""Terminal-Bench 1 result trees: three shapes, a copied run, outcomes that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

FORGE, NOVA, ODD = "20250801_forge_nova-1", "20250802_forge_nova-2", "oddly-named"
GOLDEN = [
    (FORGE, "ash", "1", 1.0, "ok"),
    (FORGE, "ash", "2", 0.0, "ok"),
    (FORGE, "elm", "1", None, "infrastructure"),
    (FORGE, "elm", "2", 1.0, "ok"),
    (NOVA, "ash", "1", 1.0, "ok"),
    (NOVA, "ash", "2", None, "error"),
    (NOVA, "elm", "1", 0.0, "ok"),
    (NOVA, "elm", "2", 0.0, "ok"),
    (ODD, "ash", "1", 1.0, "ok"),
    (ODD, "ash", "2", 1.0, "ok"),
    (ODD, "elm", "1", 0.0, "ok"),
    (ODD, "elm", "2", 1.0, "ok"),
]


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "terminal_bench")
    found = trials.table().sort("configuration", "task", "run")
    assert found.select("configuration", "task", "run", "score", "status").rows() == GOLDEN
    attributes = trials.configurations.select("configuration", "scaffold", "model").rows()
    assert attributes == [(FORGE, "forge", "nova-1"), (NOVA, "forge", "nova-2"), (ODD, None, None)]


def test_a_copy_of_a_run_is_left_out_and_said(fixtures: Path) -> None:
    trials = read(fixtures / "terminal_bench")
    assert (trials.accounting.read, trials.accounting.used) == (14, 12)
    assert dict(trials.accounting.excluded) == {"copy of another run": 2}
    assert any("run-b/run-a/results.json: a copy of another run" in n for n in trials.notes)


def test_tokens_of_zero_were_not_counted(fixtures: Path) -> None:
    found = read(fixtures / "terminal_bench").frame.filter(configuration=FORGE, run="1")
    assert found.sort("task")["input_tokens"].to_list() == [100.0, None]


@pytest.mark.parametrize("below", ["", "terminal-bench-core@0.1.1", f"*/{FORGE}"])
def test_any_folder_of_the_tree_gives_the_same_names(fixtures: Path, below: str) -> None:
    place = next((fixtures / "terminal_bench").glob(below)) if below else None
    path = place or fixtures / "terminal_bench"
    assert choose(path)[0].name == "terminal_bench"
    assert FORGE in read(path).configurations["configuration"].to_list()


def test_official_pass_at_k_of_the_fixture(fixtures: Path) -> None:
    file = next((fixtures / "terminal_bench").rglob(f"{ODD}/results.json"))
    assert json.loads(file.read_text(encoding="utf-8"))["pass_at_k"] == {"2": 1.0}


def test_a_truncated_file_names_itself(fixtures: Path, tmp_path: Path) -> None:
    file = next((fixtures / "terminal_bench").rglob(f"{ODD}/results.json"))
    path = tmp_path / "results.json"
    path.write_text(file.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    with pytest.raises(InputError, match=r"results.json: not valid JSON"):
        read(path)
