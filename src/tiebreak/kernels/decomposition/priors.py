"""Priors of standard deviations on the logit scale."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tiebreak.kernels.decomposition.layout import Array

Prior = Literal["half-t(3, 2.5)", "half-normal(1)", "none"]
"""``none`` is a flat density: maximum marginal likelihood."""
T_DF, T_SCALE = 3.0, 2.5
"""brms' default for group-level standard deviations, as in the paper's fits."""
INTERCEPT_VARIANCE = T_SCALE**2 * T_DF / (T_DF - 2)
"""Variance of brms' t(3, 0, 2.5) intercept; a normal of this variance stands for it."""


def log_prior(prior: Prior, sd: Array) -> tuple[Array, Array]:
    """Log density up to a constant, and its derivative, each of the shape of ``sd`` (≥ 0)."""
    if prior == "none":
        return np.zeros_like(sd), np.zeros_like(sd)
    if prior == "half-normal(1)":
        return -(sd**2) / 2, -sd
    inside = 1 + sd**2 / (T_DF * T_SCALE**2)
    return -(T_DF + 1) / 2 * np.log(inside), -(T_DF + 1) * sd / (T_DF * T_SCALE**2) / inside
