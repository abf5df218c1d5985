"""Every configuration with its interval, rank interval and tier; the top pairs with verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from tiebreak.decide import VERDICTS
from tiebreak.design import Design
from tiebreak.errors import SpecError
from tiebreak.estimate.contract import Array, Index
from tiebreak.estimate.grouped import grouped_scores
from tiebreak.estimate.pairs import PairFit, fit_pairs
from tiebreak.estimate.scores import ScoreEstimates, estimate_scores
from tiebreak.kernels.moments import all_pairs
from tiebreak.kernels.multiplicity import rank_ranges, tiers
from tiebreak.options import Options, specs
from tiebreak.panel import Panel
from tiebreak.questions.judge import Judged, judge, judge_fit, number
from tiebreak.questions.prepare import Prepared, prepare
from tiebreak.results.board import BoardResult
from tiebreak.results.pairs import Standing
from tiebreak.sentences import board_headline
from tiebreak.trials import Trials

ALL_PAIRS_LIMIT = 200
"""Boards of more configurations judge the pairs of the top 50 unless ``top`` says otherwise."""
DEFAULT_TOP = 50


def board(trials: Trials, *, top: int | None = None, **options: Unpack[Options]) -> BoardResult:
    """Rank all configurations and judge the pairs among the top.

    Parameters
    ----------
    trials
        Checked records.
    top
        Judge the pairs among the ``top`` configurations by raw score; by default all of them
        (boards of over 200: the top 50). The family of a family rule is these pairs.
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`).

    Returns
    -------
    BoardResult
        Rank intervals and tiers come from the studentized simultaneous statements over all
        pairs of the board, whatever the family rule of the pair table.

    Raises
    ------
    SpecError, InputError
        Options or records that allow no board.
    """
    estimand, design = specs(options)
    if top is not None and top < 2:
        raise SpecError("--top names too few configurations", allowed="2 or more", got=str(top))
    prepared = prepare(trials, estimand, design)
    prepared, scores = _by_raw_score(prepared, design)
    panel, k = prepared.panel, len(prepared.panel.configurations)
    top = min(top or (k if k <= ALL_PAIRS_LIMIT else DEFAULT_TOP), k)
    judged, better = _family(prepared, design, scores, top)
    summary = _summary(judged)
    standings = _standings(panel, scores, better)
    return BoardResult(
        standings=standings,
        comparisons=tuple(judged.comparisons()),
        summary=summary,
        answer=board_headline(summary, standings, top) + _scored_by(panel),
        top=top,
        provenance=prepared.provenance,
    )


def _scored_by(panel: Panel) -> str:
    """What a score is, where it is more than success."""
    return "" if panel.scale == "unit" else f" A score is {panel.estimand.utility}."


def _by_raw_score(prepared: Prepared, design: Design) -> tuple[Prepared, ScoreEstimates]:
    """Everything in the displayed order: raw score from high to low, ties by name."""
    scores = _scores(prepared.panel, design)
    raw = np.where(np.isnan(scores.observed), -np.inf, scores.observed)
    names = prepared.panel.configurations
    order = sorted(range(len(names)), key=lambda i: (-round(float(raw[i]), 12), names[i]))
    panel = prepared.panel.take(order)
    others = tuple(p.take(order) for p in prepared.others)
    return replace(prepared, panel=panel, others=others), scores.take(order)


def _scores(panel: Panel, design: Design) -> ScoreEstimates:
    return grouped_scores(panel) if panel.counts is not None else estimate_scores(panel, design)


def _family(
    prepared: Prepared, design: Design, scores: ScoreEstimates, top: int
) -> tuple[Judged, NDArray[np.bool_]]:
    """Judge the pairs of the top, and say who is shown better than whom on the whole board."""
    panel, k = prepared.panel, len(prepared.panel.configurations)
    left, right = all_pairs(top)
    if panel.counts is not None:
        return judge(panel, design, left, right), np.zeros((k, k), dtype=bool)
    everyone = fit_pairs(panel, design, *all_pairs(k))
    better = _shown_better(everyone, design, k)
    family = everyone if top == k else fit_pairs(panel, design, left, right)
    return judge_fit(family, design, scores, prepared.others), better


def _shown_better(fit: PairFit, design: Design, k: int) -> NDArray[np.bool_]:
    """better[i, j]: the simultaneous statement says i > j. Unsupported pairs state nothing."""
    bounds = fit.bounds(replace(design, family="studentized"))
    supported = fit.covered >= 1 - 1e-9
    better = np.zeros((k, k), dtype=bool)
    better[fit.left, fit.right] = supported & (bounds.low > 0)
    better[fit.right, fit.left] = supported & (bounds.high < 0)
    return better


def _summary(judged: Judged) -> dict[str, Any]:
    flags, verdict = judged.decisions.flags, judged.decisions.verdict
    counts = np.bincount(verdict, minlength=len(VERDICTS))
    return {
        "n_pairs": int(verdict.size),
        "verdicts": {name: int(n) for name, n in zip(VERDICTS, counts, strict=True) if n},
        "resolved": int((judged.decisions.winner != 0).sum()),
        "flags": {name: int(on.sum()) for name, on in flags.items() if on.any()},
        "half_width_median": number(_median_half_width(judged.estimates.bounds)),
    }


def _median_half_width(bounds: Any) -> float:
    width = (bounds.high - bounds.low) / 2
    return float(np.median(width)) if width.size and np.isfinite(width).all() else float("nan")


def _standings(
    panel: Panel, scores: ScoreEstimates, better: NDArray[np.bool_]
) -> tuple[Standing, ...]:
    ranked = panel.counts is None
    low, high, tier = *rank_ranges(better), tiers(better)
    rank = ranks(scores.score)
    order: Index = np.argsort(np.where(rank == 0, np.inf, rank), kind="stable")
    return tuple(
        Standing(
            configuration=panel.configurations[i],
            score_observed=number(scores.observed[i]),
            score=number(scores.score[i]),
            score_low=number(scores.bounds.low[i]),
            score_high=number(scores.bounds.high[i]),
            score_se=number(scores.se[i]),
            rank=int(rank[i]) or None,
            rank_low=int(low[i]) if ranked else None,
            rank_high=int(high[i]) if ranked else None,
            tier=int(tier[i]) if ranked else None,
            n_tasks=int(scores.n_tasks[i]),
        )
        for i in order
    )


def ranks(score: Array) -> Index:
    """Competition ranks (ties share the better rank); 0 where the target is not supported."""
    rounded = np.round(score, 12)
    return np.array(
        [0 if np.isnan(s) else 1 + int((rounded > s).sum()) for s in rounded], dtype=np.intp
    )
