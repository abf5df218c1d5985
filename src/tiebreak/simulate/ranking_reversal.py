"""The four task families of the ranking-reversal paper: 83 % overall loses to 80 % by family.

The first k of a family's n tasks succeed, so outcomes are paired as in the paper's fixture:
A solves 76/80, 6/10, 1/5, 0/5 of lookup, editing, planning and recovery, B 64/80, 8/10, 4/5, 4/5.
Labels were made up by the paper's author; no model produced them.
"""

from __future__ import annotations

from fractions import Fraction

import polars as pl

from tiebreak.readers import read
from tiebreak.trials import Trials

FAMILIES = {
    "lookup": (80, 76, 64),
    "editing": (10, 6, 8),
    "planning": (5, 1, 4),
    "recovery": (5, 0, 4),
}
"""Tasks, successes of A, successes of B."""
MICRO = (Fraction(83, 100), Fraction(4, 5))
MACRO = (Fraction(7, 16), Fraction(4, 5))
CROSSOVER = Fraction(32, 41)
"""Weight of lookup, the rest split equally, at which A and B tie."""


def table() -> pl.DataFrame:
    """One row per configuration and task."""
    rows = [
        {"configuration": name, "task": f"{family}-{i}", "family": family, "score": float(i < k)}
        for at, name in enumerate("AB", start=1)
        for family, counts in FAMILIES.items()
        for i, k in ((i, counts[at]) for i in range(counts[0]))
    ]
    return pl.DataFrame(rows)


def trials() -> Trials:
    """The same as checked trials."""
    return read(table())
