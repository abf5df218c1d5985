"""Utility in board and compare, and everything that cost answers."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.errors import InputError, SpecError
from tiebreak.estimand import Estimand, Utility

DEAR, CHEAP = [1.0] * 8 + [0.0] * 2, [1.0] * 6 + [0.0] * 4
TWO = {"dear": (DEAR, [2.0] * 10), "cheap": (CHEAP, [1.0] * 10)}


@pytest.fixture
def two(make_priced):
    return make_priced(TWO)


def spread(n=300):
    """Two configurations whose costs vary."""
    rng = np.random.default_rng(2)
    return {
        "dear": ((rng.random(n) < 0.8).astype(float), rng.lognormal(0.5, 0.5, n)),
        "cheap": ((rng.random(n) < 0.6).astype(float), rng.lognormal(-0.7, 0.5, n)),
    }


@pytest.mark.parametrize("utility", [Utility(), Utility(0.05), Utility(0, 1e-5), Utility(2.5, 3)])
def test_a_utility_is_read_back_from_its_text(utility):
    assert Utility.parse(str(utility)) == utility
    estimand = Estimand(utility=utility, unpriced="drop")
    assert Estimand.parse(str(estimand)) == estimand


def test_a_utility_is_a_contrast_of_task_values(two):
    """By hand: .8 − .3·2 = .2 against .6 − .3·1 = .3."""
    found = tb.compare(two, "dear", "cheap", price=0.3)
    assert found.gap == pytest.approx(-0.1)
    assert [s.score for s in found.scores] == pytest.approx([0.2, 0.3])
    assert "success-0.3*usd" in found.sentence


@pytest.mark.parametrize("interval", ["t", "percentile"])
def test_scores_of_a_utility_may_leave_the_unit_interval(make_priced, interval):
    board = tb.board(make_priced(spread()), price=5.0, interval=interval, draws=500)
    worst = board.standings[-1]
    assert worst.score_low < worst.score < worst.score_high < 0
    assert board.comparisons[0].gap_high > 1


@pytest.mark.parametrize("family", ["simultaneous", "studentized", "holm"])
def test_bands_of_utilities_are_not_cut_off(make_priced, family):
    pair = tb.board(make_priced(spread()), price=5.0, family=family, draws=500).comparisons[0]
    assert pair.gap_high > pair.gap > 1


def test_without_a_price_nothing_changes(two):
    assert tb.compare(two, "dear", "cheap", price=0.0).to_json() == (
        tb.compare(two, "dear", "cheap").to_json()
    )


def test_the_switch_by_hand(two):
    """(.8 − .6)/(2 − 1) = .2 success per dollar."""
    found = tb.cost(two)
    assert found.switches.first == "dear"
    (line,) = found.switches.lines
    assert (line.before, line.after) == ("dear", "cheap")
    assert line.price == line.matched == pytest.approx(0.2)
    assert {f.configuration for f in found.frontier} == {"dear", "cheap"}
    resolved = {r.configuration: r.value for r in found.cost_per_resolved}
    assert resolved == pytest.approx({"dear": 2.5, "cheap": 1 / 0.6})


def test_the_interval_of_a_switch_is_where_the_gap_may_be_zero(make_priced):
    """Inversion: at its bounds the interval of compare touches 0, to within moderation."""
    trials = make_priced(spread())
    line = tb.cost(trials).switches.lines[0]
    for price, bound in ((line.low, "gap_low"), (line.high, "gap_high")):
        at = tb.compare(trials, "dear", "cheap", price=price)
        assert getattr(at, bound) == pytest.approx(0, abs=0.005)
    middle = tb.compare(trials, "dear", "cheap", price=line.price)
    assert middle.gap == pytest.approx(0, abs=1e-9)


def test_a_dominated_one_is_named_with_its_dominator(make_priced):
    trials = make_priced(TWO | {"worse": (CHEAP, [3.0] * 10)})
    found = tb.cost(trials)
    assert [(d.configuration, d.by) for d in found.dominated] == [("worse", "dear")]


def test_retries_cost_k_times_as_much():
    """Two runs, c = 1 of 2 on half of the tasks: pass@1 .75, pass@2 1, at twice the cost."""
    rows = [
        {"configuration": c, "task": f"t{t}", "run": r, "score": float(r == 0 or t < 5), "cost": d}
        for c, d in (("a", 1.0), ("b", 5.0))
        for t in range(10)
        for r in range(2)
    ]
    bought = tb.cost(tb.read(pl.DataFrame(rows))).budgets
    found = [(b.configuration, b.attempts, b.spend) for b in bought]
    assert found == [("a", 1, 1.0), ("a", 2, 2.0)]
    assert [b.success for b in bought] == pytest.approx([0.75, 1.0])


def test_durations_have_switches_and_a_plane(make_priced):
    seconds = {"dear": [10.0] * 10, "cheap": [20.0] * 10}
    found = tb.cost(make_priced(TWO, duration_s=seconds), price=0.3)
    assert found.duration_switches is not None
    assert found.duration_switches.first == "cheap"
    (line,) = found.duration_switches.lines
    assert (line.after, line.price) == ("dear", pytest.approx(0.01))  # (.3 − .2)/(20 − 10)
    assert found.plane is not None
    assert set(found.plane.polygons) == {"dear", "cheap"}
    assert [u.configuration for u in found.utilities] == ["cheap", "dear"]


def test_unpriced_is_not_free(make_priced, capsys):
    trials = make_priced(TWO | {"odd": (DEAR, [0.0] * 5 + [None] * 5)})
    found = tb.cost(trials)
    assert [(u.configuration, u.unpriced, u.left_out) for u in found.unpriced] == [
        ("odd", 10, True)
    ]
    assert "No price, so left out: odd." in found.answer
    with pytest.raises(InputError, match=r"no trial of odd has a price.*--unpriced zero"):
        tb.compare(trials, "odd", "dear", price=0.1)
    with pytest.raises(InputError, match=r"--unpriced drop leaves such out"):
        tb.board(trials, price=0.1)
    board = tb.board(trials, price=0.1, unpriced="drop")
    assert len(board.standings) == 2
    assert board.provenance.data.excluded["unpriced configuration"] == 10
    free = tb.compare(trials, "odd", "dear", price=0.1, unpriced="zero")
    assert free.gap == pytest.approx(0.2)
    assert tb.cost(trials, unpriced="zero").switches.first == "odd"


def test_partial_prices_state_their_coverage_and_what_it_moves(make_priced):
    """The two failures have no price: without them success is 1, not .8."""
    trials = make_priced({"dear": (DEAR, [2.0] * 8 + [None] * 2), "cheap": TWO["cheap"]})
    found = tb.cost(trials)
    line = next(c for c in found.configurations if c.configuration == "dear")
    assert (line.success, line.success_all, line.priced, line.n_tasks) == (1.0, 0.8, 0.8, 8)
    assert found.price_effect == "moves success by up to +20.00 points (dear)"
    estimand = tb.compare(trials, "dear", "cheap", price=0.1).to_dict()["estimand"]
    assert estimand["priced"] == {"cheap": 1.0, "dear": 0.8}


def test_grouped_records_have_means_and_no_interval():
    rows = [("a", "x", 0.9, 10, 2.0), ("a", "y", 0.7, 30, 1.0), ("b", "x", 0.5, 10, 0.5)]
    rows += [("b", "y", 0.6, 30, 0.25)]
    names = ["configuration", "domain", "score", "count", "cost_usd"]
    trials = tb.read(pl.DataFrame(rows, schema=names, orient="row"))
    found = tb.cost(trials)
    (line,) = found.switches.lines
    # counts weigh: .75 − .575 over 1.25 − .3125
    assert line.price == pytest.approx((0.75 - 0.575) / (1.25 - 0.3125))
    assert (line.low, line.high) == (None, None)
    assert "grouped" in str(found.no_interval)
    assert line.reasons["low"] == found.no_interval


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--lambda", "-1"], "lambda out of range"),
        (["--lambda", "nan"], "lambda out of range"),
        (["--mu", "0.1"], "--mu needs durations"),
        (["--unpriced", "maybe"], "unknown rule for unpriced trials"),
        (["--protocol", "pass@2"], "cost has no use for protocol"),
        (["nobody"], "no configuration matches"),
        (["dear", "dear"], "named twice"),
    ],
)
def test_bad_options(tmp_path, two, capsys, words, said):
    path = tmp_path / "two.csv"
    two.table().write_csv(path)
    check_refused(["cost", str(path), *words], said, capsys)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        (["1", "-2"], "negative or absurd"),
        (["1", "1e9"], "negative or absurd"),
        (["$1", "€2"], 'allowed: plain numbers, all in US dollars; found: "$1", "€2"'),
        (["1", "2 EUR"], 'all in US dollars; found: "2 EUR"'),
        (["", ""], "no configuration has a price"),
        (["0", "0"], "no configuration has a price"),
    ],
)
def test_bad_costs(tmp_path, capsys, costs, said):
    path = tmp_path / "costs.csv"
    rows = [f"{c},t,1,{cost}" for c, cost in zip("ab", costs, strict=True)]
    path.write_text("\n".join(["configuration,task,score,cost_usd", *rows]), encoding="utf-8")
    check_refused(["cost", str(path)], said, capsys)


def test_mixed_currencies_are_refused_and_one_of_them_may_be_kept(tmp_path, capsys):
    path = tmp_path / "costs.csv"
    rows = ["a,t,1,1,USD", "b,t,1,2,USD", "c,t,1,3,EUR"]
    head = "configuration,task,score,cost_usd,currency"
    path.write_text("\n".join([head, *rows]), encoding="utf-8")
    check_refused(["cost", str(path)], "other currencies than US dollars", capsys)
    assert main(["cost", str(path), "--where", "currency=USD"]) == 0


@pytest.mark.parametrize("question", ["runs", "targets"])
def test_questions_about_success_refuse_a_price(tmp_path, two, capsys, question):
    path = tmp_path / "two.csv"
    two.table().write_csv(path)
    check_refused([question, str(path), "--lambda", "1"], "success", capsys)


def check_refused(words, said, capsys):
    """Exit code 2, one line on stderr, nothing on stdout."""
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


def test_a_protocol_of_several_runs_pays_for_each():
    rows = [
        {"configuration": c, "task": f"t{t}", "run": r, "score": float(r == 0), "cost": d}
        for c, d in (("a", 1.0), ("b", 2.0))
        for t in range(6)
        for r in range(2)
    ]
    found = tb.compare(tb.read(pl.DataFrame(rows)), "a", "b", price=0.1, protocol="pass@2")
    assert [s.score for s in found.scores] == pytest.approx([1 - 0.2, 1 - 0.4])


def test_the_same_command_gives_the_same_bytes(make_priced):
    trials = make_priced(spread(60))
    once, again = (tb.cost(trials, draws=200).to_json() for _ in range(2))
    assert once == again


def test_the_public_index(data):
    """Two Codex entries have no price; figures computed from the records."""
    found = tb.cost(tb.read(data / "openhands-index"), draws=200)
    assert [u.configuration for u in found.unpriced if u.left_out] == [
        "Codex | GPT-5.4",
        "Codex | GPT-5.5",
    ]
    assert [s.price for s in found.switches.lines] == pytest.approx(
        [0.0546, 0.0798, 1.4925], rel=1e-3
    )
    assert (len(found.stated), found.stated_checked) == (79, 215)


def test_the_fine_tune_without_a_price_is_refused(data, capsys):
    path = data / "tau2-bench" / "results_reduced" / "model_training"
    words = ["compare", str(path), "llm_agent | gpt-4.1", "sft", "--lambda", "0.05"]
    check_refused(words, "--unpriced zero", capsys)


def test_the_command_prints_json(tmp_path, two, capsys):
    path = tmp_path / "two.csv"
    two.table().write_csv(path)
    assert main(["cost", str(path), "--json", "--draws", "200"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["switches"][0]["from"] == "dear"


def test_unknown_keywords_are_refused(two):
    with pytest.raises(SpecError, match="unknown option"):
        tb.cost(two, lamda=1.0)
