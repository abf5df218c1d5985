"""A message says what, where, what is allowed, what was found, and the likely mend."""

from __future__ import annotations

import pytest

from tiebreak.errors import InputError, SpecError, TiebreakError, listed


def test_every_part_stands_in_its_place():
    fault = InputError("two scales", where="log.csv", allowed="one", got="two", hint="use --map")
    assert str(fault) == "log.csv: two scales; allowed: one; found: two; use --map"
    assert (fault.what, fault.where, fault.allowed, fault.got) == (
        "two scales",
        "log.csv",
        "one",
        "two",
    )


def test_parts_that_are_not_known_are_left_out():
    assert str(SpecError("no such thing")) == "no such thing"


@pytest.mark.parametrize("leaf", [InputError, SpecError])
def test_one_root_catches_all(leaf):
    with pytest.raises(TiebreakError):
        raise leaf("x")


def test_listings_are_bounded():
    assert listed(range(3)) == "0, 1, 2"
    assert listed(range(10), limit=2) == "0, 1 (+8 more)"
    assert listed([]) == ""
