"""OpenHands index: two scaffolds, absent and unscored instances, unpriced cells."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tiebreak.cli import main
from tiebreak.readers import read
from tiebreak.readers.registry import choose

FORGE, ASH, ELM = "Forge | ash-1", "OpenHands | ash-1", "OpenHands | elm-2"
GOLDEN = [
    (FORGE, "quiz/q1", "quiz", 0.0, "ok", 0.0),
    (FORGE, "quiz/q2", "quiz", 1.0, "ok", 0.0),
    (ASH, "pictures/p1", "pictures", 1.0, "ok", 0.5),
    (ASH, "pictures/p2", "pictures", 1.0, "ok", 0.25),
    (ASH, "pictures/p3", "pictures", 0.0, "ok", 0.25),
    (ASH, "quiz/q1", "quiz", 1.0, "ok", 0.25),
    (ASH, "quiz/q2", "quiz", 0.0, "ok", 0.75),
    (ELM, "pictures/p1", "pictures", None, "error", 0.01),
    (ELM, "pictures/p2", "pictures", 0.0, "ok", None),
    (ELM, "pictures/p3", "pictures", 0.0, "ok", 0.02),
    (ELM, "quiz/q1", "quiz", 1.0, "ok", 0.02),
    (ELM, "quiz/q2", "quiz", None, "not_run", None),
]


@pytest.fixture
def tree(fixtures: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(fixtures / "openhands", tmp_path / "index"))


def test_golden(fixtures: Path) -> None:
    trials = read(fixtures / "openhands")
    found = trials.table().sort("configuration", "task")
    columns = ("configuration", "task", "benchmark", "score", "status", "cost_usd")
    assert found.select(columns).rows() == GOLDEN
    attributes = trials.configurations.select("configuration", "model", "scaffold").rows()
    assert attributes == [
        (FORGE, "ash-1", "Forge"),
        (ASH, "ash-1", "OpenHands"),
        (ELM, "elm-2", "OpenHands"),
    ]


def test_every_record_is_accounted_for(fixtures: Path) -> None:
    """Two instances of the long file are not scored; one folder holds nothing."""
    accounting = read(fixtures / "openhands").accounting
    excluded = {"unsolveable, left out of the published score": 2, "no instance results": 1}
    assert dict(accounting.excluded) == excluded
    assert accounting.read == accounting.used + 3


def test_what_the_layout_leaves_open_is_said(fixtures: Path) -> None:
    notes = " ".join(read(fixtures / "openhands").notes)
    assert "no file lists what was asked" in notes
    assert "absent from a file, so not run: quiz 1" in notes
    assert "no instance results: OpenHands | oak-3" in notes
    assert "metadata differ: elm-2 (Elm-2-preview)" in notes
    assert "pictures: 2 instances that the shorter files leave out are no tasks" in notes


def test_published_mean_costs_beside_those_of_the_instances(fixtures: Path) -> None:
    """By hand: pictures of ash is 1.50 / 5 = 0.30 against 0.40, Forge is 0 against 0.40."""
    stated = read(fixtures / "openhands").stated_costs
    assert stated is not None
    rows = {r["configuration"] + " " + r["part"]: r for r in stated.iter_rows(named=True)}
    assert [k for k, r in rows.items() if not r["agrees"]] == [FORGE + " quiz", ASH + " pictures"]
    assert rows[ASH + " pictures"]["found"] == pytest.approx(0.30)
    assert rows[ELM + " pictures"]["found"] == pytest.approx(0.01)


def test_without_a_shorter_file_nothing_tells_unsolveable_instances(fixtures: Path) -> None:
    trials = read(fixtures / "openhands" / "results" / "ash-1")
    assert trials.tasks.height == 7


def test_recognised_at_every_depth(fixtures: Path) -> None:
    root = fixtures / "openhands"
    for place in (root, root / "alternative_agents", root / "results" / "elm-2"):
        assert choose(place)[0].name == "openhands"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"q1": {"cost": 1.0}}', "missing required field `resolved`"),
        ('{"q1": {"resolved": "yes", "cost": 1.0}}', "Expected `bool | null`"),
        ('{"q1": {"resolved": true, "cost": "€ 3"}}', "Expected `float | null`"),
        ("[]", "Expected `object`"),
        ("{", "not valid JSON"),
    ],
)
def test_bad_files_are_named(
    tree: Path, content: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tree / "results" / "ash-1" / "instance_results" / "quiz.json"
    file.write_text(content, encoding="utf-8")
    assert main(["inspect", str(tree)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "quiz.json" in err
    assert err.count("\n") == 1


def test_an_index_without_results_is_said(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tree / "results" / "oak-3"), "--format", "openhands"]) == 2
    assert "no instance results here" in capsys.readouterr().err


def test_the_public_index(data: Path) -> None:
    """Counts that its documentation states: 43 pairs, 34 models, 5 scaffolds, 477 nulls, 79 files.

    Of the 477 nulls, 15 lie in instances that the score leaves out.
    """
    trials = read(data / "openhands-index")
    pairs = trials.configurations
    assert (pairs.height, pairs["model"].n_unique(), pairs["scaffold"].n_unique()) == (43, 34, 5)
    sizes = trials.tasks.group_by("benchmark").len().sort("benchmark")["len"].to_list()
    assert sizes == [16, 165, 500, 68, 433]
    assert trials.stated_costs is not None
    assert (trials.stated_costs.height, int((~trials.stated_costs["agrees"]).sum())) == (215, 79)
    assert trials.accounting.excluded["no instance results"] == 1
    # 72 of gaia and 150 of swt-bench, as documented, and 3 of the scored ones of multimodal
    assert trials.missing == {"error": 462, "not_run": 225}
