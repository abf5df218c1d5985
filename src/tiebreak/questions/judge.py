"""Panel + pairs → comparisons: estimates, label sources, decision, words. Serves every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tiebreak.decide import OTHER_FLAGS, VERDICTS, Decisions, Evidence, decide, practical_winner
from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Index
from tiebreak.estimate.grouped import grouped_pairs, grouped_scores
from tiebreak.estimate.pairs import PairEstimates, PairFit, fit_pairs
from tiebreak.estimate.scores import ScoreEstimates, estimate_scores
from tiebreak.panel import Panel
from tiebreak.results.pairs import Comparison
from tiebreak.sentences import pair_sentence

FEW_CELLS = 8
"""Fewer sampled cells than this get the flag few_cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Estimates and decisions of a family of pairs.

    ``sources`` holds, per further label source, the practical winners by the primary source and
    by it, both on the tasks where both have labels.
    """

    panel: Panel
    design: Design
    estimates: PairEstimates
    scores: ScoreEstimates
    decisions: Decisions
    sources: Mapping[str, tuple[Array, Array]]

    def comparisons(self) -> list[Comparison]:
        """The pairs as results."""
        radius, margin_radius = (
            self.estimates.radius(0.0),
            self.estimates.radius(self.design.margin),
        )
        return [
            self._comparison(p, radius[p], margin_radius[p]) for p in range(self.estimates.gap.size)
        ]

    def _comparison(self, p: int, radius: float, margin_radius: float) -> Comparison:
        e, names = self.estimates, self.panel.configurations
        i, j = int(e.left[p]), int(e.right[p])
        winner = {1.0: names[i], -1.0: names[j]}.get(float(self.decisions.winner[p]))
        gap, item = number(e.gap[p]), self.panel.counts is None
        values: dict[str, Any] = {
            "a": names[i],
            "b": names[j],
            "gap": gap,
            "gap_low": number(e.bounds.low[p]),
            "gap_high": number(e.bounds.high[p]),
            "gap_se": number(e.se[p]),
            "df": None if e.df is None else number(e.df[p]),
            "gap_observed": number(e.observed[p]),
            "gap_matched": gap if item else None,
            "gap_standardized": number(self.scores.score[i] - self.scores.score[j]),
            "movement": number(e.movement[p]),
            "movement_low": number(e.movement_bounds.low[p]),
            "movement_high": number(e.movement_bounds.high[p]),
            "margin": self.design.margin,
            "radius": number(radius),
            "margin_radius": number(margin_radius),
            "n_tasks": int(e.n_tasks[p]),
            "support": float(min(e.covered[p], 1.0)),
            "flags": tuple(f for f in (*VERDICTS, *OTHER_FLAGS) if self.decisions.flags[f][p]),
            "verdict": VERDICTS[self.decisions.verdict[p]],
        }
        values["reasons"] = {
            name: self._why_null(name, gap) for name, v in values.items() if v is None
        }
        values["winner"] = winner
        return Comparison(
            **values, sentence=pair_sentence(values, self.design.level, self._target, self._utility)
        )

    @property
    def _target(self) -> str:
        target = self.panel.estimand.target
        return target.kind if target.kind == "observed" else f"{target.kind} {target.column}"

    @property
    def _utility(self) -> str:
        utility = self.panel.estimand.utility
        return str(utility) if utility else ""

    @property
    def _reason_of_bounds(self) -> str:
        few = self.design.sampled == "cells"
        return "infinite: too few cells" if few else "infinite: one task shows no variance"

    def _why_null(self, name: str, gap: float | None) -> str:
        """The reason of a null field."""
        if gap is None:
            return "no shared scored task"
        if name == "gap_standardized":
            return "the target puts weight where one of them has no trial"
        if name in ("radius", "margin_radius"):
            one_cell = len(self.panel.cell_names) == 1
            return (
                "no cells to reweight: name a task column with --cells"
                if one_cell
                else "infinite: no supported cell takes the lead away"
            )
        if self.panel.counts is not None:
            return "grouped records allow no item-level interval"
        if name == "df":
            return f"the {self.design.interval} interval has no degrees of freedom"
        return self._reason_of_bounds


def judge(
    panel: Panel, design: Design, left: Index, right: Index, others: Sequence[Panel] = ()
) -> Judged:
    """Judge pairs (left − right). ``others`` are the panels of further paired label sources."""
    if panel.counts is not None:
        scores, estimates = grouped_scores(panel), grouped_pairs(panel, left, right)
        return _judged(panel, design, estimates, scores, {})
    return judge_fit(
        fit_pairs(panel, design, left, right), design, estimate_scores(panel, design), others
    )


def judge_fit(
    fit: PairFit, design: Design, scores: ScoreEstimates, others: Sequence[Panel] = ()
) -> Judged:
    """Judge an already fitted family."""
    estimates = fit.estimates(design)
    return _judged(fit.panel, design, estimates, scores, _source_winners(fit, design, others))


def _judged(
    panel: Panel,
    design: Design,
    estimates: PairEstimates,
    scores: ScoreEstimates,
    sources: Mapping[str, tuple[Array, Array]],
) -> Judged:
    e = estimates
    raw = scores.observed[e.left] - scores.observed[e.right]
    opposite = [own * theirs < 0 for own, theirs in sources.values()]
    disagree = np.any([np.zeros(e.gap.size, dtype=bool), *opposite], axis=0)
    evidence = Evidence(
        gap=e.gap,
        low=e.bounds.low,
        high=e.bounds.high,
        bound_error=np.maximum(e.bounds.low_error, e.bounds.high_error),
        movement_low=e.movement_bounds.low,
        movement_high=e.movement_bounds.high,
        movement_error=np.maximum(e.movement_bounds.low_error, e.movement_bounds.high_error),
        raw_order=np.where(np.abs(raw) < 1e-12, 0.0, np.sign(np.nan_to_num(raw))),
        unsupported=e.unsupported,
        sources_disagree=disagree,
    )
    decisions = decide(evidence, design.margin)
    item = panel.counts is None
    everywhere = np.ones(e.gap.size, dtype=bool)
    single = panel.single_runs & (design.assume_run_sd is None)
    decisions.flags["single_run"] = (single[e.left] | single[e.right]) & item
    few = design.sampled == "cells" and len(panel.cell_names) < FEW_CELLS
    decisions.flags["few_cells"] = everywhere & (item and few)
    return Judged(panel, design, estimates, scores, decisions, sources)


def _source_winners(
    fit: PairFit, design: Design, others: Sequence[Panel]
) -> dict[str, tuple[Array, Array]]:
    """Practical winners by the primary and by each other source, on the tasks labelled by both.

    An undecided source (0) disagrees with nobody.
    """
    winners = {}
    for other in others:
        unpaired = np.isnan(fit.panel.values) | np.isnan(other.values)
        own, theirs = (
            _winners(
                replace(p, values=np.where(unpaired, np.nan, p.values)), design, fit.left, fit.right
            )
            for p in (fit.panel, other)
        )
        winners[other.estimand.label_source or "score"] = own, theirs
    return winners


def _winners(panel: Panel, design: Design, left: Index, right: Index) -> Array:
    estimates = fit_pairs(panel, design, left, right).estimates(design)
    bounds = estimates.bounds
    winner = practical_winner(estimates.gap, bounds.low, bounds.high, design.margin)
    return np.where(estimates.unsupported, 0.0, winner)


def number(value: Any) -> float | None:
    """A finite float without the rounding dust past 12 decimals, or None."""
    return rounded(value) if np.isfinite(value) else None


def rounded(value: Any) -> float:
    """The same where the value is known to be finite."""
    return round(float(value), 12) + 0.0
