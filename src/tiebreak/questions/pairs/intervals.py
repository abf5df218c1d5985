"""Intervals of a mean over all pairs, one source of randomness at a time and then together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.special import ndtri

from tiebreak.design import PairDesign
from tiebreak.errors import InputError, SpecError, listed
from tiebreak.kernels.pair_counts.bootstrap import (
    Drawn,
    configuration_draws,
    discordance_draws,
    gap_mean,
    near_mean,
    reversed_mean,
    score_draws,
)
from tiebreak.kernels.pair_counts.rules import PairRule, near_limit, pair_sums
from tiebreak.kernels.pair_counts.runs import ResampledRuns
from tiebreak.kernels.pair_counts.variances import FEWEST, METHODS, PairSums
from tiebreak.kernels.resampling import quantile_pair, uniform_counts
from tiebreak.panel import Array
from tiebreak.progress import track
from tiebreak.questions.pairs.exact import Board, task_scores
from tiebreak.results.pair_counts import Diagnostic, PairInterval

DUST = 1e-12


def check_sources(design: PairDesign, board: Board) -> None:
    """Refuse sources of randomness that the rule or the records do not have."""
    sampled = set(design.sampled)
    allowed = {
        "unresolved": {"configurations"},
        "stable": {"configurations"},
        "discordance": {"configurations", "tasks", "cells"},
    }.get(design.rule, sampled)
    if sampled - allowed:
        raise SpecError(
            f"the rule {design.rule} cannot be drawn anew for {listed(sorted(sampled - allowed))}",
            allowed=listed(sorted(allowed)),
            hint="verdicts hold the sampling of tasks already" if "stable" in design.rule else None,
        )
    if "configurations" in sampled and board.size < FEWEST:
        raise InputError(
            "too few configurations for the unbiased components",
            where=board.origin,
            allowed=f"{FEWEST} or more",
            got=str(board.size),
        )
    if "runs" in sampled:
        _check_runs(board)


def _check_runs(board: Board) -> None:
    panel = board.panels[0]
    single = [n for n, s in zip(board.names, panel.single_runs, strict=True) if s]
    if single:
        raise InputError(
            "runs are sampled, but one run shows no run noise",
            where=board.origin,
            got=f"a single run of {listed(single, 4)}",
        )
    if panel.estimand.protocol.k > 1:
        what = "runs are resampled for pass@1 only"
        raise SpecError(what, where=board.origin, got=str(panel.estimand.protocol))
    r = panel.repeats
    if r is None:
        return
    m = np.nan_to_num(r.means[~r.crossed])
    if not np.allclose(r.within[~r.crossed], r.counts[~r.crossed] * m * (1 - m), atol=1e-9):
        what = "graded trials that are nested in tasks cannot be resampled"
        raise InputError(what, where=board.origin, allowed="outcomes of 0 or 1, or crossed runs")


def intervals(
    rules: Sequence[PairRule], nears: Sequence[Fraction | None], board: Board, design: PairDesign
) -> list[tuple[PairInterval, ...]]:
    """All intervals of each rule; several rules are near ties at several margins of one board."""
    if not design.sampled:
        return [() for _ in rules]
    sums = [pair_sums(rule) for rule in rules]
    drawn = {
        "+".join(sources): _draws(rules, nears, board, design, sources)
        for sources in _combinations(design.sampled)
    }
    return [
        _lines(s, {name: means[k] for name, means in drawn.items()}, design)
        for k, s in enumerate(sums)
    ]


def _combinations(sampled: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every source by itself, in canonical order, and all together."""
    ordered = tuple(s for s in ("configurations", "tasks", "cells", "runs") if s in sampled)
    return [*((s,) for s in ordered), *([ordered] if len(ordered) > 1 else [])]


def _lines(
    sums: PairSums[float], drawn: dict[str, Array], design: PairDesign
) -> tuple[PairInterval, ...]:
    """Wald intervals of the closed forms, percentile intervals of the draws."""
    formulas = METHODS if "configurations" in drawn else METHODS[:1]
    z, reference = float(ndtri((1 + design.level) / 2)), 0.0
    found = []
    for method in formulas:
        half = z * float(np.sqrt(max(sums.variance(method), 0.0)))
        ends = (max(sums.mean - half, 0.0), min(sums.mean + half, 1.0), 0.0, 0.0)
        reference = ends[1] - ends[0] if method == "pair-iid" else reference
        source = "pairs" if method == "pair-iid" else "configurations"
        found.append(_line(method, source, ends, reference))
    alpha = np.array([round(1 - design.level, 12)])
    for source, means in drawn.items():
        low, high, low_error, high_error = (float(b[0]) for b in quantile_pair(means[None], alpha))
        found.append(_line("bootstrap", source, (low, high, low_error, high_error), reference))
    return tuple(found)


def _line(
    method: str, sampled: str, ends: tuple[float, float, float, float], reference: float
) -> PairInterval:
    low, high, low_error, high_error = (round(e, 12) + 0.0 for e in ends)
    width = round(high - low, 12)
    ratio = round(width / reference, 9) if reference > 0 else None
    return PairInterval(method, sampled, low, high, low_error, high_error, width, ratio)


def diagnostic(rule: PairRule) -> Diagnostic:
    """Is the first-order variance positive, and at least half of all?"""
    found = pair_sums(rule).components()
    share = None if found.share is None else round(float(found.share), 12)
    return Diagnostic(round(float(found.zeta1), 15), share, found.passes)


def _draws(
    rules: Sequence[PairRule],
    nears: Sequence[Fraction | None],
    board: Board,
    design: PairDesign,
    sources: tuple[str, ...],
) -> Array:
    """Means of every rule over resampled boards, (rules, draws). Each combination of sources has
    a stream of its own, so that leaving one out changes no other."""
    rng = np.random.default_rng([design.seed, *map(ord, "+".join(sources))])
    if sources == ("configurations",):
        state = rng.bit_generator.state
        found = []
        for rule in rules:  # the same configurations for every margin
            rng.bit_generator.state = state
            found.append(configuration_draws(rule, design.draws, rng))
        return np.stack(found)
    made, exact = task_scores(board, runs="runs" in sources)
    task_source = next((s for s in sources if s in ("tasks", "cells")), None)
    together = "configurations" in sources
    if design.rule == "discordance" and task_source is not None:
        return discordance_draws(made, task_source, together, design.draws, rng)[None]
    counts = uniform_counts(board.size, design.draws, rng) if together else None
    runs = _resampled_runs(board) if "runs" in sources else None
    boards = score_draws(made, task_source, runs, design.draws, rng)
    means = (
        _means(drawn, design, nears, None if counts is None else counts[:, b], exact)
        for b, drawn in enumerate(boards)
    )
    return np.stack(list(track(means, design.draws, f"{'+'.join(sources)} drawn")), axis=1)


def _means(
    drawn: Drawn,
    design: PairDesign,
    nears: Sequence[Fraction | None],
    counts: Array | None,
    exact: bool,
) -> Array:
    """The rule on one resampled board."""
    if design.rule == "gap":
        return np.array([gap_mean(drawn.scores[0], drawn.totals[0], counts)])
    if design.rule == "reversed":
        first, second = drawn.scores
        return np.array([reversed_mean(first, second, counts, 0.0 if exact else DUST)])
    total = drawn.totals[0]
    limits = [
        near_limit(near, int(total)) if exact else float(near) * total + DUST
        for near in nears
        if near is not None
    ]
    return near_mean(drawn.scores[0], np.array(limits, dtype=float), counts)


def _resampled_runs(board: Board) -> ResampledRuns:
    """Runs of the board's trials; all its configurations have several (checked before)."""
    repeats = board.panels[0].repeats
    if repeats is None:
        raise InputError("runs are sampled, but one run shows no run noise")
    return ResampledRuns(repeats.counts, repeats.means, repeats.outcomes, repeats.crossed)
