"""A design states what is sampled; every value out of range is refused with its range."""

from __future__ import annotations

import math

import pytest

from tiebreak.design import Design
from tiebreak.errors import SpecError


@pytest.mark.parametrize(("sampled", "interval"), [("tasks", "t"), ("cells", "wild")])
def test_the_default_interval_follows_what_is_sampled(sampled, interval):
    assert Design(sampled=sampled).interval == interval


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("sampled", "runs", "tasks, cells"),
        ("interval", "wild", "t, percentile"),
        ("interval", "bca", "t, percentile"),
        ("family", "bonferroni", "pointwise"),
        ("level", 95.0, "0 < level < 1"),
        ("level", 0.0, "0 < level < 1"),
        ("level", 1.0, "0 < level < 1"),
        ("level", math.nan, "0 < level < 1"),
        ("margin", -0.01, "0 ≤ margin < 1"),
        ("margin", 2.0, "0 ≤ margin < 1"),
        ("margin", math.nan, "0 ≤ margin < 1"),
        ("draws", 99, "100 to 10,000,000"),
        ("draws", 10**8, "100 to 10,000,000"),
        ("seed", -1, "a whole number ≥ 0"),
        ("seed", 2**63, "a whole number ≥ 0"),
    ],
)
def test_values_out_of_range_are_refused_with_the_range_and_the_value(field, value, allowed):
    with pytest.raises(SpecError, match=f"allowed: {allowed}.*found: {value}"):
        Design(**{field: value})


def test_t_is_no_interval_for_sampled_cells():
    with pytest.raises(SpecError, match=r"no such interval where cells are sampled"):
        Design(sampled="cells", interval="t")


@pytest.mark.parametrize(("level", "alpha"), [(0.95, 0.05), (0.9, 0.1), (0.99, 0.01)])
def test_the_error_rate_carries_no_rounding_dust(level, alpha):
    assert Design(level=level).alpha == alpha


def test_the_text_names_every_field():
    assert str(Design()) == (
        "sampled=tasks interval=t level=0.95 family=pointwise margin=0.02 draws=10000 seed=0"
    )
