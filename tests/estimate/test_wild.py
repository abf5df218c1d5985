"""Whole cells sampled: the engine against the naive sign-flip test, its fallbacks, its families."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tiebreak.design import Design
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.estimate.scores import estimate_scores
from tiebreak.kernels.clusters import (
    cell_variance,
    logit_bounds,
    max_deviations,
    sign_subsets,
    wild_interval,
)
from tiebreak.kernels.moments import all_pairs

WILD = Design(sampled="cells")
EIGHT = (7, 3, 9, 4, 4, 6, 2, 8)
PAIR = (np.array([0]), np.array([1]))


def cell_means(panel, i, j):
    d = panel.values[i] - panel.values[j]
    return np.array([d[panel.cells == x].mean() for x in range(len(panel.weights))])


def test_bounds_are_the_kernels_on_the_pairs_cell_means(make_panel, outcomes):
    panel, (left, right) = make_panel(outcomes(sizes=EIGHT), sizes=EIGHT), all_pairs(4)
    bounds = fit_pairs(panel, WILD, left, right).bounds(WILD)
    subsets = sign_subsets(8, 0, np.random.default_rng(0))
    for p, (i, j) in enumerate(zip(left, right, strict=True)):
        q = (cell_means(panel, i, j) * panel.weights)[None]
        low, high = wild_interval(q, panel.weights, 0.05, subsets)
        np.testing.assert_allclose((bounds.low[p], bounds.high[p]), (low[0], high[0]), atol=1e-12)


def test_p_value_is_near_the_share_of_sign_patterns(make_panel, outcomes):
    """Naive: all 256 patterns; ties count in full there and by mid-rank here."""
    panel = make_panel(outcomes(sizes=EIGHT), sizes=EIGHT)
    fit = fit_pairs(panel, WILD, np.array([0]), np.array([3])).fit
    q = cell_means(panel, 0, 3) * panel.weights
    flips = np.abs(np.array(list(product([-1, 1], repeat=8))) @ q) - abs(q.sum())
    strict, closed = (flips > 1e-12).mean(), (flips > -1e-12).mean()
    assert strict - 1 / 128 <= fit.p_values()[0] <= closed


def test_pairs_of_other_support_have_their_own_patterns(make_panel, outcomes):
    values = outcomes(k=3, sizes=EIGHT)
    values[2, :7] = np.nan  # the third never ran the first cell
    panel = make_panel(values, sizes=EIGHT)
    together = fit_pairs(panel, WILD, *all_pairs(3)).bounds(WILD)
    cut = make_panel(values[:, 7:], sizes=EIGHT[1:])
    alone = fit_pairs(cut, WILD, np.array([0]), np.array([2])).bounds(WILD)
    assert together.low[1] == pytest.approx(alone.low[0], abs=1e-12)


def test_groups_of_other_numbers_of_cells_share_the_error_rate(make_panel, outcomes):
    """Pairs of seven cells join pairs of eight: c is the larger of two 1 − α/2 quantiles."""
    values = outcomes(k=4, sizes=EIGHT, seed=5)
    values[3, :7] = np.nan
    panel, (left, right) = make_panel(values, sizes=EIGHT), all_pairs(4)
    design = Design(sampled="cells", family="studentized")
    fit = fit_pairs(panel, design, left, right)
    band, own = fit.bounds(design), fit.fit.interval(np.full(6, 0.05))
    quantiles = []
    for cells in (8, 7):
        rows = [p for p in range(6) if (right[p] == 3) == (cells == 7)]
        means = np.array([cell_means(panel, left[p], right[p]) for p in rows])[:, 8 - cells :]
        pi, subsets = np.full(cells, 1 / cells), sign_subsets(cells, 0, np.random.default_rng(0))
        top = np.sort(max_deviations(means * pi, pi, subsets, studentized=True))
        quantiles.append(top[int(np.ceil(0.975 * top.size)) - 1])
    estimate = fit.estimates(design).gap
    low = np.minimum(estimate - max(quantiles) * fit.fit.se, own.low)
    np.testing.assert_allclose(band.low, np.maximum(low, -1), atol=1e-9)
    assert (band.low < own.low).any()


def test_where_all_cell_means_agree_the_tasks_speak(make_panel):
    """Twins: no cell differs, so cells say nothing; the tasks' t interval is not of zero width."""
    row = np.resize([1.0, 0.0, 1.0], sum(EIGHT))
    panel = make_panel(np.array([row, row]), sizes=EIGHT)
    bounds = fit_pairs(panel, WILD, *PAIR).bounds(WILD)
    tasks = fit_pairs(panel, Design(), *PAIR).bounds(Design())
    assert bounds.low[0] < 0 < bounds.high[0]
    assert bounds.low[0] == pytest.approx(tasks.low[0])


def test_a_score_of_one_everywhere_is_not_certain(make_panel):
    bounds = estimate_scores(make_panel(np.ones((1, sum(EIGHT))), sizes=EIGHT), WILD).bounds
    assert bounds.low[0] < 1 == bounds.high[0]


def test_few_cells_bound_nothing_at_a_high_level(make_panel, outcomes):
    """Four cells have 8 patterns up to sign: no level above 7/8 can be had."""
    panel = make_panel(outcomes())
    bounds = fit_pairs(panel, WILD, *PAIR).bounds(WILD)
    assert (bounds.low[0], bounds.high[0]) == (-1.0, 1.0)
    lower = Design(sampled="cells", level=0.5)
    assert fit_pairs(panel, lower, *PAIR).bounds(lower).high[0] < 1


def test_more_cells_than_can_be_enumerated_carry_a_monte_carlo_error(make_panel, outcomes):
    sizes = (3,) * 15
    panel = make_panel(outcomes(sizes=sizes), sizes=sizes)
    drawn = fit_pairs(panel, WILD, *all_pairs(4)).bounds(WILD)
    assert (drawn.low_error > 0).any()
    few = make_panel(outcomes(sizes=EIGHT), sizes=EIGHT)
    assert (fit_pairs(few, WILD, *all_pairs(4)).bounds(WILD).low_error == 0).all()


def test_movement_uses_the_cluster_variance_and_t_with_one_df_less_than_cells(make_panel, outcomes):
    """Naive: Var = C/(C − 1) Σ v² (d̄ − θ)², v = target − observed weights."""
    panel = make_panel(outcomes(k=2, sizes=EIGHT), sizes=EIGHT)
    d, n = cell_means(panel, 0, 1), np.array(EIGHT)
    v = panel.weights - n / n.sum()
    variance = 8 / 7 * (v**2 * (d - d @ panel.weights) ** 2).sum()
    half = stats.t.ppf(0.975, 7) * np.sqrt(variance)
    found = fit_pairs(panel, WILD, *PAIR).estimates(WILD)
    assert found.movement[0] == pytest.approx(v @ d, abs=1e-12)
    assert found.movement_bounds.high[0] == pytest.approx(v @ d + half, rel=1e-9)


@pytest.mark.parametrize("family", ["studentized", "simultaneous"])
def test_bands_over_cells_cover_all_pairs_at_once(make_panel, family):
    """Known truth: 4 exchangeable configurations, 8 cells that differ, 400 panels; all 6 gaps
    of 0 are covered in 95 % (s.e. 1.1 points; 8 clusters are few, so ±4.5)."""
    rng, design, hits = np.random.default_rng(9), Design(sampled="cells", family=family), []
    sizes = (12,) * 8
    for _ in range(400):
        rates = np.repeat(0.5 + rng.uniform(-0.3, 0.3, (4, 8)), 12, axis=1)
        panel = make_panel((rng.random(rates.shape) < rates).astype(float), sizes=sizes)
        band = fit_pairs(panel, design, *all_pairs(4)).bounds(design)
        hits.append(bool(((band.low <= 0) & (band.high >= 0)).all()))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.045)


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_scores_of_sampled_cells_stay_in_the_scale(make_panel, rate):
    values = (np.random.default_rng(1).random((50, sum(EIGHT))) < rate).astype(float)
    bounds = estimate_scores(make_panel(values, sizes=EIGHT), WILD).bounds
    assert (bounds.low >= 0).all()
    assert (bounds.high <= 1).all()
    assert (bounds.high > bounds.low).all()


def test_no_band_is_narrower_than_the_pairs_own_interval(make_panel, outcomes):
    """One cell with half of the weight: sup-t bands of single pairs alone would be narrower."""
    sizes, design = (60, 9, 8, 7, 5, 4, 3, 2), Design(sampled="cells", family="studentized")
    weights = np.array(sizes) / sum(sizes)
    for seed in range(8):
        panel = make_panel(outcomes(seed, 2, sizes), sizes=sizes, weights=weights)
        fit = fit_pairs(panel, design, *PAIR)
        band, own = fit.bounds(design), fit.fit.interval(np.array([0.05]))
        assert band.low[0] <= own.low[0]
        assert band.high[0] >= own.high[0]


def test_scores_that_rest_on_tiny_cells_are_widened_towards_their_tasks(make_panel, outcomes):
    """Naive: half-widths times max(1, V_tasks/V_cells)^¼, then the logit scale."""
    sizes = (30, 1, 1, 1, 1, 1, 1, 1)
    panel = make_panel(outcomes(3, 6, sizes), sizes=sizes)
    got = estimate_scores(panel, WILD)
    q = np.array([[row[panel.cells == x].mean() / 8 for x in range(8)] for row in panel.values])
    pi, score = panel.weights, q.sum(axis=1)
    low, high = wild_interval(q, pi, 0.05, sign_subsets(8, 0, np.random.default_rng(0)))
    task_variance = estimate_scores(panel, Design()).se ** 2
    stretch = np.maximum(1, task_variance / cell_variance(q, pi)) ** 0.25
    assert stretch.max() > 1.001
    low, high = logit_bounds(
        score, score - stretch * (score - low), score + stretch * (high - score)
    )
    np.testing.assert_allclose((got.bounds.low, got.bounds.high), (low, high), atol=1e-9)
