"""Distance between tasks by mixed metadata (Gower 1971, Biometrics 27:857)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]


def gower(numeric: Array, codes: Index) -> Array:
    """Mean over columns of the distance in each, in [0, 1].

    Parameters
    ----------
    numeric
        (n, p) numbers; distance |x_i − x_j| / range. NaN is missing. A column of one value has
        distance 0, and still counts.
    codes
        (n, q) category codes; distance 0 if equal, else 1. −1 is missing.

    Returns
    -------
    (n, n), symmetric, 0 on the diagonal. A column missing in i or j is left out of that pair's
    mean; NaN where that leaves none, so that the caller must decide.

    Notes
    -----
    All columns weigh the same. With missing entries the triangle inequality can fail.
    """
    n = len(numeric)
    total, known = np.zeros((n, n)), np.zeros((n, n))
    for column in numeric.T:
        _add(total, known, _spread(column), ~np.isnan(column))
    for labels in codes.T:
        _add(total, known, (labels[:, None] != labels).astype(float), labels >= 0)
    distance: Array = np.divide(total, known, out=np.full((n, n), np.nan), where=known > 0)
    np.fill_diagonal(distance, 0.0)
    return distance


def _spread(column: Array) -> Array:
    """|x_i − x_j| / range; 0 where the column does not vary."""
    seen = column[~np.isnan(column)]
    width = float(np.ptp(seen)) if seen.size else 0.0
    spread: Array = np.abs(column[:, None] - column) / (width if width > 0 else 1.0)
    return spread


def _add(total: Array, known: Array, distance: Array, present: NDArray[np.bool_]) -> None:
    """Add one column to the sums and the counts, in place, where both entries are present."""
    both = present[:, None] & present
    total += np.where(both, distance, 0.0)
    known += both
