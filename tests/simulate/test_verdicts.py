"""Known states: their truths, their draws, and that the procedure recovers them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import norm

from tiebreak.decide import VERDICTS
from tiebreak.design import Design
from tiebreak.simulate.verdicts import SCENARIOS, SIZES, draw_panels, replicate, tally

OBSERVED = np.array(SIZES) / sum(SIZES)
EQUAL = np.full(4, 0.25)
DESIGN = Design(interval="percentile", draws=200, seed=5)
BY_STATE = {s.state: s for s in SCENARIOS}


@pytest.mark.parametrize(
    ("state", "observed", "equal"),
    [
        ("stable", 0.15, 0.15),
        ("target-sensitive", 0.03, -0.125),
        ("unsupported", 0.15, 0.15),
        ("verifier-sensitive", 0.15, 0.15),
        ("underpowered", 0.0, 0.0),
    ],
)
def test_true_gaps_are_those_of_the_table(state: str, observed: float, equal: float) -> None:
    assert BY_STATE[state].gap(OBSERVED) == pytest.approx(observed)
    assert BY_STATE[state].gap(EQUAL) == pytest.approx(equal)


def test_one_scenario_per_verdict() -> None:
    assert set(BY_STATE) == set(VERDICTS)


def test_the_weak_labels_have_b_ahead() -> None:
    scenario = BY_STATE["verifier-sensitive"]
    rates, weak = np.array(scenario.rates), np.array(scenario.weak)
    a, b = rates * weak[:, :1] + (1 - rates) * weak[:, 1:]
    assert EQUAL @ (b - a) == pytest.approx(0.151, abs=5e-4)


def test_the_size_fits_the_published_overcalling() -> None:
    a, b = np.array(BY_STATE["stable"].rates)
    spread = a * (1 - a) + b * (1 - b)
    sd = np.sqrt(((EQUAL - OBSERVED) ** 2 * spread / np.array(SIZES)).sum())
    # 47 of 300 is what the paper reports; .005 is about 17 tasks more or fewer
    assert 2 * norm.sf(0.02 / sd) == pytest.approx(47 / 300, abs=0.005)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.state)
def test_draws_have_the_true_rates(scenario) -> None:
    rng = np.random.default_rng(0)
    panels = [draw_panels(scenario, rng)[0] for _ in range(60)]
    cells, values = panels[0].cells, np.mean([p.values for p in panels], axis=0)
    means = np.stack([values[:, cells == x].mean(axis=1) for x in range(4)], axis=1)
    expected = np.array(scenario.rates)
    if scenario.missing_cell is not None:
        assert np.isnan(means[1, scenario.missing_cell])
        means[1, scenario.missing_cell] = expected[1, scenario.missing_cell]
    # 60 × 72 trials in the smallest cell: sd ≤ .0077, 40 means
    assert np.abs(means - expected) == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.state)
def test_the_known_state_is_recovered(scenario) -> None:
    found = tally(scenario.state, replicate(scenario, DESIGN, 40))
    assert sum(found.verdicts.values()) == sum(found.by_point.values()) == 40
    assert found.modal == scenario.state
    assert found.recovered >= 34  # the least is a 95 % interval about a tie: P(< 34 of 40) < .01


def test_the_same_seed_gives_the_same_verdicts() -> None:
    scenario = BY_STATE["underpowered"]
    runs = [list(replicate(scenario, DESIGN, 60)) for _ in range(2)]
    assert runs[0] == runs[1]
    other = list(replicate(scenario, Design(interval="percentile", draws=200, seed=6), 60))
    assert other != runs[0]


def test_the_point_rule_only_adds_target_sensitive_verdicts() -> None:
    index = VERDICTS.index
    found = Counter(replicate(BY_STATE["stable"], DESIGN, 60))
    changed = {pair for pair in found if pair[0] != pair[1]}
    assert changed == {(index("stable"), index("target-sensitive"))}


def test_tally_counts() -> None:
    found = tally("stable", [(4, 4), (4, 3), (2, 2)])
    assert found.verdicts == dict(zip(VERDICTS, (0, 0, 1, 0, 2), strict=True))
    assert found.by_point == dict(zip(VERDICTS, (0, 0, 1, 1, 1), strict=True))
    assert (found.recovered, found.modal) == (2, "stable")
