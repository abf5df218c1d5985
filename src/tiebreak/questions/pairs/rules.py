"""The board under a pair rule: from exact scores, from verdicts, or from task values."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from tiebreak.decide import VERDICTS
from tiebreak.errors import InputError
from tiebreak.kernels.moments import all_pairs
from tiebreak.kernels.pair_counts.bootstrap import TaskScores
from tiebreak.kernels.pair_counts.rules import (
    AbsoluteGaps,
    NearTies,
    PairMatrix,
    PairRule,
    near_limit,
    opposite_orders,
)
from tiebreak.questions.judge import judge
from tiebreak.questions.pairs.asked import Asked
from tiebreak.questions.pairs.exact import Board, task_scores
from tiebreak.questions.prepare import Prepared

DECIMALS = 10**12
"""Totals of values that are no small ratios are kept to twelve places."""


def near_rule(board: Board, near: Fraction) -> NearTies:
    """Near ties of exact scores."""
    scores, scale = board.scores[0]
    return NearTies(scores, near_limit(near, scale))


def pair_rule(asked: Asked, board: Board, prepared: Prepared) -> PairRule:
    """The rule that was asked for.

    Raises
    ------
    InputError
        All scores equal where the rule is about scores, or records that the rule cannot use.
    """
    rule = asked.design.rule
    if rule in ("near", "gap", "reversed"):
        _check_spread(board)
    if asked.design.near is not None:
        return near_rule(board, asked.design.near)
    if rule == "gap":
        return AbsoluteGaps(*board.scores[0])
    if rule == "reversed":
        opposite = opposite_orders(board.scores[0][0], board.scores[1][0])
        return PairMatrix(opposite, 0.0, Fraction(int(opposite.sum()) // 2))
    if rule == "discordance":
        made, exact = task_scores(board, runs=False)
        return _discordance(made, exact=exact)
    return _verdicts(asked, board, prepared)


def _check_spread(board: Board) -> None:
    """A board whose scores are all one number has nothing to tell apart."""
    for panel, (scores, scale) in zip(board.panels, board.scores, strict=True):
        if (scores == scores[0]).all():
            raise InputError(
                f"all scores are equal under the target {panel.estimand.target}",
                where=board.origin,
                got=f"{board.size} configurations at {float(Fraction(int(scores[0]), scale)):g}",
                allowed="at least two different scores",
            )


def _discordance(made: TaskScores, *, exact: bool) -> PairMatrix:
    """Σ_t w_t |y_it − y_jt|, by thresholds between the values that occur."""
    w, unit = made.weights[0], made.scale * float(made.weights[0].sum())
    levels = np.unique(made.values)
    total = np.zeros((len(made.values), len(made.values)))
    for low, high in pairwise(levels):
        above = (made.values > low).astype(float)
        sums = above @ w
        total += (high - low) * (sums[:, None] + sums - 2 * (above * w) @ above.T)
    summed, scale = float(np.triu(total, 1).sum()), int(unit) if exact else DECIMALS
    whole = Fraction(round(summed), scale) if exact else Fraction(round(summed * scale), scale)
    return PairMatrix(total / unit, 0.0, whole, scale)


def _verdicts(asked: Asked, board: Board, prepared: Prepared) -> PairMatrix:
    """Pairs without a practical winner, or with the verdict stable, as the board judges them."""
    panel = board.panels[0]
    if panel.counts is not None:
        what = "grouped records allow no interval, so no verdict settles a pair"
        raise InputError(what, where=board.origin)
    kept = [prepared.panel.configurations.index(name) for name in board.names]
    left, right = all_pairs(board.size)
    others = [other.take(kept) for other in prepared.others]
    decisions = judge(panel, asked.judged, left, right, others).decisions
    unresolved = asked.design.rule == "unresolved"
    stable = decisions.verdict == VERDICTS.index("stable")
    on = decisions.winner == 0 if unresolved else stable
    values = np.zeros((board.size, board.size), dtype=bool)
    values[left, right] = values[right, left] = on
    return PairMatrix(values, float(unresolved), Fraction(int(on.sum())))
