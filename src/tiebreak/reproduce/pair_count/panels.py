"""Panels of the paper whose records are not public: only what follows from the stated counts."""

from __future__ import annotations

from fractions import Fraction

from scipy.special import ndtri

from tiebreak.kernels.pair_counts.variances import PairSums
from tiebreak.reproduce.contract import Found, Setting


def run(setting: Setting) -> Found:
    """The pair-iid width of a 0/1 rule needs the fraction and the number of pairs alone."""
    p = setting.parameters
    total = Fraction(2 * p["near_ties"])
    sums = PairSums(p["configurations"], total, Fraction(0), total)
    width = 2 * float(ndtri(0.975)) * float(sums.variance("pair-iid")) ** 0.5
    return Found({"terminal_bench_pairs": sums.pairs, "terminal_bench_pair_iid": width})
