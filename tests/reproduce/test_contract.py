"""How a figure is judged, and that a run says what it skipped, explains or contradicts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tiebreak.cli import main
from tiebreak.errors import SpecError
from tiebreak.reproduce import registry
from tiebreak.reproduce.contract import Figure, Found, Paper, Section, Setting, near
from tiebreak.reproduce.records import data_folder
from tiebreak.reproduce.run import reproduce
from tiebreak.results.reproduce import value_text

FIGURE = Figure(
    id="part.gap",
    what="a gap",
    place="I",
    published=0.5,
    because="rounding",
    test="t",
    tolerance=0.1,
)

EXPECTED = """
[[figure]]
id = "sums.two"
what = "one and one"
place = "I"
published = 2
because = "a count"
test = "t"

[[figure]]
id = "sums.known"
what = "a known difference"
place = "II"
published = [0.25, 0.5]
because = "exact"
test = "t"
ledger.ours = [0.25, 0.75]
ledger.reason = "the paper | rounds"

[[figure]]
id = "logs.rows"
what = "rows"
place = "III"
published = 3
because = "a count"
test = "t"
"""
PARAMETERS = """
[sums]
offset = 0

[logs.records]
rows = "logs/rows.txt"
"""


def sums(setting: Setting) -> Found:
    return Found({"two": 2 + setting.parameters["offset"], "known": [0.25, 0.75]})


def rows(setting: Setting) -> Found:
    return Found({"rows": len(setting.records["rows"].read_text().split())})


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paper:
    (tmp_path / "expected.toml").write_text(EXPECTED)
    (tmp_path / "parameters.toml").write_text(PARAMETERS)
    sections = (Section("sums", "Sums", sums), Section("logs", "Logs", rows))
    made = Paper("small", "A small paper", tmp_path, sections)
    monkeypatch.setattr(registry, "PAPERS", (made,))
    return made


@pytest.fixture
def records(tmp_path: Path) -> Path:
    (tmp_path / "data" / "logs").mkdir(parents=True)
    (tmp_path / "data" / "logs" / "rows.txt").write_text("a b c")
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("ours", "status"), [(0.6, "agrees"), (0.4, "agrees"), (0.61, "differs"), (None, "differs")]
)
def test_within_the_tolerance_or_not(ours: float | None, status: str) -> None:
    assert FIGURE.status(ours) == status


def with_ledger(**known: object) -> Figure:
    return msgspec.convert(
        msgspec.to_builtins(FIGURE) | {"ledger": {"reason": "x", **known}}, Figure
    )


def test_the_ledger_explains_only_its_own_value() -> None:
    figure = with_ledger(ours=0.8, tolerance=0.01)
    assert [figure.status(v) for v in (0.5, 0.805, 0.9, None)] == [
        "agrees", "explained", "differs", "differs",
    ]  # fmt: skip


def test_records_that_are_not_public_are_explained_only_while_there_is_no_value() -> None:
    figure = with_ledger()
    assert [figure.status(v) for v in (None, 0.9)] == ["explained", "differs"]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("x", "x", True),
        ("x", "y", False),
        ("1", 1, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 3], False),
        ([1, 2], [1], False),
        (float("nan"), 1.0, False),
        (None, None, True),
        (0.1 + 0.2, 0.3, True),
    ],
)
def test_near(a: object, b: object, same: bool) -> None:
    assert near(a, b, 0.0) is same  # type: ignore[arg-type]


def test_an_unknown_field_of_a_figure_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="tolerence"):
        msgspec.convert(msgspec.to_builtins(FIGURE) | {"tolerence": 1}, Figure)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.7680, "0.7680"),
        (3, "3"),
        ([38, 31, 7], "38/31/7"),
        ([0.69, 0.833], "[0.6900, 0.8330]"),
        ("a name", "a name"),
        (None, "–"),
    ],
)
def test_values_as_text(value: object, text: str) -> None:
    assert value_text(value, 4) == text  # type: ignore[arg-type]


def test_all_here(paper: Paper, records: Path) -> None:
    result = reproduce("small", data=records)
    assert result.summary == {"agrees": 2, "explained": 1, "differs": 0, "skipped": 0}
    assert result.reproduced
    assert [f.ours for f in result.figures] == [2, [0.25, 0.75], 3]


def test_absent_records_are_skipped_with_the_reason(paper: Paper, tmp_path: Path) -> None:
    result = reproduce("small", data=tmp_path / "elsewhere")
    assert result.summary["skipped"] == 1
    assert result.reproduced
    assert "logs/rows.txt" in result.sections[1].skipped
    assert "skipped" in str(result)


def test_a_figure_that_should_agree_and_does_not(
    paper: Paper, tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "parameters.toml").write_text(PARAMETERS.replace("offset = 0", "offset = 1"))
    assert main(["reproduce", "small", "--data", str(records)]) == 1
    out = capsys.readouterr().out
    assert "1 differ without one" in out
    assert "differs   one and one" in out


def test_json_is_the_same_bytes(
    paper: Paper, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = []
    for _ in range(2):
        assert main(["reproduce", "small", "--data", str(records), "--json", "--seed", "7"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    told = json.loads(outputs[0])
    assert (told["question"], told["paper"], told["seed"]) == ("reproduce", "small", 7)
    assert told["sections"][0]["figures"][1] == {
        "id": "sums.known", "what": "a known difference", "place": "II",
        "published": [0.25, 0.5], "ours": [0.25, 0.75], "tolerance": 0.0,
        "status": "explained", "reason": "the paper | rounds",
    }  # fmt: skip


def test_markdown_escapes(paper: Paper, records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "small", "--data", str(records), "--markdown"]) == 0
    assert "the paper \\| rounds" in capsys.readouterr().out


def test_a_value_that_a_section_does_not_give_differs(paper: Paper, tmp_path: Path) -> None:
    broken = replace(paper, sections=(Section("sums", "Sums", lambda _: Found({})),))
    registry.PAPERS = (broken,)
    assert reproduce("small", data=tmp_path).summary["differs"] == 2


def test_unknown_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "rank"]) == 2
    assert "rank-comparison" in capsys.readouterr().err
    with pytest.raises(SpecError, match="seed"):
        reproduce("rank-comparison", seed=-1)


def test_where_the_records_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIEBREAK_DATA", str(tmp_path / "named"))
    assert data_folder() == tmp_path / "named"
    assert data_folder(tmp_path) == tmp_path
    monkeypatch.delenv("TIEBREAK_DATA")
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert data_folder() == tmp_path / "shared" / "data"
