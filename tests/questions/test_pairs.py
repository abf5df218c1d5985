"""A mean over all pairs: figures of real boards, small boards by hand, what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files
from itertools import combinations

import jsonschema
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.cli import main

VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
)
SIX = {f"t{i}": "xy"[i % 2] for i in range(20)}
SOLVED = (20, 15, 14, 10, 9, 3)


def solves(n):
    return {t: float(i < n) for i, t in enumerate(SIX)}


@pytest.fixture(scope="module")
def board(make_trials):
    """Six configurations that solve 20, 15, 14, 10, 9 and 3 of 20 tasks."""
    return make_trials({f"c{n}": solves(n) for n in SOLVED}, SIX)


@pytest.fixture(scope="module")
def verified(data):
    root = data / "swebench-verified"
    return tb.read(root / "raw", tasks=root / "tasks.csv")


def width(found, method, sampled):
    (line,) = (i for i in found.intervals if (i.method, i.sampled) == (method, sampled))
    return line.width


def test_a_fixed_board_has_an_exact_fraction_and_no_interval(board):
    found = tb.pairs(board, near="0.05").to_dict()
    VALIDATOR.validate(found)
    assert found["fraction"] == {"value": 2 / 15, "numerator": 2, "denominator": 15}
    assert found["intervals"] == [] and found["diagnostic"] is None
    assert "diagnostic" in found["reasons"] and "blocks" in found["reasons"]
    assert "exactly" in found["sentence"]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=4, max_size=8), st.integers(0, 20))
def test_every_count_rule_against_loops(make_trials, solved, limit):
    if len(set(solved)) == 1:
        solved[0] = (solved[0] + 1) % 21
    trials = make_trials({f"c{i}": solves(n) for i, n in enumerate(solved)}, SIX)
    pairs = list(combinations(solved, 2))
    near = tb.pairs(trials, near=Fraction(limit, 20)).fraction
    assert (near.numerator, near.denominator) == (
        sum(abs(a - b) <= limit for a, b in pairs),
        len(pairs),
    )
    for rule in ("gap", "discordance"):  # nested successes: tasks that differ are the gap
        found = tb.pairs(trials, rule=rule).fraction
        exact = Fraction(sum(abs(a - b) for a, b in pairs), 20 * len(pairs))
        assert Fraction(found.numerator, found.denominator) == exact


def test_verdict_rules_count_the_boards_verdicts(board):
    judged = tb.board(board).comparisons
    unresolved = tb.pairs(board, rule="unresolved").fraction
    stable = tb.pairs(board, rule="stable").fraction
    assert unresolved.numerator == sum(c.winner is None for c in judged)
    assert stable.numerator == sum(c.verdict == "stable" for c in judged)


def test_reversals_between_two_targets(make_trials):
    """a leads where x weighs most, b where y does; c trails both everywhere."""
    cells = {f"t{i}": "x" if i < 16 else "y" for i in range(20)}
    rows = {
        "a": {t: float(c == "x") for t, c in cells.items()},
        "b": {t: float(i < 12 or c == "y") for i, (t, c) in enumerate(cells.items())},
        "c": dict.fromkeys(cells, 0.0),
    }
    found = tb.pairs(make_trials(rows, cells), rule="reversed", target="equal:cell")
    assert (found.fraction.numerator, found.fraction.denominator) == (0, 3)
    rows["b"] = {t: float(i < 8 or c == "y") for i, (t, c) in enumerate(cells.items())}
    found = tb.pairs(make_trials(rows, cells), rule="reversed", target="equal:cell")
    assert (found.fraction.numerator, found.against) == (1, "observed:cell")


def test_blocks_by_hand():
    """Blocks m (scores 1, .5), n (.5), and one unlabelled (0): A over 6 pairs, E over 3 blocks."""
    rows = [
        (name, block, f"t{i}", float(i < n))
        for name, block, n in (("a", "m", 4), ("b", "m", 2), ("c", "n", 2), ("d", None, 0))
        for i in range(4)
    ]
    trials = tb.read(pl.DataFrame(rows, ["configuration", "family", "task", "score"], orient="row"))
    alone = tb.pairs(trials, near=0, blocks="family").blocks
    assert (alone.a_exact, alone.e_exact) == ("1/6", "1/6")  # E: m–n ½, m–d 0, n–d 0
    assert (alone.n_blocks, alone.unlabelled, alone.unlabelled_are) == (3, 1, "alone")
    out = tb.pairs(trials, near=0, blocks="family", unlabelled="out").blocks
    assert (out.a_exact, out.e_exact, out.n_blocks) == ("1/3", "1/2", 2)


@pytest.mark.parametrize("sampled", ["configurations", "tasks", "configurations+cells"])
def test_the_same_seed_gives_the_same_bytes(board, sampled):
    asked = {"sampled": sampled, "cells": "cell", "draws": 200, "curve": "0:0.2:0.05", "seed": 3}
    once, again = (tb.pairs(board, **asked) for _ in range(2))
    assert once.to_json() == again.to_json()
    VALIDATOR.validate(json.loads(once.to_json()))
    assert tb.pairs(board, **asked | {"seed": 4}).to_json() != once.to_json()


def test_swebench_verified_exactly(verified):
    found = tb.pairs(verified, near="0.05")
    assert (found.fraction.numerator, found.fraction.denominator) == (1419, 8911)
    # the one of 134 whose absence changes most leaves 1418 near ties among 8,778 pairs
    change = Fraction(1418, 8778) - Fraction(1419, 8911)
    assert found.leave_one_out.largest_change == pytest.approx(float(change), abs=1e-12)


def test_swebench_verified_widths(verified):
    """The range of each is that of seeds at 4,000 draws; closed forms to the digits stated."""
    both = tb.pairs(
        verified, sampled="configurations+cells", cells="repo", draws=4000, seed=1, near="0.05"
    )
    tasks = tb.pairs(verified, sampled="tasks", draws=4000, seed=1)
    closed = {"pair-iid": 0.01519, "hoeffding": 0.03576, "dyadic": 0.0382, "jackknife": 0.0415}
    for method, stated in closed.items():
        source = "pairs" if method == "pair-iid" else "configurations"
        assert width(both, method, source) == pytest.approx(stated, abs=6e-5)
    assert 0.0425 <= width(both, "bootstrap", "configurations") <= 0.0445
    assert 0.0204 <= width(tasks, "bootstrap", "tasks") <= 0.0222
    assert 0.0226 <= width(both, "bootstrap", "cells") <= 0.0242
    assert 0.0465 <= width(both, "bootstrap", "configurations+cells") <= 0.0488
    assert both.diagnostic.passes
    t = both.thinning
    stated = (t.reversed, t.reversed_low, t.reversed_high, t.unresolved)
    assert stated == pytest.approx((0.0189, 0.0146, 0.0236, 0.0101), abs=4e-4)


def test_terminal_bench_1_by_model(data):
    """17 of 78 pairs by hand from the thirteen scores; seven of them share one model."""
    trials = tb.read(data / "terminal-bench-1" / "results")
    found = tb.pairs(trials, missing="fail", near="0.05", blocks="model")
    scores = tb.board(trials, missing="fail").standings
    exact = [Fraction(round(s.score * 400), 400) for s in scores]
    by_hand = sum(abs(a - b) <= Fraction(1, 20) for a, b in combinations(exact, 2))
    assert (found.fraction.numerator, found.fraction.denominator) == (by_hand, 78)
    labels = dict(trials.configurations.select("configuration", "model").iter_rows())
    blocks = {}
    for s, score in zip(scores, exact, strict=True):
        blocks.setdefault(labels[s.configuration] or s.configuration, []).append(score)
    means = [
        Fraction(sum(abs(a - b) <= Fraction(1, 20) for a in x for b in y), len(x) * len(y))
        for x, y in combinations(blocks.values(), 2)
    ]
    assert Fraction(found.blocks.e_exact) == sum(means) / len(means)


def test_the_simulation_prints_the_published_rows(capsys):
    argv = ["simulate", "pairs", "--kernel", "equality", "--p", "4/5", "--m", "40", "--json"]
    assert main(argv) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    found = {r["method"]: r for r in rows}
    assert round(found["pair-iid"]["coverage"], 6) == 0.307236
    assert round(found["hoeffding"]["conditional"], 6) == 0.929341
    assert round(found["dyadic"]["pass"], 6) == 0.998876
    assert {"m", "method", "coverage", "pass", "conditional"} <= set(found["jackknife"])


COLUMNS = ["configuration", "family", "model", "task", "cell", "score"]


def write(path, scores, family=("m", "n")):
    rows = [
        (f"c{i}", family[i % len(family)], "one", f"t{j}", "xy"[j % 2], float(j < n))
        for i, n in enumerate(scores)
        for j in range(4)
    ]
    pl.DataFrame(rows, schema=COLUMNS, orient="row").write_csv(path)
    return str(path)


@pytest.mark.parametrize(
    ("scores", "family", "argv", "said"),
    [
        ((1, 2, 3), "mn", ["--sampled", "configurations"], "too few configurations"),
        ((2, 2, 2, 2), "mn", [], "all scores are equal"),
        ((1, 2, 3, 4), "mn", ["--near", "1.5"], "0 to 1"),
        ((1, 2, 3, 4), "mn", ["--near", "-0.1"], "0 to 1"),
        ((1, 2, 3, 4), "mn", ["--near", "five"], "--near"),
        ((1, 2, 3, 4), "m", ["--blocks", "model"], "one block"),
        ((1, 2, 3, 4), "m", ["--blocks", "family"], "the same for everybody"),
        ((1, 2, 3, 4), ("",), ["--blocks", "family"], "blank"),
        ((1, 2, 3, 4), "mn", ["--blocks", "nothing"], "no configuration column"),
        ((1, 2, 3, 4), "mn", ["--sampled", "runs"], "one run"),
        ((1, 2, 3, 4), "mn", ["--sampled", "weather"], "weather"),
        ((1, 2, 3, 4), "mn", ["--sampled", "tasks+cells", "--cells", "cell"], "both sampled"),
        ((1, 2, 3, 4), "mn", ["--sampled", "cells"], "no column forms them"),
        ((1, 2, 3, 4), "mn", ["--sampled", "tasks+tasks"], "twice"),
        ((1, 2, 3, 4), "mn", ["--rule", "luck"], "rule"),
        ((1, 2, 3, 4), "mn", ["--margin", "0.1"], "no use"),
        ((1, 2, 3, 4), "mn", ["--lambda", "0.1"], "no use"),
        ((1, 2, 3, 4), "mn", ["--unlabelled", "out"], "without blocks"),
        ((1, 2, 3, 4), "mn", ["--curve", "0.2:0.1:0.05"], "curve"),
        ((1, 2, 3, 4), "mn", ["--curve", "0:1:0"], "curve"),
        ((1, 2, 3, 4), "mn", ["--rule", "reversed"], "two targets"),
        ((4,), "m", [], "nothing to compare"),
    ],
)
def test_one_line_for_what_can_be_mended(tmp_path, capsys, scores, family, argv, said):
    path = write(tmp_path / "r.csv", scores, family)
    assert main(["pairs", path, "--map", "configuration=configuration", *argv]) == 2
    seen = capsys.readouterr()
    assert seen.out == "" and seen.err.count("\n") == 1
    assert said in seen.err
