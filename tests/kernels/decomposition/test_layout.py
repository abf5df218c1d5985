"""The layout's levels: one a combination of letters that occurs, counted without holes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.kernels.decomposition.layout import Layout


def index(*values):
    return np.array(values, dtype=np.intp)


@pytest.fixture
def layout():
    """Two models on two scaffolds less one pair; item 0 by all three pairs, item 1 by two."""
    return Layout(
        model=index(0, 0, 1),
        scaffold=index(0, 1, 0),
        benchmark=index(0, 0, 0),
        item=index(0, 0, 0, 1, 1),
        pair=index(0, 1, 2, 0, 2),
        mean=np.array([1.0, 0.0, 0.5, 1.0, 0.0]),
        trials=np.array([1.0, 1.0, 2.0, 1.0, 1.0]),
        within=np.array([0.0, 0.0, 0.5, 0.0, 0.0]),
    )


@pytest.mark.parametrize(
    ("facet", "levels"),
    [
        ("I", [0, 0, 0, 1, 1]),
        ("M", [0, 0, 1, 0, 1]),
        ("A", [0, 1, 0, 0, 0]),
        ("B", [0, 0, 0, 0, 0]),
        ("IM", [0, 0, 1, 2, 3]),
        ("MA", [0, 1, 2, 0, 2]),
        ("residual", [0, 1, 2, 3, 4]),
    ],
)
def test_levels_by_hand(layout, facet, levels):
    assert layout.levels(facet).tolist() == levels
    assert (layout.n_items, layout.repeated) == (2, True)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=30, unique=True))
def test_levels_are_the_combinations_that_occur(cells):
    cells.sort(key=lambda c: (c[0], c[1], c[2]))
    pairs = sorted({c[1:] for c in cells})
    item = np.unique([c[0] for c in cells], return_inverse=True)[1]
    layout = Layout(
        model=np.unique([m for m, _ in pairs], return_inverse=True)[1],
        scaffold=np.unique([a for _, a in pairs], return_inverse=True)[1],
        benchmark=np.zeros(len(pairs), dtype=np.intp),
        item=item,
        pair=index(*[pairs.index(c[1:]) for c in cells]),
        mean=np.zeros(len(cells)),
        trials=np.ones(len(cells)),
        within=np.zeros(len(cells)),
    )
    for facet, key in (("IM", lambda c: c[:2]), ("A", lambda c: c[2]), ("MA", lambda c: c[1:])):
        found = layout.levels(facet)
        assert set(found) == set(range(len({key(c) for c in cells})))
        assert len(set(zip(found, map(key, cells), strict=True))) == found.max() + 1
