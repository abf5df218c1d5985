"""Known truth: a row of the study in ``benchmarks/coverage`` at small size, and its quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from pair_rows import POPULATIONS, RULES, count_chances, draw, make, row, true_mean
from scipy.special import expit

from tiebreak.kernels.pair_counts.rules import pair_sums

BOARDS = 250


def test_the_jackknife_holds_its_level_and_pair_iid_does_not():
    """Within four binomial standard errors of 94 to 96 % at M = 160; pair-iid far below."""
    rng = np.random.default_rng(5)
    boards = [draw(rng, "normal", 160) for _ in range(BOARDS)]
    slack = 400 * np.sqrt(0.95 * 0.05 / BOARDS)
    for rule in ("gap", "near .10"):
        found = row(("normal", rule, 160), boards, RULES[rule], 5, (0, 0)).found
        assert 94 - slack <= found["jackknife"] <= 96 + slack
        assert found["pair-iid"] < 60


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_truth_given_tasks_is_that_of_a_huge_board(name):
    """6,000 configurations on the same tasks, within five jackknife standard errors."""
    rng = np.random.default_rng(6)
    difficulty = rng.standard_normal(300)
    p = expit(POPULATIONS[name](rng, 6000) + difficulty)
    counts = (rng.random(p.shape) < p).sum(axis=1)
    for near in RULES.values():
        sums = pair_sums(make(counts, near))
        truth = true_mean(count_chances(name, difficulty), near)
        assert abs(sums.mean - truth) < 5 * np.sqrt(sums.variance("jackknife"))
