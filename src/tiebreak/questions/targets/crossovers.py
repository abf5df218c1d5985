"""Where pairs change places along a path, with Fieller intervals, and who is on top where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tiebreak.estimate.contract import Array, Engine
from tiebreak.estimate.crossovers import crossover_sets
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.kernels.crossovers import (
    KINDS,
    CrossoverSet,
    exact_crossover,
    exact_envelope,
    gap_crossovers,
    upper_envelope,
)
from tiebreak.kernels.radius import DUST
from tiebreak.questions.judge import number
from tiebreak.questions.targets.exact import Exact, Ratios
from tiebreak.questions.targets.paths import Path, Weights
from tiebreak.questions.targets.setup import Setup
from tiebreak.results.weight_lines import Crossover, PathScore, Segment

GROUPED = "grouped records allow no item-level interval"
CELLS_SAMPLED = "cells are sampled: the weight of a named cell has no sampling interval"
NO_TASK = "no shared scored task in a cell of the path"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """All pairs along one path: gaps at its ends, crossovers, and the set that data allow."""

    path: Path
    start: Array
    end: Array
    at: Array
    allowed: CrossoverSet | None


def crossovers(setup: Setup, paths: tuple[Path, ...], exact: Exact | str) -> tuple[Crossover, ...]:
    """Every pair along every path."""
    engine = _engine(setup)
    lines = [_line(setup, path, engine) for path in paths]
    return tuple(
        _crossover(setup, line, p, exact) for line in lines for p in range(setup.left.size)
    )


def _engine(setup: Setup) -> Engine | None:
    """The t engine, whatever the interval of the verdicts; None where there are no intervals."""
    if setup.grouped or setup.design.sampled != "tasks":
        return None
    design = replace(setup.design, interval="t")
    return fit_pairs(setup.panel, design, setup.left, setup.right).engine


def _line(setup: Setup, path: Path, engine: Engine | None) -> Line:
    gaps = setup.gaps[:, setup.common]
    start, end = (_along(gaps, w) for w in path.ends())
    at = gap_crossovers(start, end)
    if engine is None:
        return Line(path, start, end, at, None)
    first, last = (_everywhere(setup, w) for w in path.ends())
    allowed = crossover_sets(engine, (start, end), (first, last), setup.design.alpha)
    return Line(path, start, end, at, allowed)


def _along(gaps: Array, weights: Array) -> Array:
    """Σ π_x d_x; cells of zero weight may lack a gap."""
    mixed: Array = np.where(weights != 0, gaps * weights, 0.0).sum(axis=1)
    return mixed


def _everywhere(setup: Setup, weights: Array) -> Array:
    """Weights of all cells, zero outside common support."""
    full = np.zeros(len(setup.panel.cell_names))
    full[setup.common] = weights
    return full


def _crossover(setup: Setup, line: Line, p: int, exact: Exact | str) -> Crossover:
    a, b = setup.names[setup.left[p]], setup.names[setup.right[p]]
    at, ratio = number(line.at[p]), _exact(setup, line, p, exact)
    weight = at if ratio is None else float(ratio)
    below, above = _leaders(line, p, a, b)
    low, high, why = _bounds(setup, line, p)
    none = _why_no_weight(line, p, below) if weight is None else None
    reasons = {
        "weight": none,
        "weight_exact": none or (exact if isinstance(exact, str) else None),
        "weight_low": why,
        "weight_high": why,
        "winner_below": (none or "no weight lies below 0") if below is None else None,
        "winner_above": (none or "no weight lies above 1") if above is None else None,
    }
    return Crossover(
        a=a,
        b=b,
        path=line.path.name,
        weight=weight,
        weight_exact=None if ratio is None else str(ratio),
        weight_low=low,
        weight_high=high,
        winner_below=below,
        winner_above=above,
        reasons={name: reason for name, reason in reasons.items() if reason},
    )


def _exact(setup: Setup, line: Line, p: int, exact: Exact | str) -> Fraction | None:
    """The crossover as a ratio, where there is one."""
    if isinstance(exact, str) or np.isnan(line.at[p]):
        return None
    gaps = exact.gaps(int(setup.left[p]), int(setup.right[p]))
    ends = [_mixed(setup, gaps, w) for w in (line.path.start, line.path.end)]
    return exact_crossover(*ends)


def _mixed(setup: Setup, values: Ratios, weights: Weights) -> Fraction:
    """Σ w_x v_x over cells of positive weight; all of them have a value."""
    pairs = zip(setup.common, weights, strict=True)
    return sum((w * (values[x] or 0) for x, w in pairs if w), Fraction(0))


def _leaders(line: Line, p: int, a: str, b: str) -> tuple[str | None, str | None]:
    """Who leads below and above the crossover; the same one where there is none."""
    start, end = (0.0 if abs(v[p]) <= DUST else float(v[p]) for v in (line.start, line.end))
    named = {1.0: a, -1.0: b}
    return named.get(float(np.sign(start))), named.get(float(np.sign(end)))


def _why_no_weight(line: Line, p: int, leader: str | None) -> str:
    if np.isnan(line.start[p]) or np.isnan(line.end[p]):
        return NO_TASK
    return "a tie at every weight" if leader is None else f"{leader} leads at every weight"


def _bounds(setup: Setup, line: Line, p: int) -> tuple[float | None, float | None, str | None]:
    """Weights of the path at which the data allow a tie: an interval, or in words."""
    if line.allowed is None:
        return None, None, GROUPED if setup.grouped else CELLS_SAMPLED
    if np.isnan(line.start[p]) or np.isnan(line.end[p]):
        return None, None, NO_TASK
    pieces = list(_pieces(line.allowed, p))
    if not pieces:
        return None, None, "the data exclude a tie at every weight of the path"
    if len(pieces) == 2:
        (_, low), (high, _) = pieces
        return None, None, f"not an interval: every weight up to {low:.3f} or from {high:.3f} on"
    low, high = pieces[0]
    why = "the whole path: the data exclude no weight" if (low, high) == (0, 1) else None
    return number(low), number(high), why


def _pieces(allowed: CrossoverSet, p: int) -> Iterator[tuple[float, float]]:
    """The parts of the set that lie on the path, [0, 1]."""
    kind, low, high = KINDS[allowed.kind[p]], float(allowed.low[p]), float(allowed.high[p])
    parts = {
        "bounded": [(low, high)],
        "outside": [(-np.inf, low), (high, np.inf)],
        "whole": [(0.0, 1.0)],
        "empty": [],
    }[kind]
    for start, end in parts:
        if start <= 1 and end >= 0:
            yield max(start, 0.0), min(end, 1.0)


def path_scores(setup: Setup, paths: tuple[Path, ...]) -> tuple[PathScore, ...]:
    """Everybody's standardized score at both ends of every path."""
    rates = setup.rates[:, setup.common]
    return tuple(
        PathScore(path.name, name, number(start), number(end))
        for path in paths
        for name, start, end in zip(
            setup.names, *(_along(rates, w) for w in path.ends()), strict=True
        )
    )


def envelopes(setup: Setup, paths: tuple[Path, ...], exact: Exact | str) -> tuple[Segment, ...]:
    """Who is on top along every path, by standardized scores."""
    return tuple(segment for path in paths for segment in _envelope(setup, path, exact))


def _envelope(setup: Setup, path: Path, exact: Exact | str) -> Iterator[Segment]:
    if isinstance(exact, str):
        found = upper_envelope(*(setup.rates[:, setup.common] @ w for w in path.ends()))
        at = [float(b) for b in found.breakpoints]
        breaks: list[str | None] = [None] * len(at)
        winners = tuple(int(w) for w in found.winners)
    else:
        rates = [exact.rates(i) for i in range(len(setup.names))]
        ends = [[_mixed(setup, r, w) for r in rates] for w in (path.start, path.end)]
        ratios, winners = exact_envelope(*ends)
        at, breaks = [float(r) for r in ratios], [str(r) for r in ratios]
    for i, winner in enumerate(winners):
        yield Segment(path.name, setup.names[winner], at[i], at[i + 1], breaks[i], breaks[i + 1])
