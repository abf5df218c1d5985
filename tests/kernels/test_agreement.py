"""Error rates with clusters: against scikit-learn, against loops, and by known truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from sklearn.metrics import (
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    precision_score,
    recall_score,
)

from tiebreak.kernels.agreement import (
    STATISTICS,
    confusion,
    equal_rates,
    rates,
    scott_pi,
)

LABELS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0]), st.integers(0, 6)),
    min_size=4,
    max_size=40,
)


@given(LABELS)
def test_rates_agree_with_scikit_learn(rows):
    y, z, c = (np.array(v) for v in zip(*rows, strict=True))
    found = rates(confusion(y, z, c), 0.95)
    tn, fp, fn, tp = confusion_matrix(y, z, labels=[0, 1]).ravel()
    assert confusion(y, z, c).sum(axis=0).tolist() == [tp, fp, fn, tn]
    assert found["bias"].value == pytest.approx(z.mean() - y.mean())
    if y.any() and z.any():
        assert found["precision"].value == pytest.approx(precision_score(y, z))
        assert found["recall"].value == pytest.approx(recall_score(y, z))
        assert found["f1"].value == pytest.approx(f1_score(y, z))
    if np.unique(np.concatenate([y, z])).size > 1 and np.isfinite(found["kappa"].value):
        assert found["kappa"].value == pytest.approx(cohen_kappa_score(y, z))


@given(LABELS)
def test_intervals_hold_the_rate_and_stay_in_range(rows):
    y, z, c = (np.array(v) for v in zip(*rows, strict=True))
    for name, rate in rates(confusion(y, z, c), 0.95).items():
        if np.isfinite(rate.value):
            lowest = -1 if name in ("bias", "kappa") else 0
            assert lowest <= rate.low <= rate.value + 1e-9
            assert rate.value - 1e-9 <= rate.high <= 1
            assert rate.high - rate.low > 0


def test_the_standard_error_is_that_of_the_jackknife_over_tasks():
    """Linearisation and leave-one-task-out agree to the second order of many tasks."""
    rng = np.random.default_rng(0)
    c = np.repeat(np.arange(300), 3)
    y = (rng.random(900) < 0.4).astype(float)
    z = np.where(rng.random(900) < 0.15 + 0.2 * (c % 3 == 0), 1 - y, y)
    tables = confusion(y, z, c)
    whole = rates(tables, 0.95)
    left = [rates(np.delete(tables, i, axis=0), 0.95) for i in range(300)]
    for name in STATISTICS:
        values = np.array([r[name].value for r in left])
        jackknife = np.sqrt(299 / 300 * ((values - values.mean()) ** 2).sum())
        assert whole[name].se == pytest.approx(jackknife, rel=0.02)


def test_copies_of_a_trajectory_are_no_news():
    """Five equal labels of a task in five rows give the standard error of one row each."""
    rng = np.random.default_rng(1)
    y = (rng.random(80) < 0.5).astype(float)
    z = np.where(rng.random(80) < 0.3, 1 - y, y)
    once = rates(confusion(y, z, np.arange(80)), 0.95)
    five = rates(confusion(np.repeat(y, 5), np.repeat(z, 5), np.repeat(np.arange(80), 5)), 0.95)
    for name in STATISTICS:
        assert five[name].se == pytest.approx(once[name].se)
        assert five[name].high - five[name].low == pytest.approx(
            once[name].high - once[name].low, rel=0.06
        )


def test_no_error_seen_is_not_certainty():
    found = rates(confusion(np.zeros(30), np.zeros(30), np.arange(30)), 0.95)
    assert found["fpr"].value == 0
    assert 0.08 < found["fpr"].high < 0.16  # Clopper–Pearson: .116
    assert np.isnan(found["fnr"].value)
    assert np.isnan(found["kappa"].value)


def draw(rng, tasks, k, fp, fn, shared, flip=0.0):
    """Labels of k configurations on tasks whose errors are correlated within a task."""
    c, g = np.repeat(np.arange(tasks), k), np.tile(np.arange(k), tasks)
    y = (rng.random(c.size) < 0.3).astype(float)
    latent = np.sqrt(shared) * rng.standard_normal(tasks)[c]
    latent += np.sqrt(1 - shared) * rng.standard_normal(c.size)
    z = np.where(y == 1, latent > ndtri(fn), latent < ndtri(fp)).astype(float)
    z[(g == 0) & (y == 0) & (rng.random(c.size) < flip)] = 1
    return y, z, g, c


@pytest.mark.parametrize(
    ("tasks", "k", "fp", "shared"), [(100, 4, 0.1, 0.5), (300, 4, 0.02, 0.5), (60, 10, 0.2, 0.3)]
)
def test_equal_rates_keep_their_level(tasks, k, fp, shared):
    rng, rejected = np.random.default_rng(5), 0
    for _ in range(400):
        y, z, g, c = draw(rng, tasks, k, fp, 0.3, shared)
        rejected += equal_rates(z[y == 0], g[y == 0], c[y == 0]).p < 0.05
    assert rejected / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_unequal_rates_are_found():
    rng, rejected = np.random.default_rng(6), 0
    for _ in range(100):
        y, z, g, c = draw(rng, 200, 4, 0.1, 0.3, 0.5, flip=0.15)
        rejected += equal_rates(z[y == 0], g[y == 0], c[y == 0]).p < 0.05
    assert rejected > 90


def test_one_configuration_has_nothing_to_compare():
    assert np.isnan(equal_rates(np.array([0.0, 1.0]), np.zeros(2, int), np.arange(2)).p)
    assert np.isnan(equal_rates(np.zeros(4), np.array([0, 1, 0, 1]), np.arange(4)).p)


def test_scott_pi_by_hand():
    # 10 pairs, 8 agree; share of 1: 12/20 → chance .52, (.8 − .52)/.48
    first = np.array([1, 1, 1, 1, 1, 0, 0, 0, 1, 0.0])
    second = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 1.0])
    assert scott_pi(first, second) == pytest.approx((0.8 - 0.52) / 0.48)
    assert np.isnan(scott_pi(np.ones(3), np.ones(3)))
