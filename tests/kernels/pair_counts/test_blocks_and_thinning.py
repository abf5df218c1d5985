"""A and E by loops over pairs of blocks; halves of the tasks by loops over pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.pair_counts.blocks import block_means
from tiebreak.kernels.pair_counts.rules import NearTies
from tiebreak.kernels.pair_counts.thinning import half_masks, thin, thinned_orders


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=3, max_size=9))
def test_block_totals(labelled):
    scores, blocks = (np.array(x) for x in zip(*labelled, strict=True))
    found = block_means(NearTies(scores, 2), blocks, 3)
    totals, pairs = np.zeros((3, 3)), np.zeros((3, 3))
    for i, j in combinations(range(scores.size), 2):
        a, b = sorted((blocks[i], blocks[j]))
        totals[a, b] += abs(scores[i] - scores[j]) <= 2
        pairs[a, b] += 1
    np.testing.assert_array_equal(np.triu(found.totals), totals)
    np.testing.assert_array_equal(np.triu(found.pairs), pairs)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000))
def test_orders_on_half_of_the_tasks(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (6, 8)).astype(float)
    mask = half_masks(np.zeros(8, dtype=int), 1, 3, rng)
    counts = rng.multinomial(6, np.full(6, 1 / 6), size=3).T.astype(float)
    ones = np.ones(8)
    plain = thinned_orders(values, ones, ones, mask)
    drawn = thinned_orders(values, ones, ones, mask, counts)
    for b in range(3):
        rows = np.repeat(np.arange(6), counts[:, b].astype(int))
        for found, members in ((plain, np.arange(6)), (drawn, rows)):
            full, half = values[members].sum(axis=1), values[members] @ mask[:, b]
            signs = [
                np.sign(full[i] - full[j]) * np.sign(half[i] - half[j])
                for i, j in combinations(range(6), 2)
            ]
            assert found.reversed[b] == pytest.approx(np.mean([s < 0 for s in signs]))
            assert found.unresolved[b] == pytest.approx(np.mean([s == 0 for s in signs]))


def test_half_of_every_cell_rounded_up():
    cells = np.array([0, 0, 0, 0, 0, 1, 2, 2])
    masks = half_masks(cells, 3, 500, np.random.default_rng(0))
    for x, kept in ((0, 3), (1, 1), (2, 1)):
        assert set(masks[cells == x].sum(axis=0)) == {kept}
    share = masks[:5].mean(axis=1)
    assert np.abs(share - 0.6).max() < 5 * np.sqrt(0.24 / 500)


def test_equal_outcomes_are_never_reversed():
    values = np.tile([1.0, 0, 1, 0], (3, 1))
    found = thin(values, np.ones(4), np.ones(4), np.zeros(4, int), 1, 50, np.random.default_rng(1))
    assert found.reversed.max() == 0
    assert found.unresolved.min() == 1
