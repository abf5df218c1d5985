"""Two rankings: agreement over shared names, what is matched by, what is refused."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import jsonschema
import pytest
from scipy.stats import kendalltau, spearmanr

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.readers.ranking import read_ranking

SCHEMA = json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
SOLVED = {"a": 19, "b": 17, "c": 14, "d": 14, "e": 9, "f": 6, "g": 2}
OTHER = {"a": 1310.0, "b": 1350.0, "c": 1200.0, "d": 1190.0, "e": 1195.0, "f": 900.0, "z": 1.0}


@pytest.fixture(scope="module")
def trials(make_trials):
    return make_trials({c: {f"t{i}": float(i < n) for i in range(20)} for c, n in SOLVED.items()})


def test_against_scipy_and_by_hand(trials):
    found = tb.concord(trials, OTHER, named="elo")
    jsonschema.validate(found.to_dict(), SCHEMA)
    shared = sorted(SOLVED.keys() & OTHER.keys())
    x, y = [SOLVED[n] for n in shared], [OTHER[n] for n in shared]
    lines = {a.statistic: a for a in found.agreements}
    tau = lines["Kendall tau-b"]
    assert tau.value == pytest.approx(kendalltau(x, y).statistic)
    assert lines["Spearman rho"].value == pytest.approx(spearmanr(x, y).statistic)
    shift = 1.959964 * math.sqrt(0.437 / (6 - 4))
    assert tau.low == pytest.approx(math.tanh(math.atanh(tau.value) - shift), abs=1e-6)
    assert tau.least <= tau.value <= tau.most
    assert (found.only_here, found.only_there) == (("g",), ("z",))
    first = found.objects[0]
    assert (first.name, first.rank, first.other_rank) == ("a", 1.0, 2.0)


def test_a_board_agrees_with_itself_perfectly(trials):
    found = tb.concord(trials, trials)
    tau = found.agreements[0]
    assert tau.value == pytest.approx(1.0)
    assert tau.low is None and "perfect" in tau.reasons["low"]
    assert "no interval" in found.headline


def test_models_are_matched_by_their_mean(tmp_path, capsys):
    rows = ["configuration,model,task,score"]
    rates = {"x1": ("X", 4), "x2": ("X", 2), "y": ("Y", 2), "z": ("Z", 1), "w": ("W", 0)}
    for name, (model, n) in rates.items():
        rows += [f"{name},{model},t{i},{int(i < n)}" for i in range(4)]
    (tmp_path / "r.csv").write_text("\n".join(rows))
    (tmp_path / "o.json").write_text('{"X": 3, "Y": 2, "Z": 1, "W": 1.5, "V": 9}')
    argv = ["concord", str(tmp_path / "r.csv"), "--with", str(tmp_path / "o.json")]
    argv += ["--json", "--map", "configuration=configuration"]  # shares models, no configuration
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    scores = {o["name"]: o["score"] for o in found["objects"]}
    assert found["by"] == "model"
    assert scores == {"X": 0.75, "Y": 0.5, "Z": 0.25, "W": 0.0}
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_a_ranking_or_records(tmp_path):
    (tmp_path / "two.csv").write_text("name,elo\nb,1\na,2\n")
    assert list(read_ranking(tmp_path / "two.csv").items()) == [("b", 1.0), ("a", 2.0)]
    (tmp_path / "three.csv").write_text("configuration,task,score\na,t,1\n")
    assert read_ranking(tmp_path / "three.csv") is None
    assert read_ranking(tmp_path) is None


@pytest.mark.parametrize(
    ("other", "argv", "said"),
    [
        ("name,elo\na,1\na,2\n", [], "twice"),
        ("name,elo\na,1\nb,\n", [], "finite number"),
        ("name,elo\na,1\nb,inf\n", [], "finite number"),
        ("name,elo\na,1\nb,2\n", [], "share 2 names"),
        ("name,elo\na,5\nb,5\nc,5\n", [], "tied there"),
        ("name,elo\na,1\nb,2\nc,3\n", ["--by", "model"], "no configuration column"),
        ("name,elo,more\na,1,2\n", [], "o.csv"),
    ],
)
def test_one_line_for_what_can_be_mended(tmp_path, capsys, other, argv, said):
    lines = [f"{c},t{i},{int(i < n)}" for c, n in SOLVED.items() for i in range(20)]
    (tmp_path / "r.csv").write_text("\n".join(["configuration,task,score", *lines]))
    (tmp_path / "o.csv").write_text(other)
    command = ["concord", str(tmp_path / "r.csv"), "--with", str(tmp_path / "o.csv"), *argv]
    assert main(command) == 2
    seen = capsys.readouterr()
    assert seen.out == "" and seen.err.count("\n") == 1
    assert said in seen.err


def test_a_ranking_that_is_not_there(tmp_path, capsys):
    (tmp_path / "r.csv").write_text("configuration,task,score\na,t,1\nb,t,0\n")
    assert main(["concord", str(tmp_path / "r.csv"), "--with", str(tmp_path / "no.csv")]) == 2
    assert "no.csv" in capsys.readouterr().err
