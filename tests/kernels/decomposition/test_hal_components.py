"""Components of the real records on the probability scale: published figures, balanced blocks."""

from __future__ import annotations

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.estimand import Estimand
from tiebreak.kernels.decomposition.layout import ONE_BENCHMARK, RESIDUAL
from tiebreak.kernels.decomposition.moments import moments
from tiebreak.kernels.decomposition.profile import boundary_upper
from tiebreak.kernels.decomposition.reml import fit_reml
from tiebreak.questions.reliability.observations import observe

REPEATED = ("I", "M", "A", "IM", "IA", "MA", "IMA", RESIDUAL)


@pytest.fixture(scope="module")
def observed(data):
    """observed("gaia"): its trials, missing outcomes as failures."""

    def read(name):
        path = data / "hal" / "preprocessed_traces" / f"{name}.db"
        return observe(tb.read(path), Estimand(missing="fail"))[0]

    return read


def test_scicode_shares(observed):
    fit = fit_reml(observed("scicode").layout(), ONE_BENCHMARK)
    share = dict(zip(fit.facets, fit.variance / fit.variance.sum(), strict=True))
    published = {"I": 0.20, "M": 0.01, "A": 0.00, "IM": 0.14, "IA": 0.04, "MA": 0.00}
    assert {facet: share[facet] for facet in published} == pytest.approx(published, abs=0.0051)


def test_usaco_models_lie_at_zero_with_a_bound(observed):
    layout = observed("usaco").layout()
    fit = fit_reml(layout, ONE_BENCHMARK)
    assert (fit.variance[1], bool(fit.at_boundary[1])) == (0, True)
    assert np.isnan(fit.covariance[1]).all()
    # nearly all models ran on one scaffold, where M and MA are hardly told apart
    assert boundary_upper(layout, fit)[1] == pytest.approx(0.044, abs=0.001)


def test_terminal_bench_variances(data):
    found, _ = observe(tb.read(data / "terminal-bench-1" / "results"), Estimand())
    fit = fit_reml(found.layout(), REPEATED)
    expected = {"I": 0.090, "IA": 0.038, "IMA": 0.024, RESIDUAL: 0.066, "A": 0.019, "M": 0.007}
    variance = dict(zip(fit.facets, fit.variance, strict=True))
    assert {facet: variance[facet] for facet in expected} == pytest.approx(expected, abs=0.0006)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("corebench_hard", (20, 2, 45)),
        ("gaia", (15, 2, 165)),
        ("taubench_airline", (10, 3, 50)),
        ("swebench_verified_mini", (15, 2, 50)),
    ],
)
def test_balanced_blocks_give_the_analysis_of_variance(observed, name, shape):
    found = observed(name)
    met = np.zeros((len(found.models), len(found.scaffolds)), dtype=bool)
    met[found.model, found.scaffold] = True
    block = found.where(met.all(axis=1)[found.model])
    assert (len(block.models), len(block.scaffolds), len(block.items)) == shape
    assert block.score.size == np.prod(shape)
    layout = block.layout()
    anova = moments(layout, ONE_BENCHMARK)[0]
    assert (anova > 0).all()
    # searches end where a step promises 1e-9 of log-likelihood
    np.testing.assert_allclose(fit_reml(layout, ONE_BENCHMARK).variance, anova, atol=1e-6)
    np.testing.assert_allclose(moments(layout, ONE_BENCHMARK, "minque")[0], anova, atol=1e-12)
