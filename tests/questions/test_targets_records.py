"""The documented commands on the real records, exactly as written."""

from __future__ import annotations

import contextlib
import io
import json
from importlib.resources import files

import jsonschema
import pytest

import tiebreak as tb
from tiebreak.cli import main

VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
)
VERIFIED = "@swebench-verified/raw --tasks @swebench-verified/tasks.csv --cells repo"
ARB = "@agent-reward-bench/annotations.csv --cells benchmark --duplicates any"


@pytest.fixture(scope="module")
def text(data):
    """text("targets …"): what a command prints; @ stands for the data folder."""

    def call(line):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert main(line.replace("@", f"{data}/").split()) == 0
        return out.getvalue()

    return call


@pytest.fixture(scope="module")
def answer(text):
    def call(line):
        found = json.loads(text(f"{line} --json"), parse_constant=pytest.fail)
        VALIDATOR.validate(found)
        return found

    return call


@pytest.fixture(scope="module")
def verified(answer):
    return answer(f"targets {VERIFIED} --top 10 --perturb 1000 --seed 1")


def test_ranking_reversal(tmp_path, capsys):
    out = tmp_path / "out.parquet"
    assert main(["simulate", "ranking-reversal", str(out)]) == 0
    capsys.readouterr()
    assert main(f"targets {out} A B --cells family --sweep lookup --json".split()) == 0
    found = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(found)
    assert found["crossovers"][0]["weight_exact"] == "32/41"


def test_verified_has_every_part(verified):
    assert len(verified["radii"]) == 90
    assert {r["target"] for r in verified["radii"]} == {"observed:repo", "equal:repo"}
    assert len(verified["cells"]) == 120
    assert len(verified["scores"]) == 20
    assert len(verified["crossovers"]) == 45
    assert verified["regions"]["method"] == "sampled"
    assert verified["perturbation"]["n"] == 1000
    assert len(verified["perturbation"]["pairs"]) == 45


def test_verified_scores_are_the_boards(verified):
    """Provenance: the rank-comparison paper, four digits (exact ratios of counts)."""
    found = {(s["target"], s["configuration"]): s for s in verified["scores"]}
    live, trae = "20251215_livesweagent_claude-opus-4-5", "20250928_trae_doubao_seed_code"
    assert found["equal:repo", live]["score"] == pytest.approx(0.7680, abs=5e-5)
    assert found["equal:repo", trae]["score"] == pytest.approx(0.7798, abs=5e-5)
    assert found["equal:repo", trae]["rank"] == 1
    assert found["observed:repo", live]["score"] == 0.792
    (between,) = [c for c in verified["crossovers"] if {c["a"], c["b"]} == {live, trae}]
    assert (between["winner_below"], between["winner_above"]) == (live, trae)
    start, end = (
        found[t, live]["score"] - found[t, trae]["score"] for t in ("observed:repo", "equal:repo")
    )
    assert between["weight"] == pytest.approx(start / (start - end), abs=1e-9)


def test_verified_radii_are_those_of_compare(verified, data):
    trials = tb.read(data / "swebench-verified/raw", tasks=data / "swebench-verified/tasks.csv")
    for r in verified["radii"][:6] + verified["radii"][-6:]:
        alone = tb.compare(trials, r["a"], r["b"], target=r["target"])
        assert (r["radius"], r["margin_radius"]) == (alone.radius, alone.margin_radius)


def test_verified_hides_small_repositories(verified):
    hidden, (observed, equal) = verified["hidden"], verified["targets"]
    assert [(c["cell"], c["k"], c["n"]) for c in hidden["zero"]] == [("mwaskom/seaborn", 0, 2)]
    assert {c["cell"] for c in hidden["full"]} == {"pallets/flask"}
    assert observed["n_effective"] == pytest.approx(500)
    sizes = {c["cell"]: c["n"] for c in verified["cells"]}
    assert equal["n_effective"] == pytest.approx(144 / sum(1 / n for n in sizes.values()))
    assert equal["thin_weight"] == pytest.approx(2 / 12)


def test_the_same_command_gives_the_same_bytes(text):
    line = f"targets {VERIFIED} --top 4 --perturb 200 --seed 1"
    assert text(line) == text(line)
    assert text(f"{line} --json") == text(f"{line} --json")


def test_agent_reward_bench_is_not_exchangeable(answer):
    found = answer(f"permute {ARB} --support common --permutations 1000 --seed 1")
    assert found["gap"] == "matched"
    assert found["max_gap"] == pytest.approx(0.1489, abs=5e-5)
    assert found["max_gap_reference_95"] == pytest.approx(0.0727, abs=0.005)  # Monte Carlo error
    assert found["max_gap_p"] == pytest.approx(1 / 1001)
    assert found["practical_gaps"] == 6
    other = answer(f"permute {ARB} --support common --gap standardized --permutations 100")
    assert other["max_gap"] == pytest.approx(0.1453, abs=5e-5)


def test_agent_reward_bench_keeps_its_top(answer):
    """Published: Claude on top in all 1,000, 10th percentile of the top gap .0165, law unstated."""
    found = answer(f"targets {ARB} --support common --perturb 1000 --concentration 125 --seed 1")
    drawn = found["perturbation"]
    claude = next(n for n in drawn["top"] if "claude" in n)
    assert drawn["top"][claude] >= 0.999
    assert drawn["top_gap"]["0.1"] == pytest.approx(0.0165, abs=0.0014)
    assert found["regions"]["method"] == "exact"
    assert len(found["regions"]["never"]) == 2


def test_open_agent_gets_everything_but_intervals(answer):
    found = answer(
        "targets @open-agent-leaderboard/data_results.csv --score percent_successful "
        "--cells benchmark --sweep swebench --top 12"
    )
    assert found["unit"] == "trials"
    assert len(found["radii"]) == 132
    assert any(c["weight_exact"] for c in found["crossovers"])
    assert all(c["weight_low"] is None and c["reasons"]["weight_low"] for c in found["crossovers"])
    assert all(v["gap_low"] is None for p in found["verdicts"] for v in p["verdicts"])


def test_tau2_has_a_distance_over_its_metadata(answer):
    found = answer(
        "targets @tau2-bench/results_reduced/model_training --cells domain "
        "--distance gower:domain,mode"
    )
    assert found["distance"] == "gower:domain,mode"
    assert all(0 <= r["wasserstein_radius"] <= r["radius"] for r in found["radii"])
    assert any("at no cost" in note for note in found["notes"])
