"""Interval of a binomial proportion."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri


def wilson_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927, J. Am. Stat. Assoc. 22:209).

    The p with |p̂ − p| ≤ z √(p(1 − p)/n): (p̂ + z²/2n ± z √(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n).
    """
    z2 = float(ndtri((1 + level) / 2)) ** 2
    rate = successes / trials
    middle = rate + z2 / (2 * trials)
    half = float(np.sqrt(z2 * (rate * (1 - rate) / trials + z2 / (4 * trials**2))))
    scale = 1 + z2 / trials
    return max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)
