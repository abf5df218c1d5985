"""Who is on top where on the simplex of weights over the cells of common support."""

from __future__ import annotations

import numpy as np

from tiebreak.estimate.contract import Array
from tiebreak.kernels.crossovers import upper_envelope
from tiebreak.kernels.radius import DUST
from tiebreak.kernels.regions import (
    never_wins,
    simplex_shares_exact,
    simplex_shares_sampled,
    sweep_thresholds,
)
from tiebreak.questions.judge import number
from tiebreak.questions.targets.setup import Setup
from tiebreak.questions.targets.words import half_space_sentence, threshold_sentence
from tiebreak.results.weight_lines import HalfSpace, Regions, Share, Threshold


def regions(setup: Setup) -> Regions | None:
    """Shares of all weights; None where one cell leaves nothing to weigh."""
    rates = setup.rates[:, setup.common]
    cells = rates.shape[1]
    if cells < 2:
        return None
    draws = setup.design.draws if cells > 3 else None
    shares, error = _shares(rates, draws, setup.design.seed), np.zeros(len(rates))
    if draws is not None:
        error = np.sqrt(shares * (1 - shares) / draws)
    never = never_wins(rates)
    return Regions(
        method="exact" if draws is None else "sampled",
        draws=draws,
        cells=setup.cells,
        shares=tuple(
            Share(name, number(s) or 0.0, number(e) or 0.0, bool(n))
            for name, s, e, n in zip(setup.names, shares, error, never, strict=True)
        ),
        half_space=_half_space(setup) if setup.left.size == 1 else None,
    )


def _shares(rates: Array, draws: int | None, seed: int) -> Array:
    if draws is not None:
        return simplex_shares_sampled(rates, draws, np.random.default_rng(seed))
    return _line_shares(rates) if rates.shape[1] == 2 else simplex_shares_exact(rates)


def _line_shares(rates: Array) -> Array:
    """Two cells: lengths of the upper envelope's segments; twins split theirs."""
    envelope, shares = upper_envelope(rates[:, 0], rates[:, 1]), np.zeros(len(rates))
    for winner, length in zip(envelope.winners, np.diff(envelope.breakpoints), strict=True):
        twins = (np.abs(rates - rates[winner]) <= DUST).all(axis=1)
        shares[twins] += length / twins.sum()
    return shares


def _half_space(setup: Setup) -> HalfSpace | None:
    """The one pair's: where a leads, in gaps per cell and cell by cell."""
    gaps = setup.gaps[0, setup.common]
    if np.isnan(gaps).any():
        return None
    a, b = (setup.names[side[0]] for side in (setup.left, setup.right))
    by_cell = dict(zip(setup.cells, (round(float(g), 12) for g in gaps), strict=True))
    return HalfSpace(a, b, by_cell, half_space_sentence(a, b, by_cell), _thresholds(setup, a, b))


def _thresholds(setup: Setup, a: str, b: str) -> tuple[Threshold, ...]:
    """Weights of single cells, the rest split equally, at which the leader changes."""
    gaps = setup.gaps[:1, setup.common]
    found, made = sweep_thresholds(gaps, np.full(gaps.shape, 1 / gaps.shape[1])), []
    for cell, weight, side in zip(setup.cells, found.weight[0], found.side[0], strict=True):
        if side and 0 < weight < 1:
            leader = a if side > 0 else b
            sentence = threshold_sentence(leader, cell, float(weight))
            made.append(Threshold(cell, leader, round(float(weight), 12), sentence))
    return tuple(made)
