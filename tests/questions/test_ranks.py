"""Ranks by adjusted effects and the agreement of two rankings."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.kernels.decomposition.rank_draws import rank_draws
from tiebreak.simulate.leaderboard import World
from tiebreak.simulate.leaderboard import trials as simulate

VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((files("tiebreak") / "schema.json").read_text(encoding="utf-8"))
)


@pytest.fixture(scope="module")
def simulated():
    return simulate(3, World(models=8, scaffolds=3, tasks=25))


@pytest.mark.parametrize("engine", [None, "reml"])
def test_ranks_follow_the_schema_and_add_up(simulated, engine):
    found = tb.ranks(simulated, engine=engine)
    VALIDATOR.validate(json.loads(found.to_json()))
    n = len(found.models)
    above = np.array(found.pairwise)
    assert above + above.T == pytest.approx(np.ones((n, n)))
    assert sum(m.dominance for m in found.models) == pytest.approx(n / 2)
    for line in found.models:
        assert sum(line.probabilities) == pytest.approx(1)
        assert line.rank_low <= line.median_rank <= line.rank_high
    every = np.array([m.probabilities for m in found.models])
    assert every.sum(axis=0) == pytest.approx(np.ones(n))


def test_dominance_is_the_draws_share():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((4, 4)) / 2
    mean, covariance = rng.standard_normal(4), root @ root.T
    found = rank_draws(mean, covariance, 1000, 0.95, rng)
    draws = rng.multivariate_normal(mean, covariance, 200_000)
    naive = (draws[:, :, None] > draws[:, None, :]).mean(axis=0)
    np.fill_diagonal(naive, 0.5)
    assert found.above == pytest.approx(naive, abs=0.006)  # 5 standard errors of 200,000 draws


def test_effects_without_spread_tie():
    found = rank_draws(np.zeros(3), np.zeros((3, 3)), 3000, 0.95, np.random.default_rng(0))
    assert found.above == pytest.approx(np.full((3, 3), 0.5))
    assert found.probabilities == pytest.approx(np.full((3, 3), 1 / 3), abs=0.05)


def test_core_bench_ranks(data):
    found = tb.ranks(tb.read(data / "hal" / "preprocessed_traces" / "corebench_hard.db"))
    assert found.models[0].model.startswith("Claude Opus 4.1")
    assert found.agreement["kendall"] > 0.85


@pytest.fixture
def ranking(tmp_path, simulated):
    """A ranking of the simulated models by name."""
    path = tmp_path / "there.csv"
    names = sorted(simulated.configurations["model"].unique())
    scores = [float(i % 5) for i in range(len(names))]
    pl.DataFrame({"model": names, "elo": scores}).write_csv(path)
    return path


def test_bad_ranks(simulated):
    with pytest.raises(tb.InputError, match="predicts no model effects"):
        tb.ranks(simulated, engine="disco")
    with pytest.raises(tb.SpecError, match="unknown engine"):
        tb.ranks(simulated, engine="lmer")


def test_groups_that_share_no_scaffold_are_not_ranked_together(tmp_path, capsys):
    """m0 and m1 ran on x only, m2 and m3 on y only."""
    lines = [
        f"m{m} on {'xy'[m // 2]},m{m},{'xy'[m // 2]},t{i},{int((i * (m + 2)) % 5 > m)}"
        for m in range(4)
        for i in range(20)
    ]
    path = tmp_path / "split.csv"
    path.write_text("\n".join(["configuration,model,scaffold,task,score", *lines]))
    assert main(["ranks", str(path)]) == 2
    seen = capsys.readouterr()
    assert seen.out == "" and seen.err.count("\n") == 1
    assert "2 groups of models share no scaffold" in seen.err
