"""The permutation check: loops against arrays, and all permutations of a small board."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tiebreak.kernels import permutation
from tiebreak.kernels.permutation import (
    exchange,
    matched_gaps,
    permuted_boards,
    plus_one_p,
    standardized_gaps,
    task_groups,
)

NAN = np.nan
CELLS = 3
# Sums of at most 12 products in two orders.
CLOSE = 1e-13


@st.composite
def panels(draw):
    """(configurations, tasks) in quarters with holes, cells (some empty), weights (some 0)."""
    k, n = draw(st.integers(2, 5)), draw(st.integers(1, 12))
    score = st.sampled_from([0.0, 0.25, 1.0, 1.0, NAN])
    raw = draw(hnp.arrays(int, CELLS, elements=st.integers(0, 3)).filter(lambda w: w.any()))
    return (
        draw(hnp.arrays(float, (k, n), elements=score)),
        np.sort(draw(hnp.arrays(np.intp, n, elements=st.integers(0, CELLS - 1)))),
        raw / raw.sum(),
    )


def naive_standardized(values, cells, weights):
    """Gaps of all pairs of configurations that have every weighted cell."""
    scores = []
    for row in values:
        means = [row[(cells == x) & ~np.isnan(row)] for x in range(CELLS)]
        if all(m.size or not w for m, w in zip(means, weights, strict=True)):
            scores.append(sum(w * m.mean() for m, w in zip(means, weights, strict=True) if w))
    return [abs(a - b) for a, b in combinations(scores, 2)]


def naive_matched(values, cells, weights):
    """Gaps of all pairs on matched tasks, weights restricted to the cells that have some."""
    gaps = []
    for a, b in combinations(values, 2):
        d = a - b
        parts = [(w, d[(cells == x) & ~np.isnan(d)]) for x, w in enumerate(weights)]
        parts = [(w, p) for w, p in parts if p.size and w]
        if parts:
            gaps.append(abs(sum(w * p.mean() for w, p in parts) / sum(w for w, _ in parts)))
    return gaps


@settings(max_examples=300, deadline=None)
@given(panels(), st.booleans(), st.sampled_from([0.02, 0.25]))
def test_statistics_equal_loops_over_pairs(panel, matched, margin):
    naive = (naive_matched if matched else naive_standardized)(*panel)
    got = exchange(*panel, margin, matched=matched).observed()
    np.testing.assert_allclose(got.max_gap, [max(naive, default=0.0)], atol=CLOSE)
    # 1e-12: a gap that misses the margin by rounding reaches it
    assert got.practical_gaps.tolist() == [sum(gap >= margin - 1e-12 for gap in naive)]


@settings(max_examples=200, deadline=None)
@given(panels())
def test_permuted_boards_keep_every_task(panel):
    values, *_ = panel
    board = np.nan_to_num(values.T)
    drawn = permuted_boards(board, task_groups(values), 8, np.random.default_rng(1))
    assert drawn.shape == (8, *board.shape)
    assert (drawn[:, np.isnan(values.T)] == 0).all()
    for t, task in enumerate(values.T):
        has = ~np.isnan(task)
        expected = np.broadcast_to(np.sort(task[has]), (8, has.sum()))
        np.testing.assert_array_equal(np.sort(drawn[:, t][:, has], axis=1), expected)


def test_on_a_complete_panel_matched_and_standardized_agree():
    rng = np.random.default_rng(2)
    boards, cells = rng.random((3, 9, 4)), np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    weights = np.array([0.5, 0.3, 0.2])
    present = np.ones((4, 9), dtype=bool)
    one, two = (f(present, cells, weights)(boards) for f in (standardized_gaps, matched_gaps))
    np.testing.assert_allclose(one, two, atol=CLOSE)


@pytest.mark.parametrize("matched", [False, True])
def test_permutations_are_uniform(matched):
    """All 6 · 6 · 2 boards of three tasks, one of which two configurations have, by loops."""
    values = np.array([[1.0, 0.0, NAN], [0.25, 0.25, 1.0], [0.0, 0.125, 0.0]])
    cells, weights, draws = np.array([0, 0, 0]), np.array([1.0, 0.0, 0.0]), 50_000
    naive = naive_matched if matched else naive_standardized
    tasks = [list(permutations(task[~np.isnan(task)])) for task in values.T]
    largest = []
    for columns in product(*tasks):
        board = values.T.copy()
        for row, column in zip(board, columns, strict=True):
            row[~np.isnan(row)] = column
        largest.append(max(naive(board.T, cells, weights)))
    blocks = exchange(values, cells, weights, 0.02, matched=matched).permuted(
        draws, np.random.default_rng(4)
    )
    got = np.concatenate([block.max_gap for block in blocks])
    assert got.size == draws
    levels = np.unique(np.round(largest, 9))
    assert levels.size > 5
    for level in levels:
        share = np.mean(np.array(largest) >= level - 1e-9)
        error = np.sqrt(share * (1 - share) / draws)
        assert abs(np.mean(got >= level - 1e-9) - share) <= 4 * error  # standard errors


def test_blocks_add_up_and_follow_the_seed(monkeypatch):
    values = np.random.default_rng(5).integers(0, 2, (4, 10)).astype(float)
    check = exchange(values, np.zeros(10, dtype=int), np.ones(1), 0.02, matched=False)

    def run(seed):
        return list(check.permuted(25, np.random.default_rng(seed)))

    whole = run(6)
    assert [block.max_gap.size for block in whole] == [25]
    monkeypatch.setattr(permutation, "BLOCK", 400)
    parts, again, other = run(6), run(6), run(7)
    assert [block.max_gap.size for block in parts] == [10, 10, 5]
    same, differ = (
        [(a.max_gap == b.max_gap).all() for a, b in zip(parts, run_, strict=True)]
        for run_ in (again, other)
    )
    assert all(same)
    assert not all(differ)


def test_a_clear_winner_is_out_of_reach_and_labels_of_noise_are_not():
    rng = np.random.default_rng(8)
    cells, weights = np.repeat([0, 1], 50), np.full(2, 0.5)
    noise = rng.integers(0, 2, (4, 100)).astype(float)
    clear = np.vstack([noise[:3], np.ones(100)])
    p = []
    for values in (noise, clear):
        check = exchange(values, cells, weights, 0.02, matched=True)
        drawn = np.concatenate([b.max_gap for b in check.permuted(999, rng)])
        p.append(plus_one_p(drawn, check.observed().max_gap[0]))
    assert p[0] > 0.05
    assert p[1] == 1 / 1000


def test_plus_one_p_counts_ties():
    reference = np.array([0.1, 0.2, 0.1 + 0.2, 0.4])
    assert plus_one_p(reference, 0.3) == 3 / 5
    assert plus_one_p(reference, 0.30001) == 2 / 5
    assert plus_one_p(reference, 0.5) == 1 / 5


def test_no_pair_to_compare():
    values = np.array([[1.0, NAN], [NAN, 0.0]])
    check = exchange(values, np.zeros(2, dtype=int), np.ones(1), 0.02, matched=True)
    assert [x.tolist() for x in check.observed()] == [[0.0], [0]]
