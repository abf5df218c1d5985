"""Simulated leaderboards: sizes, the same seed, effects of the stated size, sound tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import logit

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.simulate.leaderboard import TRUTH, World, draw, table, trials


def only(facet, variance, **sizes):
    """A world in which one facet varies."""
    return World(truth=dict.fromkeys(TRUTH, 0.0) | {facet: variance}, intercept=0.0, **sizes)


@pytest.mark.parametrize(
    ("facet", "sizes"),
    [
        ("M", {"models": 300, "tasks": 2, "coverage": 1.0, "runs": 400}),
        ("I", {"models": 2, "tasks": 400, "coverage": 1.0, "runs": 200}),
        ("MA", {"models": 150, "tasks": 2, "coverage": 1.0, "runs": 300}),
        ("BM", {"models": 80, "tasks": 2, "coverage": 1.0, "runs": 400, "benchmarks": 3}),
        ("IMA", {"models": 10, "tasks": 40, "coverage": 1.0, "runs": 400}),
    ],
)
def test_a_facet_alone_has_its_variance_between_its_levels(facet, sizes):
    """Levels' pooled success rates on the logit scale vary by σ² (noise: under 1/(cell trials))."""
    made = draw(only(facet, 0.5, **sizes), np.random.default_rng(7))
    level = made.levels(facet)
    n = np.bincount(level, weights=made.trials)
    rate = (np.bincount(level, weights=made.mean * made.trials) + 0.5) / (n + 1)
    noise = float(np.mean(1 / (n * rate * (1 - rate))))
    found = np.var(logit(rate), ddof=1) - noise
    error = 0.5 * np.sqrt(2 / (n.size - 1))
    assert abs(found - 0.5) < 3 * error
    own = logit((made.mean * made.trials + 0.5) / (made.trials + 1)) - logit(rate)[level]
    inside = np.bincount(level, weights=own**2) / np.bincount(level)
    assert float(np.median(inside)) < 0.1


def test_pairs_are_sparse_and_one_scaffold_is_everywhere():
    made = draw(World(benchmarks=5, scaffolds=2), np.random.default_rng(0))
    pairs = {(b, a) for b, a in zip(made.benchmark, made.scaffold, strict=True)}
    assert {(b, 0) for b in range(5)} <= pairs
    assert len(pairs) == 10
    keys = np.stack([made.model, made.scaffold, made.benchmark])
    assert np.unique(keys, axis=1).shape == keys.shape == (3, 5 * 2 * 14)
    assert made.item.size == 5 * 28 * 100


def test_the_table_holds_what_was_drawn():
    rng, world = np.random.default_rng(5), World(models=4, tasks=6, runs=3, benchmarks=2)
    made = draw(world, rng)
    found = tb.read(table(made, world, rng))
    assert found.frame.height == made.item.size * 3
    assert found.frame["score"].sum() == pytest.approx((made.mean * made.trials).sum())
    assert found.task_columns == ("benchmark",)
    assert set(found.configurations.columns) == {"configuration", "model", "scaffold"}


def test_the_same_seed_gives_the_same_records():
    small = World(models=5, tasks=4)
    assert trials(1, small).hash == trials(1, small).hash != trials(2, small).hash


def test_the_command_states_the_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.parquet"
    assert main(["simulate", "leaderboard", str(out), "--seed", "1", "--tasks", "5"]) == 0
    said = capsys.readouterr().out
    assert "210 trials" in said
    assert "IM 0.49" in said
    assert tb.read(out).hash == trials(1, World(tasks=5)).hash


@pytest.mark.parametrize(
    "words",
    ["--models 1", "--scaffolds 1", "--coverage 0", "--runs 0", "--seed -1"],
)
def test_impossible_worlds_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    assert main(["simulate", "leaderboard", str(tmp_path / "o.csv"), *words.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "out of range" in err
