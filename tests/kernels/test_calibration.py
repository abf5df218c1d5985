"""Scores of probabilities against scikit-learn; the one-step bootstrap against refits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.metrics import log_loss as sklearn_log_loss

from tiebreak.estimate.calibration import (
    Rows,
    bootstrap_bounds,
    held_out,
    loss_by_task,
    stretch,
    task_folds,
)
from tiebreak.estimate.logistic import PRIOR_VARIANCE, fit_logistic
from tiebreak.kernels.calibration import Linear, auc, brier, log_loss, reliability

PAIRS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.floats(0.01, 0.99)), min_size=2, max_size=60
)


@given(PAIRS)
def test_scores_agree_with_scikit_learn(rows):
    y, p = (np.array(v) for v in zip(*rows, strict=True))
    assert brier(y, p) == pytest.approx(brier_score_loss(y, p, labels=[0, 1]))
    assert log_loss(y, p) == pytest.approx(sklearn_log_loss(y, p, labels=[0, 1]))
    if 0 < y.sum() < y.size:
        assert auc(y, p) == pytest.approx(roc_auc_score(y, p))
    else:
        assert np.isnan(auc(y, p))


@given(PAIRS)
def test_reliability_bins_hold_every_row(rows):
    y, p = (np.array(v) for v in zip(*rows, strict=True))
    curve = reliability(y, p)
    assert curve.n.sum() == y.size
    assert float(curve.n @ curve.observed) == pytest.approx(y.sum())
    assert ((curve.low <= curve.predicted + 1e-12) & (curve.predicted <= curve.high + 1e-12)).all()


def rows_of(seed=0, tasks=120, k=3):
    """Labels of k configurations in two cells; the label errs with the cell."""
    rng = np.random.default_rng(seed)
    task_cell = (np.arange(tasks) % 3 == 0).astype(np.intp)
    task = np.repeat(np.arange(tasks), k)
    cell, who = task_cell[task], np.tile(np.arange(k), tasks)
    y = (rng.random(task.size) < 0.3 + 0.2 * cell).astype(float)
    z = np.where(rng.random(task.size) < 0.1 + 0.15 * cell, 1 - y, y)
    design = np.array([[1, label, x] for label in (0, 1) for x in (0, 1)], dtype=float)
    pattern = (2 * z + cell).astype(np.intp)
    return Rows(y, z, pattern, design, task, cell, task_cell), who


def plain_fit(rows, keep, copies=None):
    """The same model fitted row by row."""
    weight = None if copies is None else copies[rows.task[keep]]
    model = LogisticRegression(C=PRIOR_VARIANCE, solver="newton-cholesky", tol=1e-10)
    return model.fit(rows.design[rows.pattern[keep], 1:], rows.outcome[keep], sample_weight=weight)


def test_patterns_give_the_fit_of_rows():
    rows, _ = rows_of()
    won = np.bincount(rows.pattern, weights=rows.outcome, minlength=4)
    lost = np.bincount(rows.pattern, weights=1 - rows.outcome, minlength=4)
    model = fit_logistic(rows.design, won, lost)
    plain = plain_fit(rows, np.ones(rows.outcome.size, dtype=bool))
    assert model.coefficients[0] == pytest.approx(plain.intercept_[0], abs=1e-6)
    assert model.coefficients[1:] == pytest.approx(plain.coef_[0], abs=1e-6)


def test_one_class_is_no_model_but_a_rate():
    model = fit_logistic(np.array([[1.0, 0], [1, 1]]), np.array([3.0, 2]), np.zeros(2))
    assert model.probabilities == pytest.approx([5.5 / 6, 5.5 / 6])


def test_held_out_rows_are_predicted_by_models_that_never_saw_their_task():
    rows, _ = rows_of()
    fold = task_folds(rows.task_cell, 5, np.random.default_rng(0))
    assert np.ptp(np.bincount(fold)) <= 1
    found = held_out(rows, fold[rows.task], 5, np.full(rows.outcome.size, 1 / rows.outcome.size))
    for f in range(5):
        test = fold[rows.task] == f
        plain = plain_fit(rows, ~test).predict_proba(rows.design[rows.pattern[test], 1:])[:, 1]
        assert found.predicted[test] == pytest.approx(plain, abs=1e-5)


def test_one_step_is_the_derivative_of_the_refit():
    """Weight one task a little more, refit, and compare with the step."""
    rows, who = rows_of()
    fold, n = who, float((who == 0).sum())
    weights = np.full(who.size, 1 / n)
    steps = held_out(rows, fold, 3, weights).steps[0]
    test, eps = fold == 0, 1e-4

    def loss(copies):
        model = plain_fit(rows, ~test, copies)
        p = model.predict_proba(rows.design[rows.pattern[test], 1:])[:, 1]
        return float(((p - rows.outcome[test]) ** 2).mean())

    for task in (0, 1, 57):
        up, down = np.ones(rows.n_tasks), np.ones(rows.n_tasks)
        up[task] += eps
        down[task] -= eps
        # the step is first order; what is left is the solver's tolerance over eps
        assert steps[task] == pytest.approx((loss(up) - loss(down)) / (2 * eps), rel=0.02, abs=2e-6)


def test_the_bootstrap_is_near_one_with_refits():
    rows, who = rows_of(3)
    test, rng = who == 0, np.random.default_rng(1)
    found = held_out(rows, who, 3, np.full(who.size, 1 / 120))
    loss = (found.predicted - rows.outcome) ** 2 - (rows.raw - rows.outcome) ** 2
    total, n = loss_by_task(rows, np.where(test, loss, np.nan))
    share = np.bincount(rows.task_cell) / 120
    linear = Linear(total[None], n[None], found.steps[:1], share[None])
    one = np.ones((rows.n_tasks, 1))
    assert linear.value(rows.task_cell, one)[0, 0] == pytest.approx(np.nanmean(loss[test]))
    low, high = bootstrap_bounds(linear, np.zeros((0, 1)), rows.task_cell, 4000, 0.05, 0)
    refits = []
    for _ in range(150):
        copies = np.zeros(rows.n_tasks)
        for x in (0, 1):
            members = np.flatnonzero(rows.task_cell == x)
            np.add.at(copies, rng.choice(members, members.size), 1)
        p = plain_fit(rows, ~test, copies).predict_proba(rows.design[rows.pattern[test], 1:])[:, 1]
        moved = (p - rows.outcome[test]) ** 2 - (rows.raw[test] - rows.outcome[test]) ** 2
        refits.append(float(copies[rows.task[test]] @ moved / copies[rows.task[test]].sum()))
    # 150 refits: an sd is known to 6 %
    assert (high[0] - low[0]) / (2 * 1.96) == pytest.approx(np.std(refits), rel=0.2)


def test_small_cells_stretch_the_interval():
    """Resampling shows (n − 1)/n of a cell's variance, and a cell of four knows its own badly."""
    rng, cells = np.random.default_rng(2), np.repeat([0, 1], [96, 4])
    loss, one = rng.normal(size=(2, 100)), np.ones((2, 100))
    weights = np.array([[0.96, 0.04], [0.5, 0.5]])
    linear = Linear(loss, one, np.zeros((2, 100)), weights)
    observed, equal = stretch(linear, np.zeros((0, 2)), cells, 0.05)
    # t on 98 df for the normal is 1.2 %; moderation moves the small cell's part of the variance
    assert 1.0 <= observed < 1.05
    linear = linear._replace(loss=np.where(cells == 1, 0.0, loss))  # four equal losses
    assert stretch(linear, np.zeros((0, 2)), cells, 0.05)[1] > 2
    assert equal >= 1.0


def test_influences_are_the_derivatives_of_the_value():
    rng, cells = np.random.default_rng(3), np.repeat([0, 1], [6, 4])
    linear = Linear(
        rng.normal(size=(1, 10)), rng.integers(0, 4, (1, 10)) + 0.0, rng.normal(size=(1, 10)),
        np.array([[0.3, 0.7]]),
    )  # fmt: skip
    for task in range(10):
        up, down = np.ones((10, 1)), np.ones((10, 1))
        up[task], down[task] = 1 + 1e-6, 1 - 1e-6
        slope = (linear.value(cells, up) - linear.value(cells, down))[0, 0] / 2e-6
        assert linear.influence(cells)[0, task] == pytest.approx(slope, abs=1e-6)
