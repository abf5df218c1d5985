"""Section V-B: the equal-repository target on SWE-bench Verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tiebreak.questions.board import board
from tiebreak.readers import read
from tiebreak.reproduce.boards import configurations, largest_shift, scored, stated
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.board import BoardResult
from tiebreak.results.pairs import Comparison
from tiebreak.results.reproduce import Value
from tiebreak.trials import Trials


def run(setting: Setting) -> Found:
    """All submissions under both targets; the pairs of the raw top by the percentile bootstrap.

    Tasks are resampled within repositories. The family of the simultaneous statement is the
    pairs of the top, as in the paper.
    """
    p = setting.parameters
    trials = read(setting.records["tree"], tasks=setting.records["tasks"])
    everyone = board(trials, target=p["target"], margin=p["margin"], top=p["top"])
    best = trials.only(sorted(configurations(everyone.comparisons)))
    pointwise, simultaneous = (
        board(
            best,
            target=p["target"],
            margin=p["margin"],
            interval="percentile",
            draws=p["draws"],
            seed=setting.seed,
            family=family,
        )
        for family in ("pointwise", "simultaneous")
    )
    figures = _scores(trials, everyone, p["names"]) | _pairs(everyone, pointwise, simultaneous)
    figures |= _intervals(pointwise, p["names"])
    return Found(figures, (everyone.provenance, pointwise.provenance, simultaneous.provenance))


def _scores(trials: Trials, everyone: BoardResult, names: Mapping[str, str]) -> dict[str, Value]:
    by_name = scored(everyone, names)
    raw = sorted((stated(s.score_observed) for s in everyone.standings), reverse=True)
    return {
        "shape": [
            trials.configurations.height,
            trials.tasks.height,
            trials.tasks["repo"].n_unique(),
        ],
        "raw_top": list(raw[:2]),
        "raw_trae": stated(by_name["trae"].score_observed),
        "equal_live": stated(by_name["live"].score),
        "equal_trae": stated(by_name["trae"].score),
        "equal_rank_trae": by_name["trae"].rank or 0,
        "largest_shift": largest_shift(everyone),
    }


def _pairs(
    everyone: BoardResult, pointwise: BoardResult, simultaneous: BoardResult
) -> dict[str, Value]:
    verdicts = pointwise.summary["verdicts"]
    return {
        "moved": _moved(everyone.comparisons, (0.01, 0.02, 0.05)),
        "underpowered": verdicts.get("underpowered", 0),
        "stable": verdicts.get("stable", 0),
        "target_sensitive": verdicts.get("target-sensitive", 0),
        "simultaneous": simultaneous.summary["resolved"],
        "half_width": simultaneous.summary["half_width_median"],
    }


def _moved(pairs: Sequence[Comparison], steps: Sequence[float]) -> Value:
    """Numbers of pairs whose gap moves by at least each step."""
    movement = np.abs([stated(pair.movement) for pair in pairs])
    return [int((movement >= step - 1e-12).sum()) for step in steps]


def _intervals(pointwise: BoardResult, names: Mapping[str, str]) -> dict[str, Value]:
    by_name = scored(pointwise, names)
    return {
        f"interval_{name}": [stated(by_name[name].score_low), stated(by_name[name].score_high)]
        for name in ("live", "trae")
    }
