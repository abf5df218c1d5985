"""tau-bench 1 result lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

FILE = "atlas-1-airline.json"


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "tau_bench" / FILE)
    found = trials.table().sort("task", "run")
    assert found.select("configuration", "task", "run", "score", "status", "domain").rows() == [
        ("atlas-1", "airline/0", "0", 1.0, "ok", "airline"),
        ("atlas-1", "airline/0", "1", 1.0, "ok", "airline"),
        ("atlas-1", "airline/1", "0", 0.0, "ok", "airline"),
        ("atlas-1", "airline/1", "1", 1.0, "ok", "airline"),
        ("atlas-1", "airline/2", "0", 1.0, "ok", "airline"),
        ("atlas-1", "airline/2", "1", None, "error", "airline"),
    ]
    assert trials.accounting.read == trials.accounting.used == 6
    assert "unpriced" in trials.notes[0]


def test_a_directory_reads_as_its_files(fixtures: Path) -> None:
    reader, reason = choose(fixtures / "tau_bench")
    assert (reader.name, FILE in reason) == ("tau_bench", True)
    whole, single = read(fixtures / "tau_bench"), read(fixtures / "tau_bench" / FILE)
    assert whole.hash == single.hash


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reward": 1.5}, r"record 1: the reward is no score; allowed: .*; found: 1.5"),
        ({"trial": "first"}, r"Expected `int`.*field `\$\[0\].trial`|field `\$\[0\].trial`"),
    ],
)
def test_bad_records(fixtures: Path, tmp_path: Path, change: dict, message: str) -> None:
    rows = json.loads((fixtures / "tau_bench" / FILE).read_text(encoding="utf-8"))
    rows[0] |= change
    path = tmp_path / FILE
    path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read(path)


def test_twice_the_same_trial_is_an_error(fixtures: Path, tmp_path: Path) -> None:
    rows = json.loads((fixtures / "tau_bench" / FILE).read_text(encoding="utf-8"))
    path = tmp_path / FILE
    path.write_text(json.dumps([*rows, rows[0]]), encoding="utf-8")
    with pytest.raises(InputError, match="2 rows repeat 1"):
        read(path)
