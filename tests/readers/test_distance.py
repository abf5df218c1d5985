"""A file of distances between cells, with and without names of its rows."""

from __future__ import annotations

import pytest

from tiebreak.distance import Distance
from tiebreak.readers.distance import read_distance

STATED = Distance.stated(["a", "b"], [[0, 1.5], [1.5, 0]])


@pytest.mark.parametrize("text", ["a,b\n0,1.5\n1.5,0\n", "cell,a,b\na,0,1.5\nb,1.5,0\n"])
def test_rows_may_be_named(tmp_path, text):
    path = tmp_path / "distance.csv"
    path.write_text(text)
    assert read_distance(path) == STATED


@pytest.mark.parametrize(
    ("spec", "text"), [(STATED, "2 cells"), (Distance(("x", "y")), "gower:x,y")]
)
def test_a_distance_has_one_text(spec, text):
    assert str(spec) == text


def test_columns_are_parsed():
    assert Distance.parse("gower:x,y") == Distance(("x", "y"))
