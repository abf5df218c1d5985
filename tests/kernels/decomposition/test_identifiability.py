"""What a design tells apart: designs by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tiebreak.kernels.decomposition.identifiability import (
    extremes,
    graph_components,
    merge_facets,
    separation,
    separation_table,
)
from tiebreak.kernels.decomposition.layout import ONE_BENCHMARK, POOLED, Layout


def layout(pairs, items=6, trials=1.0, own=True, mean=None):
    """Cells of (model, scaffold, benchmark) pairs on every item of their benchmark."""
    pairs = np.array(pairs, dtype=np.intp)
    cells = sorted(
        (b * items + i if own else i, p) for p, (_, _, b) in enumerate(pairs) for i in range(items)
    )
    item, pair = np.array(cells, dtype=np.intp).T
    ones = np.ones(item.size)
    y = np.arange(item.size) % 2.0 if mean is None else mean(item, pairs[pair])
    return Layout(*pairs.T, item, pair, y, trials * ones, 0 * ones)


CROSSED = [(m, a, 0) for m in range(4) for a in range(3)]


def test_a_crossed_design_merges_nothing():
    found = merge_facets(layout(CROSSED), ONE_BENCHMARK)
    assert (found.kept, found.merged, found.constant) == (ONE_BENCHMARK, (), ())


def test_one_scaffold():
    found = merge_facets(layout([(m, 0, 0) for m in range(4)]), ONE_BENCHMARK)
    assert found.constant == ("A",)
    assert set(found.merged) == {("I", "IA"), ("M", "MA"), ("residual", "IM")}


def test_a_scaffold_of_one_benchmark_makes_a_and_ba_one():
    pairs = [(m, 2 * b + a, b) for m in range(3) for b in range(2) for a in range(2)]
    found = merge_facets(layout(pairs), POOLED)
    assert ("A", "BA") in found.merged
    assert ("MA", "BMA") in found.merged


def test_repeated_cells_tell_ima_from_the_residual():
    facets = (*ONE_BENCHMARK[:-1], "IMA", "residual")
    assert ("residual", "IMA") in merge_facets(layout(CROSSED), facets).merged
    assert merge_facets(layout(CROSSED, trials=2.0), facets).merged == ()


def test_separation_names_the_weak_set():
    """One model of many under two scaffolds: M and MA are hardly told apart."""
    pairs = [(m, m % 2, 0) for m in range(40)] + [(0, 1, 0)]
    found = separation(layout(pairs), ONE_BENCHMARK)
    assert found.weak[0] == ("M", "MA")
    assert found.eigenvalues.sum() == pytest.approx(len(ONE_BENCHMARK))
    assert separation(layout(CROSSED), ONE_BENCHMARK).weak == ()


def test_graph_components():
    models, scaffolds = graph_components(layout([(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 1, 0)]))
    assert models[0] == models[1] == scaffolds[0]
    assert models[2] == models[3] == scaffolds[1] != scaffolds[0]


def test_separation_table_counts_repeated_levels():
    pairs = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 1, 0), (2, 0, 1)]
    found = {(c.left, c.right): c for c in separation_table(layout(pairs), POOLED)}
    assert found["M", "BM"][2:] == (1, 3)
    assert found["A", "BA"][2:] == (1, 2)
    assert found["M", "MA"][2:] == (1, 3)
    assert found["MA", "BMA"][2:] == (1, 4)
    assert found["BM", "IM"][2:] == (4, 4)
    assert found["B", "I"][2:] == (2, 2)
    assert ("M", "IM") not in found  # BM lies between them


def test_separation_of_runs():
    """Cells of several trials tell IMA from the residual; a facet left out is stepped over."""
    design = replace(layout(CROSSED), trials=np.where(np.arange(72) < 5, 2.0, 1.0))
    facets = ("I", "M", "IMA", "residual")
    found = {(c.left, c.right): c for c in separation_table(design, facets)}
    assert set(found) == {("I", "IMA"), ("M", "IMA"), ("IMA", "residual")}
    assert found["IMA", "residual"][2:] == (5, 72)
    assert found["I", "IMA"][2:] == (6, 6)


def test_extremes():
    def mean(item, pairs):
        return np.where(item == 0, 0.0, np.where(item == 1, 1.0, (item + pairs[:, 0]) % 2.0))

    found = extremes(layout(CROSSED, mean=mean))
    assert found.items_zero.tolist() == [0]
    assert found.items_one.tolist() == [1]
    assert found.models_zero.size == found.models_one.size == 0
