"""The paired bootstrap of the macro difference, with the paper's own sequence of draws."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from tiebreak.reproduce.contract import Found, Setting
from tiebreak.simulate.ranking_reversal import FAMILIES

Rows = dict[str, list[int]]


def run(setting: Setting) -> Found:
    """Order statistics 25 and 975 of 1,000 draws, and the standard deviation without draws.

    The seed belongs to the paper's sequence, so it comes from its parameters.
    """
    p = setting.parameters
    found = sorted(_draws(paired_rows(), p["draws"], Random(p["random_seed"])))
    low, high = (found[int(p["draws"] * q) - 1] for q in p["quantiles"])
    return Found({"interval": [low, high], "sd": math.sqrt(variance(paired_rows()))})


def paired_rows() -> Rows:
    """y_A − y_B of every task: the first k of a family's tasks succeed."""
    return {
        family: [int(i < a) - int(i < b) for i in range(n)]
        for family, (n, a, b) in FAMILIES.items()
    }


def _draws(rows: Rows, draws: int, rng: Random) -> list[float]:
    """Macro differences of resampled families; one choice per task, in the paper's order."""
    return [
        sum(sum(rng.choice(d) for _ in d) / len(d) for d in rows.values()) / len(rows)
        for _ in range(draws)
    ]


def variance(rows: Rows) -> Fraction:
    """Of one draw, exactly: Σ_x s_x² / n_x / C², s_x² the variance of the family's own rows."""
    return sum((_of_mean(d) for d in rows.values()), Fraction(0)) / len(rows) ** 2


def _of_mean(rows: list[int]) -> Fraction:
    mean = Fraction(sum(rows), len(rows))
    return sum(((v - mean) ** 2 for v in rows), Fraction(0)) / len(rows) ** 2
