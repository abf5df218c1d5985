"""Ratios of contrasts: by hand, and known truth by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from cost_rows import LIMITS, one_row
from sections import Scale

from tiebreak.kernels.ratio import fieller

SCALE = Scale(runs=2000)


@pytest.mark.parametrize(
    ("layout", "kind", "tasks", "spread"),
    [("4 equal", "observed", 200, 1.0), ("12 SWE", "equal", 200, 0.5)],
)
def test_rows_of_the_coverage_study(layout, kind, tasks, spread):
    """The bounds of the study, 93.5 to 96.5, widened by four errors of 2,000 replicates."""
    slack = 400 * np.sqrt(0.05 * 0.95 / SCALE.runs)
    row = one_row(layout, kind, tasks, spread, SCALE)
    for name, found in row.found.items():
        assert LIMITS[0] - slack <= found <= LIMITS[1] + slack, name


def test_dollars_per_resolved_are_fiellers(make_priced):
    """One cell: mean cost over mean success and, but for the pseudo-tasks, the same interval."""
    import tiebreak as tb

    rng = np.random.default_rng(5)
    solved, cost = (rng.random(400) < 0.6).astype(float), rng.lognormal(size=400)
    found = tb.cost(make_priced({"a": (solved, cost)})).cost_per_resolved[0]
    value, low, high = fieller(cost, solved, 0.95)
    assert found.value == pytest.approx(value)
    # seven eighths of a pseudo-task in 400 and a prior of one cell: below 1 %
    assert (found.low, found.high) == pytest.approx((low, high), rel=0.01)
