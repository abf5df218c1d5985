"""Whom each source puts on top, and which pairs it turns round, on what both labelled."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from tiebreak.decide import practical_winner
from tiebreak.design import Design
from tiebreak.errors import TiebreakError
from tiebreak.estimand import Estimand
from tiebreak.estimate.pairs import PairEstimates, fit_pairs
from tiebreak.estimate.scores import ScoreEstimates, estimate_scores
from tiebreak.kernels.moments import all_pairs
from tiebreak.panel import Panel, common_support
from tiebreak.questions.judge import number
from tiebreak.questions.labels.labelled import Array, Flags, Labels
from tiebreak.questions.prepare import claimed_panel
from tiebreak.results.label_lines import ReversedPair, Selection

TIE = 1e-12


def selection(labels: Labels, source: str, estimand: Estimand, design: Design) -> Selection:
    """The source's board beside the reference's, both on the trajectories that both labelled."""
    try:
        panels = [
            _panel(labels, source, name, estimand, design)
            for name in (labels.asked.reference, source)
        ]
    except TiebreakError as fault:
        return _none(fault.what)
    k = len(panels[0].configurations)
    if k < 2:
        return _none("one configuration only")
    scores = [estimate_scores(p, design) for p in panels]
    left, right = all_pairs(k)
    pairs = [fit_pairs(p, design, left, right).estimates(design) for p in panels]
    return _selection(panels[0], scores, pairs, design.margin)


def _panel(labels: Labels, source: str, name: str, estimand: Estimand, design: Design) -> Panel:
    own = replace(estimand, label_source=name, missing="drop", support="full")
    panel = claimed_panel(labels.pairing(source), own, design)
    return common_support(panel) if estimand.support == "common" else panel


def _none(reason: str) -> Selection:
    return Selection(None, None, None, None, 0, (), (), 0, 0, 0, 0, None, None, reason)


def _selection(
    panel: Panel, scores: list[ScoreEstimates], pairs: list[PairEstimates], margin: float
) -> Selection:
    names = panel.configurations
    won = [_winners(p, margin) for p in pairs]
    opposite = _sign(pairs[0].gap) * _sign(pairs[1].gap) < 0
    turned = won[0] * won[1] < 0
    (top_ref, top), (raw_ref, raw) = (
        [_best(names, values) for values in both]
        for both in ([s.score for s in scores], [s.observed for s in scores])
    )
    tau, rho = _correlations(scores[0].score, scores[1].score)
    return Selection(
        top=top,
        top_reference=top_ref,
        top_observed=raw,
        top_observed_reference=raw_ref,
        n_pairs=int((~np.isnan(pairs[0].gap) & ~np.isnan(pairs[1].gap)).sum()),
        reversed_pairs=_named(names, pairs, opposite),
        reversed_decisions=_named(names, pairs, turned),
        decided=int((won[0] != 0).sum()),
        kept=int((won[0] * won[1] > 0).sum()),
        lost=int(((won[0] != 0) & (won[1] == 0)).sum()),
        gained=int(((won[0] == 0) & (won[1] != 0)).sum()),
        kendall_tau=tau,
        spearman=rho,
    )


def _winners(estimates: PairEstimates, margin: float) -> Array:
    bounds = estimates.bounds
    winner = practical_winner(estimates.gap, bounds.low, bounds.high, margin)
    return np.where(estimates.unsupported, 0.0, winner)


def _sign(gap: Array) -> Array:
    return np.where(np.abs(gap) < TIE, 0.0, np.sign(np.nan_to_num(gap)))


def _best(names: tuple[str, ...], values: Array) -> str | None:
    """The highest, ties by name."""
    if np.isnan(values).all():
        return None
    return names[int(np.argmax(np.round(np.nan_to_num(values, nan=-1.0), 12)))]


def _named(
    names: tuple[str, ...], pairs: list[PairEstimates], which: Flags
) -> tuple[ReversedPair, ...]:
    """The pairs by name, the reference's leader first."""
    found = []
    for p in np.flatnonzero(which):
        reference, own = float(pairs[0].gap[p]), float(pairs[1].gap[p])
        pair = names[pairs[0].left[p]], names[pairs[0].right[p]]
        a, b = pair if reference > 0 else pair[::-1]
        sign = 1 if reference > 0 else -1
        found.append(ReversedPair(a, b, round(sign * reference, 12), round(sign * own, 12)))
    return tuple(sorted(found, key=lambda r: (-r.gap_reference, r.a, r.b)))


def _correlations(reference: Array, own: Array) -> tuple[float | None, float | None]:
    """Kendall's τ-b and Spearman's ρ of the two boards; None where one of them is all ties."""
    from scipy.stats import kendalltau, spearmanr

    known = ~np.isnan(reference) & ~np.isnan(own)
    x, y = np.round(reference[known], 12), np.round(own[known], 12)
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of p values, which are not used
        return number(kendalltau(x, y).statistic), number(spearmanr(x, y).statistic)
