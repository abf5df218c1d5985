"""Section V-E: grouped rows of the Open Agent leaderboard."""

from __future__ import annotations

from tiebreak.questions.board import board
from tiebreak.readers import read
from tiebreak.reproduce.boards import largest_shift, stated
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value


def run(setting: Setting) -> Found:
    """The released mix and equal benchmarks; the pairs of the top by the grouped rule."""
    p = setting.parameters
    trials = read(setting.records["rows"], score=p["score"])
    result = board(trials, target=p["target"], margin=p["margin"], top=p["top"])
    raw = max(result.standings, key=lambda s: stated(s.score_observed))
    reversed_pairs = sum("target-sensitive" in pair.flags for pair in result.comparisons)
    figures: dict[str, Value] = {
        "released": stated(raw.score_observed),
        "equal": stated(raw.score),
        "rank_of_top": raw.rank or 0,
        "largest_shift": largest_shift(result),
        "not_reversed": len(result.comparisons) - reversed_pairs,
        "stable": result.summary["verdicts"].get("stable", 0),
    }
    return Found(figures, (result.provenance,))
