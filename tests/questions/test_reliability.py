"""Reliability: figures of real boards, small boards by hand, the schema, what is refused."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.simulate.leaderboard import World
from tiebreak.simulate.leaderboard import trials as simulate

VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
)
WORLD = World(models=8, scaffolds=3, tasks=25)


def table(rows):
    names = ["configuration", "model", "scaffold", "task", "score"]
    return pl.DataFrame(rows, schema=names, orient="row")


def rows(pairs, tasks=12, seed=1, score=None):
    rng = np.random.default_rng(seed)
    return [
        (f"{a} | {m}", m, a, f"t{t}", float(rng.random() < 0.5) if score is None else score(rng))
        for m, a in pairs
        for t in range(tasks)
    ]


def crossed(models=4, scaffolds=2):
    return [(f"m{m}", f"a{a}") for m in range(models) for a in range(scaffolds)]


def shares(fit):
    return {c.facet: c.share for c in fit.components}


def coefficients(fit):
    return {c.name: c for c in fit.coefficients}


@pytest.fixture(scope="module")
def simulated():
    return simulate(3, WORLD)


@pytest.fixture(scope="module")
def result(simulated):
    return tb.reliability(simulated)


def test_both_default_engines_follow_the_schema(result):
    found = json.loads(result.to_json())
    VALIDATOR.validate(found)
    assert [fit["engine"] for fit in found["fits"]] == ["reml", "ep"]
    assert found["scale"] == "probability"


@pytest.mark.parametrize("engine", ["laplace", "moments", "disco"])
def test_other_engines_follow_the_schema(simulated, engine):
    found = tb.reliability(simulated, engine=engine, leave_out=False)
    VALIDATOR.validate(json.loads(found.to_json()))
    assert any(w for w in found.parts[0].fits[0].warnings)


def test_parts_and_transport_follow_the_schema():
    world = World(models=6, scaffolds=2, tasks=8, benchmarks=3)
    trials = simulate(1, world)
    found = tb.reliability(trials, per="benchmark", engine="reml", leave_out=False)
    VALIDATOR.validate(json.loads(found.to_json()))
    assert len(found.parts) == 3
    assert len(found.transport) == 3
    pooled = tb.reliability(trials, engine="reml", leave_out=False).parts[0]
    assert {c.name for c in pooled.fits[0].coefficients} >= {"leaderboard", "leaderboard_system"}


def test_a_coefficient_is_the_paper_s_equation(result):
    """Equation 4 from the shown components."""
    fit = result.parts[0].fits[0]
    v = {c.facet: c.variance for c in fit.components}
    system = v["M"] + v["A"] + v["MA"]
    noise = (v["IM"] + v["IA"] + v["residual"]) / WORLD.tasks
    line = coefficients(fit)["system"]
    assert line.value == pytest.approx(system / (system + noise), rel=1e-9)
    assert line.snr == pytest.approx(system / noise, rel=1e-9)
    assert (line.n_tasks, line.n_scaffolds) == (WORLD.tasks, 1.0)


def test_stated_sizes_and_objects_are_used(simulated):
    options = {"engine": "reml", "leave_out": False}
    few = tb.reliability(simulated, tasks=1, object="model", **options).parts[0].fits[0]
    many = tb.reliability(simulated, tasks=np.inf, scaffolds=3, **options).parts[0].fits[0]
    assert {c.object for c in few.coefficients}.isdisjoint({"system", "scaffold"})
    assert coefficients(few)["model"].value < coefficients(many)["model"].value
    assert coefficients(many)["model"].n_tasks is None


def test_refits_leave_every_level_out(result):
    part = result.parts[0]
    left = [(r.facet, r.level) for r in part.refits]
    assert len(left) == part.sizes["models"] + part.sizes["scaffolds"]
    assert all(r.reason or sum(r.shares.values()) == pytest.approx(1) for r in part.refits)


def test_a_cheaper_design_is_named(result):
    plans = {(p.name, p.kind): p for p in result.parts[0].fits[0].study.plans}
    plan = plans["system", "cheapest"]
    assert plan.value >= 0.8
    best = plans["system", "best for the budget"]
    assert best.trials == WORLD.tasks
    assert (best.value < 0.8) == (plan.trials > best.trials)


def test_few_levels_show_both_priors(result):
    ep = result.parts[0].fits[1]
    assert {p.prior for p in ep.priors} == {"half-t(3, 2.5)", "half-normal(1)"}
    assert any("prior weighs in" in w for w in ep.warnings)


def test_the_same_command_gives_the_same_bytes(simulated):
    runs = [tb.reliability(simulated, leave_out=False).to_json() for _ in range(2)]
    assert runs[0] == runs[1]


def test_one_scaffold_merges_and_names(tmp_path):
    found = tb.reliability(tb.read(table(rows(crossed(5, 1)))), leave_out=False)
    part = found.parts[0]
    assert {tuple(m["facets"]) for m in part.merged} >= {("M", "MA"), ("residual", "IM")}
    by_name = coefficients(part.fits[0])
    assert by_name["model"].value is None
    assert "cannot be told apart" in by_name["model"].reason
    assert by_name["model_in_scaffold"].reason is None or by_name["model_in_scaffold"].value == 0
    assert part.identifiability["constant"] == ["A"]


def test_disconnected_designs_are_named():
    pairs = [("m0", "a0"), ("m1", "a0"), ("m2", "a1"), ("m3", "a1")]
    found = tb.reliability(tb.read(table(rows(pairs))), engine="reml", leave_out=False)
    told = found.parts[0].identifiability
    assert told["connected"] is False
    assert told["graph_parts"] == [["m0", "m1"], ["m2", "m3"]]
    assert any("share no scaffold" in note for note in told["notes"])
    assert ("M", "MA") in {tuple(m["facets"]) for m in found.parts[0].merged}


def test_one_object_alone_is_no_latter():
    """Models are not identified here: the sentence speaks of systems only, and ends in a stop."""
    apart = [("m0", "a0"), ("m1", "a0"), ("m2", "a1"), ("m3", "a1")]
    found = tb.reliability(tb.read(table(rows(apart))), engine="reml", leave_out=False)
    assert found.answer.startswith("Systems as deployed")
    assert "models over" not in found.answer
    assert "the latter" not in found.answer
    assert found.answer.endswith(".")


def test_graded_scores_keep_reml():
    graded = rows(crossed(), score=lambda rng: float(rng.random()))
    found = tb.reliability(tb.read(table(graded)), leave_out=False).parts[0]
    assert [f.engine for f in found.fits] == ["reml"]
    assert "--engine reml" in found.left_out_fits["ep"]


def test_scicode_shares(data):
    """Shares that the linear model publishes, at the last state of the records."""
    trials = tb.read(data / "hal" / "preprocessed_traces" / "scicode.db")
    fit = tb.reliability(trials, engine="reml", leave_out=False).parts[0].fits[0]
    want = {"I": 0.20, "M": 0.01, "A": 0.0, "IM": 0.14, "IA": 0.04, "MA": 0.0}
    assert {f: shares(fit)[f] for f in want} == pytest.approx(want, abs=0.006)


def test_usaco_models_are_at_the_boundary(data):
    trials = tb.read(data / "hal" / "preprocessed_traces" / "usaco.db")
    fit = tb.reliability(trials, engine="reml", leave_out=False).parts[0].fits[0]
    line = next(c for c in fit.components if c.facet == "M")
    assert line.at_boundary
    assert line.variance == 0
    assert line.high > 0


def test_terminal_bench_1(data):
    trials = tb.read(data / "terminal-bench-1" / "results")
    fit = tb.reliability(trials, engine="reml", leave_out=False).parts[0].fits[0]
    found = {c.facet: c.variance for c in fit.components}
    want = {"I": 0.090, "IA": 0.038, "IMA": 0.024, "residual": 0.066, "A": 0.019, "M": 0.007}
    assert {f: found[f] for f in want} == pytest.approx(want, abs=0.0015)


@pytest.fixture
def refused(tmp_path, capsys):
    """One line on standard error, nothing on standard output, exit code 2."""

    def check(frame, *words, question="reliability"):
        path = tmp_path / "records.csv"
        frame.write_csv(path)
        code = main([question, str(path), *words])
        out, err = capsys.readouterr()
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        return err

    return check


GOOD = table(rows(crossed()))


@pytest.mark.parametrize(
    ("frame", "words", "said"),
    [
        (GOOD, ["--engine", "lmer"], "unknown engine"),
        (GOOD, ["--object", "task"], "unknown object"),
        (GOOD, ["--tasks", "0"], "number of tasks out of range"),
        (GOOD, ["--scaffolds", "nan"], "number of scaffolds out of range"),
        (GOOD, ["--draws", "10"], "too few or too many draws"),
        (GOOD, ["--per", "benchmark"], "no task column 'benchmark'"),
        (GOOD, ["--prior", "flat"], "unknown prior"),
        (GOOD, ["--reach", "1.5"], "a reliability out of range"),
        (GOOD, ["--price", "0"], "price out of range"),
        (GOOD, ["--margin", "0.1"], "--margin"),
        (GOOD.drop("scaffold"), [], "no column says which scaffold"),
        (table(rows(crossed(), score=lambda _: 1.0)), [], "all outcomes are equal"),
        (table(rows([("m0", "a0")])), [], "one model–scaffold pair only"),
        (table(rows(crossed(), tasks=1)), [], "one task only"),
        (table(rows(crossed(), score=lambda r: r.random())), ["--engine", "ep"], "--engine reml"),
    ],
)
def test_bad_input(refused, frame, words, said):
    assert said in refused(frame, *words)


def test_one_model_has_components_but_no_model_order():
    found = tb.reliability(tb.read(table(rows(crossed(1, 4)))), engine="reml", leave_out=False)
    by_name = coefficients(found.parts[0].fits[0])
    assert by_name["model"].value is None
    assert found.parts[0].identifiability["constant"] == ["M"]


def test_the_exact_engine_is_not_shown_as_good_before_its_gate(monkeypatch):
    """Sixty sweeps are too few draws; the pointwise likelihood is left one out all the same."""
    pytest.importorskip("polyagamma")
    monkeypatch.setattr("tiebreak.estimate.exact.MOST_BATCHES", 1)
    monkeypatch.setattr("tiebreak.estimate.exact.BATCH", 60)
    trials = simulate(1, World(models=5, scaffolds=2, tasks=10))
    found = tb.reliability(trials, engine="bayes", leave_out=False)
    VALIDATOR.validate(json.loads(found.to_json()))
    fit = found.parts[0].fits[0]
    assert fit.diagnostics["passed"] == 0
    assert any("NOT CONVERGED" in w for w in fit.warnings)
    assert found.answer.startswith("Not to be relied on")
    assert fit.diagnostics["elpd_loo"] < 0 < fit.diagnostics["p_loo"]


def test_a_component_at_zero_ends_where_the_likelihood_ratio_does(data):
    """USACO's models: at zero, at most .0444 at 95 % and .0256 at 68 %, to three digits."""
    trials = tb.read(data / "hal" / "preprocessed_traces" / "usaco.db")
    part = tb.reliability(trials, engine="reml", leave_out=False).parts[0]
    lines = {c.facet: c for c in part.fits[0].components}
    model = lines["M"]
    assert (model.at_boundary, model.variance, model.low) == (True, 0.0, 0.0)
    assert (model.high, model.high_68) == pytest.approx(
        (0.04436, 0.02558), abs=5e-5
    )  # three digits
    assert lines["A"].high > lines["A"].variance  # not at zero: by its standard error
