"""DataAgentBench: tables in percent and in fractions, data sets under two names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose
from tiebreak.trials import Trials

BIRCH, CEDAR, MAPLE = "ReAct | Birch-2", "ReAct | Cedar-3", "PromptQL | Maple 1"
GOLDEN = [
    (MAPLE, "deps_dev_v1", "1", "ok", 0.125, "PromptQL", "Maple 1", "deps_dev_v1"),
    (MAPLE, "yelp", "1", "ok", 0.8, "PromptQL", "Maple 1", "yelp"),
    (BIRCH, "deps_dev_v1", "1", "ok", 0.0, "ReAct", "Birch-2", "deps_dev_v1"),
    (BIRCH, "yelp", "1", "ok", 0.5, "ReAct", "Birch-2", "yelp"),
    (CEDAR, "yelp", "1", "ok", 1.0, "ReAct", "Cedar-3", "yelp"),
]
COLUMNS = ["configuration", "task", "run", "status", "score"]


def rows(trials: Trials, *columns: str) -> list[tuple[object, ...]]:
    return trials.table().select(*COLUMNS, *columns).sort("configuration", "task").rows()


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "data_agent_bench" / "leaderboards.json")
    assert rows(trials, "scaffold", "model", "dataset") == GOLDEN
    assert trials.kind == "aggregate"
    assert trials.task_columns == ("dataset",)
    assert trials.accounting.read == 8
    assert dict(trials.accounting.excluded) == {
        "overall score without data sets": 2,
        "no score for the data set": 1,
    }
    assert trials.notes == (
        "data sets under two names: deps_dev = deps_dev_v1",
        "promptqlStratified is in percent: divided by 100",
        "promptqlStratified, Maple 1: overall 40 is not the mean 46.25",
        "scores of 2030-01-01",
        "no count of queries: every data set weighs the same in the observed mix",
    )


def test_queries_make_the_records_grouped(fixtures: Path) -> None:
    folder = fixtures / "data_agent_bench"
    trials = read(folder / "leaderboards.json", tasks=folder / "queries.csv")
    assert trials.kind == "grouped"
    counts = trials.frame.group_by("task").agg(pl.col("count").unique()).sort("task")
    assert counts.rows() == [("deps_dev_v1", [2.0]), ("yelp", [3.0])]
    assert "count is the number of queries, from queries.csv" in trials.notes


def test_submissions_golden(fixtures: Path) -> None:
    trials = read(fixtures / "data_agent_bench" / "submissions")
    assert rows(trials, "count", "dataset") == [
        ("maple_v1", "pancancer_atlas", "1", "ok", 0.25, 4.0, "pancancer_atlas"),
        ("maple_v1", "yelp", "1", "ok", 4 / 6, 6.0, "yelp"),
        ("willow_v2", "yelp", "1", "ok", 1.0, 3.0, "yelp"),
    ]
    assert trials.kind == "grouped"
    assert trials.notes == ("data sets under two names: PANCANCER = pancancer_atlas",)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("leaderboards.json", "promptqlStratified"),
        ("submissions", "maple_v1/metrics.json"),
        ("submissions/willow_v2/metrics.json", "per_dataset"),
    ],
)
def test_recognised_by_keys(fixtures: Path, name: str, reason: str) -> None:
    reader, found = choose(fixtures / "data_agent_bench" / name)
    assert reader.name == "data_agent_bench"
    assert reason in found


def boards(fixtures: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        (fixtures / "data_agent_bench" / "leaderboards.json").read_text()
    )
    return content


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("promptqlStratified", {"maple1": 101}, r"rows\[0\].maple1: not a score; .*100\].*101"),
        ("baselineStratified", {"birch2": 50}, r"rows\[0\].birch2: not a score; .*0, 1\].*50"),
        ("baselineStratified", {"birch2": "half"}, r"rows\[0\].birch2: not a score; .*'half'"),
        ("baselineStratified", {"dataset": " "}, r"rows\[0\]: a row names no data set"),
        (
            "baselineStratified",
            {"dataset": "deps_dev"},
            r"task 'deps_dev_v1'.*2 rows repeat 1 ",
        ),
    ],
)
def test_faults_name_the_field(
    fixtures: Path, tmp_path: Path, table: str, change: dict[str, Any], message: str
) -> None:
    content = boards(fixtures)
    content[table]["rows"][0] |= change
    (tmp_path / "x.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        read(tmp_path / "x.json")


def test_overall_scores_alone_have_no_cells(fixtures: Path, tmp_path: Path) -> None:
    content = boards(fixtures) | {"promptqlStratified": None, "baselineStratified": None}
    (tmp_path / "x.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"no score by data set; .*found: 2 overall scores"):
        read(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"passed": 7}, r"per_dataset.yelp: passes and trials do not fit; .*7 of 6"),
        ({"failed_execution": 3}, "do not fit; .*4 of 6, 3 failed"),
        ({"pass_at_1": 0.5}, "do not fit; .*0.5"),
        ({"trials": 0}, "do not fit"),
        ({"trials": "six"}, r"Expected `int`, got `str`"),
    ],
)
def test_metrics_that_contradict_themselves(
    fixtures: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    file = fixtures / "data_agent_bench" / "submissions" / "maple_v1" / "metrics.json"
    content = json.loads(file.read_text())
    content["per_dataset"]["yelp"] |= change
    (tmp_path / "metrics.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        read(tmp_path / "metrics.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset,n\nyelp,3\n", "no list of data sets; .*found: dataset, n"),
        ("dataset,queries\nyelp,3\n", "data sets without a count; found: deps_dev_v1"),
        ("dataset,queries\nyelp,3\ndeps_dev,0\n", "queries cannot be told"),
        ("dataset,queries\nyelp,3\nYELP,3\n", "queries cannot be told"),
    ],
)
def test_queries_faults(fixtures: Path, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "q.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read(fixtures / "data_agent_bench" / "leaderboards.json", tasks=tmp_path / "q.csv")


@pytest.mark.parametrize(("name", "overall"), [("2026-05-14", 12), ("2026-09-11.reduced", 37)])
def test_real_leaderboards(data: Path, name: str, overall: int) -> None:
    """Eight configurations on twelve data sets; the equal-data-set mean is the printed overall."""
    path = data / "data-agent-bench" / f"leaderboards_{name}.json"
    trials = read(path)
    assert trials.kind == "grouped"  # the numbers of queries stand beside it
    assert (trials.configurations.height, trials.tasks.height) == (8, 12)
    assert trials.frame.height == 96
    assert dict(trials.accounting.excluded) == {"overall score without data sets": overall}
    content = json.loads(path.read_text())
    means = dict(trials.frame.group_by("configuration").agg(pl.col("score").mean()).iter_rows())
    for field, scaffold, unit in (
        ("promptqlStratified", "PromptQL", 100),
        ("baselineStratified", "ReAct", 1),
    ):
        for column in content[field]["columns"]:
            stated = content[field]["overall"][column["key"]] / unit
            assert means[f"{scaffold} | {column['label']}"] == pytest.approx(stated, abs=0.0051)
    assert max(means, key=lambda c: means[c]) == ("PromptQL | Gemini 3.1 Pro")


def test_real_metrics(data: Path) -> None:
    trials = read(data / "data-agent-bench" / "qwen38flash_parallel_v1_metrics.json")
    assert trials.configurations["configuration"].to_list() == ["qwen38flash_parallel_v1"]
    frame = trials.frame
    assert frame["count"].sum() == 270
    assert (frame["score"] * frame["count"]).sum() == pytest.approx(201)
    assert frame["score"].mean() == pytest.approx(0.7086721611721613)
