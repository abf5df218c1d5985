"""Open Agent: aggregate rows with several scores, among which the user must choose."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose
from tiebreak.trials import Trials

COLUMNS = ["configuration", "task", "run", "status", "score", "cost_usd", "count"]
RUNNER, WALKER = "runner | maple_1", "walker | maple_1"
GOLDEN = [
    (RUNNER, "hill", "1", "ok", 0.5, 0.0, 4.0, "runner", "maple_1", "hill"),
    (RUNNER, "lake", "1", "ok", 0.8, 0.125, 5.0, "runner", "maple_1", "lake"),
    (WALKER, "hill", "1", "ok", 0.25, 0.5, 4.0, "walker", "maple_1", "hill"),
    (WALKER, "lake", "1", "ok", 0.6, 0.25, 10.0, "walker", "maple_1", "lake"),
]


def rows(trials: Trials) -> list[tuple[object, ...]]:
    table = trials.table().select(*COLUMNS, "scaffold", "model", "benchmark")
    return table.sort("configuration", "task").rows()


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "open_agent" / "rows.csv", score="percent_successful")
    assert rows(trials) == GOLDEN
    assert (trials.kind, trials.sources) == ("grouped", ("score",))
    assert (trials.accounting.read, trials.accounting.used) == (4, 4)
    assert trials.task_columns == ("benchmark",)
    assert trials.mapping["score"] == "percent_successful"
    assert trials.notes == ("one rate of total_sessions sessions per configuration and benchmark",)


def test_parquet_is_the_same(fixtures: Path, tmp_path: Path) -> None:
    pl.read_csv(fixtures / "open_agent" / "rows.csv").write_parquet(tmp_path / "x.parquet")
    assert rows(read(tmp_path / "x.parquet", score="percent_successful")) == GOLDEN


def test_short_release_has_one_score(fixtures: Path) -> None:
    trials = read(fixtures / "open_agent" / "short.csv")
    assert rows(trials) == [
        ("walker | maple", "Lake", "1", "ok", 0.4, 0.25, 10.0, "walker", "maple", "Lake"),
    ]


def test_the_score_must_be_chosen(fixtures: Path) -> None:
    path = fixtures / "open_agent" / "rows.csv"
    candidates = "percent_successful, benchmark_score, average_score"
    with pytest.raises(InputError, match=f"3 columns .*{candidates}; .*--score percent_success"):
        read(path)
    with pytest.raises(InputError, match=f"not a score column; .*{candidates}; found: agent"):
        read(path, score="agent")
    with pytest.raises(InputError, match=r"fixed columns; .*found: task"):
        read(path, mapping={"task": "benchmark"}, score="average_score")


@pytest.mark.parametrize("name", ["rows.csv", "short.csv"])
def test_recognised_by_columns(fixtures: Path, name: str) -> None:
    reader, reason = choose(fixtures / "open_agent" / name)
    assert reader.name == "open_agent"
    assert "agent, model, benchmark" in reason


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.6,10,10", "0.6,10,0", "configuration 'walker | maple_1', task 'lake'.*found: .*of 0"),
        ("0.6,10,10", "0.6,10,", "whose count cannot be a count"),
        ("0.6,10,10", "0.6,10,ten", "'total_sessions' holds no numbers; .*found: ten"),
        ("0.6,10,10", "1.6,10,10", "'percent_successful' exceeds 1 but is no percentage"),
        ("0.6,10,10", "nan,10,10", "record 1: 1 values .*found: nan"),
        ("0.6,10,10", "0.6,10", "line 2: a row does not fit the header; .*10 fields.*9 fields"),
        ("walker,The Walker,0.5", ",The Walker,0.5", "1 records have no configuration"),
    ],
)
def test_faults(fixtures: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (fixtures / "open_agent" / "rows.csv").read_text()
    assert old in text
    (tmp_path / "rows.csv").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=message.replace("|", r"\|")):
        read(tmp_path / "rows.csv", score="percent_successful")


def test_no_open_agent_table(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"not an Open Agent table; .*found: a, b"):
        read(tmp_path / "x.csv", format="open_agent")


@pytest.mark.parametrize(
    "name", ["data_results.csv", "2026-03-23/data_results.csv", "train-00000-of-00001.parquet"]
)
def test_real_records(data: Path, name: str) -> None:
    """rank-comparison, Section V-E: 0.784 and 0.787 for the top, largest shift 2.7 points.

    The released mix weighs each configuration's benchmarks by its own numbers of sessions.
    """
    path = data / "open-agent-leaderboard" / name
    trials = read(path, score="percent_successful")
    assert trials.configurations.height == (15 if name.startswith("2026") else 25)
    mixed = (pl.col("score") * pl.col("count")).sum() / pl.col("count").sum()
    scores = trials.frame.group_by("configuration").agg(
        mixed.alias("released"), pl.col("score").mean().alias("equal")
    )
    top = scores.sort("released").row(-1, named=True)
    assert top["configuration"] == "openai_solo | openai_aws_claude-opus-4-5"
    assert top["released"] == pytest.approx(0.7842, abs=5e-5)
    assert top["equal"] == pytest.approx(0.7867, abs=5e-5)
    assert (scores["equal"] - scores["released"]).abs().max() == pytest.approx(0.0272, abs=5e-5)


def test_real_latin1(data: Path, tmp_path: Path) -> None:
    path = data / "open-agent-leaderboard" / "results.csv"
    with pytest.raises(InputError, match=r"line 122: the text is not UTF-8; .*0xB7; .*iconv"):
        read(path)
    (tmp_path / "results.csv").write_text(path.read_text(encoding="latin-1"), encoding="utf-8")
    trials = read(tmp_path / "results.csv")
    assert trials.frame.height == 150
    assert trials.mapping["score"] == "score"
