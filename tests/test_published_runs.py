"""Runs on the real public records: commands as written, and the figures they are known for."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.panel import build_panel
from tiebreak.readers.terminal_bench import NAME

AIRLINE = "tau-bench-airline/historical_trajectories/gpt-4o-airline.json"
COUNTS = "tau2-bench/reconstructed/tau2_pass_counts.csv"
PRIMARY = ["--where", "mode=default", "--where", "group=all", "--target", "equal:domain"]


def answer(capsys, *argv):
    assert main([str(a) for a in argv]) == 0
    return json.loads(capsys.readouterr().out)


def test_tau_bench_airline(data, capsys):
    """The repository's README: pass^1 to pass^4 = .420, .273, .220, .200."""
    found = answer(capsys, "runs", data / AIRLINE, "--json")
    assert [round(p["value"], 3) for p in found["pass_hat"]] == [0.42, 0.273, 0.22, 0.2]
    assert found["always"]["value"] == pytest.approx(0.2)
    assert found["cost_per_resolved"]["value"] is None


def test_terminal_bench_one(data, capsys):
    found = answer(capsys, "runs", data / "terminal-bench-1/results", "--json")
    assert found["data"]["read"] == 5280
    assert found["data"]["used"] == 5200
    assert sum(found["data"]["missing"].values()) == 418
    assert len(found["configurations"]) == 13
    assert {c["runs_are"] for c in found["configurations"]} == {"crossed"}


def test_official_pass_at_k_of_the_five_run_files(data):
    trials = tb.read(data / "terminal-bench-1/results")
    checked = 0
    for file in sorted((data / "terminal-bench-1/results").rglob("results.json")):
        official = json.loads(file.read_bytes())["pass_at_k"]
        if not official:
            continue
        line = tb.runs(trials, file.parent.name).lines_by_configuration[0]
        ours = {p.k: p.value for p in line.pass_at}
        assert {int(k): v for k, v in official.items()} == pytest.approx(
            {int(k): ours[int(k)] for k in official}
        )
        checked += 1
    assert checked == 3
    assert NAME.fullmatch("20250711_openhands_claude-4-sonnet")["model"] == "claude-4-sonnet"


def test_run_noise_is_not_counted_twice(data):
    """droid with Claude Sonnet 4: tasks alone .0499, the two-level bootstrap .0526, ours .0502."""
    trials = tb.read(data / "terminal-bench-1/results")
    name = "20250923_droid_claude-4-sonnet"
    ours = tb.runs(trials, name).lines_by_configuration[0].claims["population"].se
    panel = build_panel(trials.only([name]), tb.Estimand(missing="fail"))
    y = panel.repeats.outcomes[0]
    tasks_alone = y.mean(axis=1).std(ddof=1) / np.sqrt(80)
    assert tasks_alone == pytest.approx(0.0499, abs=5e-5)
    residual = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
    noise = (residual**2).sum() / (79 * 4) / 80
    analytic = np.sqrt(tasks_alone**2 + (y.mean(axis=0).var(ddof=1) - noise) / 5)
    assert ours == pytest.approx(analytic, rel=0.005)
    two_level = tb.board(trials, missing="fail", interval="percentile", draws=4000)
    naive = next(s.score_se for s in two_level.standings if s.configuration == name)
    assert naive == pytest.approx(0.0526, abs=0.001)
    assert ours < naive


def test_lifts_of_pass_at_four(data, capsys):
    """Equal-domain lifts 17.70 to 20.38 points, largest domain lift 24.56 (rank comparison)."""
    first, fourth = (
        answer(capsys, "board", data / COUNTS, *PRIMARY, "--protocol", p, "--json")
        for p in ("pass@1", "pass@4")
    )
    one = {c["configuration"]: c["score"] for c in first["configurations"]}
    lifts = [100 * (c["score"] - one[c["configuration"]]) for c in fourth["configurations"]]
    assert (len(lifts), min(lifts), max(lifts)) == (
        4, pytest.approx(17.70, abs=0.005), pytest.approx(20.38, abs=0.005)
    )  # fmt: skip
    trials = tb.read(data / COUNTS, where={"mode": "default", "group": "all"})
    panels = [
        build_panel(trials, tb.Estimand(protocol=tb.Protocol("pass@", k))).values for k in (1, 4)
    ]
    kept = [c["configuration"] for c in fourth["configurations"]]
    rows = [trials.configurations["configuration"].to_list().index(name) for name in kept]
    assert 100 * np.nanmax((panels[1] - panels[0])[rows]) == pytest.approx(24.56, abs=0.005)


def test_simulated_records(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "one-run", "out.parquet", "--runs", "5", "--seed", "3"]) == 0
    capsys.readouterr()
    found = answer(capsys, "runs", "out.parquet", "C", "D", "--json")
    assert found["difference"]["reliability"]["winner"] == "C"
    assert found["difference"]["population"]["winner"] is None


def test_responses_are_nested(data, capsys):
    path = next((data / "terminal-bench-2-responses").rglob("responses_raw.jsonl"))
    found = answer(capsys, "runs", path, "--json")
    assert len(found["configurations"]) == 83
    assert {c["runs_are"] for c in found["configurations"]} == {"nested"}
    fewest = min(c["fewest_runs"] for c in found["configurations"])
    assert fewest == 1
