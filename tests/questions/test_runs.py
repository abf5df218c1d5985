"""The runs question: claims, bad input, failures, costs, and the JSON contract."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.errors import InputError, SpecError
from tiebreak.simulate.one_run import draw as draw_runs
from tiebreak.simulate.one_run import table

SCHEMA = json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
NAMES = [f"t{i:02d}" for i in range(30)]


def simulated(names="CD", tasks=60, runs=3, seed=0, **options):
    made = draw_runs(list(names), tasks, runs, np.random.default_rng(seed), **options)
    return tb.read(table(made))


def validated(result):
    found = json.loads(result.to_json())
    VALIDATOR.validate(found)
    return found


def outcomes(runs, seed=0, names=NAMES):
    rng = np.random.default_rng(seed)
    return {t: [float(v) for v in rng.random(runs) < 0.5] for t in names}


@pytest.fixture(scope="module")
def pair():
    return simulated()


def test_the_contract_of_one_configuration(pair):
    found = validated(tb.runs(pair, "C"))
    assert set(found["components"]) >= {"task", "run", "task_run", "run_is_shared"}
    for claim in ("benchmark", "population", "reliability"):
        assert set(found["claims"][claim]) == {"score", "low", "high", "se"}
    assert [p["k"] for p in found["pass_at"]] == [1, 2, 3] == [p["k"] for p in found["pass_hat"]]
    assert found["always"]["value"] == found["claims"]["reliability"]["score"]
    assert set(found["infrastructure"]) >= {"count", "rate", "effect"}
    assert found["question"] == "runs"


def test_a_pair_has_a_difference_per_claim(pair):
    found = validated(tb.runs(pair, "C", "D"))
    difference = found["difference"]
    assert (difference["a"], difference["b"], difference["paired"]) == ("C", "D", True)
    for claim in ("benchmark", "population", "reliability"):
        gap = difference[claim]
        assert gap["low"] <= gap["gap"] <= gap["high"]
    assert difference["benchmark"]["df"] == 2


def test_turning_the_pair_round_turns_the_signs(pair):
    one, other = tb.runs(pair, "C", "D").difference, tb.runs(pair, "D", "C").difference
    for claim, gap in one.claims.items():
        assert other.claims[claim].value == pytest.approx(-gap.value)
        assert other.claims[claim].low == pytest.approx(-gap.high)
    assert other.components == one.components


def test_compare_and_board_make_the_same_claims(pair):
    answer = tb.runs(pair, "C", "D").difference
    for claim in ("population", "benchmark", "reliability"):
        c = tb.compare(pair, "C", "D", claim=claim, missing="fail")
        assert (c.gap, c.gap_low) == pytest.approx(
            (answer.claims[claim].value, answer.claims[claim].low)
        )
    assert (
        tb.board(pair, claim="reliability", missing="fail").to_dict()["estimand"]["protocol"]
        == "pass^3"
    )


def test_the_benchmark_interval_is_t_on_the_within_run_differences(make_trials):
    a, b = outcomes(4, 1), outcomes(4, 2)
    result = tb.compare(make_trials({"a": a, "b": b}), "a", "b", claim="benchmark")
    d = np.array([np.array(a[t]) - b[t] for t in NAMES]).mean(axis=0)
    half = 3.182446 * d.std(ddof=1) / 2
    assert (result.gap, result.gap_high - result.gap) == pytest.approx((d.mean(), half))


def test_task_by_run_noise_is_not_counted_twice(pair):
    """The variance is unbiased: tasks, and the shock's share of the run scores."""
    line = tb.runs(pair, "C").lines_by_configuration[0]
    c = line.components
    expected = (c.task + c.task_run / 3) / 60 + c.run / 3
    assert line.claims["population"].se ** 2 == pytest.approx(expected, rel=0.08)


@pytest.mark.parametrize("protocol", ["pass@4", "pass^4"])
def test_k_above_the_runs_names_what_is_there(pair, protocol):
    with pytest.raises(SpecError, match=r"asks for more runs than 60 tasks have.*k ≤ 3"):
        tb.compare(pair, "C", "D", protocol=protocol, missing="fail")


def test_runs_numbered_differently_do_not_pair(make_table):
    table_a = make_table({"a": outcomes(3, 1)})
    table_b = make_table({"b": outcomes(3, 2)}).with_columns(pl.col("run") + 10)
    result = tb.runs(tb.read(pl.concat([table_a, table_b])), "a", "b")
    assert not result.difference.paired
    assert 2 <= result.difference.claims["benchmark"].df <= 4
    validated(result)


def test_unequal_numbers_of_runs_do_not_pair(make_trials):
    result = tb.runs(make_trials({"a": outcomes(3, 1), "b": outcomes(5, 2)}), "a", "b")
    assert not result.difference.paired
    assert result.difference.claims["reliability"].value is not None
    validated(result)


def test_one_task_only(make_trials):
    result = tb.runs(make_trials({"a": {"t": [1, 0, 1]}, "b": {"t": [0, 0, 1]}}), "a", "b")
    found = validated(result)
    assert found["claims"]["population"]["reason"] == "one task shows no variance"
    assert found["difference"]["population"]["winner"] is None


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("runs", ["crossed", "nested"])
def test_equal_outcomes_have_no_zero_width(make_trials, value, runs):
    same = {c: dict.fromkeys(NAMES, [value] * 3) for c in "ab"}
    found = validated(tb.runs(make_trials(same), "a", "b", runs=runs))
    for claim in ("population", "benchmark", "reliability"):
        score, gap = found["claims"][claim], found["difference"][claim]
        assert score["high"] > score["low"]
        assert gap["high"] > 0 > gap["low"]


def test_a_run_with_no_outcomes_does_not_count(make_trials):
    scores = {t: [*v, None] for t, v in outcomes(3).items()}
    with_empty = tb.runs(make_trials({"a": scores}), missing="drop")
    without = tb.runs(make_trials({"a": outcomes(3)}))
    one, other = (r.lines_by_configuration[0] for r in (with_empty, without))
    assert one.claims == other.claims
    assert one.components == other.components


def test_a_task_missing_from_one_run_is_still_crossed(make_trials):
    scores = outcomes(4)
    scores["t00"] = scores["t00"][:3]
    line = tb.runs(make_trials({"a": scores})).lines_by_configuration[0]
    assert (line.runs_are, line.fewest_runs, line.most_runs) == ("crossed", 3, 4)
    assert line.short_tasks == ("t00",)
    assert len(line.pass_hat) == 3


def test_costs_partly_missing_give_no_ratio_but_their_coverage(make_table):
    table = make_table({"a": outcomes(2)}).with_row_index("i")
    priced = table.with_columns(cost_usd=pl.when(pl.col("i") > 5).then(0.5))
    line = tb.runs(tb.read(priced.drop("i"))).lines_by_configuration[0]
    cost = line.cost_per_resolved
    assert (cost.value, cost.priced) == (None, pytest.approx(0.9))
    assert cost.reason == "10.0 % of trials are unpriced"


def test_tasks_that_were_never_run_cost_nothing(make_table):
    """A listed task without a trial has no price; under ``fail`` it is scored, so it was asked."""
    ran = make_table({"A": outcomes(1)}).with_columns(cost_usd=pl.lit(0.5), status=pl.lit("ok"))
    listed = ran.head(1).with_columns(
        task=pl.lit("never"),
        status=pl.lit("not_run"),
        score=pl.lit(None, pl.Float64),
        cost_usd=pl.lit(None, pl.Float64),
    )
    trials = tb.read(pl.concat([ran, listed]))
    line = tb.runs(trials, missing="fail").lines_by_configuration[0]
    solved = ran["score"].mean()
    assert line.cost_per_resolved.value == pytest.approx(0.5 / solved)


def test_cost_per_resolved_is_the_ratio_of_means(make_table):
    table = make_table({"a": outcomes(2)}).with_columns(cost_usd=pl.lit(0.3))
    line = tb.runs(tb.read(table)).lines_by_configuration[0]
    assert line.cost_per_resolved.value == pytest.approx(0.3 / line.pass_at[0].value)
    assert line.cost_per_resolved.low < line.cost_per_resolved.value < line.cost_per_resolved.high


def test_a_single_run_says_what_it_leaves_out(make_trials):
    worse = {t: [0.0] for t in NAMES}
    trials = make_trials({"a": outcomes(1), "b": worse})
    result = tb.runs(trials, "a", "b")
    found = validated(result)
    assert found["claims"]["benchmark"]["score"] is None
    assert "one shows no run noise" in found["claims"]["benchmark"]["reason"]
    assert found["difference"]["single_run"] is True
    sd = found["difference"]["shock_to_undo"]
    assert tb.compare(trials, "a", "b", assume_run_sd=sd).gap_low == pytest.approx(0, abs=2e-3)
    assert "single_run" in tb.compare(trials, "a", "b").flags
    assert "single_run" not in tb.compare(trials, "a", "b", assume_run_sd=sd).flags
    with pytest.raises(InputError, match="the benchmark claim needs several runs"):
        tb.compare(trials, "a", "b", claim="benchmark")


def test_an_assumed_sd_is_for_single_runs_only(pair):
    with pytest.raises(SpecError, match="an assumed run SD is for single-run records"):
        tb.runs(pair, "C", "D", assume_run_sd=0.01)


def test_counts_are_nested_and_cannot_be_crossed(fixtures, tmp_path):
    trials = tb.read(fixtures / "responses" / "responses.jsonl")
    lines = tb.runs(trials).lines_by_configuration
    assert {line.runs_are for line in lines} <= {"nested", "single"}
    assert all(line.components.run is None for line in lines)
    with pytest.raises(SpecError, match=r"stated as crossed.*expanded from counts"):
        tb.runs(trials, runs="crossed")
    from tiebreak.write import write_table

    write_table(trials, tmp_path / "out.parquet")
    again = tb.read(tmp_path / "out.parquet")
    assert again.counted
    assert [x.runs_are for x in tb.runs(again).lines_by_configuration] == [
        x.runs_are for x in lines
    ]


def test_graded_scores_have_no_curve(make_trials):
    graded = {t: [0.25, 0.5, 0.7] for t in NAMES}
    found = validated(tb.runs(make_trials({"a": graded, "b": outcomes(3)}), "a", "b"))
    assert (found["graded"], found["pass_at"], found["always"]) == (True, [], None)
    assert found["claims"]["reliability"]["reason"]


def test_an_outage_is_pointed_out(make_table):
    table = make_table({"a": outcomes(3)}).with_columns(status=pl.lit("ok"))
    hit = (pl.col("run") == 1) & pl.col("task").is_in(NAMES[10:16])
    table = table.with_columns(
        status=pl.when(hit).then(pl.lit("infrastructure")).otherwise("status"),
        score=pl.when(~hit).then("score"),
    )
    result = tb.runs(tb.read(table))
    failures = result.lines_by_configuration[0].infrastructure
    assert failures.count == 6
    assert failures.effect > 0
    outage = failures.outages[0]
    assert (outage.run, outage.length, outage.first_task) == ("1", 6, "t10")
    assert "6 harness failures in a row, t10 to t15" in str(result)


def test_scattered_failures_are_no_outage():
    result = tb.runs(simulated("C", tasks=400, runs=4))
    failures = result.lines_by_configuration[0].infrastructure
    assert failures.count > 10
    assert failures.outages == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"claim": "benchmark"}, "runs answers every claim"),
        ({"protocol": "pass@2"}, "runs answers every claim"),
        ({"claim": "luck"}, "unknown claim"),
        ({"runs": "sometimes"}, "unknown design of runs"),
        ({"assume_run_sd": -0.1}, "an assumed run SD out of range"),
    ],
)
def test_bad_options(pair, options, message):
    with pytest.raises(SpecError, match=message):
        tb.runs(pair, **options)


def test_reliability_is_about_pass_hat(pair):
    with pytest.raises(SpecError, match=r"the reliability claim is about pass\^K"):
        tb.compare(pair, "C", "D", claim="reliability", protocol="pass@2", missing="fail")
    with pytest.raises(SpecError, match="the benchmark claim needs t"):
        tb.compare(pair, "C", "D", claim="benchmark", interval="percentile", missing="fail")


def test_grouped_records_are_no_runs(fixtures):
    with pytest.raises(SpecError, match="runs are about trials of tasks"):
        tb.runs(tb.read(fixtures / "tau2_counts" / "pass_counts.csv"))


def test_the_two_level_bootstrap_draws_runs_too(pair):
    options = {"missing": "fail", "interval": "percentile", "draws": 2000}
    crossed = tb.compare(pair, "C", "D", **options)
    nested = tb.compare(pair, "C", "D", runs="nested", **options)
    assert crossed.gap_se > nested.gap_se
    assert crossed.gap == nested.gap
    d = tb.runs(pair, "C", "D").difference.components
    spread = (d.task + d.task_run / 3) / 60 + 2 / 9 * (d.run + d.task_run / 60) + d.task_run / 270
    assert crossed.gap_se**2 == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize("family", ["studentized", "simultaneous", "holm", "bh"])
@pytest.mark.parametrize("claim", ["population", "benchmark"])
def test_families_are_no_narrower_than_single_pairs(family, claim):
    trials = simulated("ABCD", runs=4)
    options = {"claim": claim, "missing": "fail", "draws": 500}
    alone, family_of = tb.board(trials, **options), tb.board(trials, family=family, **options)
    for one, many in zip(alone.comparisons, family_of.comparisons, strict=True):
        if family != "simultaneous":
            assert many.gap_low <= one.gap_low + 1e-9
        assert many.gap_low <= many.gap <= many.gap_high
