"""Rows of the coverage study on repeated runs, at fewer replicates."""

from __future__ import annotations

import pytest
from run_rows import _row
from sections import Scale

SCALE = Scale(runs=1000, seed=7)


@pytest.mark.parametrize(
    ("kind", "shock", "tasks", "runs"),
    [("crossed", 0.15, 200, 5), ("crossed", 0.4, 50, 3), ("nested", 0.15, 200, 3)],
)
def test_each_claim_covers(kind, shock, tasks, runs):
    """95 % ± 3.5 Monte Carlo standard errors of .7 points, and the 1 point that is allowed."""
    found = _row(SCALE, kind, shock, tasks, runs)
    for claim in ("population", "benchmark", "reliability"):
        for what in ("gap", "score"):
            assert found[f"{claim} {what}"] == pytest.approx(95, abs=3.4), (claim, what)
    assert found["null"] == pytest.approx(5.2, abs=3.0)


def test_one_run_covers_with_its_noise_stated_and_not_without():
    found = _row(SCALE, "crossed", 0.4, 500, 1)
    assert found["population gap"] < 80
    assert found["stated sd"] == pytest.approx(95, abs=3)


def test_the_within_run_t_is_no_population_interval():
    assert _row(SCALE, "crossed", 0.15, 200, 10)["within-run t"] < 85
