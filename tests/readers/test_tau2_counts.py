"""Tables of pass counts."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

COLUMNS = [
    "configuration", "task", "run", "status", "score", "count", *(f"solved:{k}" for k in range(5)),
    "model", "domain", "mode", "group", "group_value",
]  # fmt: skip
ALL, HARD, ANY = ("all", "all"), ("persona", "Hard"), ("persona", "None")
GOLDEN = [
    ("aurora-1", "retail/default/all/all", 24 / 40, 10, "retail", "default", *ALL),
    ("aurora-1", "retail/default/persona/Hard", 11 / 16, 4, "retail", "default", *HARD),
    ("aurora-1", "retail/default/persona/None", 13 / 24, 6, "retail", "default", *ANY),
    ("aurora-1", "retail/no-user/all/all", 1.0, 4, "retail", "no-user", *ALL),
    ("birch-2", "retail/default/all/all", 0.0, 10, "retail", "default", *ALL),
]
SOLVED = [f"solved:{k}" for k in range(5)]
COUNTS = [(1, 2, 3, 0, 4), (0, 1, 1, 0, 2), (1, 1, 2, 0, 2), (0, 0, 0, 0, 4), (10, 0, 0, 0, 0)]
HEADER = "model,domain,mode,group,group_value,n_tasks,c0,c1,c2\n"


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "tau2_counts" / "pass_counts.csv")
    found = trials.table().sort("configuration", "task")
    assert found.columns == COLUMNS
    assert found["model"].to_list() == found["configuration"].to_list()
    assert found.drop("run", "status", "model", *SOLVED).rows() == GOLDEN
    assert found.select(SOLVED).rows() == COUNTS
    assert set(found.select("run", "status").rows()) == {("1", "ok")}
    assert trials.kind == "grouped"
    assert trials.task_columns == ("domain", "mode", "group", "group_value")
    assert trials.accounting.read == 5
    assert trials.notes[1] == (
        "the groups all, persona hold the same tasks: keep one, for instance --where group=all"
    )


def test_recognised_by_its_header(fixtures: Path) -> None:
    reader, reason = choose(fixtures / "tau2_counts" / "pass_counts.csv")
    assert reader.name == "tau2_counts"
    assert reason.startswith("a table of pass counts (model, domain, mode, group")


def test_one_mode_and_group(fixtures: Path) -> None:
    path = fixtures / "tau2_counts" / "pass_counts.csv"
    trials = read(path, where={"mode": "default", "group": "all"})
    assert trials.tasks["task"].to_list() == ["retail/default/all/all"]
    assert trials.accounting.used == 2


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,retail,default,all,all,5,1,2,1", r"line 2, model 'a'.*found: 1 \+ 2 \+ 1 against 5"),
        ("a,retail,default,all,all,3,-1,2,2", "no count below 0"),
        ("a,,default,all,all,3,1,1,1", "names for the cell"),
        ("a,retail,default,all,all,0,0,0,0", "0 against 0"),
        ("a,retail,default,all,all,3,1.5,1,1", "line 2, column c0: the count is no whole number"),
        ("a,retail,default,all,all,3,1,few,1", "line 2, column c1.*found: few"),
        ("", "the table has no rows"),
    ],
)
def test_faults(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(HEADER + row + "\n" * bool(row), encoding="utf-8")
    with pytest.raises(InputError, match=message) as fault:
        read(path)
    assert "counts.csv" in str(fault.value)


def test_a_gap_in_the_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(HEADER.replace("c2", "c3") + "a,retail,x,all,all,3,1,1,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="without a gap in the counts"):
        read(path)


def test_reconstructed(data: Path) -> None:
    """pass^1 of the four models, from the counts by hand: sum(c_k k) / (4 n)."""
    path = data / "tau2-bench" / "reconstructed" / "tau2_pass_counts.csv"
    trials = read(path)
    assert trials.accounting.used == 48
    table = trials.table().filter(pl.col("group") == "all", pl.col("domain") == "airline")
    assert dict(table.select("configuration", "score").rows()) == {
        "claude-3-7-sonnet-20250219": 0.5,
        "gpt-4.1-2025-04-14": 0.56,
        "gpt-4.1-mini-2025-04-14": 0.505,
        "o4-mini-2025-04-16": 0.59,
    }


@pytest.mark.parametrize("group", ["intent", "persona"])
def test_subgroups_add_up_to_the_totals(data: Path, group: str) -> None:
    table = read(data / "tau2-bench" / "reconstructed" / "tau2_pass_counts.csv").table()
    telecom = table.filter(domain="telecom").with_columns(passed=pl.col("score") * pl.col("count"))
    parts, whole = telecom.filter(group=group), telecom.filter(group="all")
    summed = parts.group_by("configuration").agg(pl.col("count", "passed").sum())
    joined = summed.join(whole, on="configuration", suffix="_whole", validate="1:1")
    assert joined.height == 4
    assert (joined["count"] == joined["count_whole"]).all()
    assert joined["passed"].to_list() == pytest.approx(joined["passed_whole"].to_list())
