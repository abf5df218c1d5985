"""Prediction-powered means: against ppi-python, against plain formulas, and by known truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tiebreak.design import Design
from tiebreak.estimate.powered import Labelled, powered_estimates
from tiebreak.kernels.ppi import tuned_correction

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "ppi_python.json").read_text())[
    "cases"
]
ONE = np.ones(1)


def arrays(case):
    """Labels of a case as one unit on tasks of one cell."""
    y, z, extra = (np.array(case[k], dtype=float) for k in ("y", "z", "z_extra"))
    reference = np.concatenate([y, np.full(extra.size, np.nan)])[None]
    return reference, np.concatenate([z, extra])[None], np.zeros(reference.size, dtype=np.intp)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: f"seed {c['seed']}")
def test_one_cell_is_what_ppi_python_gives(case):
    y, z, cells = arrays(case)
    found = tuned_correction(y, z, cells, ONE, np.array([1e9]))
    n, extra = len(case["y"]), len(case["z_extra"])
    rate = float(found.rate[0])
    if rate:  # seed 3: a judge near a coin's is left out, by ppi-python weighted a little
        point = np.nanmean(y) + rate * (z[0, n:].mean() - z[0, :n].mean())
        assert np.nanmean(y) + found.shift[0] == pytest.approx(point)
        # the covariance is over n − 1 here and over n there, the variance over all judge labels
        tuned = (case["tuned"] - np.mean(case["y"])) / (
            np.mean(case["z_extra"]) - np.mean(case["z"])
        )
        assert rate == pytest.approx(tuned * n / (n - 1), rel=1e-6)
    fixed = np.mean(case["y"]) + case["lam"] * (np.mean(case["z_extra"]) - np.mean(case["z"]))
    assert fixed == pytest.approx(case["point"])
    assert found.n[0] == n
    assert found.extra[0] == extra


@pytest.mark.parametrize("case", GOLDEN[:2], ids=lambda c: f"seed {c['seed']}")
def test_intervals_are_as_wide_as_ppi_pythons(case):
    y, z, cells = arrays(case)
    found = powered_estimates(Labelled(y, z, cells, ONE), np.array([0]), None, Design())
    width = found.powered.high[0] - found.powered.low[0]
    # t for z, the slope's degree of freedom, a pseudo-task: 1 to 7 % at n = 60 and 200
    assert width == pytest.approx(case["high"] - case["low"], rel=0.07)


def sample(rng, sizes, share, wrong, rate=0.4):
    """Two configurations on tasks with cells; reference labels of a share of each cell."""
    cells = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.standard_normal(cells.size)
    y = (0.7 * shared + 0.7 * rng.standard_normal((2, cells.size)) < np.sqrt(0.98) * -0.25).astype(
        float
    )
    z = np.where(rng.random(y.shape) < wrong, 1 - y, y)
    known = np.concatenate([rng.permutation(n) < max(2, round(share * n)) for n in sizes])
    return np.where(known, y, np.nan), z, cells


def test_never_wider_than_the_reference_alone():
    rng, sizes = np.random.default_rng(2), (40, 30, 20, 10)
    for wrong in (0.0, 0.1, 0.3, 0.5):
        for _ in range(40):
            y, z, cells = sample(rng, sizes, 0.3, wrong)
            labels = Labelled(y, z, cells, np.full(4, 0.25))
            for left, right in (([0, 1], None), ([0], [1])):
                other = None if right is None else np.array(right)
                found = powered_estimates(labels, np.array(left), other, Design())
                own = found.powered.high - found.powered.low
                alone = found.reference.high - found.reference.low
                assert (own <= 1.03 * alone + 1e-12).all()
                assert (found.n_effective >= found.correction.n * 0.999).all()


def test_a_judge_that_is_always_right_is_worth_its_labels():
    rng = np.random.default_rng(3)
    y, z, cells = sample(rng, (400,), 0.25, 0.0)
    found = powered_estimates(Labelled(y, z, cells, ONE), np.array([0, 1]), None, Design())
    assert found.powered.value == pytest.approx(z.mean(axis=1), abs=1e-9)
    assert (found.n_effective > 350).all()


def test_a_coin_is_worth_nothing():
    rng = np.random.default_rng(4)
    y, z, cells = sample(rng, (400,), 0.25, 0.5)
    found = powered_estimates(Labelled(y, z, cells, ONE), np.array([0]), None, Design())
    assert found.n_effective[0] == pytest.approx(100, rel=0.1)


@pytest.mark.parametrize("gap", [False, True])
def test_coverage(gap):
    """Nominal 95 %; three Monte Carlo errors of 1,500 replicates are 1.7 points."""
    rng, covered, widths = np.random.default_rng(9 + gap), [], []
    sizes = (120, 80, 60, 40)
    cells = np.repeat(np.arange(4), sizes)
    weights, rates = np.full(4, 0.25), np.array([[0.5, 0.4, 0.3, 0.45], [0.4, 0.35, 0.3, 0.3]])
    p = rates[:, cells][:, None]
    known = np.concatenate(
        [np.argsort(rng.random((1500, n)), axis=1) < n // 3 for n in sizes], axis=1
    )
    y = (rng.random((2, 1500, cells.size)) < p).astype(float)
    z = np.where(rng.random(y.shape) < 0.15, 1 - y, y)
    labels = Labelled(
        np.where(known, y, np.nan).reshape(3000, -1), z.reshape(3000, -1), cells, weights
    )
    left = np.arange(1500)
    found = powered_estimates(labels, left, left + 1500 if gap else None, Design())
    true = (rates @ weights)[0] - (rates @ weights)[1] * gap
    covered = (found.powered.low <= true) & (true <= found.powered.high)
    widths = (found.powered.high - found.powered.low) / (found.reference.high - found.reference.low)
    assert 0.932 < covered.mean() < 0.968
    assert widths.mean() < 0.87
