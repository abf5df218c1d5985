"""The JSON contract: strict JSON, the schema in the package, and fields that add up."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import jsonschema
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.results.provenance import finite

SCHEMA = json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
CELLS = {f"t{i}": "big" if i < 6 else "small" for i in range(8)}
ROW = dict.fromkeys(CELLS, 1.0)


def strict(result):
    """Parse the result's JSON text, refusing NaN and Infinity."""

    def refuse(token):
        raise AssertionError(f"{token} is no JSON")

    return json.loads(result.to_json(), parse_constant=refuse)


def validated(result):
    found = strict(result)
    VALIDATOR.validate(found)
    return found


@pytest.fixture(scope="module")
def inputs(make_trials, make_table):
    """Trials that exercise every null: complete, ragged, unshared, missing, grouped, labelled."""
    some = {t: float(i % 2) for i, t in enumerate(CELLS)}
    big = {t: s for t, s in some.items() if CELLS[t] == "big"}
    grouped = [(c, g, r, n) for c, r in (("a", 0.9), ("b", 0.6)) for g, n in (("x", 10), ("y", 20))]
    labelled = [(c, t, float(c == "a"), float(c == "b")) for c in "ab" for t in CELLS]
    prices, seconds = {"a": 2.0, "b": 1.0, "c": None}, {"a": 9.0, "b": 20.0, "c": 5.0}
    spent = [
        pl.col("configuration").replace_strict(v, return_dtype=pl.Float64).alias(name)
        for name, v in (("cost_usd", prices), ("duration_s", seconds))
    ]
    names = ["configuration", "task", "label:official", "label:judge"]
    return {
        "complete": make_trials({"a": ROW, "b": some, "c": dict.fromkeys(CELLS, 0.0)}, CELLS),
        "ragged": make_trials({"a": ROW, "b": big, "c": {"t7": 0.0}}, CELLS),
        "unshared": make_trials({"a": {"t0": 1.0}, "b": {"t7": 0.0}}, CELLS),
        "missing": make_trials({"a": ROW | {"t0": None}, "b": some}, CELLS),
        "grouped": tb.read(
            pl.DataFrame(grouped, schema=["configuration", "cell", "score", "count"], orient="row"),
            mapping={"task": "cell"},
        ),
        "labelled": tb.read(pl.DataFrame(labelled, schema=names, orient="row")),
        "priced": tb.read(make_table({"a": ROW, "b": some, "c": big}).with_columns(spent)),
    }


KINDS = ("complete", "ragged", "unshared", "missing", "grouped", "labelled")
DESIGNS = {
    "t": {},
    "percentile": {"interval": "percentile", "draws": 200},
    "simultaneous": {"family": "simultaneous", "draws": 200},
    "holm": {"family": "holm"},
}


def options(kind, design):
    cells = {"target": "equal:cell"} if kind in ("complete", "ragged", "unshared") else {}
    rule = {"missing": "drop"} if kind == "missing" else {}
    return cells | rule | DESIGNS[design]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("kind", KINDS)
def test_boards_follow_the_schema(inputs, kind, design):
    found = validated(tb.board(inputs[kind], **options(kind, design)))
    assert found["question"] == "board"
    assert sum(found["summary"]["verdicts"].values()) == found["summary"]["n_pairs"]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("kind", KINDS)
def test_comparisons_follow_the_schema(inputs, kind, design):
    found = validated(tb.compare(inputs[kind], "a", "b", **options(kind, design)))
    assert found["seed"] == found["design"]["seed"]
    assert found["verdict"] == found["flags"][0]


@pytest.mark.parametrize("kind", ["complete", "ragged"])
def test_sampled_cells_follow_the_schema(inputs, kind):
    validated(tb.board(inputs[kind], target="equal:cell", sampled="cells"))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("kind", ["complete", "ragged"])
def test_reweightings_follow_the_schema(inputs, kind, design):
    wanted = {"sweep": "big", "perturb": 100} if kind == "complete" else {}
    trials = inputs[kind] if kind == "complete" else inputs[kind].only(["a", "b"])
    found = validated(tb.targets(trials, cells="cell", **wanted, **DESIGNS[design]))
    assert found["estimand"]["target"] == "equal:cell"
    for part in ("crossovers", "radii"):
        for line in found[part]:
            unknown = {k for k, v in line.items() if v is None}
            assert unknown - {"wasserstein_radius", "wasserstein_margin_radius"} <= set(
                line["reasons"]
            )


@pytest.mark.parametrize("gap", ["matched", "standardized"])
@pytest.mark.parametrize("kind", ["complete", "ragged"])
def test_permutations_follow_the_schema(inputs, kind, gap):
    support = {"support": "common"} if kind == "ragged" else {}
    trials = inputs[kind] if kind == "complete" else inputs[kind].only(["a", "b"])
    found = validated(tb.permute(trials, cells="cell", gap=gap, permutations=50, **support))
    assert found["gap"] == gap


@pytest.mark.parametrize("prices", [{}, {"price": 0.1}, {"price": 0.1, "time_price": 0.01}])
def test_costs_follow_the_schema(inputs, prices):
    found = validated(tb.cost(inputs["priced"], draws=200, **prices))
    assert found["switches"][0]["from"] == "a"
    assert found["unpriced"][0]["left_out"]
    validated(tb.board(inputs["priced"], unpriced="zero", missing="fail", **prices))


@pytest.mark.parametrize("rule", ["near", "gap", "unresolved", "stable", "discordance"])
def test_pair_counts_follow_the_schema(inputs, rule):
    found = validated(tb.pairs(inputs["complete"], rule=rule, cells="cell", draws=200))
    nulls = {k for k in ("diagnostic", "blocks", "curve", "thinning") if found[k] is None}
    assert nulls <= set(found["reasons"])


@pytest.mark.parametrize("kind", KINDS)
def test_inspections_follow_the_schema(inputs, kind):
    found = validated(tb.inspect(inputs[kind]))
    data = found["data"]
    assert data["read"] == data["used"] + sum(data["excluded"].values())


@pytest.mark.parametrize(
    "file",
    [
        "agent_reward_bench/annotations.csv",
        "tau2_counts/pass_counts.csv",
        "responses/responses.jsonl",
    ],
)
def test_logs_follow_the_schema(fixtures, file):
    trials = tb.read(fixtures / file, duplicates="any")
    validated(tb.inspect(trials))
    validated(tb.board(trials, missing="drop"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_estimand_in_the_result_is_read_back(inputs, kind):
    found = strict(tb.board(inputs[kind], **options(kind, "t")))["estimand"]
    estimand = tb.Estimand.parse(found["text"])
    assert (str(estimand), estimand.label_source) == (found["text"], found["label_source"])
    assert str(estimand.target) == found["target"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_question_gives_the_same_bytes(inputs, kind):
    once, again = (tb.board(inputs[kind], **options(kind, "percentile")) for _ in range(2))
    assert once.to_json() == again.to_json()
    assert once.to_markdown() == again.to_markdown()


def test_other_records_have_another_hash(make_trials):
    hashes = {
        tb.inspect(make_trials({"a": {"t": s}, "b": {"t": 0.0}})).to_dict()["data"]["hash"]
        for s in (0.0, 1.0, 0.5)
    }
    assert len(hashes) == 3


@pytest.mark.parametrize(
    "name", ["board", "compare", "cost", "inspect", "pairs", "permute", "targets"]
)
def test_the_schema_refuses_a_result_without_any_of_its_names(inputs, name):
    """The schema can fail: dropping each required member, or its null, is noticed."""
    result = {
        "board": lambda: tb.board(inputs["complete"]),
        "compare": lambda: tb.compare(inputs["complete"], "a", "b"),
        "cost": lambda: tb.cost(inputs["priced"], draws=200),
        "inspect": lambda: tb.inspect(inputs["complete"]),
        "pairs": lambda: tb.pairs(inputs["complete"], draws=200),
        "permute": lambda: tb.permute(inputs["complete"], permutations=50),
        "targets": lambda: tb.targets(inputs["complete"], cells="cell"),
    }[name]().to_dict()
    assert VALIDATOR.is_valid(result)
    for member in SCHEMA["required"] + SCHEMA["$defs"][name]["required"]:
        assert not VALIDATOR.is_valid({k: v for k, v in result.items() if k != member}), member


def test_every_name_of_the_contract_is_required():
    """The names that are promised to other programs."""
    board = "configuration score_observed score score_low score_high score_se rank rank_low"
    board += " rank_high tier n_tasks"
    pair = "a b gap gap_low gap_high gap_se df gap_observed gap_matched movement movement_low"
    pair += " movement_high margin radius margin_radius flags verdict winner sentence"
    required = {name: set(part.get("required", ())) for name, part in SCHEMA["$defs"].items()}
    assert set(board.split()) <= required["standing"]
    assert set(pair.split()) <= required["comparison"]
    assert {"hash", "read", "used", "excluded", "missing"} == required["data"]
    assert {"estimand", "design", "seed"} == required["estimated"]
    assert {"configurations", "comparisons", "summary"} == required["board"]
    weights = "a b path weight weight_exact weight_low weight_high winner_below winner_above"
    assert set(weights.split()) <= required["crossover"] | required["pair"]
    radii = "a b radius margin_radius from to"
    assert set(radii.split()) <= required["radiusLine"] | required["pair"]
    assert {"n", "top", "top_gap"} <= required["perturbation"]
    parts = "cells scores crossovers radii perturbation regions hidden"
    assert set(parts.split()) <= required["targets"]
    cost = "switches frontier cost_per_resolved unpriced"
    assert set(cost.split()) <= required["cost"]
    switch = "lambda lambda_low lambda_high from to"
    assert set(switch.split()) <= required["switch"] | required["lambdaSwitch"]
    check = "n gap max_gap max_gap_reference_95 max_gap_p practical_gaps practical_gaps_p"
    assert set(check.split()) <= required["permute"]
    assert {"fraction", "intervals", "diagnostic", "blocks"} <= required["pairs"]
    assert {"leave_one_out", "thinning", "curve"} <= required["pairs"]
    interval = "method sampled low high width ratio_to_pair_iid"
    assert set(interval.split()) <= required["pairInterval"]
    assert {"value", "numerator", "denominator"} == required["pairFraction"]
    assert {"a", "e", "difference", "n_blocks", "unlabelled"} <= required["pairBlocks"]


def test_the_schema_is_a_valid_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_values_without_a_number_become_null_at_any_depth():
    odd = {"a": (math.inf, [math.nan, -math.inf]), "b": {1: 0.5}, "c": "inf", "d": None}
    assert finite(odd) == {"a": [None, [None, None]], "b": {"1": 0.5}, "c": "inf", "d": None}
