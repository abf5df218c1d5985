"""The percentile bootstrap: a naive resampler, SciPy's, and the agreement of its paths."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tiebreak as tb
from tiebreak.design import Design
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.estimate.scores import estimate_scores
from tiebreak.kernels.moments import all_pairs
from tiebreak.kernels.resampling import task_counts, uniform_counts

PERCENTILE = Design(interval="percentile", draws=400, seed=3)
CELLS = Design(sampled="cells", interval="percentile", draws=400, seed=3)


def naive_draws(d, panel, design):
    """One pair: repeat each task as often as it was drawn and take plain means, cell by cell."""
    rng = np.random.default_rng(design.seed)
    counts = task_counts(panel.cells, len(panel.weights), design.draws, rng).astype(int)
    draws = []
    for column in counts.T:
        picked = [np.repeat(d[panel.cells == x], column[panel.cells == x]) for x in range(4)]
        draws.append(sum(w * p.mean() for w, p in zip(panel.weights, picked, strict=True)))
    return np.array(draws)


def test_intervals_are_the_quantiles_of_naive_draws(make_panel, outcomes):
    panel, (left, right) = make_panel(outcomes()), all_pairs(4)
    fit = fit_pairs(panel, PERCENTILE, left, right)
    bounds = fit.bounds(PERCENTILE)
    for p, (i, j) in enumerate(zip(left, right, strict=True)):
        draws = naive_draws(panel.values[i] - panel.values[j], panel, PERCENTILE)
        expected = np.quantile(draws, [0.025, 0.975])
        np.testing.assert_allclose((bounds.low[p], bounds.high[p]), expected, atol=1e-12)
        assert fit.fit.se[p] == pytest.approx(draws.std(ddof=1), rel=1e-9)


def test_whole_cells_carry_their_weights_and_tasks_along(make_panel, outcomes):
    """Naive: a draw of cells g₁…g_C scores Σ w_g d̄_g / Σ w_g over the picked cells."""
    weights = [0.4, 0.3, 0.2, 0.1]
    panel = make_panel(outcomes(k=2), weights=weights)
    counts = uniform_counts(4, 400, np.random.default_rng(3)).astype(int)
    means = [np.diff(panel.values[::-1, panel.cells == x].mean(axis=1))[0] for x in range(4)]
    picked = [np.repeat(np.arange(4), column) for column in counts.T]
    draws = [np.average(np.take(means, g), weights=np.take(weights, g)) for g in picked]
    bounds = fit_pairs(panel, CELLS, np.array([0]), np.array([1])).bounds(CELLS)
    np.testing.assert_allclose(
        [bounds.low[0], bounds.high[0]], np.quantile(draws, [0.025, 0.975]), atol=1e-12
    )


def test_one_cell_agrees_with_scipy_within_monte_carlo_error(make_panel):
    """Outside golden, live: scipy.stats.bootstrap((d,), np.mean, method="percentile")."""
    rng = np.random.default_rng(4)
    values = (rng.random((2, 80)) < [[0.6], [0.45]]).astype(float)
    design = Design(interval="percentile", draws=20_000, seed=1)
    bounds = fit_pairs(
        make_panel(values, sizes=(80,)), design, np.array([0]), np.array([1])
    ).bounds(design)
    golden = stats.bootstrap(
        (values[0] - values[1],),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(9),
    ).confidence_interval
    # Means of 80 differences live on a lattice of 1/80: at most one lattice step apart.
    assert bounds.low[0] == pytest.approx(golden.low, abs=1 / 80 + 1e-9)
    assert bounds.high[0] == pytest.approx(golden.high, abs=1 / 80 + 1e-9)


def test_scores_of_a_graded_cell_agree_with_scipy_closely(make_panel):
    """Outside golden, live, on a continuous scale: four Monte Carlo errors of both bootstraps."""
    values = np.random.default_rng(6).random((1, 60))
    design = Design(interval="percentile", draws=20_000)
    bounds = estimate_scores(make_panel(values, sizes=(60,)), design).bounds
    golden = stats.bootstrap(
        (values[0],),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(9),
    ).confidence_interval
    error = 4 * np.sqrt(2)
    assert bounds.low[0] == pytest.approx(golden.low, abs=error * bounds.low_error[0])
    assert bounds.high[0] == pytest.approx(golden.high, abs=error * bounds.high_error[0])
    assert bounds.high_error[0] < 0.001


@pytest.mark.parametrize("family", ["pointwise", "holm", "bh"])
def test_a_hole_elsewhere_does_not_change_the_pairs_that_have_everything(
    make_panel, outcomes, family
):
    """The complete path (one matrix of scores) equals the matched path (pair by pair)."""
    values, (left, right) = outcomes(), all_pairs(3)
    holed = np.vstack([values[:3], np.full(values.shape[1], np.nan)])
    design = Design(interval="percentile", draws=300, family=family)
    short = fit_pairs(make_panel(values[:3]), design, left, right).estimates(design)
    matched = fit_pairs(make_panel(holed), design, left, right).estimates(design)
    np.testing.assert_allclose(short.se, matched.se, rtol=1e-9)
    for a, b in zip(short.bounds, matched.bounds, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    for a, b in zip(short.movement_bounds, matched.movement_bounds, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_draw_that_misses_every_matched_task_of_a_cell_keeps_the_cells_mean(make_panel):
    """b ran one of two tasks of the second cell; a quarter of the draws leave that task out."""
    values = np.array([[1.0, 0, 1, 1, 0], [0.0, 0, 1, 0, np.nan]])
    panel = make_panel(values, sizes=(3, 2))
    bounds = fit_pairs(panel, PERCENTILE, np.array([0]), np.array([1])).bounds(PERCENTILE)
    # The second cell gives ½·1 in every draw, so the gap is within [½·1 + ½·0, ½·1 + ½·1].
    assert bounds.low[0] >= 0.5
    assert bounds.high[0] <= 1.0


def test_p_value_is_twice_the_smaller_share_of_draws(make_panel, outcomes):
    panel = make_panel(outcomes())
    left, right = all_pairs(4)
    p = fit_pairs(panel, PERCENTILE, left, right).fit.p_values()
    for at, (i, j) in enumerate(zip(left, right, strict=True)):
        draws = np.round(naive_draws(panel.values[i] - panel.values[j], panel, PERCENTILE), 12)
        count = 1 + min((draws <= 0).sum(), (draws >= 0).sum())
        assert p[at] == pytest.approx(min(1, 2 * count / (PERCENTILE.draws + 1)), abs=1e-12)


def test_the_seed_decides_the_draws_and_nothing_else(make_panel, outcomes):
    panel, (left, right) = make_panel(outcomes()), all_pairs(4)
    one, again, other = (
        fit_pairs(panel, design, left, right).bounds(design).low.tolist()
        for design in (PERCENTILE, PERCENTILE, Design(interval="percentile", draws=400, seed=4))
    )
    assert one == again
    assert one != other


def test_every_bound_carries_its_monte_carlo_error(make_panel, outcomes):
    """Known truth: s.d. of a graded score's bound over 60 seeds, known to ±9 %, so ±35 %."""
    values = np.random.default_rng(8).random((1, 40))
    panel = make_panel(values, sizes=(40,))
    found = [
        estimate_scores(panel, Design(interval="percentile", draws=1000, seed=s)).bounds
        for s in range(60)
    ]
    spread = np.std([b.low[0] for b in found])
    assert np.mean([b.low_error[0] for b in found]) / spread == pytest.approx(1, abs=0.35)


def test_a_lattice_point_at_zero_is_zero_and_not_rounding_dust(make_panel, outcomes):
    """0/1 outcomes in cells of three: draws of exactly 0 come out as sums like 1e-17."""
    sizes, pairs = (3, 3, 3, 3, 3), all_pairs(8)
    for seed in range(5):
        panel = make_panel(outcomes(seed, 8, sizes), sizes=sizes)
        bounds = np.concatenate(fit_pairs(panel, PERCENTILE, *pairs).bounds(PERCENTILE)[:2])
        assert (bounds == 0).any()
        assert np.abs(bounds[bounds != 0]).min() > 1e-9


@pytest.mark.parametrize("family", ["pointwise", "simultaneous", "studentized", "holm"])
def test_one_shared_task_is_no_certainty(family: str) -> None:
    """A bootstrap of one task draws that task every time; that must not look like P = 1."""
    rows = [("a", f"t{i}", 1.0) for i in range(20)] + [("b", "t0", 0.0)]
    frame = pl.DataFrame(rows, schema=["configuration", "task", "score"], orient="row")
    result = tb.compare(
        tb.read(frame), "a", "b", support="common", interval="percentile", family=family
    )
    assert (result.gap, result.gap_low, result.gap_high) == (1.0, -1.0, 1.0)
    assert result.verdict == "underpowered"
