"""The commands of the project's brief on the real records, and the figures they must give.

Provenance: rank-comparison paper (its tables) on SWE-bench Verified, AgentRewardBench, tau2-bench
submissions at 2026-06-01 and Open Agent. Scores are exact ratios of counts printed with four
digits, so ±0.00005; shifts in points with two digits, so ±0.005 points.
"""

from __future__ import annotations

import contextlib
import io
import json

import polars as pl
import pytest

import tiebreak as tb
from tiebreak.cli import main

SCORE, POINTS = 5e-5, 5e-5
SEED1 = "--target equal:repo --top 10 --interval percentile --draws 2000 --seed 1"


@pytest.fixture(scope="module")
def answer(data):
    """answer("board swebench-verified/raw …"): JSON of a command; @ stands for the data folder."""

    def call(line):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert main([*line.replace("@", f"{data}/").split(), "--json"]) == 0
        return json.loads(out.getvalue(), parse_constant=pytest.fail)

    return call


VERIFIED = "@swebench-verified/raw --tasks @swebench-verified/tasks.csv"


@pytest.fixture(scope="module")
def verified(answer):
    return answer(f"board {VERIFIED} {SEED1}")


def by_name(board, fragment):
    (found,) = [c for c in board["configurations"] if fragment in c["configuration"]]
    return found


def shifts(board):
    return {
        c["configuration"]: c["score"] - c["score_observed"]
        for c in board["configurations"]
        if c["score"] is not None
    }


def test_verified_is_read_whole(answer):
    found = answer(f"inspect {VERIFIED}")
    assert found["counts"] == {"configurations": 134, "tasks": 500, "trials": 67000, "runs": 1}
    assert len(found["support"][0]) - 2 == 12
    assert found["columns"]["task"] == ["repo"]


def test_verified_scores_raw_and_standardized(verified):
    top = sorted((c["score_observed"] for c in verified["configurations"]), reverse=True)
    assert top[:3] == [0.792, 0.792, 0.788]
    trae, live = by_name(verified, "trae_doubao"), by_name(verified, "livesweagent_claude-opus-4-5")
    assert trae["score"] == pytest.approx(0.7798, abs=SCORE)
    assert live["score"] == pytest.approx(0.7680, abs=SCORE)
    assert live["score_observed"] == 0.792


def test_verified_largest_shift(verified):
    assert max(map(abs, shifts(verified).values())) == pytest.approx(0.1202, abs=POINTS)


@pytest.mark.parametrize(("points", "pairs"), [(1, 38), (2, 31), (5, 7)])
def test_verified_pairs_of_the_top_ten_that_move(verified, points, pairs):
    """Sizes of movements, read as ≥ of the unrounded number."""
    moved = [abs(c["movement"]) for c in verified["comparisons"]]
    assert sum(m >= points / 100 for m in moved) == pairs


def test_verified_verdicts_with_the_percentile_engine(verified):
    verdicts = verified["summary"]["verdicts"]
    assert verified["summary"]["n_pairs"] == 45
    assert verdicts["underpowered"] == 39
    assert (verdicts["stable"], verdicts["target-sensitive"]) in ((5, 1), (4, 2))


def test_verified_pairs_near_a_threshold_carry_monte_carlo(verified):
    """One movement bound sits near 0.0213–0.0223 against 0.02, another's low end near 0.0007."""
    near = [
        c
        for c in verified["comparisons"]
        if abs(max(c["movement_low"], -c["movement_high"]) - 0.02) < 0.0025
        or 0 < min(abs(c["gap_low"]), abs(c["gap_high"])) < 0.0009
    ]
    assert len(near) >= 2
    assert all("monte_carlo" in c["flags"] for c in near)


@pytest.mark.parametrize("seed", [1, 2])
def test_verified_max_deviation_resolves_nothing(answer, seed):
    """Half-width about 0.140 in the paper; 2,000 draws leave it uncertain by about 0.002."""
    found = answer(f"board {VERIFIED} {SEED1[:-1]}{seed} --family simultaneous")
    assert found["summary"]["resolved"] == 0
    assert found["summary"]["half_width_median"] == pytest.approx(0.140, abs=0.006)


def test_verified_pair_by_fragments(answer):
    found = answer(
        f"compare {VERIFIED.split()[0]} livesweagent_claude-opus-4-5 trae_doubao "
        f"{' '.join(VERIFIED.split()[1:])} --target equal:repo"
    )
    assert (found["a"], found["b"]) == (
        "20251215_livesweagent_claude-opus-4-5",
        "20250928_trae_doubao_seed_code",
    )
    assert found["gap"] == pytest.approx(0.7680 - 0.7798, abs=2 * SCORE)
    assert found["gap_observed"] == pytest.approx(0.004)
    assert found["verdict"] == "underpowered"


def test_verified_converted_gives_the_same_board(answer, data, tmp_path, capsys):
    out = tmp_path / "out.parquet"
    tree = f"{data}/swebench-verified/raw"
    assert main(["convert", tree, str(out), "--tasks", f"{data}/swebench-verified/tasks.csv"]) == 0
    assert capsys.readouterr().out == f"67,000 trials → {out}\n"
    before = answer(f"board {VERIFIED} --target equal:repo")
    after = answer(f"board {out} --target equal:repo")
    for part in ("configurations", "comparisons", "summary"):
        assert before[part] == after[part]


REWARD = "board @agent-reward-bench/annotations.csv --target equal:benchmark --duplicates any"
ORDER = ("claude", "gpt-4o", "Qwen", "llama")


def test_reward_bench_raw_scores_and_duplicates(answer):
    found = answer(REWARD)
    assert found["data"]["used"] == 1302
    assert found["data"]["excluded"] == {"duplicate (any)": 106}
    raw = [by_name(found, name)["score_observed"] for name in ORDER]
    assert raw == pytest.approx([0.339, 0.328, 0.236, 0.181], abs=5e-4)  # printed with 3 digits


def test_reward_bench_full_target_is_unsupported_for_one(answer):
    found = answer(REWARD)
    assert by_name(found, "llama")["score"] is None
    assert found["summary"]["verdicts"]["unsupported"] == 3


def test_reward_bench_common_support(answer):
    found = answer(f"{REWARD} --support common")
    scores = [by_name(found, name)["score"] for name in ORDER]
    assert scores == pytest.approx([0.300, 0.276, 0.187, 0.154], abs=5e-4)
    assert max(map(abs, shifts(found).values())) == pytest.approx(0.051, abs=5e-4)
    assert found["estimand"]["support_cells"] == ["assistantbench", "webarena", "workarena"]


def test_reward_bench_percentile_verdicts(answer):
    found = answer(f"{REWARD} --support common --interval percentile --draws 2000")
    assert found["summary"]["verdicts"]["stable"] == 4
    (pair,) = [c for c in found["comparisons"] if "claude" in c["a"] and "llama" in c["b"]]
    assert pair["gap_matched"] == pytest.approx(0.1489, abs=SCORE)
    assert pair["gap_standardized"] == pytest.approx(0.1453, abs=SCORE)


def test_reward_bench_functional_labels_select_another_winner(answer):
    line = "board @agent-reward-bench/verdicts_test_split.csv --missing drop"
    line += " --target equal:benchmark --support common --label-source "
    expert, functional = (answer(line + s)["configurations"][0] for s in ("expert", "functional"))
    assert "claude" in expert["configuration"]
    assert "Qwen" in functional["configuration"]


def test_open_agent(answer):
    line = "board @open-agent-leaderboard/data_results.csv --score percent_successful"
    found = answer(f"{line} --target equal:benchmark --top 12")
    first = found["configurations"][0]
    assert first["configuration"] == "openai_solo | openai_aws_claude-opus-4-5"
    assert first["score_observed"] == pytest.approx(0.7842, abs=SCORE)
    assert first["score"] == pytest.approx(0.7867, abs=SCORE)
    top = {n for c in found["comparisons"] for n in (c["a"], c["b"])}
    shift = max(abs(s) for name, s in shifts(found).items() if name in top)
    assert shift == pytest.approx(0.0272, abs=POINTS)
    assert found["summary"]["n_pairs"] == 66
    assert "target-sensitive" not in found["summary"]["verdicts"]


def test_tau2_submissions(answer, data):
    found = answer("board @tau2-bench/submissions_2026-06-01 --target equal:domain")
    assert len(found["configurations"]) == 44
    trials = tb.read(data / "tau2-bench/submissions_2026-06-01").table()
    entries = trials.filter(pl.col("status") != "not_run").group_by("domain").len()
    assert sorted(entries["len"]) == [18, 33, 33, 34]
