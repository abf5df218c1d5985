"""Logistic models on few distinct patterns, fitted by scikit-learn, with one-step influences.

Rows are trajectories; most share their features with many others, so a model is fitted to counts
of successes and failures per pattern. The penalty is that of independent normal priors of
variance ``PRIOR_VARIANCE`` on the coefficients of indicators (none on the intercept): it keeps
cells without a success finite and hardly moves the rest.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]
Index = NDArray[np.intp]
PRIOR_VARIANCE = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """A fitted model. ``design`` (patterns, coefficients) starts with the intercept's ones.

    ``inverse`` is the inverse of the penalised information at the fit.
    """

    design: Array
    coefficients: Array
    inverse: Array

    @property
    def probabilities(self) -> Array:
        """P(success) of every pattern."""
        p: Array = expit(self.design @ self.coefficients)
        return p

    def slopes(self) -> Array:
        """∂p/∂β of every pattern, (patterns, coefficients)."""
        p = self.probabilities
        return (p * (1 - p))[:, None] * self.design

    def influence(self, residuals: Array, pattern: Index, cluster: Index, n: int) -> Array:
        """One Newton step of β per extra copy of a cluster, (clusters, coefficients).

        Parameters
        ----------
        residuals, pattern, cluster
            Per row that was fitted: outcome − probability (times its weight), codes.
        n
            Number of clusters.
        """
        columns = self.design[pattern].T * residuals
        scores = np.stack([np.bincount(cluster, weights=c, minlength=n) for c in columns], axis=1)
        step: Array = scores @ self.inverse
        return step


def fit_logistic(design: Array, successes: Array, failures: Array) -> Logistic:
    """Fit P(success) to weighted counts per pattern.

    ``design`` (patterns, coefficients) starts with a column of ones. Counts may be fractions. With
    one class or no feature there is nothing to fit: the intercept is the logit of (s + ½)/(n + 1).
    """
    totals = float(successes.sum()), float(failures.sum())
    if min(totals) <= 0 or design.shape[1] == 1:
        beta = np.zeros(design.shape[1])
        beta[0] = np.log((totals[0] + 0.5) / (totals[1] + 0.5))
        return Logistic(design, beta, np.zeros((beta.size, beta.size)))
    beta = _sklearn_fit(design, successes, failures)
    p = expit(design @ beta)
    ridge = np.eye(beta.size) / PRIOR_VARIANCE
    ridge[0, 0] = 0.0
    weight = (successes + failures) * p * (1 - p)
    information = (design * weight[:, None]).T @ design + ridge
    inverse: Array = np.linalg.inv(information).astype(float)
    return Logistic(design, beta, inverse)


def _sklearn_fit(design: Array, successes: Array, failures: Array) -> Array:
    from sklearn.linear_model import LogisticRegression

    k = len(design)
    features = np.vstack([design[:, 1:], design[:, 1:]])
    counts = np.concatenate([successes, failures])
    outcome = np.repeat([1, 0], k)
    used = counts > 0
    model = LogisticRegression(C=PRIOR_VARIANCE, solver="newton-cholesky", tol=1e-8, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=RuntimeWarning)
        model.fit(features[used], outcome[used], sample_weight=counts[used])
    intercept: Array = np.asarray(model.intercept_, dtype=float)
    slopes: Array = np.asarray(model.coef_[0], dtype=float)
    return np.concatenate([intercept, slopes])


def indicators(codes: Index, size: int) -> Array:
    """One column per code, (rows, size)."""
    columns: Array = (codes[:, None] == np.arange(size)).astype(float)
    return columns
