"""``tiebreak plot``: every question's own options, files by ending, faults in one line."""

from __future__ import annotations

import json

import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.data import EXAMPLE
from tiebreak.plots import plot
from tiebreak.plots.files import to_json

BOARD = ["board", str(EXAMPLE), "--target", "equal:repo", "--missing", "fail", "--top", "4"]
STARTS = {".svg": b"<svg", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>", ".json": b"{"}


@pytest.mark.parametrize("ending", STARTS)
def test_files_by_ending_are_the_same_twice(tmp_path, capsys, ending):
    files = [tmp_path / f"{name}{ending}" for name in "ab"]
    for file in files:
        assert main(["plot", *BOARD, "-o", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"board → {file}" for file in files]
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(STARTS[ending])
    assert first == second


def test_options_and_views_reach_the_question(tmp_path, example):
    file = tmp_path / "x.json"
    assert main(["plot", "-o", str(file), *BOARD, "--view", "forest", "--margin=0.1"]) == 0
    asked = tb.board(example, target="equal:repo", missing="fail", top=4, margin=0.1)
    assert file.read_text(encoding="utf-8") == to_json(plot(asked, "forest"))


@pytest.mark.parametrize(
    "words",
    [
        ["compare", str(EXAMPLE), "patchbot | tundra", "loopwright | sorrel-l", "--missing=fail"],
        ["runs", str(EXAMPLE), "patchbot | tundra", "loopwright | sorrel-l", "--view", "plan"],
        ["inspect", str(EXAMPLE), "--cells", "repo"],
    ],
    ids=lambda words: words[0],
)
def test_questions_with_names_and_without_settings(tmp_path, words):
    file = tmp_path / "x.json"
    assert main(["plot", *words, "-o", str(file)]) == 0
    assert json.loads(file.read_text(encoding="utf-8"))["title"]["text"]


def test_capitals_and_a_file_that_is_there(tmp_path):
    file = tmp_path / "x.SVG"
    file.write_text("old")
    assert main(["plot", *BOARD, "-o", str(file)]) == 0
    assert file.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plot", "example", "-o", "x.svg"], "no such question to draw; allowed: inspect, board"),
        (["plot", "plot", *BOARD, "-o", "x.svg"], "no such question to draw"),
        (["plot", "reproduce", "one-run", "-o", "x.svg"], "no such question to draw"),
        (["plot", *BOARD, "-o", "x.gif"], "unknown ending for a picture; allowed: .svg, .png"),
        (["plot", *BOARD, "-o", "x"], "unknown ending for a picture"),
        (["plot", *BOARD, "-o", "none/x.svg"], "no such folder for the picture"),
        (["plot", *BOARD, "-o", "folder.svg"], "a folder stands where the picture would go"),
        (["plot", *BOARD, "-o", "x.svg", "--view", "pie"], "allowed: board, forest, matrix"),
        (["plot", *BOARD, "-o", "x.svg", "--json"], "a picture is drawn, not printed"),
        (["plot", *BOARD, "-o", "x.svg", "--colour", "red"], "--colour"),
        (["plot", *BOARD], "--output"),
        (["plot", "-o", "x.svg"], "QUESTION"),
        (["plot", "board", "-o", "x.svg"], "--path"),
        (["plot", "board", "nothing.csv", "-o", "x.svg"], "nothing.csv"),
        (["plot", "compare", str(EXAMPLE), "nobody", "x", "-o", "x.svg"], "matches 'nobody'"),
        (["plot", "runs", str(EXAMPLE), "--view", "claims", "-o", "x.svg"], "two configurations"),
    ],
)
def test_bad_input_is_one_line_and_no_file(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.svg").mkdir()
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert message in err
    assert [p.name for p in tmp_path.iterdir()] == ["folder.svg"]


def test_places_and_views_are_checked_before_the_records_are_read(tmp_path, capsys):
    for words in (["-o", f"{tmp_path}/none/x.svg"], ["-o", f"{tmp_path}/x.svg", "--view", "pie"]):
        assert main(["plot", "board", "nothing.csv", *words]) == 2
        assert "nothing.csv" not in capsys.readouterr().err


def test_a_missing_package_is_named_with_the_way_to_get_it(tmp_path, monkeypatch, capsys):
    import tiebreak.plots

    monkeypatch.setattr(tiebreak.plots, "find_spec", lambda name: None)
    assert main(["plot", *BOARD, "-o", str(tmp_path / "x.svg")]) == 2
    err = capsys.readouterr().err
    assert "altair and vl-convert" in err
    assert "pip install 'tiebreak[plots]'" in err


def test_a_disk_that_refuses_is_one_line(tmp_path, monkeypatch, capsys):
    from pathlib import Path

    def refuse(self, content):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert main(["plot", *BOARD, "-o", str(tmp_path / "x.svg")]) == 2
    assert "disk full" in capsys.readouterr().err
