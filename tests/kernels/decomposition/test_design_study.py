"""Design studies: closed forms against plain search."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.decomposition.coefficients import BY_NAME, Sizes
from tiebreak.kernels.decomposition.design_study import (
    Fitted,
    SearchBounds,
    best_within,
    cheapest,
    limit,
    smallest,
    varied,
)
from tiebreak.kernels.decomposition.layout import POOLED

PART = st.floats(0.0, 1.0)
MOST = SearchBounds(tasks=12, scaffolds=3, benchmarks=3, runs=2)


@pytest.fixture(scope="module")
def fitted(fit):
    return lambda values: Fitted(fit(POOLED, values), {})


PARTS = st.lists(PART, min_size=11, max_size=11).map(lambda v: [x + 0.01 for x in v])
NAMES = st.sampled_from(["model", "system", "inter_scaffold", "leaderboard", "leaderboard_system"])


@settings(max_examples=60, deadline=None)
@given(values=PARTS, name=NAMES, target=st.floats(0.05, 0.99))
def test_the_smallest_number_of_tasks(fitted, values, name, target):
    found, equation, base = fitted(values), BY_NAME[name], Sizes(scaffolds=2, benchmarks=2)
    n = smallest(found, equation, base, target)
    reached = [
        k
        for k in range(1, 400)
        if found.reliability(equation, replace(base, tasks=k)) >= target - 1e-10
    ]
    if reached:
        assert n == reached[0]
    else:
        assert n > 399
    if math.isinf(n):
        assert limit(found, equation, base) <= target + 1e-9


def designs(equation):
    free = varied(equation)
    spans = [
        range(1, getattr(MOST, f) + 1) if f in free else [1]
        for f in ("tasks", "scaffolds", "benchmarks", "runs")
    ]
    return [Sizes(*s) for s in itertools.product(*spans)]


def price_of(sizes):
    return sizes.tasks * sizes.scaffolds * sizes.benchmarks * sizes.runs


@settings(max_examples=25, deadline=None)
@given(values=PARTS, name=NAMES, target=st.floats(0.1, 0.9))
def test_the_cheapest_design_is_that_of_a_full_search(fitted, values, name, target):
    found, equation = fitted(values), BY_NAME[name]
    enough = [s for s in designs(equation) if found.reliability(equation, s) >= target - 1e-10]
    plan = cheapest(found, equation, target, 0.5, MOST)
    if not enough:
        assert plan is None
    else:
        assert plan.trials == min(price_of(s) for s in enough)
        assert plan.cost == 0.5 * plan.trials
        assert plan.reliability >= target - 1e-9


@settings(max_examples=25, deadline=None)
@given(values=PARTS, name=NAMES, budget=st.integers(1, 80))
def test_the_best_design_for_a_budget_is_that_of_a_full_search(fitted, values, name, budget):
    found, equation = fitted(values), BY_NAME[name]
    payable = [s for s in designs(equation) if price_of(s) <= budget]
    plan = best_within(found, equation, budget * 0.25, 0.25, MOST)
    assert plan.trials <= budget
    # the inter-scaffold coefficient may fall with tasks; then fewer tasks would be better still
    if name != "inter_scaffold":
        best = max(found.reliability(equation, s) for s in payable)
        assert plan.reliability == pytest.approx(best, rel=1e-9)


def test_no_trial_for_no_money(fitted):
    assert best_within(fitted([0.1] * 11), BY_NAME["model"], 0.1, 1.0, MOST) is None
