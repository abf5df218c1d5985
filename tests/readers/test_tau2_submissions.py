"""tau2-bench leaderboard submissions."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tiebreak.errors import InputError
from tiebreak.readers import read
from tiebreak.readers.registry import choose

COLUMNS = [
    "configuration", "task", "run", "status", "score", "cost_usd",
    "model", "organisation", "modality", "submission_type", "mode", "domain",
]  # fmt: skip
A = ("Aurora 1", "Meadow Lab", "text", "standard", "default")
B = ("Birch 2", "Meadow Lab", "text", "standard", "default")
C = ("Cedar Voice", "Grove", "voice", "custom", "voice")
GOLDEN = [
    ("aurora_meadow_2030-01-01", "airline", "1", "ok", 0.555, None, *A, "airline"),
    ("aurora_meadow_2030-01-01", "retail", "1", "ok", 0.8, 0.25, *A, "retail"),
    ("aurora_meadow_2030-01-01", "telecom", "1", "not_run", None, None, *A, "telecom"),
    ("birch_meadow_2030-02-01", "retail", "1", "ok", 1.0, None, *B, "retail"),
    ("birch_meadow_2030-02-01", "telecom", "1", "error", None, None, *B, "telecom"),
    ("cedar-voice_grove_2030-03-01", "retail", "1", "ok", 0.0, None, *C, "retail"),
]
NOT_NULL = {"retail": 34, "airline": 33, "telecom": 33, "banking_knowledge": 18}
"""Published for 2026-06-01; four of the telecom entries hold only nulls (SOURCE.md)."""


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "tau2_submissions")
    found = trials.table().sort("configuration", "task")
    assert found.columns == COLUMNS
    assert found.rows() == GOLDEN
    assert trials.kind == "aggregate"
    assert trials.task_columns == ("domain",)
    assert trials.accounting.read == 8
    assert dict(trials.accounting.excluded) == {"example": 2}
    assert trials.missing == {"not_run": 1, "error": 1}
    assert trials.notes == (
        "pass_1 per domain in percent, divided by 100: one rate, no count of trials",
        "1 voice submissions ran another protocol (mode voice): "
        "--where mode=default leaves them out",
        "1 domain entries are null (status not_run): telecom 1",
        "1 domain entries state no pass_1 (status error): telecom 1",
        "unpriced: 4 domain entries cost 0 or state no cost",
        "in no list of manifest.json: birch_meadow_2030-02-01",
    )


def test_recognised_by_content(fixtures: Path, tmp_path: Path) -> None:
    reader, reason = choose(fixtures / "tau2_submissions")
    assert reader.name == "tau2_submissions"
    assert "<name>/submission.json" in reason
    other = tmp_path / "team" / "submission.json"
    other.parent.mkdir()
    other.write_text('{"name": "of another benchmark"}', encoding="utf-8")
    with pytest.raises(InputError, match="nothing readable here"):
        choose(tmp_path)


def test_one_submission(fixtures: Path) -> None:
    folder = fixtures / "tau2_submissions" / "aurora_meadow_2030-01-01"
    by_folder, by_file = read(folder), read(folder / "submission.json")
    assert by_folder.table().equals(by_file.table())
    assert by_file.configurations["configuration"].to_list() == ["aurora_meadow_2030-01-01"]


def test_only_examples(fixtures: Path) -> None:
    with pytest.raises(InputError, match="only examples: A_EXAMPLE_model_org_2030-01-01"):
        read(fixtures / "tau2_submissions" / "A_EXAMPLE_model_org_2030-01-01")


def tree(folder: Path, **rates: object) -> Path:
    """A submission per keyword with that pass_1 on retail."""
    for name, rate in rates.items():
        file = folder / name / "submission.json"
        file.parent.mkdir()
        results = {"retail": {"pass_1": rate}}
        content = {"model_name": name, "submitting_organization": "x", "results": results}
        file.write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_a_weak_submission_alone(tmp_path: Path) -> None:
    """The format is in percent, so a small rate is one, too."""
    assert read(tree(tmp_path, a=2.5, b=0)).frame["score"].to_list() == [0.025, 0.0]


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ({"a": 101}, r"a/submission.json, field results.retail.pass_1: .*\[0, 100\].*found: 101"),
        ({"a": -1}, "field results.retail.pass_1: the pass rate is no percentage"),
        ({"a": "high"}, r"submission.json, field `\$.results\[...\].pass_1`: Expected"),
        ({"a": 75, "b": 0.8}, "b/submission.json, .*fractions never exceed 1.*found: 0.8"),
        ({"a": 0.8}, "a/submission.json, .*fractions never exceed 1.*found: 0.8"),
    ],
)
def test_faults(tmp_path: Path, rates: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tree(tmp_path, **rates))


def test_truncated_submission(tmp_path: Path) -> None:
    file = tree(tmp_path, a=50) / "a" / "submission.json"
    file.write_text(file.read_text(encoding="utf-8")[:-3], encoding="utf-8")
    with pytest.raises(InputError, match=r"a/submission.json: not valid JSON"):
        read(tmp_path)


def test_published_counts(data: Path) -> None:
    trials = read(data / "tau2-bench" / "submissions_2026-06-01")
    table = trials.table()
    assert trials.configurations.height == 44
    entries = table.filter(pl.col("status") != "not_run")["domain"].value_counts()
    assert dict(entries.rows()) == NOT_NULL
    scored = table.drop_nulls("score")["domain"].value_counts()
    assert dict(scored.rows()) == NOT_NULL | {"telecom": 29}
    assert trials.missing == {"not_run": 24, "error": 4}
    assert trials.accounting.excluded == {"example": 7}
    assert "in no list of manifest.json: qwen3-max_qwen_2025-10-30" in trials.notes


def test_some_published_rates(data: Path) -> None:
    table = read(data / "tau2-bench" / "submissions_2026-06-01").table()
    row = table.filter(
        pl.col("configuration") == "claude-opus-4-5_sierra_2026-02-26", pl.col("task") == "telecom"
    ).row(0, named=True)
    assert row["score"] == pytest.approx(0.9232, abs=1e-12)
    assert row["cost_usd"] == 0.71992
    assert table.filter(mode="voice")["configuration"].n_unique() == 8


def test_later_state_of_the_leaderboard(data: Path) -> None:
    trials = read(data / "tau2-bench" / "submissions_2026-08-18")
    assert trials.configurations.height == 65
    assert trials.frame["score"].count() == 42 + 41 + 37 + 31
