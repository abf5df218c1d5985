"""Variances from row sums against sums over pairs, triples and quadruples; floats and rationals."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.pair_counts.rules import (
    AbsoluteGaps,
    NearTies,
    PairMatrix,
    opposite_orders,
    pair_sums,
)
from tiebreak.kernels.pair_counts.variances import METHODS, PairSums

SCORES = st.lists(st.integers(0, 12), min_size=4, max_size=8)


def naive(h):
    """Every variance as the paper writes it, by loops over tuples, in rationals."""
    m = len(h)
    n = m * (m - 1) // 2
    u = Fraction(sum(h[i][j] for i, j in combinations(range(m), 2)), n)
    triples = list(permutations(range(m), 3))
    quads = list(permutations(range(m), 4))
    t3 = Fraction(sum(h[i][j] * h[i][k] for i, j, k in triples), len(triples))
    t4 = Fraction(sum(h[a][b] * h[c][d] for a, b, c, d in quads), len(quads))
    second = Fraction(sum(h[i][j] ** 2 for i, j in combinations(range(m), 2)), n)
    zeta1, zeta2 = t3 - t4, second - t4
    e = [[h[i][j] - u if i != j else 0 for j in range(m)] for i in range(m)]
    squares = sum(e[i][j] ** 2 for i, j in combinations(range(m), 2))
    rows = [sum(r) for r in e]
    left_out = [
        Fraction(sum(h[i][j] for i, j in combinations([k for k in range(m) if k != g], 2)))
        / ((m - 1) * (m - 2) // 2)
        for g in range(m)
    ]
    centre = sum(left_out, Fraction(0)) / m
    found = {
        "pair-iid": squares / n**2,
        "hoeffding": 4 * zeta1 / m,
        "dyadic": (sum(r**2 for r in rows) - squares) / n**2,
        "jackknife": Fraction(m - 1, m) * sum((x - centre) ** 2 for x in left_out),
    }
    first = 4 * (m - 2) * zeta1 / (m * (m - 1))
    return u, zeta1, zeta2, first, first + 2 * zeta2 / (m * (m - 1)), found


def sums_of(h):
    m = len(h)
    rows = [sum(h[i][j] for j in range(m) if j != i) for i in range(m)]
    squares = sum(h[i][j] ** 2 for i in range(m) for j in range(m) if i != j)
    return PairSums(m, Fraction(sum(rows)), Fraction(sum(r * r for r in rows)), Fraction(squares))


@settings(max_examples=25, deadline=None)
@given(SCORES, st.integers(0, 4))
def test_row_sums_give_the_formulas_over_tuples_exactly(scores, limit):
    h = [[int(abs(a - b) <= limit) for b in scores] for a in scores]
    u, zeta1, zeta2, first, total, variances = naive(h)
    sums = sums_of(h)
    c = sums.components()
    assert (sums.mean, c.zeta1, c.zeta2, c.first_order, c.variance) == (
        u,
        zeta1,
        zeta2,
        first,
        total,
    )
    assert {m: sums.variance(m) for m in METHODS} == variances
    assert c.passes == (zeta1 > 0 and first >= total / 2)


@settings(max_examples=15, deadline=None)
@given(SCORES)
def test_and_for_a_rule_that_is_not_zero_or_one(scores):
    h = [[abs(a - b) for b in scores] for a in scores]
    _, zeta1, *_, variances = naive(h)
    sums = sums_of(h)
    assert sums.components().zeta1 == zeta1
    assert {m: sums.variance(m) for m in METHODS} == variances


@settings(max_examples=50, deadline=None)
@given(SCORES, st.integers(0, 5))
def test_sorted_scores_give_the_matrix(scores, limit):
    """apply, total and squares of the rules without a matrix, against the matrix."""
    c = np.array(scores, dtype=np.int64)
    gaps = np.abs(c[:, None] - c)
    weights = np.random.default_rng(limit).integers(0, 3, (c.size, 3)).astype(float)
    for rule, h, unit in (
        (NearTies(c, limit), (gaps <= limit).astype(float), 1),
        (AbsoluteGaps(c, 12), gaps / 12, 12),
    ):
        np.fill_diagonal(h, 0.0)
        np.testing.assert_allclose(rule.apply(weights), h @ weights, atol=1e-12)
        np.testing.assert_allclose(rule.squares(), (h**2).sum(axis=1), atol=1e-12)
        assert rule.total == Fraction(round(np.triu(h * unit, 1).sum()), unit)
        matrix = PairMatrix(h, rule.own, rule.total, unit)
        for method in METHODS:
            assert pair_sums(rule).variance(method) == pytest.approx(
                pair_sums(matrix).variance(method), abs=1e-12
            )


def test_large_whole_numbers_stay_exact():
    """Common denominators beyond 64 bits: Python integers take over."""
    big = 10**30
    c = np.array([0, big, 2 * big, 2 * big + 1], dtype=object)
    assert NearTies(c, big).total == 3  # 0–1, 1–2 and 2–3; 1–3 is one unit too far
    assert AbsoluteGaps(c, 3 * big).total == Fraction(7 * big + 3, 3 * big)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=8))
def test_opposite_orders(pairs):
    a, b = (np.array(x) for x in zip(*pairs, strict=True))
    found = opposite_orders(a, b)
    for i, j in combinations(range(a.size), 2):
        assert found[i, j] == ((a[i] - a[j]) * (b[i] - b[j]) < 0) == found[j, i]


def test_duplicated_and_permuted_pairs_change_nothing():
    """Directed pairs and another order of configurations: the same fraction and variances."""
    rng = np.random.default_rng(0)
    c = rng.integers(0, 100, 30)
    once, again = NearTies(c, 5), NearTies(rng.permutation(c), 5)
    assert once.total == again.total
    assert pair_sums(once) == pair_sums(again)


def test_a_constant_rule_has_no_variance_and_does_not_pass():
    sums = pair_sums(NearTies(np.zeros(9, dtype=np.int64), 0))
    assert sums.mean == 1.0
    assert [sums.variance(m) for m in METHODS] == [0.0] * 4
    assert not sums.components().passes
    assert sums.components().share is None
