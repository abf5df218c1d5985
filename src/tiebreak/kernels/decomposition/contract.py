"""What every engine of the decomposition returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.decomposition.layout import Array

Scale = Literal["probability", "logit"]


@dataclass(frozen=True, slots=True)
class Components:
    """Variance components of one fit, in the order of ``facets``.

    On the logit scale the residual is that of the link, π²/3, and is not estimated: it is no facet.

    Attributes
    ----------
    variance : (F,) point estimates; signed only where an engine is (``moments``)
    covariance : (F, F) sampling covariance of these, NaN rows at the boundary; None if not had
    draws : (D, F) posterior draws of the variances, or None
    weights : (D,) weights of the draws that sum to 1, or None for equal ones
    at_boundary : (F,) estimate at zero: not distinguishable from zero here
    intercept : overall mean on ``scale``
    log_likelihood : restricted, marginal or approximate as the engine states; None if not had
    model_mean, model_covariance : (models,), (models, models) predicted effects of the models
    diagnostics : named numbers (iterations, effective sample size, R-hat, gradient norm, …)
    """

    facets: tuple[str, ...]
    scale: Scale
    variance: Array
    covariance: Array | None
    draws: Array | None
    weights: Array | None
    at_boundary: NDArray[np.bool_]
    intercept: float
    log_likelihood: float | None
    model_mean: Array
    model_covariance: Array
    diagnostics: Mapping[str, float]
