"""The default engine: against a naive version, between its two paths, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from tiebreak.design import Design
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.estimate.scores import estimate_scores
from tiebreak.kernels.moderation import PRIOR_DF, PSEUDO_TASKS
from tiebreak.kernels.moments import all_pairs

T = Design()


def naive_t_interval(d, cells, weights, level):
    """One pair, from the formulas of design.md § 4 and the docstring of kernels.moderation."""
    groups = [d[cells == x] for x in range(len(weights))]
    n = np.array([len(g) for g in groups])
    lam = (n - 1) / (PRIOR_DF + n - 1)
    s2 = np.array([g.var(ddof=1) if len(g) > 1 else 0.0 for g in groups])
    prior = lam @ s2 / lam.sum()
    m = PSEUDO_TASKS * np.abs(weights) / np.abs(weights).sum()
    moderated = lam * s2 + (1 - lam) * prior
    variance = (weights**2 / n * (n * moderated + m * 0.5) / (n + m)).sum()
    scale = weights**2 / (n + m)
    a = scale * lam / (n - 1).clip(1) + (scale * (1 - lam)).sum() * lam / lam.sum() / (n - 1).clip(
        1
    )
    df = (a @ (n - 1)) ** 2 / (a**2 @ (n - 1))
    gap = sum(w * g.mean() for w, g in zip(weights, groups, strict=True))
    half = stats.t.ppf(1 - (1 - level) / 2, df) * np.sqrt(variance)
    return gap, np.sqrt(variance), df, max(gap - half, -1), min(gap + half, 1)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("weights", [None, [0.7, 0.1, 0.1, 0.1]])
def test_every_pair_equals_the_naive_interval(make_panel, outcomes, weights, level):
    panel = make_panel(outcomes(), weights=weights)
    left, right = all_pairs(4)
    found = fit_pairs(panel, Design(level=level), left, right).estimates(Design(level=level))
    for p, (i, j) in enumerate(zip(left, right, strict=True)):
        expected = naive_t_interval(
            panel.values[i] - panel.values[j], panel.cells, panel.weights, level
        )
        got = (found.gap[p], found.se[p], found.df[p], found.bounds.low[p], found.bounds.high[p])
        np.testing.assert_allclose(got, expected, rtol=1e-9)  # SciPy's t quantile, to ~1e-10


@pytest.mark.parametrize("family", ["pointwise", "simultaneous", "studentized", "holm", "bh"])
def test_a_hole_elsewhere_does_not_change_the_pairs_that_have_everything(
    make_panel, outcomes, family
):
    """The complete path (one product for all) equals the matched path (pair by pair)."""
    values, (left, right) = outcomes(), all_pairs(3)
    holed = np.vstack([values[:3], np.full(values.shape[1], np.nan)])
    design = Design(family=family, draws=500)
    short = fit_pairs(make_panel(values[:3]), design, left, right).estimates(design)
    matched = fit_pairs(make_panel(holed), design, left, right).estimates(design)
    for name in ("gap", "se", "df", "movement"):
        np.testing.assert_allclose(getattr(short, name), getattr(matched, name), rtol=1e-12)
    # Multipliers are single precision: 500 deviations agree to about 1e-6.
    tolerance = 1e-5 if family in ("simultaneous", "studentized") else 1e-12
    np.testing.assert_allclose(short.bounds.low, matched.bounds.low, atol=tolerance)
    np.testing.assert_allclose(short.bounds.high, matched.bounds.high, atol=tolerance)


def test_a_pair_with_holes_equals_the_same_pair_cut_to_its_matched_tasks(make_panel, outcomes):
    values = outcomes(k=2)
    holed = values.copy()
    holed[0, [1, 10]], holed[1, 4] = np.nan, np.nan
    kept = ~np.isnan(holed).any(axis=0)
    cut = make_panel(values[:, kept], sizes=(7, 4, 2, 1))
    pair = (np.array([0]), np.array([1]))
    ours = fit_pairs(make_panel(holed), T, *pair).estimates(T)
    theirs = fit_pairs(cut, T, *pair).estimates(T)
    np.testing.assert_allclose(ours.bounds.low, theirs.bounds.low, rtol=1e-12)
    np.testing.assert_allclose(ours.se, theirs.se, rtol=1e-12)


def test_swapping_a_and_b_mirrors_everything(make_panel, outcomes):
    panel = make_panel(outcomes())
    i, j = np.array([0]), np.array([3])
    one, other = (fit_pairs(panel, T, *pair).estimates(T) for pair in ((i, j), (j, i)))
    np.testing.assert_allclose(one.bounds.low, -other.bounds.high, rtol=1e-12)
    np.testing.assert_allclose(one.movement, -other.movement, rtol=1e-12)
    np.testing.assert_allclose(one.radius(0.0), other.radius(0.0), rtol=1e-12)


def test_movement_is_the_gap_less_the_observed_gap_and_zero_under_the_observed_target(
    make_panel, outcomes
):
    left, right = all_pairs(4)
    equal = fit_pairs(make_panel(outcomes()), T, left, right).estimates(T)
    np.testing.assert_allclose(equal.movement, equal.gap - equal.observed, atol=1e-12)
    observed = make_panel(outcomes(), weights=np.array([9, 5, 2, 1]) / 17)
    still = fit_pairs(observed, T, left, right).estimates(T)
    assert (still.movement == 0).all()
    assert (still.movement_bounds.high == 0).all()


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.95])
def test_gap_interval_covers_at_its_level(make_panel, rate):
    """Known truth: 1,500 pairs of twins over four cells; s.e. 0.56 points, so ±1.7.

    The full grid is benchmarks/coverage; this guards the wiring of the engine.
    """
    sizes, rng = (40, 20, 12, 8), np.random.default_rng(11)
    panel = make_panel((rng.random((3000, 80)) < rate).astype(float), sizes=sizes)
    left = np.arange(0, 3000, 2)
    bounds = fit_pairs(panel, T, left, left + 1).bounds(T)
    hits = (bounds.low <= 0) & (bounds.high >= 0)
    assert hits.mean() == pytest.approx(0.95, abs=0.017)


def test_score_interval_covers_at_its_level(make_panel):
    """Known truth: rate .8 in every cell, 3,000 configurations; 93.5 to 97 % is allowed."""
    sizes, rng = (40, 20, 12, 8), np.random.default_rng(12)
    panel = make_panel((rng.random((3000, 80)) < 0.8).astype(float), sizes=sizes)
    bounds = estimate_scores(panel, T).bounds
    assert 0.93 < ((bounds.low <= 0.8) & (bounds.high >= 0.8)).mean() < 0.975


def test_standard_error_of_a_score_equals_the_naive_one(make_panel, outcomes):
    """Pseudo-tasks at 0 and 1 lie at ψ and 1 − ψ from the score: v = (ψ² + (1 − ψ)²)/2."""
    panel = make_panel(outcomes())
    scores = estimate_scores(panel, T)
    n = np.array([9, 5, 2, 1])
    lam, m = (n - 1) / (PRIOR_DF + n - 1), PSEUDO_TASKS / 4
    for i, row in enumerate(panel.values):
        s2 = np.array([row[panel.cells == x].var(ddof=1) if n[x] > 1 else 0.0 for x in range(4)])
        moderated = lam * s2 + (1 - lam) * (lam @ s2 / lam.sum())
        v = (scores.score[i] ** 2 + (1 - scores.score[i]) ** 2) / 2
        variance = (1 / 16 / n * (n * moderated + m * v) / (n + m)).sum()
        assert scores.se[i] == pytest.approx(np.sqrt(variance), rel=1e-9)


def test_a_configuration_without_a_weighted_cell_has_no_target_score(make_panel, outcomes):
    values = outcomes()
    values[0, -1] = np.nan  # the only task of the last cell
    scores = estimate_scores(make_panel(values), T)
    assert np.isnan([scores.score[0], scores.se[0], scores.bounds.low[0]]).all()
    assert scores.observed[0] == pytest.approx(np.nanmean(values[0]))
    assert np.isfinite(scores.score[1:]).all()


def test_a_cell_that_common_support_empties_gives_no_warning(make_trials):
    """Warnings are errors here: the mean of no task was one."""
    cells = {f"t{i}": "xyz"[i % 3] for i in range(12)}
    rows = {c: {t: float((i + n) % 2) for i, t in enumerate(cells)} for n, c in enumerate("ab")}
    rows["b"] = {t: s for t, s in rows["b"].items() if cells[t] != "z"}
    found = tb.board(make_trials(rows, cells), target="equal:cell", support="common")
    assert found.standings[0].score is not None
