"""AgentRewardBench: several label sources, double annotations, ids that differ by agent."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

MAPLE, BIRCH = "GenericAgent-maple-1", "GenericAgent-birch-2"
LAKE, HILL = "assistantbench.validation.7", "visualwebarena.3"
GOLDEN = [
    (BIRCH, LAKE, "1", "error", None, None, None, "birch-2", "GenericAgent", "assistantbench"),
    (BIRCH, HILL, "1", "ok", 0.0, 0.0, 1.0, "birch-2", "GenericAgent", "visualwebarena"),
    (MAPLE, LAKE, "1", "ok", 1.0, 1.0, 0.0, "maple-1", "GenericAgent", "assistantbench"),
    (MAPLE, HILL, "1", "ok", 1.0, None, None, "maple-1", "GenericAgent", "visualwebarena"),
]
COLUMNS = [
    *("configuration", "task", "run", "status"),
    *("label:expert", "label:functional", "label:aer_c", "model", "scaffold", "benchmark"),
]


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "agent_reward_bench", duplicates="any")
    table = trials.table()
    assert set(table.columns) == set(COLUMNS)
    assert table.select(COLUMNS).sort("configuration", "task").rows() == GOLDEN
    assert trials.sources == ("expert", "functional", "aer_c")
    assert trials.kind == "item"
    assert (trials.accounting.read, trials.accounting.used) == (6, 4)
    assert dict(trials.accounting.excluded) == {
        "duplicate (any)": 1,
        "verdict without annotation": 1,
    }
    assert trials.notes == (
        "annotator, side effect, optimality and looping are no task columns: not read",
        "2 annotated trajectories have no verdict",
        "1 label 'Unsure': a missing outcome",
        "1 records of tasks 'visualwebarena.resized.N' are of 'visualwebarena.N'",
        "3 records of tasks 'assistantbench.improved.validation.N' are of "
        "'assistantbench.validation.N'",
    )


def test_annotations_alone(fixtures: Path) -> None:
    trials = read(fixtures / "agent_reward_bench" / "annotations.csv", duplicates="first")
    assert trials.sources == ("expert",)
    found = trials.frame.filter(pl.col("task") == LAKE).sort("configuration")["label:expert"]
    assert found.to_list() == [None, 0.0]


def test_verdicts_alone(fixtures: Path) -> None:
    trials = read(fixtures / "agent_reward_bench" / "verdicts.csv")
    found = trials.frame.sort("configuration", "task")
    labels = ["label:expert", "label:functional", "label:aer_c"]
    assert found.select("configuration", *labels).rows() == [
        (BIRCH, 0.0, 0.0, 1.0),
        (BIRCH, 1.0, 1.0, 1.0),
        (MAPLE, 0.0, 1.0, 0.0),
    ]
    assert "expert is 'reference_first_annotation'" in trials.notes


def test_double_annotations_need_a_rule(fixtures: Path) -> None:
    with pytest.raises(InputError, match=r"2 rows repeat 1 .*1 of them disagree.*--duplicates"):
        read(fixtures / "agent_reward_bench")


@pytest.mark.parametrize("name", ["", "annotations.csv", "verdicts.csv"])
def test_recognised_by_columns(fixtures: Path, name: str) -> None:
    reader, reason = choose(fixtures / "agent_reward_bench" / name)
    assert reader.name == "agent_reward_bench"
    assert (name or "annotations.csv and verdicts.csv") in reason


def edited(fixtures: Path, tmp_path: Path, file: str, old: str, new: str) -> Path:
    text = (fixtures / "agent_reward_bench" / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1))
    return tmp_path / file


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("annotations.csv", "Unsure,", "Perhaps,", "row 5: 1 labels mean nothing; .*'Perhaps'"),
        ("annotations.csv", "Successful,", ",", "row 1: 1 labels mean nothing; .*found: None"),
        ("verdicts.csv", ",1,0\n", ",2,0\n", "'functional', row 1: 1 labels.*'2'"),
        ("verdicts.csv", ".9,", ".3,", "2 verdict rows repeat a trajectory; .*visualwebarena.3"),
        ("annotations.csv", "GenericAgent-birch-2,", " ,", "1 records have no configuration"),
    ],
)
def test_faults(
    fixtures: Path, tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(edited(fixtures, tmp_path, file, old, new), duplicates="any")


def test_a_mapping_is_refused_not_ignored(fixtures: Path) -> None:
    with pytest.raises(InputError, match=r"fixed columns.*--format table"):
        read(fixtures / "agent_reward_bench", score="trajectory_success")


def test_two_files_of_one_kind(fixtures: Path, tmp_path: Path) -> None:
    text = (fixtures / "agent_reward_bench" / "annotations.csv").read_text()
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=r"2 files of the same kind; found: a.csv and b.csv"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["annotations.csv", ""])
def test_real_records(data: Path, name: str) -> None:
    """1,408 annotations of 1,302 trajectories; the published raw and balanced scores (rank-
    comparison, Section V-C: three digits)."""
    path = data / "agent-reward-bench" / name
    # A thirteenth pair is "Unsure" beside a label: a missing score contradicts no other.
    with pytest.raises(InputError, match=r"212 rows repeat 106 .*13 of them disagree"):
        read(path)
    trials = read(path, duplicates="any")
    assert trials.accounting.read == 1408
    assert trials.frame.height == 1302
    table = trials.table()
    assert raw_scores(table) == [0.339, 0.328, 0.236, 0.181]
    assert table["benchmark"].unique().sort().to_list() == [
        *("assistantbench", "visualwebarena", "webarena", "workarena"),
    ]
    # Llama has no visualwebarena trajectory: the common support is the other three groups.
    common = table.filter(pl.col("benchmark") != "visualwebarena")
    cells = common.group_by("configuration", "benchmark").agg(pl.col("label:expert").mean())
    assert raw_scores(cells) == [0.300, 0.276, 0.187, 0.154]


def raw_scores(table: pl.DataFrame) -> list[float]:
    """Mean expert label of Claude, GPT-4o, Qwen and Llama, in this order."""
    scores = table.group_by("configuration").agg(pl.col("label:expert").mean())
    return [
        round(scores.filter(pl.col("configuration").str.contains(name))["label:expert"].item(), 3)
        for name in ("claude", "gpt-4o", "Qwen", "Llama")
    ]


def test_real_verdicts(data: Path) -> None:
    """The test split: every verdict meets its trajectory, whatever the duplicates rule."""
    folder = data / "agent-reward-bench"
    alone = read(folder / "verdicts_test_split.csv")
    assert alone.frame.height == 1106
    for rule in ("first", "any", "mean", "majority"):
        joined = read(folder, duplicates=rule)  # type: ignore[arg-type]
        both = joined.table().join(alone.table(), on=["configuration", "task"])
        assert both.height == 1106
        for verdict in ("label:functional", "label:aer_c"):
            assert (both[verdict] == both[verdict + "_right"]).all()
            assert joined.frame[verdict].count() == 1106
