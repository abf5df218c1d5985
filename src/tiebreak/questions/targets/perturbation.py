"""Weights drawn around the main target: who is on top how often, by how much, with what verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tiebreak.decide import VERDICTS
from tiebreak.design import Design
from tiebreak.errors import SpecError, listed
from tiebreak.estimate.contract import Array
from tiebreak.estimate.pairs import PairFit, fit_pairs, pair_weights
from tiebreak.estimate.scores import ScoreEstimates
from tiebreak.kernels.perturbation import (
    dirichlet_weights,
    l1_ball_weights,
    top_gap_quantiles,
    top_shares,
)
from tiebreak.panel import Panel
from tiebreak.progress import track
from tiebreak.questions.judge import Judged, judge, judge_fit, number
from tiebreak.questions.targets.asked import CONCENTRATION, Asked
from tiebreak.questions.targets.paths import target_name
from tiebreak.questions.targets.setup import Setup
from tiebreak.results.weight_lines import PairFrequencies, Perturbation

QUANTILES = (0.025, 0.1, 0.5, 0.9, 0.975)
MOST_VERDICTS = 2_000_000
"""Verdicts of pairs under draws; beyond, a board is too large to judge every pair every time."""


def perturb(setup: Setup, asked: Asked) -> Perturbation | None:
    """Draws of weights on common support, seeded by the design."""
    if asked.perturb is None:
        return None
    weights = _draw(setup, asked, asked.perturb)
    scores = weights @ setup.rates[:, setup.common].T
    shares, gaps = top_shares(scores), top_gap_quantiles(scores, np.array(QUANTILES))
    few = setup.left.size * asked.perturb <= MOST_VERDICTS
    concentration = CONCENTRATION if asked.concentration is None else asked.concentration
    return Perturbation(
        target=target_name(setup, setup.main),
        n=asked.perturb,
        concentration=None if asked.ball is not None else concentration,
        ball=asked.ball,
        top={n: float(s) for n, s in zip(setup.names, shares, strict=True)},
        top_gap={f"{q:g}": number(g) or 0.0 for q, g in zip(QUANTILES, gaps, strict=True)},
        pairs=_frequencies(setup, weights) if few else (),
    )


def _draw(setup: Setup, asked: Asked, n: int) -> Array:
    rng, target = np.random.default_rng(setup.design.seed), setup.weights(setup.main)
    if np.isnan(target).any():
        raise SpecError(
            "the target has no weight on common support, so none to perturb",
            allowed=f"weight on {listed(setup.cells)}",
            got=target_name(setup, setup.main),
        )
    if asked.ball is not None:
        return l1_ball_weights(target, asked.ball, n, rng)
    concentration = CONCENTRATION if asked.concentration is None else asked.concentration
    return dirichlet_weights(target, concentration, n, rng)


def _frequencies(setup: Setup, weights: Array) -> tuple[PairFrequencies, ...]:
    """Share of the draws with each verdict, and with each practical winner."""
    pairs, draws = setup.left.size, len(weights)
    verdicts, wins = np.zeros((pairs, len(VERDICTS))), np.zeros((pairs, 2))
    every = np.arange(pairs)
    for decisions in track((j.decisions for j in _judged(setup, weights)), draws, "perturbation"):
        verdicts[every, decisions.verdict] += 1
        wins += np.stack([decisions.winner > 0, decisions.winner < 0], axis=1)
    return tuple(
        PairFrequencies(
            a=setup.names[setup.left[p]],
            b=setup.names[setup.right[p]],
            verdicts={v: float(n / draws) for v, n in zip(VERDICTS, verdicts[p], strict=True) if n},
            wins_a=float(wins[p, 0] / draws),
            wins_b=float(wins[p, 1] / draws),
        )
        for p in every
    )


def _judged(setup: Setup, weights: Array) -> Iterator[Judged]:
    """Every draw judged as a target of its own; moments and observed scores are fitted once."""
    prepared, design = setup.prepared[setup.main], setup.design
    left, right = setup.left, setup.right
    if setup.grouped:
        panels = (_under(setup, prepared.panel, w) for w in weights)
        yield from (judge(panel, design, left, right) for panel in panels)
        return
    fit, scores = fit_pairs(prepared.panel, design, left, right), setup.judged[setup.main].scores
    for w in weights:
        others = tuple(_under(setup, other, w) for other in prepared.others)
        yield _refit(fit, _under(setup, prepared.panel, w), design, scores, others)


def _refit(
    fit: PairFit, panel: Panel, design: Design, scores: ScoreEstimates, others: tuple[Panel, ...]
) -> Judged:
    weights, covered = pair_weights(panel, fit.moments.n, fit.left, fit.right)
    again = replace(fit, panel=panel, weights=weights, covered=covered, fit=fit.engine.fit(weights))
    return judge_fit(again, design, scores, others)


def _under(setup: Setup, panel: Panel, weights: Array) -> Panel:
    """A panel with drawn weights on the cells of common support."""
    full = np.zeros(len(panel.cell_names))
    full[setup.common] = weights
    return replace(panel, weights=full, by_task=False)
