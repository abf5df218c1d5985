"""Engines by name: what those state that have no likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.decomposition.observed_boards import observed
from tiebreak.estimate.decomposition import ENGINES, Asked


@pytest.mark.parametrize("engine", ["moments", "disco"])
def test_engines_without_model_effects_state_none(engine):
    """What was not estimated is no zero."""
    layout, _, _ = observed(
        1, {"I": 0.3, "M": 0.2, "residual": 0.4}, items=(9,), grid=(5, 3), pairs=8
    )
    found = ENGINES[engine].run(layout, ("I", "M", "residual"), Asked(draws=20))
    assert np.isnan(found.model_mean).all()
    assert np.isnan(found.model_covariance).all()
    assert np.isfinite(found.variance).all() and found.log_likelihood is None
