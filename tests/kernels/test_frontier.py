"""Envelope, frontier and plane against brute force, by Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.frontier import dominators, on_frontier, plane, price_envelope

QUICK = settings(max_examples=150, deadline=None, derandomize=True)
# hundredths and cents: ties and twins occur, and rounding stays far below the tolerance
BOARDS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=1, max_size=8)
TOLERANCE = 1e-9  # values up to 1, prices up to 20: rounding is about 1e-14


def arrays(board):
    success, cost = np.array(board, dtype=float).T
    return success / 20, cost / 10


@QUICK
@given(board=BOARDS, price=st.floats(0, 30))
def test_the_envelope_is_the_best_at_every_price(board, price):
    success, cost = arrays(board)
    found = price_envelope(success, cost)
    winner = found.winners[np.searchsorted(found.prices, price, side="right")]
    utility = success - price * cost
    assert utility[winner] >= utility.max() - TOLERANCE


@QUICK
@given(board=BOARDS)
def test_neighbours_tie_at_their_switch_and_prices_grow(board):
    success, cost = arrays(board)
    prices, winners = price_envelope(success, cost)
    assert (np.diff(prices) > 0).all()
    for price, i, j in zip(prices, winners, winners[1:], strict=False):
        assert price >= 0
        assert abs((success[i] - success[j]) - price * (cost[i] - cost[j])) < TOLERANCE
        assert cost[j] < cost[i]


@QUICK
@given(board=BOARDS)
def test_the_frontier_is_what_no_other_dominates(board):
    success, cost = arrays(board)
    ahead = (success[None] >= success[:, None]) & (cost[None] <= cost[:, None])
    strictly = (success[None] > success[:, None]) | (cost[None] < cost[:, None])
    expected = ~(ahead & strictly).any(axis=1)
    assert (on_frontier(success, cost) == expected).all()
    by = dominators(success, cost)
    assert ((by < 0) == expected).all()
    for i in np.flatnonzero(by >= 0):
        assert expected[by[i]]
        assert (ahead & strictly)[i, by[i]]


def test_every_draw_has_its_own_frontier():
    rng = np.random.default_rng(3)
    success, cost = rng.integers(0, 5, (2, 6, 40)).astype(float)
    found = on_frontier(success, cost)
    for d in range(40):
        assert (found[:, d] == on_frontier(success[:, d], cost[:, d])).all()


def inside(polygon, point):
    """Whether a convex polygon holds a point, by the side of every edge."""
    following = np.roll(polygon, -1, axis=0) - polygon
    away = point - polygon
    side = following[:, 0] * away[:, 1] - following[:, 1] * away[:, 0]
    return (side >= -TOLERANCE).all() or (side <= TOLERANCE).all()


@QUICK
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 20), st.integers(1, 20), st.integers(1, 20)),
        min_size=2,
        max_size=3,
    ),
    at=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_the_region_that_holds_a_point_is_that_of_the_best_there(rows, at):
    success, cost, time = np.array(rows, dtype=float).T / 20
    corner, polygons = plane(success, cost, time)
    point = np.array(at) * corner
    utility = success - point[0] * cost - point[1] * time
    for i, polygon in enumerate(polygons):
        best = utility[i] >= utility.max() - TOLERANCE
        if len(polygon) and inside(polygon, point):
            assert utility[i] >= utility.max() - 1e-6  # the side of an edge is worth that much
        elif utility[i] > np.delete(utility, i).max() + 1e-6:
            raise AssertionError(f"{i} is best at {point} and has no region there, {best}")


def test_a_plane_by_hand():
    """a: 1 − λ − μ, b: ½ − 0. They tie on λ + μ = ½; b has the rest of the box."""
    corner, (a, b) = plane(np.array([1.0, 0.5]), np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    assert corner == (0.625, 0.625)
    assert {tuple(p) for p in a.round(12)} == {(0, 0), (0.5, 0), (0, 0.5)}
    assert len(b) == 5
