"""Small invented panels, complete or with holes."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.estimand import Estimand, Target
from tiebreak.panel import Panel

SIZES = (9, 5, 2, 1)


@pytest.fixture
def make_panel():
    """make_panel(values, sizes, weights=None): equal weights over the cells unless stated."""

    def make(values, sizes=SIZES, weights=None):
        values = np.asarray(values, float)
        k, n = values.shape
        names = tuple(f"cell{x}" for x in range(len(sizes)))
        target = Target("equal", "cell") if weights is None else Target("observed", "cell")
        return Panel(
            estimand=Estimand("score", target=target),
            configurations=tuple(f"c{i}" for i in range(k)),
            tasks=tuple(f"t{i}" for i in range(n)),
            values=values,
            ran=~np.isnan(values),
            cells=np.repeat(np.arange(len(sizes)), sizes).astype(np.intp),
            cell_names=names,
            weights=np.full(len(sizes), 1 / len(sizes)) if weights is None else np.array(weights),
            by_task=False,
            max_runs=1,
        )

    return make


@pytest.fixture
def outcomes():
    """outcomes(seed, k, sizes): 0/1 outcomes of k configurations of different strength."""

    def make(seed=0, k=4, sizes=SIZES):
        rng = np.random.default_rng(seed)
        return (rng.random((k, sum(sizes))) < np.linspace(0.3, 0.8, k)[:, None]).astype(float)

    return make
