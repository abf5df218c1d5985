"""always, ever, and how a run shock moves pass@k and pass^k."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.kernels.ustatistics import always, ever, protocol_values, shock_sensitivity


def test_always_and_ever_are_the_protocols_at_all_runs():
    sums, runs = np.array([0.0, 2, 3, 0]), np.array([3, 3, 3, 0])
    assert always(sums, runs) == pytest.approx(protocol_values(sums, runs, "pass^", 3), nan_ok=True)
    assert ever(sums, runs) == pytest.approx(protocol_values(sums, runs, "pass@", 3), nan_ok=True)


@pytest.mark.parametrize("kind", ["pass@", "pass^"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_derivative_of_a_logit_shift(kind, k):
    """Uniform p: d/dδ E p^k = k E p^k (1 − p); for k runs of R ≥ k + 1 it is unbiased."""
    rng = np.random.default_rng(0)
    p = rng.random((1, 200_000))
    runs = np.full(p.shape, 6)
    found = shock_sensitivity(rng.binomial(6, p).astype(float), runs, kind, k)
    expected = k / ((k + 1) * (k + 2)) / (1 / 6)
    assert found[0] == pytest.approx(expected, rel=0.03)


def test_at_all_runs_it_is_extrapolated_near_the_truth():
    rng = np.random.default_rng(1)
    p = rng.random((1, 200_000))
    found = shock_sensitivity(rng.binomial(4, p).astype(float), np.full(p.shape, 4), "pass^", 4)
    assert found[0] == pytest.approx(4 / 30 * 6, rel=0.06)


def test_runs_that_all_agree_have_no_sensitivity_and_pass_at_one_has_one():
    sums, runs = np.array([[0.0, 3.0]]), np.array([[3, 3]])
    assert shock_sensitivity(sums, runs, "pass^", 2)[0] == 0.0
    assert shock_sensitivity(sums, runs, "pass@", 1)[0] == 1.0
