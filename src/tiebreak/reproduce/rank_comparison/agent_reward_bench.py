"""Section V-C: common support and label sources on AgentRewardBench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from tiebreak.questions.board import board
from tiebreak.readers import read
from tiebreak.reproduce.boards import largest_shift, scored, stated
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.board import BoardResult
from tiebreak.results.pairs import Comparison
from tiebreak.results.reproduce import Value
from tiebreak.trials import Trials


def run(setting: Setting) -> Found:
    """Expert labels under the full and the common-support target, then the functional verdicts.

    A trajectory that two experts saw counts as a success if either says so.
    """
    p, names = setting.parameters, setting.parameters["names"]
    trials = read(setting.records["annotations"], duplicates=p["duplicates"])
    full = board(trials, target=p["target"], margin=p["margin"])
    common = board(
        trials,
        target=p["target"],
        margin=p["margin"],
        support="common",
        interval="percentile",
        draws=p["draws"],
        seed=setting.seed,
    )
    verdicts = read(setting.records["verdicts"])
    expert, functional = (_by_label(verdicts, label, p) for label in ("expert", "functional"))
    figures = _full(full, names) | _common(common, names) | _labels(expert, functional, names)
    boards = (full, common, expert, functional)
    return Found(figures, tuple(b.provenance for b in boards))


def _by_label(verdicts: Trials, label: str, p: Mapping[str, str]) -> BoardResult:
    """Trajectories that a label source left open are left out."""
    return board(verdicts, target=p["target"], support="common", label_source=label, missing="drop")


def _full(full: BoardResult, names: Mapping[str, str]) -> dict[str, Value]:
    """Raw rates, and who has no score under the target over all four groups."""
    by_name = scored(full, names)
    unscored = [name for name, line in by_name.items() if line.score is None]
    return {
        "trajectories": full.provenance.data.used,
        "raw": [stated(line.score_observed) for line in by_name.values()],
        "unsupported": ", ".join(unscored),
    }


def _common(common: BoardResult, names: Mapping[str, str]) -> dict[str, Value]:
    by_name = scored(common, names)
    first, *_, last = by_name.values()
    ends = _pair(common.comparisons, first.configuration, last.configuration)
    intervals: dict[str, Value] = {
        f"interval_{i}": [stated(line.score_low), stated(line.score_high)]
        for i, line in enumerate(by_name.values(), 1)
    }
    return intervals | {
        "balanced": [stated(line.score) for line in by_name.values()],
        "largest_shift": largest_shift(common),
        "stable": common.summary["verdicts"].get("stable", 0),
        "underpowered": common.summary["verdicts"].get("underpowered", 0),
        "matched_gap": stated(ends.gap),
        "standardized_gap": stated(ends.gap_standardized),
    }


def _pair(pairs: Sequence[Comparison], a: str, b: str) -> Comparison:
    return next(pair for pair in pairs if (pair.a, pair.b) == (a, b))


def _labels(
    expert: BoardResult, functional: BoardResult, names: Mapping[str, str]
) -> dict[str, Value]:
    by_expert, by_check = _order(expert, names), _order(functional, names)
    rank = by_check.index
    reversed_pairs = sum(rank(a) > rank(b) for a, b in combinations(by_expert, 2))
    return {
        "expert_winner": by_expert[0],
        "functional_winner": by_check[0],
        "functional_reversed": reversed_pairs,
    }


def _order(result: BoardResult, names: Mapping[str, str]) -> list[str]:
    """Published names from the best score down."""
    by_name = scored(result, names)
    return sorted(by_name, key=lambda name: by_name[name].rank or 0)
