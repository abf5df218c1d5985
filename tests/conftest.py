"""Shared fixtures: the hand-made logs of this folder, and the real records where they are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.kernels.decomposition.contract import Components

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """Small invented logs, one folder per format."""
    return ROOT / "tests" / "fixtures"


@pytest.fixture(scope="session")
def data() -> Path:
    """The real public records: never committed, so skipped where absent, except in CI."""
    place = Path(os.environ.get("TIEBREAK_DATA", ROOT.parent / "shared" / "data"))
    if place.is_dir():
        return place
    reason = f"the real records are not at {place} (set TIEBREAK_DATA)"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def make_table():
    """make_table({"a": {"t1": 1, "t2": [0, 1]}}, cells={"t1": "x"}): a list scores one per run."""

    def make(outcomes, cells=None):
        rows = [
            {"configuration": c, "task": t, "run": run, "score": score}
            for c, tasks in outcomes.items()
            for t, scores in tasks.items()
            for run, score in enumerate(scores if isinstance(scores, list) else [scores])
        ]
        table = pl.DataFrame(rows, schema_overrides={"score": pl.Float64})
        if cells is None:
            return table
        return table.with_columns(cell=pl.col("task").replace_strict(cells))

    return make


@pytest.fixture(scope="session")
def make_trials(make_table):
    """The same as checked trials; keywords go to ``tb.read``."""

    def make(outcomes, cells=None, **options):
        return tb.read(make_table(outcomes, cells), **options)

    return make


@pytest.fixture(scope="session")
def fit():
    """fit(("M", "A"), [0.1, 0.2]): components of a fit that never was."""

    def make(facets, variance, *, scale="probability", covariance=None, draws=None, weights=None):
        variance = np.array(variance, dtype=float)
        return Components(
            facets=tuple(facets),
            scale=scale,
            variance=variance,
            covariance=covariance,
            draws=draws,
            weights=weights,
            at_boundary=variance == 0,
            intercept=0.5,
            log_likelihood=None,
            model_mean=np.zeros(1),
            model_covariance=np.zeros((1, 1)),
            diagnostics={},
        )

    return make


@pytest.fixture(scope="session")
def make_priced():
    """make_priced({"a": (scores, costs)}): one trial per task, null costs where NaN."""

    def make(outcomes, **columns):
        parts = [
            pl.DataFrame(
                {
                    "configuration": [name] * len(scores),
                    "task": [f"t{i:03d}" for i in range(len(scores))],
                    "score": scores,
                    "cost_usd": costs,
                    **{c: values[name] for c, values in columns.items()},
                },
                strict=False,
            )
            for name, (scores, costs) in outcomes.items()
        ]
        return tb.read(pl.concat(parts))

    return make
