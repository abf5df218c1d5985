"""The command line on invented records: every option, every output, every refusal."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import polars as pl
import pytest

import tiebreak as tb
from tiebreak.cli import main

TASKS = [f"t{i:02}" for i in range(24)]
CELLS = {t: ("north", "south, east", "west")[i % 3] for i, t in enumerate(TASKS)}
RATES = {"agent-one": 7, "agent-two": 3, "other": 2}


@pytest.fixture(scope="module")
def log(tmp_path_factory, make_table):
    """Three configurations, two runs, three cells, as a CSV of a leaderboard."""
    outcomes = {
        c: {t: [float((i * 5 + run) % 8 < n) for run in range(2)] for i, t in enumerate(TASKS)}
        for c, n in RATES.items()
    }
    path = tmp_path_factory.mktemp("log") / "log.csv"
    make_table(outcomes, CELLS).write_csv(path)
    return path


@pytest.fixture
def run(capsys):
    """run(*argv): exit code, stdout, stderr."""

    def call(*argv):
        code = main([str(a) for a in argv])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return call


@pytest.fixture
def answer(run):
    """answer(*argv): the JSON of a command that must succeed in silence."""

    def call(*argv):
        code, out, err = run(*argv, "--json")
        assert (code, err) == (0, "")
        return json.loads(out, parse_constant=lambda token: pytest.fail(f"{token} is no JSON"))

    return call


def test_inspect_says_what_was_read(answer, log):
    found = answer("inspect", log)
    assert found["counts"] == {"configurations": 3, "tasks": 24, "trials": 144, "runs": 2}
    assert found["columns"]["task"] == ["cell"]
    assert found["support"][0] == {
        "configuration": "agent-one", "tasks": 24, "north": 8, "south, east": 8, "west": 8
    }  # fmt: skip


def test_board_and_compare_agree_with_python(answer, log):
    trials = tb.read(log)
    assert answer("board", log) == tb.board(trials).to_dict()
    assert answer("compare", log, "one", "two") == tb.compare(trials, "one", "two").to_dict()


OPTIONS = [
    ("--target equal:cell", {"target": "equal:cell"}),
    ("--cells cell", {"cells": "cell"}),
    ("--support common", {"support": "common"}),
    ("--protocol pass^2", {"protocol": "pass^2"}),
    ("--missing drop", {"missing": "drop"}),
    ("--label-source score", {"label_source": "score"}),
    ("--margin 0.3", {"margin": 0.3}),
    ("--level 0.8", {"level": 0.8}),
    ("--interval percentile --draws 300 --seed 4",
     {"interval": "percentile", "draws": 300, "seed": 4}),
    ("--family holm", {"family": "holm"}),
    ("--family simultaneous --draws 300", {"family": "simultaneous", "draws": 300}),
    ("--sampled cells --cells cell", {"sampled": "cells", "cells": "cell"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "options"), OPTIONS, ids=[w for w, _ in OPTIONS])
def test_every_option_means_what_it_means_in_python(answer, log, words, options):
    trials = tb.read(log)
    board = answer("board", log, *words.split())
    assert board == tb.board(trials, **options).to_dict()
    pair = answer("compare", log, "one", "two", *words.split())
    assert pair == tb.compare(trials, "one", "two", **options).to_dict()
    ignored = board == tb.board(trials).to_dict()
    assert not ignored or words == "--label-source score", "the only source is the default one"


def test_top_limits_the_pairs(answer, log):
    assert len(answer("board", log, "--top", 2)["comparisons"]) == 1


@pytest.mark.parametrize("form", [(), ("--json",), ("--markdown",)])
@pytest.mark.parametrize(
    "words",
    [
        ("board", "--interval", "percentile", "--draws", "200"),
        ("compare", "one", "two", "--family", "simultaneous", "--draws", "200"),
        ("inspect",),
    ],
)
def test_the_same_command_gives_the_same_bytes(run, log, words, form):
    name, *rest = words
    once, again = (run(name, log, *rest, *form) for _ in range(2))
    assert once == again
    assert once[0] == 0
    assert once[1].endswith("\n")


def test_bytes_do_not_depend_on_the_process(log):
    """Hash randomisation differs between processes; the output must not."""
    command = [sys.executable, "-m", "tiebreak.cli", "board", str(log), "--target", "equal:cell"]
    shown = {
        subprocess.run(
            command, capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(shown) == 1


def test_text_and_markdown_are_chosen(run, log):
    text, markdown = run("board", log)[1], run("board", log, "--markdown")[1]
    assert "Board\nrank" in text
    assert "### Board" in markdown
    assert "| rank |" in markdown


def test_where_keeps_some_records(answer, log):
    found = answer("inspect", log, "--where", "cell=north", "--where", "run=0")
    assert found["counts"] == {"configurations": 3, "tasks": 8, "trials": 24, "runs": 1}
    assert found["data"]["excluded"] == {"not cell=north": 96, "not run=0": 24}


def test_where_takes_a_value_with_a_comma(answer, log):
    assert answer("inspect", log, "--where", "cell=south, east")["counts"]["tasks"] == 8


def test_map_names_the_columns(answer, log, tmp_path):
    other = tmp_path / "other.csv"
    names = {"configuration": "who", "task": "what", "run": "nth", "score": "won"}
    pl.read_csv(log).rename(names).write_csv(other)
    words = ",".join(f"{role}={column}" for role, column in names.items())
    mapped = answer("inspect", other, "--map", words)
    assert mapped["mapping"] == names
    assert mapped["data"]["hash"] == answer("inspect", log)["data"]["hash"]


def test_score_chooses_one_of_several_columns(answer, log, tmp_path):
    other = tmp_path / "two.csv"
    table = pl.read_csv(log)
    table.with_columns(reward=1 - pl.col("score")).write_csv(other)
    flipped = answer("board", other, "--score", "reward")["configurations"]
    assert flipped[0]["configuration"] == "other"


def test_format_is_heeded(answer, run, log):
    assert "stated by --format" in answer("inspect", log, "--format", "table")["origin"]
    assert run("inspect", log, "--format", "swebench")[:2] == (2, "")


def test_tasks_state_the_universe(answer, log, tmp_path):
    universe = tmp_path / "tasks.csv"
    pl.DataFrame({"task": [*TASKS, "never run"], "family": ["f"] * 25}).write_csv(universe)
    found = answer("board", log, "--tasks", universe)
    assert found["summary"]["verdicts"] == {"unsupported": 3}
    assert found["configurations"][0]["n_tasks"] == 24


def test_duplicates_are_merged_by_the_named_rule(answer, log, tmp_path):
    doubled = tmp_path / "doubled.csv"
    pl.concat([pl.read_csv(log)] * 2).write_csv(doubled)
    found = answer("inspect", doubled, "--duplicates", "first")["data"]
    assert found["excluded"] == {"duplicate (first)": 144}
    assert found["read"] == 288


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_target_file_states_the_weights(answer, log, tmp_path, ending):
    weights = {"north": 0.5, "south, east": 0.25, "west": 0.25}
    path = tmp_path / f"target.{ending}"
    if ending == "json":
        path.write_text(json.dumps({"cell": weights}))
    else:
        pl.DataFrame({"cell": list(weights), "weight": list(weights.values())}).write_csv(path)
    found = answer("board", log, "--target", path)
    expected = tb.board(tb.read(log), target=tb.Target.stated("cell", weights))
    assert found == expected.to_dict()


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "jsonl", "arrow"])
def test_convert_round_trips(answer, run, log, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    code, said, _ = run("convert", log, out)
    assert (code, said) == (0, f"144 trials → {out}\n")
    before, after = (answer("board", p, "--target", "equal:cell") for p in (log, out))
    for part in ("configurations", "comparisons", "summary", "estimand", "design"):
        assert before[part] == after[part]


def test_the_example_is_there(run):
    code, out, err = run("example")
    assert (code, err) == (0, "")
    assert run("inspect", out.strip())[0] == 0


@pytest.mark.parametrize("words", [("--help",), ("board", "--help"), ("--version",)])
def test_help_is_given(run, words):
    code, out, _ = run(*words)
    assert code == 0
    assert out


BAD = [
    ("board {log} --target stated:cell(north=1;nowhere=0)", "no task is in", "nowhere"),
    ("board {log} --target equal:repo", "no task column 'repo'", "cell"),
    ("board {log} --target even", "unknown target", "even"),
    ("board {log} --level 95", "confidence level out of range", "95"),
    ("board {log} --level high", "level", "high"),
    ("board {log} --draws 10", "too few or too many draws", "100 to 10,000,000"),
    ("board {log} --seed -1", "seed out of range", "-1"),
    ("board {log} --margin 2", "margin out of range", "2.0"),
    ("board {log} --interval bca", "no such interval", "bca"),
    ("board {log} --family tukey", "unknown family rule", "tukey"),
    ("board {log} --protocol pass@3", "asks for more runs", "k ≤ 2"),
    ("board {log} --sampled cells", "no column forms them", "--cells COLUMN"),
    ("board {log} --missing zero", "rule for missing outcomes", "zero"),
    ("board {log} --support half", "unknown support", "half"),
    ("board {log} --duplicates maybe", "unknown duplicates rule", "maybe"),
    ("board {log} --top 1", "--top", "2 or more"),
    ("board {log} --where cell", "--where takes NAME=VALUE", "cell"),
    ("board {log} --where colour=red", "--where names no column 'colour'", "cell"),
    ("board {log} --where cell=up", "no record has cell=up", "north"),
    ("board {log} --where configuration=other", "one configuration only", "other"),
    ("board {log} --map task", "--map takes NAME=VALUE", "task"),
    ("board {log} --map task=task,task=run", "names a role twice", "task=run"),
    ("board {log} --map colour=cell", "unknown role", "colour"),
    ("board {log} --label-source judge", "unknown label source", "judge"),
    ("board {log} --format excel", "unknown format", "excel"),
    ("board {log} --tasks nowhere.csv", "nowhere.csv", "no such file"),
    ("board nowhere.csv", "nowhere.csv", "no such file"),
    ("board {log} --nonsense 1", "nonsense", "nonsense"),
    ("board", "path", "path"),
    ("boards {log}", "boards", "board"),
    ("compare {log} agent other", "'agent' matches 2", "agent-one, agent-two"),
    ("compare {log} nobody other", "no configuration matches 'nobody'", "allowed"),
    ("compare {log} other other", "cannot be compared with itself", "other"),
    ("compare {log} other", "b", "b"),
    ("inspect {log} --cells nope", "no task column 'nope'", "cell"),
    ("convert {log} out.xlsx", "unknown ending", "out.xlsx"),
    ("convert {log} /nowhere/out.csv", "cannot be written", "/nowhere/out.csv"),
]


@pytest.mark.parametrize(("line", "what", "found"), BAD, ids=[b[0] for b in BAD])
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_what_the_user_can_mend_is_one_line_and_exit_code_2(run, log, line, what, found, form):
    form = () if line.startswith("convert") else form
    code, out, err = run(*(w.format(log=log) for w in line.split()), *form)
    assert (code, out) == (2, "")
    assert err.startswith("tiebreak: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert what in err
    assert found in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("cell,weight\nnorth,0.5\nwest,0.4\n", "do not sum to 1"),
        ("cell,weight\nnorth,1.5\nwest,-0.5\n", "negative"),
        ("cell,weight\nnorth,0.5\nnorth,0.5\n", "twice"),
        ("cell,weight\nup,1\n", "no task is in"),
        ("nope,weight\nnorth,1\n", "no task column 'nope'"),
        ("cell,share\nnorth,1\n", "another shape"),
    ],
)
def test_a_target_file_that_is_no_distribution_is_refused(run, log, tmp_path, content, what):
    path = tmp_path / "target.csv"
    path.write_text(content)
    code, out, err = run("board", log, "--target", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert what in err


def test_names_cannot_break_the_line_of_an_error(run, tmp_path):
    path = tmp_path / "log.jsonl"
    rows = [{"configuration": c, "task": "t", "score": 1} for c in ("a\nb1", "a\nb2", "c\x1b[31m")]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    for words in (("a", "c"), ("zzz", "c")):
        _, out, err = run("compare", path, *words)
        assert (out, err.count("\n")) == ("", 1)
        assert "\x1b" not in err


def test_a_fault_of_ours_is_not_hidden(monkeypatch, log):
    """Only what the user can mend becomes a message; anything else keeps its traceback."""

    def fail(*args, **options):
        raise ZeroDivisionError

    monkeypatch.setattr("tiebreak.questions.board.prepare", fail)
    with pytest.raises(ZeroDivisionError):
        main(["board", str(log)])


def test_an_interrupt_says_so(monkeypatch, run, log):
    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("tiebreak.questions.board.prepare", interrupt)
    assert run("board", log) == (130, "", "tiebreak: interrupted\n")
