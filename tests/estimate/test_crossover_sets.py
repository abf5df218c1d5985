"""Intervals of crossovers against known truth: rows of benchmarks/crossovers.py, made smaller."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "crossovers.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("crossover_study", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("row", range(6))
def test_the_true_crossover_is_covered(study, row):
    """Nominal 95 %: within the 94 to 96 of the whole study and 3 standard errors of 1,000."""
    share, _ = study.cover(study.ROWS[row], 1000, seed=row)
    assert 0.94 - 3 * 0.0069 < share < 0.96 + 3 * 0.0069
