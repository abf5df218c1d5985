"""Micro and macro scores, the sweep of the lookup weight and its crossover."""

from __future__ import annotations

import numpy as np

from tiebreak.kernels.crossovers import line_scores
from tiebreak.questions.targets import targets
from tiebreak.reproduce.boards import stated
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value
from tiebreak.results.target_lines import CellCount
from tiebreak.results.targets import TargetsResult
from tiebreak.simulate.ranking_reversal import trials


def run(setting: Setting) -> Found:
    """Everything but the bootstrap; no draw decides a figure."""
    p = setting.parameters
    result = targets(trials(), "A", "B", cells=p["cells"], sweep=p["sweep"], seed=setting.seed)
    crossing = result.crossovers[0]
    figures: dict[str, Value] = {
        "micro": _scores(result, f"observed:{p['cells']}"),
        "macro": _scores(result, f"equal:{p['cells']}"),
        "counts": [int(c.k or 0) for c in _by_family(result, p["families"])],
        "crossover": crossing.weight_exact or "",
        "crossover_weight": stated(crossing.weight),
        "below_above": f"{crossing.winner_below}, {crossing.winner_above}",
        "zero": ", ".join(f"{c.configuration} {c.cell}" for c in _zero(result)),
    }
    return Found(figures | _sweep(result, p["points"]), (result.provenance,))


def _scores(result: TargetsResult, target: str) -> Value:
    return [stated(s.score) for s in result.scores if s.target == target]


def _by_family(result: TargetsResult, families: list[str]) -> list[CellCount]:
    """Counts of A and B, family by family."""
    at = {(c.cell, c.configuration): c for c in result.cells}
    return [at[family, name] for family in families for name in "AB"]


def _zero(result: TargetsResult) -> tuple[CellCount, ...]:
    return () if result.hidden is None else result.hidden.zero


def _sweep(result: TargetsResult, points: int) -> dict[str, Value]:
    """Both scores at evenly spaced weights of the swept family."""
    path, rates = result.paths[0], {(c.configuration, c.cell): c.rate for c in result.cells}
    start, end = (
        np.array([sum(w * stated(rates[name, x]) for x, w in mix.items()) for name in "AB"])
        for mix in (path.start, path.end)
    )
    a, b = line_scores(start, end, np.linspace(0, 1, points))
    return {
        "sweep": [float(v) for v in a[:: (points - 1) // 4]],
        "points": len(a),
        "points_a_wins": int((a > b).sum()),
    }
