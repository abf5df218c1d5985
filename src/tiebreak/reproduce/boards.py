"""What papers read off a board."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tiebreak.options import find_configuration
from tiebreak.results.board import BoardResult
from tiebreak.results.pairs import Comparison, Standing


def scored(result: BoardResult, names: Mapping[str, str]) -> dict[str, Standing]:
    """Lines of a board by the paper's names; ``names`` maps them to fragments of ours."""
    lines = {s.configuration: s for s in result.standings}
    return {
        name: lines[find_configuration(list(lines), fragment)] for name, fragment in names.items()
    }


def stated(value: float | None) -> float:
    """The number a figure needs, or NaN, which agrees with nothing."""
    return math.nan if value is None else value


def configurations(pairs: Sequence[Comparison]) -> set[str]:
    """Everyone who is part of a judged pair."""
    return {name for pair in pairs for name in (pair.a, pair.b)}


def largest_shift(result: BoardResult) -> float:
    """Largest |target score − raw score| over all configurations that have both, in points."""
    shifts = (
        abs(s.score - s.score_observed)
        for s in result.standings
        if s.score is not None and s.score_observed is not None
    )
    return 100 * max(shifts)
