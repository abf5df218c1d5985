"""The generator's truth, and the study's figures at a fraction of the replicates."""

from __future__ import annotations

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import SpecError
from tiebreak.simulate import one_run, one_run_study


@pytest.mark.parametrize(("name", "rate"), one_run.TARGET_RATES.items())
def test_skills_hit_their_population_rates(name, rate):
    agent = one_run.AGENTS[name]
    assert one_run.population_rate(agent) == pytest.approx(rate, abs=1e-4)
    assert one_run.calibrated_skill(rate, agent.sharpness) == pytest.approx(agent.skill, abs=5e-4)


@pytest.mark.parametrize("nested", [False, True])
def test_draws_have_the_stated_rates(nested):
    made = one_run.draw("CD", 400, 3, np.random.default_rng(0), replicates=150, nested=nested)
    solved = made.solved.mean(axis=(0, 2))
    assert solved == pytest.approx(0.38, abs=0.015)  # sd over benchmarks and runs: .002
    always = made.solved.all(axis=3).mean(axis=(0, 2))
    expected = [one_run.population_rate(one_run.AGENTS[n], 3) for n in "CD"]
    assert always == pytest.approx(expected, abs=0.01)
    ever = made.solved.any(axis=3).mean(axis=(0, 2))
    expected = [one_run.population_ever(one_run.AGENTS[n], 3) for n in "CD"]
    assert ever == pytest.approx(expected, abs=0.01)
    assert made.lost.mean() == pytest.approx(one_run.FAILURE, abs=0.001)
    assert not (made.solved & made.lost).any()


def test_the_table_says_why_an_outcome_is_missing():
    trials = one_run.trials(runs=2, seed=1, tasks=50)
    assert trials.accounting.used == 4 * 50 * 2
    assert set(trials.missing) == {"infrastructure"}
    assert trials.hash == one_run.trials(runs=2, seed=1, tasks=50).hash
    assert trials.hash != one_run.trials(runs=2, seed=2, tasks=50).hash


@pytest.mark.parametrize(
    "bad", [{"runs": 0}, {"tasks": 1}, {"seed": -1}, {"shock_sd": -0.1}, {"runs": 10**6}]
)
def test_bad_sizes(bad):
    with pytest.raises(SpecError, match="out of range"):
        one_run.trials(**({"runs": 2, "seed": 0} | bad))


def test_a_drawn_table_has_the_engines_interval():
    """The study's replicates as units give what the question gives for the same records."""
    made = one_run.draw("CD", 80, 4, np.random.default_rng(3))
    trials = tb.read(one_run.table(made))
    for claim in ("population", "benchmark"):
        low, high = one_run_study.claimed(made, claim)
        c = tb.compare(trials, "C", "D", claim=claim, missing="fail")
        assert (c.gap_low, c.gap_high) == pytest.approx((low[0], high[0]))
