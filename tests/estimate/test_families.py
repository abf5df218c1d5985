"""Family rules over every engine: bands hold, levels agree with the tests they come from."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.design import Design
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.kernels.moments import all_pairs

SIZES = (6, 3, 8, 4, 5, 7, 2, 9)
ENGINES = [("tasks", "t"), ("tasks", "percentile"), ("cells", "wild"), ("cells", "percentile")]
engines = pytest.mark.parametrize(("sampled", "interval"), ENGINES)


@pytest.fixture
def fitted(make_panel, outcomes):
    """fitted(design, k): all pairs of k configurations over eight cells."""

    def fit(design, k=5, seed=2):
        return fit_pairs(make_panel(outcomes(seed, k, SIZES), sizes=SIZES), design, *all_pairs(k))

    return fit


@pytest.mark.parametrize(("sampled", "interval"), [("tasks", "t"), ("cells", "wild")])
def test_simultaneous_bands_contain_the_pointwise_intervals(fitted, sampled, interval):
    design = Design(sampled=sampled, interval=interval, family="studentized")
    band, own = fitted(design).bounds(design), fitted(design).fit.interval(np.full(10, 0.05))
    assert (band.low <= own.low).all()
    assert (band.high >= own.high).all()
    assert (band.high - band.low > own.high - own.low).mean() > 0.5


def test_one_pair_alone_has_its_pointwise_interval_as_band(make_panel, outcomes):
    """A family of one: 10,000 multipliers must not make the band narrower than t itself."""
    panel = make_panel(outcomes(2, 2, SIZES), sizes=SIZES)
    pair = (np.array([0]), np.array([1]))
    for seed in range(5):
        design = Design(family="studentized", seed=seed)
        band = fit_pairs(panel, design, *pair).bounds(design)
        own = fit_pairs(panel, Design(), *pair).bounds(Design())
        assert band.low[0] <= own.low[0]
        assert band.low[0] == pytest.approx(own.low[0], abs=5 * band.low_error[0])


def test_studentized_band_is_bonferroni_at_most_and_sidak_like_at_least(fitted):
    """Known truth: the level of each of 10 pairs lies between α/10 and α (5 % MC slack)."""
    design = Design(family="studentized", draws=20_000)
    fit = fitted(design)
    band = fit.bounds(design)
    bonferroni = fit.fit.interval(np.full(10, 0.05 / 10 * 0.8))
    assert (bonferroni.low <= band.low).all()
    assert (band.low < fit.fit.interval(np.full(10, 0.04)).low).all()


@engines
def test_plain_bands_have_one_width_for_all(fitted, sampled, interval):
    design = Design(sampled=sampled, interval=interval, family="simultaneous", draws=500)
    fit = fitted(design)
    bounds, gap = fit.bounds(design), fit.estimates(design).gap
    width = np.concatenate([gap - bounds.low, bounds.high - gap])
    inner = np.concatenate([bounds.low > -1, bounds.high < 1])
    assert inner.sum() > 10
    assert (np.abs(width - np.median(width[inner])) < 1e-9)[inner].mean() > 0.7
    if interval != "wild":  # there, no band is narrower than the pair's own interval
        assert np.ptp(width[inner]) < 1e-9


@engines
@pytest.mark.parametrize("family", ["studentized", "simultaneous"])
def test_bands_of_gaps_stay_in_the_scale(make_panel, outcomes, sampled, interval, family):
    """All 1 against all 0 among others: gap 1, and no band reaches beyond it."""
    values = np.vstack([np.zeros(44), outcomes(2, 2, SIZES), np.ones(44), np.zeros(44)])
    design = Design(sampled=sampled, interval=interval, family=family, draws=500)
    bounds = fit_pairs(make_panel(values, sizes=SIZES), design, *all_pairs(5)).bounds(design)
    assert (bounds.low >= -1).all()
    assert (bounds.high <= 1).all()


@pytest.mark.parametrize(("sampled", "interval"), ENGINES[:3])
@pytest.mark.parametrize("family", ["holm", "bh"])
@pytest.mark.parametrize("seed", range(4))
def test_intervals_exclude_zero_exactly_where_the_procedure_rejects(
    fitted, sampled, interval, family, seed
):
    design = Design(sampled=sampled, interval=interval, family=family, draws=2000)
    fit = fitted(design, seed=seed)
    p, bounds = fit.fit.p_values(), fit.bounds(design)
    order, m = np.argsort(p), p.size
    steps = 0.05 / np.arange(m, 0, -1) if family == "holm" else 0.05 * np.arange(1, m + 1) / m
    passed = p[order] <= steps
    count = (
        passed.cumprod().sum() if family == "holm" else np.flatnonzero(passed).max(initial=-1) + 1
    )
    rejected = np.isin(np.arange(m), order[: int(count)])
    assert ((bounds.low > 0) | (bounds.high < 0)).tolist() == rejected.tolist()


def test_cells_of_one_task_each_still_have_simultaneous_bands(make_panel, outcomes):
    """Every cell collapsed: without their multipliers the band would shrink to the point."""
    sizes = (1,) * 12
    panel = make_panel(outcomes(3, 4, sizes), sizes=sizes)
    left, right = all_pairs(4)
    design = Design(family="studentized")
    band = fit_pairs(panel, design, left, right).bounds(design)
    own = fit_pairs(panel, Design(), left, right).bounds(Design())
    assert (band.low <= own.low).all()
    assert (band.high >= own.high).all()
    assert (band.high - band.low).max() > (own.high - own.low).max()


def test_twins_only_have_bands_of_positive_width(make_panel):
    row = np.resize([1.0, 0.0, 1.0], sum(SIZES))
    panel = make_panel(np.array([row, row, row]), sizes=SIZES)
    design = Design(family="studentized")
    band = fit_pairs(panel, design, *all_pairs(3)).bounds(design)
    assert (band.low < 0).all()
    assert (band.high > 0).all()


def test_bands_cover_all_pairs_at_once(make_panel):
    """Known truth: 5 twins, 300 panels; all 10 gaps of 0 covered in 95 % (s.e. 1.3, so ±4)."""
    rng, design, hits = np.random.default_rng(3), Design(family="studentized", draws=1000), []
    pairs = all_pairs(5)
    for _ in range(300):
        panel = make_panel((rng.random((5, 60)) < 0.5).astype(float), sizes=(30, 20, 10))
        band = fit_pairs(panel, design, *pairs).bounds(design)
        hits.append(bool(((band.low <= 0) & (band.high >= 0)).all()))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.04)


@pytest.mark.parametrize("family", ["holm", "bh"])
def test_unsupported_pairs_are_no_members_of_the_family(make_panel, outcomes, family):
    """The third configuration lacks the last cell: the first pair is a family of one."""
    values = outcomes(1, 3, SIZES)
    values[2, -1 * SIZES[-1] :] = np.nan
    design = Design(family=family)
    three = fit_pairs(make_panel(values, sizes=SIZES), design, *all_pairs(3)).bounds(design)
    alone = fit_pairs(make_panel(values[:2], sizes=SIZES), design, *all_pairs(2)).bounds(design)
    assert three.low[0] == pytest.approx(alone.low[0], abs=1e-12)
    assert three.high[0] == pytest.approx(alone.high[0], abs=1e-12)
