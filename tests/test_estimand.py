"""Specs are values with one canonical text: what is printed is read back as the same value."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.errors import SpecError
from tiebreak.estimand import Estimand, Protocol, Target

NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(
    ["a b", "x;y", "k=v", "(p)", "50%", "%3B", "django/django", "é漢", "a:b", " ", "\n", "=;()%"]
)


@st.composite
def stated_targets(draw):
    cells = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    raw = draw(st.lists(st.integers(1, 99), min_size=len(cells), max_size=len(cells)))
    return Target.stated(draw(NAMES), {c: w / sum(raw) for c, w in zip(cells, raw, strict=True)})


TARGETS = (
    st.just(Target())
    | NAMES.map(lambda c: Target("observed", c))
    | NAMES.map(lambda c: Target("equal", c))
    | stated_targets()
)
PROTOCOLS = st.builds(Protocol, st.sampled_from(["pass@", "pass^"]), st.integers(1, 99))
ESTIMANDS = st.builds(
    Estimand,
    label_source=st.none() | NAMES,
    protocol=PROTOCOLS,
    target=TARGETS,
    missing=st.sampled_from(["unset", "fail", "drop", "error"]),
    support=st.sampled_from(["full", "common"]),
)


@given(TARGETS)
def test_a_target_is_read_back_from_its_text(target):
    assert Target.parse(str(target)) == target


@given(PROTOCOLS)
def test_a_protocol_is_read_back_from_its_text(protocol):
    assert Protocol.parse(str(protocol)) == protocol


@given(ESTIMANDS)
def test_an_estimand_is_read_back_from_its_text(estimand):
    assert Estimand.parse(str(estimand)) == estimand


@given(ESTIMANDS)
def test_the_text_is_one_line_of_printable_fields(estimand):
    assert str(estimand).isprintable()
    assert all("=" in part for part in str(estimand).split(" "))


def test_the_canonical_text_is_what_it_was():
    """A golden by hand: other programs store this text."""
    estimand = Estimand(
        "judge", Protocol("pass^", 3), Target.stated("repo", {"a b": 0.25, "c": 0.75})
    )
    assert str(estimand) == (
        "label_source=judge protocol=pass^3 target=stated:repo(a%20b=0.25;c=0.75) "
        "missing=unset support=full"
    )


@pytest.mark.parametrize(
    "text", ["pass@0", "pass@", "pass@1.5", "pass", "Pass@1", "pass@-1", "best"]
)
def test_a_protocol_without_meaning_is_refused(text):
    with pytest.raises(SpecError, match=r"unknown protocol.*allowed: pass@K"):
        Protocol.parse(text)


@pytest.mark.parametrize("k", [0, -1])
def test_a_protocol_of_no_runs_is_refused_in_python_too(k):
    with pytest.raises(SpecError, match=r"pass@K or pass\^K with K ≥ 1"):
        Protocol("pass@", k)


@pytest.mark.parametrize(
    "text",
    ["", "equal", "equal:", "uniform:repo", "stated:repo", "observed:repo(a=1)", "equal:a(b)"],
)
def test_a_target_without_meaning_is_refused(text):
    with pytest.raises(SpecError, match=r"target"):
        Target.parse(text)


def test_a_kind_of_target_that_does_not_exist_is_refused_in_python_too():
    with pytest.raises(SpecError, match=r"unknown target"):
        Target("even", "repo")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"a": 0.5, "b": 0.4}, "do not sum to 1.*found: 0.9"),
        ({"a": 1.5, "b": -0.5}, "negative or not finite.*found: b=-0.5"),
        ({"a": math.nan, "b": 1.0}, "negative or not finite.*a=nan"),
        ({"a": math.inf}, "negative or not finite.*a=inf"),
        ({}, "do not sum to 1"),
    ],
)
def test_weights_that_are_no_distribution_are_refused(weights, message):
    with pytest.raises(SpecError, match=message):
        Target.stated("repo", weights)


def test_weights_printed_with_six_digits_are_near_enough():
    Target.stated("repo", {"a": 0.333333, "b": 0.333333, "c": 0.333333})


def test_a_cell_named_twice_is_refused():
    with pytest.raises(SpecError, match=r"twice.*found: a"):
        Target.parse("stated:repo(a=0.3;a=1)")


def test_a_weight_that_is_no_number_is_refused():
    with pytest.raises(SpecError, match=r"not a number.*found: half"):
        Target.parse("stated:repo(a=half)")


@pytest.mark.parametrize("text", ["colour=red", "missing", "target=equal:repo extra=1"])
def test_an_unknown_field_is_refused(text):
    with pytest.raises(SpecError):
        Estimand.parse(text)


@pytest.mark.parametrize(("field", "value"), [("missing", "zero"), ("support", "half")])
def test_an_unknown_rule_is_refused_with_what_is_allowed(field, value):
    with pytest.raises(SpecError, match=f"allowed: .*found: {value}"):
        Estimand(**{field: value})
