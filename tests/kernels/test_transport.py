"""Wasserstein radius against HiGHS, exact rational arithmetic and the L1 radius."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog

from tiebreak.kernels.gower import gower
from tiebreak.kernels.radius import l1_radius
from tiebreak.kernels.transport import wasserstein_radius

NAN, INF = np.nan, np.inf
BATCH = 4
# Gaps are multiples of 1/8 and costs of 1/4: drops per cost are at least 1/40, so the excess,
# off by a few 1e-16, moves the radius by less than 1e-14.
EXACT = 1e-12


@st.composite
def instances(draw, points):
    """A batch: gaps in eighths, whole weights (some 0) and costs in quarters (some 0)."""
    shape = (BATCH, points)
    gaps = draw(hnp.arrays(int, shape, elements=st.integers(-4, 8)))
    raw = draw(hnp.arrays(int, shape, elements=st.integers(0, 3)))
    raw[raw.sum(axis=1) == 0, 0] = 1
    cost = draw(hnp.arrays(int, (*shape, points), elements=st.integers(0, 9)))
    cost[:, range(points), range(points)] = 0
    return list(zip(gaps, raw, cost, strict=True))


def highs(d, w, cost, level):
    """The transport program (1) over all n² flows, by HiGHS at its tightest tolerances."""
    n = len(d)
    found = linprog(
        cost.ravel(),
        A_ub=np.tile(d, n)[None],
        b_ub=[level],
        A_eq=np.kron(np.eye(n), np.ones(n)),
        b_eq=w,
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return found.fun if found.status == 0 else INF


def exact(d, w, cost, level):
    """Optimum over all assignments source → destination and all mixtures of two of them.

    (1) has one constraint beside the sources', so some optimal flow splits one source only.
    """
    n = range(len(d))
    ways = {
        (
            sum(w[i] * cost[i][j] for i, j in enumerate(way)),
            sum(w[i] * d[j] for i, j in enumerate(way)) - level,
        )
        for way in product(n, repeat=len(d))
    }
    least = [c for c, over in ways if over <= 0]
    for (c, over), (high, under) in product(ways, ways):
        if over > 0 > under:
            least.append((c * -under + high * over) / (over - under))
    return min(least, default=None)


@settings(max_examples=500, deadline=None)
@given(instances(5), st.sampled_from([0.0, 0.1]))
def test_radius_is_the_optimum_of_the_linear_program(batch, level):
    for gaps, raw, cost in batch:
        d, w, c = gaps / 8, raw / raw.sum(), cost / 4
        # HiGHS may overstep by 1e-10 where a drop costs up to 9/4 per 1/8
        expected = highs(d, w, c, level)
        np.testing.assert_allclose(wasserstein_radius(d, w, c, level).radius, expected, atol=2e-9)


@settings(max_examples=250, deadline=None)
@given(instances(3), st.sampled_from([Fraction(0), Fraction(1, 10)]))
def test_radius_is_exact(batch, level):
    for gaps, raw, cost in batch:
        d = [Fraction(int(g), 8) for g in gaps]
        w = [Fraction(int(r), int(raw.sum())) for r in raw]
        c = [[Fraction(int(x), 4) for x in row] for row in cost]
        expected = exact(d, w, c, level)
        got = wasserstein_radius(gaps / 8, raw / raw.sum(), cost / 4, float(level)).radius
        assert got == INF if expected is None else abs(got - expected) <= EXACT


@settings(max_examples=300, deadline=None)
@given(instances(6), st.sampled_from([0.0, 0.1]))
def test_the_plan_attains_the_radius(batch, level):
    for gaps, raw, cost in batch:
        d, w, c = gaps / 8, raw / raw.sum(), cost / 4
        radius, sources, destinations, mass = wasserstein_radius(d, w, c, level)
        if not np.isfinite(radius):
            assert not mass.size
            assert d.min() > level
            continue
        after = w.copy()
        np.add.at(after, sources, -mass)
        assert (after >= -EXACT).all()
        np.add.at(after, destinations, mass)
        assert after @ d <= level + 1e-11  # flows below 1e-12 are left out of the plan
        np.testing.assert_allclose((c[sources, destinations] * mass).sum(), radius, atol=1e-11)
        assert (sources != destinations).all()


@settings(max_examples=300, deadline=None)
@given(
    hnp.arrays(int, 6, elements=st.integers(-16, 16)),
    hnp.arrays(bool, 6),
    hnp.arrays(int, 6, elements=st.integers(0, 9)),
    st.sampled_from([0.0, 0.125]),
)
def test_two_per_unit_gives_the_l1_radius(gaps, absent, raw, level):
    """With binary fractions both compute the same terms; six of them are summed in two orders."""
    raw[absent] = 0
    raw[0], absent[0] = 64 - raw[1:].sum(), False
    d, w = np.where(absent, NAN, gaps / 16), raw / 64
    cost = 2.0 * (1 - np.eye(6))
    radius = l1_radius(d[None], w[None], level)[0]
    np.testing.assert_allclose(wasserstein_radius(d, w, cost, level).radius, radius, rtol=1e-15)


def test_many_points_and_a_real_valued_distance():
    rng = np.random.default_rng(5)
    n = 60
    cost = gower(rng.random((n, 2)), rng.integers(0, 3, (n, 2)))
    d, w = rng.uniform(-0.3, 0.9, n), rng.dirichlet(np.ones(n))
    assert w @ d > 0.05
    for level in (0.0, 0.05):
        got = wasserstein_radius(d, w, cost, level)
        np.testing.assert_allclose(got.radius, highs(d, w, cost, level), atol=1e-8)
        assert (d[got.destinations] < d[got.sources]).all()


@pytest.mark.parametrize(
    ("gaps", "weights", "cost", "level", "expected"),
    [
        # the near cell (cost 1, drop .2) buys less per cost than the far one (cost 2, drop 1)
        ([0.5, 0.3, -0.5], [1, 0, 0], [[0, 1, 2], [1, 0, 1], [2, 1, 0]], 0.0, 1.0),
        # both steps of the hull: all to cell 1 (cost 1), then half on to cell 2 (cost 2 more)
        ([0.5, 0.1, -0.1], [1, 0, 0], [[0, 1, 3], [1, 0, 1], [3, 1, 0]], 0.0, 2.0),
        ([0.5, -0.5], [1, 0], [[0, 0], [0, 0]], 0.0, 0.0),  # tasks that do not differ
        ([0.5, -0.5], [1, 0], [[0, INF], [INF, 0]], 0.0, INF),  # no way
        ([0.5, 0.1], [0.5, 0.5], [[0, 1], [1, 0]], 0.0, INF),
        ([0.5, NAN], [1, 0], [[0, 1], [1, 0]], 0.0, INF),  # an unsupported point takes nothing
        ([0.5, 0.0], [0.5, 0.5], [[0, 1], [1, 0]], 0.0, 0.5),
        ([0.5, -0.5], [0.25, 0.75], [[0, 1], [1, 0]], 0.0, 0.0),
        ([0.79 - 0.77, 0.5], [0.5, 0.5], [[0, 1], [1, 0]], 0.02, 0.5),  # met to rounding
        ([NAN, NAN], [0, 0], [[0, 1], [1, 0]], 0.0, NAN),
    ],
)
def test_hand_made_cases(gaps, weights, cost, level, expected):
    got = wasserstein_radius(np.array(gaps), np.array(weights, float), np.array(cost, float), level)
    np.testing.assert_allclose(got.radius, expected, atol=EXACT)


def test_the_plan_names_original_points():
    got = wasserstein_radius(
        np.array([NAN, 0.5, -0.5]), np.array([0.0, 1.0, 0.0]), 1 - np.eye(3), 0.0
    )
    assert (got.sources.tolist(), got.destinations.tolist(), got.mass.tolist()) == ([1], [2], [0.5])
