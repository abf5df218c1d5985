"""Label sources against a reference: figures by hand, on the real records, and in JSON."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.cli import main

SCHEMA = json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
NAMES = ("expert", "judge", "other")


def table(tasks: int = 60, share: float = 1.0, seed: int = 0) -> pl.DataFrame:
    """Three agents on tasks of two kinds; the judge is lenient to "soft", the other errs alike.

    ``share`` of the tasks have an expert label.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for name, rate in (("hard", 0.55), ("mid", 0.45), ("soft", 0.35)):
        for t in range(tasks):
            y = float(rng.random() < rate)
            lenient = 0.5 if name == "soft" else 0.05
            judge = float(rng.random() < (0.9 if y else lenient))
            other = 1 - y if rng.random() < 0.2 else y
            known = y if (t * 7 % tasks) < share * tasks else None
            kind = "web" if t % 3 else "code"
            rows.append((name, f"t{t}", kind, known, judge, other, 0.3 * other + 0.6 * judge))
    columns = ["configuration", "task", "kind", *(f"label:{n}" for n in NAMES), "label:graded"]
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.fixture(scope="module")
def full():
    """All labels."""
    trials = tb.read(table().drop("label:graded"))
    return tb.labels(trials, "expert", cells="kind")


@pytest.fixture(scope="module")
def partial():
    """Expert labels of a third of the tasks, and a graded judge."""
    trials = tb.read(table(120, 1 / 3))
    return tb.labels(trials, "expert", cells="kind", threshold=0.5, given=["score"])


def test_errors_are_those_of_the_table(full):
    frame = table()
    y, z = frame["label:expert"], frame["label:judge"]
    judge = full.sources[0]
    assert judge.overall.n == 180
    assert judge.overall.n_tasks == 60
    assert judge.overall.rates["bias"].value == pytest.approx(z.mean() - y.mean())
    assert judge.overall.rates["fpr"].value == pytest.approx(z.filter(y == 0).mean())
    assert sum(line.n for line in judge.configurations) == 180
    assert sum(line.n for line in judge.cells) == 180
    assert [line.name for line in judge.cells] == ["code", "web"]


def test_leniency_to_one_configuration_is_found(full):
    judge, other = full.sources
    assert judge.differs["fpr"].p < 0.01
    assert other.differs["fpr"].p > 0.05
    by_name = {line.name: line.rates["fpr"].value for line in judge.configurations}
    assert by_name["soft"] > 0.35 > by_name["hard"]


def test_the_judge_turns_pairs_round(full):
    chosen = full.sources[0].selection
    assert chosen.top_reference == "hard"
    assert chosen.top == "soft"
    assert {(p.a, p.b) for p in chosen.reversed_pairs} >= {("hard", "soft")}
    assert all(p.gap_reference > 0 > p.gap_source for p in chosen.reversed_pairs)
    assert chosen.kendall_tau < 1
    assert chosen.decided == chosen.kept + chosen.lost + len(chosen.reversed_decisions)


def test_selections_are_those_of_the_boards(full):
    """Both boards on the same labels, by board itself."""
    frame = table()
    for name in ("expert", "judge"):
        trials = tb.read(frame.select("configuration", "task", "kind", score=f"label:{name}"))
        best = tb.board(trials, target="equal:kind").standings[0].configuration
        chosen = full.sources[0].selection
        assert best == (chosen.top_reference if name == "expert" else chosen.top)


def test_calibration_meets_the_reference(full):
    for line in full.calibration:
        assert line.mean == pytest.approx(line.reference, abs=0.02)
        assert sum(b.n for b in line.reliability) == line.n == 180
        assert line.reason is None
    assert [line.source for line in full.calibration] == ["judge", "other", "judge + other"]
    single, together = full.calibration[0], full.calibration[-1]
    assert single.difference.low < single.difference.difference < single.difference.high
    assert together.brier_raw is None
    assert together.brier < min(line.brier for line in full.calibration[:2])


def test_a_lenient_judge_does_not_carry_over(full):
    """Calibrated on the two others, "soft" is predicted far above its reference."""
    lines = {c.configuration: c for c in full.calibration[0].leave_one_out}
    assert lines["soft"].mean > lines["soft"].reference + 0.1
    for line in lines.values():
        assert line.difference_low <= line.difference <= line.difference_high


def test_few_reference_labels_and_a_judge(partial):
    judge = next(p for p in partial.ppi if p.source == "judge")
    assert judge.helps
    for line in (*judge.scores, *judge.gaps):
        assert line.high - line.low <= line.high_reference - line.low_reference + 1e-12
        assert line.n_reference == 40
        assert line.n_judge == 80
        assert line.saved >= -1e-6
    assert any(line.saved > 5 for line in judge.scores)
    frame = table(120, 1 / 3)
    for line in judge.scores:
        own = frame.filter(pl.col("configuration") == line.configuration)
        known = own.drop_nulls("label:expert").group_by("kind").agg(pl.col("label:expert").mean())
        assert line.value_reference == pytest.approx(known["label:expert"].mean())


def test_a_graded_judge_is_labelled_from_its_threshold(partial):
    graded = next(s for s in partial.sources if s.source == "graded")
    frame = table(120, 1 / 3).drop_nulls("label:expert")
    bias = (frame["label:graded"] >= 0.5).mean() - frame["label:expert"].mean()
    assert graded.overall.rates["bias"].value == pytest.approx(bias)
    assert graded.threshold == 0.5
    assert graded.unpaired == 240
    assert partial.given == ("cell", "score")


def test_unlabelled_trials_are_no_pair_or_a_failure():
    trials = tb.read(table(60, 0.5).drop("label:graded"))
    dropped = tb.labels(trials, "expert", cells="kind")
    failed = tb.labels(trials, "expert", cells="kind", missing="fail")
    assert dropped.sources[0].overall.n == 90
    assert failed.sources[0].overall.n == 180
    assert failed.sources[0].overall.n_successes == dropped.sources[0].overall.n_successes
    assert "90 trials have no 'expert' label" in dropped.notes[0]


def test_a_source_on_other_trials_is_left_to_comparisons():
    frame = table().with_columns(
        pl.when(pl.col("label:judge") < 0).then(0.0).alias("label:other"), pl.lit(1).alias("x")
    )
    result = tb.labels(tb.read(frame.drop("label:graded", "x")), "expert", cells="kind")
    other = result.sources[1]
    assert other.overall.n == 0
    assert other.overall.reasons["bias"] == "no paired label"
    assert other.selection.reason is not None
    assert "only comparisons between sources remain" in result.answer
    assert "no trial has labels" in result.calibration[1].reason
    assert VALIDATOR.is_valid(json.loads(result.to_json()))


def test_annotators_agree(fixtures: Path):
    rows = [("a", "t1", 1, 1), ("a", "t1", 0, 1), ("a", "t2", 1, 1), ("a", "t2", 1, 1)]
    rows += [("b", "t1", 0, 0), ("b", "t2", None, 0), ("b", "t2", 1, 0)]
    columns = ["configuration", "task", "label:expert", "label:judge"]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    (found,) = tb.labels(tb.read(frame, duplicates="any"), "expert").annotators
    assert (found.n, found.n_pairs, found.disagree, found.missing) == (3, 2, 1, 1)
    assert found.agreement == 0.5
    assert found.rule == "any"


@pytest.mark.parametrize("case", ["full", "partial"])
def test_json_follows_the_schema(request, case):
    result = request.getfixturevalue(case)
    found = json.loads(result.to_json())
    VALIDATOR.validate(found)
    for member in SCHEMA["$defs"]["labels"]["required"]:
        assert not VALIDATOR.is_valid({k: v for k, v in found.items() if k != member}), member
    assert result.to_markdown().startswith("**judge is")
    assert "<table>" in result._repr_html_()


def test_every_name_of_the_contract_is_required():
    properties = SCHEMA["$defs"]["labels"]["properties"]
    source = "source bias fpr fnr precision recall f1 kappa top reversed_pairs"
    calibration = "source mean reference brier brier_raw auc leave_one_out"
    assert set(source.split()) <= set(properties["sources"]["items"]["required"])
    assert set(calibration.split()) <= set(properties["calibration"]["items"]["required"])
    assert {"sources", "calibration", "ppi"} <= set(SCHEMA["$defs"]["labels"]["required"])


def test_same_command_same_bytes(tmp_path, capsys):
    table(30).drop("label:graded").write_csv(tmp_path / "log.csv")
    command = ["labels", str(tmp_path / "log.csv"), "--reference", "expert", "--cells", "kind"]
    outs = []
    for _ in range(2):
        assert main([*command, "--json"]) == 0
        outs.append(capsys.readouterr().out)
    assert outs[0] == outs[1]


def test_the_seed_deals_the_folds():
    trials = tb.read(table().drop("label:graded"))
    found = [tb.labels(trials, "expert", cells="kind", seed=s).calibration[0] for s in (0, 1)]
    assert found[0].brier != found[1].brier


def test_agent_reward_bench_as_commanded(data: Path, capsys):
    command = f"labels {data}/agent-reward-bench --reference expert --duplicates any"
    assert main([*command.split(), "--cells", "benchmark", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    functional, aer_c = found["sources"]
    assert functional["n"] == 1106
    assert functional["bias"] == pytest.approx(-0.0931, abs=0.00005)
    assert functional["fnr"] == pytest.approx(0.440, abs=0.0005)
    assert "Qwen" in functional["top"]
    assert "claude" in functional["top_reference"]
    assert "claude" in aer_c["top"]
    assert len(functional["reversed_pairs"]) == 2
    assert functional["differs"]["fnr"]["p"] < 0.01


def test_agent_reward_bench_first_annotation(data: Path):
    trials = tb.read(data / "agent-reward-bench", duplicates="first")
    for source, expected in zip(
        tb.labels(trials, "expert", cells="benchmark", draws=100).sources,
        ([83.76, 55.93, 67.07], [67.73, 71.86, 69.74]),
        strict=True,
    ):
        rates = [100 * source.overall.rates[n].value for n in ("precision", "recall", "f1")]
        assert rates == pytest.approx(expected, abs=0.005)
