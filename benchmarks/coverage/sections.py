"""The sections of the study: each draws, lets the product state intervals, and tables coverage."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from products import Coverage, bands, coverage, from_moments, from_values
from scipy.special import stdtrit
from simulated import (
    LAYOUTS,
    SPREAD,
    SWE,
    TARGETS,
    Array,
    Clusters,
    Pairs,
    Spread,
    cell_sizes,
    draw_board,
    draw_pairs,
    draw_rates,
    draw_sampled_cells,
    draw_tables,
    generator,
    target_weights,
    twin_rates,
)

from tiebreak.design import Design
from tiebreak.estimate.contract import Bounds
from tiebreak.kernels.moments import CellMoments, all_pairs

RATES = {"near 0": 0.05, "½": 0.5, "near 1": 0.95}
TASKS = (50, 200, 500, 2000)
GAP_LIMITS, SCORE_LIMITS = (0.94, 0.96), (0.935, 0.97)
SAMPLED_LIMITS = (0.935, 0.965)
BAND_LIMITS = (0.94, 0.96)
EFFECT_SDS = (0.0, 0.4, 1.0)
CONFIGURATIONS = 10


@dataclass(frozen=True)
class Scale:
    """Replicates and draws of each part, and the seed of all."""

    moderated: int = 200_000
    beyond: int = 20_000
    bootstrap: int = 1_000
    sampled: int = 10_000
    boards: int = 2_000
    draws: int = 1_000
    runs: int = 4_000
    labelled: int = 2_000
    calibrated: int = 400
    seed: int = 20260601


FULL = Scale()
QUICK = Scale(
    moderated=20_000,
    beyond=5_000,
    bootstrap=300,
    sampled=1_000,
    boards=200,
    draws=500,
    runs=400,
    labelled=200,
    calibrated=60,
)


@dataclass(frozen=True)
class Row:
    """One row of a table: what was drawn, and how each method did."""

    labels: tuple[str, ...]
    found: dict[str, Coverage]


@dataclass(frozen=True)
class Table:
    """Rows with the bounds that they are held to; the first method is the product's default."""

    heads: tuple[str, ...]
    rows: list[Row]
    limits: tuple[float, float]

    def out(self, method: str) -> list[Row]:
        """Rows where a method is out of bounds."""
        return [r for r in self.rows if not self.within(r.found[method])]

    def within(self, c: Coverage) -> bool:
        """In bounds."""
        return self.limits[0] <= c.covered <= self.limits[1]

    def summary(self) -> str:
        """Range and rows out of bounds of every method."""
        return "; ".join(self._one(method) for method in self.rows[0].found)

    def _one(self, method: str) -> str:
        covered = [100 * r.found[method].covered for r in self.rows]
        lost = f"{len(self.out(method))} of {len(covered)} rows out of bounds"
        return f"{method}: {min(covered):.2f} to {max(covered):.2f}, {lost}"

    def markdown(self) -> str:
        """Coverage ± Monte Carlo standard error, misses below/above, width; bold: out of bounds."""
        methods = list(self.rows[0].found)
        head = [*self.heads]
        for m in methods:
            head += [f"{m} %", "below/above", "width"]
        lines = [head, ["---"] * len(head), *(self._line(r) for r in self.rows)]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def _line(self, row: Row) -> list[str]:
        line = list(row.labels)
        for c in row.found.values():
            mark = "" if self.within(c) else "**"
            line.append(f"{mark}{100 * c.covered:.2f}{mark} ± {100 * c.error:.2f}")
            line += [f"{100 * c.below:.1f}/{100 * c.above:.1f}", f"{c.width:.3f}"]
        return line


def progress(text: str, started: float) -> None:
    """A line on stderr."""
    sys.stderr.write(f"{time.perf_counter() - started:6.0f} s  {text}\n")
    sys.stderr.flush()


def grid(scale: Scale, started: float) -> tuple[Table, Table]:
    """Tasks sampled within cells: gaps and single scores, both engines."""
    gaps, scores = [], []
    for layout in LAYOUTS:
        for name, rate in RATES.items():
            for tasks in TASKS:
                rng, sizes = generator(scale.seed, layout, rate, tasks), cell_sizes(layout, tasks)
                pairs = draw_pairs(rng, sizes, rate, scale.moderated)
                for kind in TARGETS:
                    gap, score = both_engines(pairs, target_weights(kind, sizes), scale)
                    gaps.append(Row((layout, kind, name, str(tasks)), gap))
                    scores.append(Row((layout, kind, name, str(tasks)), score))
            progress(f"grid: {layout}, {name}", started)
    heads = ("cells", "target", "rate", "tasks")
    return (
        Table(heads, sorted(gaps, key=_order), GAP_LIMITS),
        Table(heads, sorted(scores, key=_order), SCORE_LIMITS),
    )


def _order(row: Row) -> tuple[int, ...]:
    layout, kind, name, tasks = row.labels
    return list(LAYOUTS).index(layout), TARGETS.index(kind), list(RATES).index(name), int(tasks)


def both_engines(
    pairs: Pairs, weights: Array, scale: Scale
) -> tuple[dict[str, Coverage], dict[str, Coverage]]:
    """Coverage of gaps and of scores by ``t`` (all replicates) and ``percentile`` (the first)."""
    few = pairs.first(scale.bootstrap)
    percentile = Design(interval="percentile", draws=scale.draws, seed=scale.seed)
    found: list[dict[str, Coverage]] = []
    for gap in (True, False):
        moments = pairs.gap_moments if gap else pairs.score_moments
        truth = pairs.truths(weights)[0 if gap else 1]
        default = from_moments(moments, weights, Design(), gap=gap)
        drawn = from_values(few, weights, percentile, gap=gap)
        found.append(
            {
                "t": coverage(default, truth),
                "percentile": coverage(drawn, truth[: scale.bootstrap]),
            }
        )
    return found[0], found[1]


def beyond(scale: Scale, started: float) -> str:
    """Other truths and levels than the grid's: range of the default's coverage over the grid."""
    lines = ["| truth | level % | gaps: least | most | mean | scores: least | most | mean |"]
    lines.append("|" + "---|" * 8)
    for name, rates, level in _settings():
        gaps, scores = zip(*_default_over_grid(rates, level, scale), strict=True)
        cells = [f"{100 * f(x):.1f}" for x in (gaps, scores) for f in (min, max, np.mean)]
        lines.append(f"| {name} | {100 * level:g} | " + " | ".join(cells) + " |")
        progress(f"beyond the grid: {name}, {level:g}", started)
    return "\n".join(lines)


Rates = Callable[[np.random.Generator, Array, float, int], Array]


def _settings() -> Iterator[tuple[str, Rates, float]]:
    """(name, how true rates are drawn, level)."""
    yield "as in the grid", partial(_spread, SPREAD), 0.90
    yield "as in the grid", partial(_spread, SPREAD), 0.99
    yield "cells alike (sd 0, 0.3, 0)", partial(_spread, Spread(0.0, 0.3, 0.0)), 0.95
    yield "narrow (sd 0.5, 0.3, 0.3)", partial(_spread, Spread(0.5, 0.3, 0.3)), 0.95
    yield "wide (sd 1.0, 0.7, 0.5)", partial(_spread, Spread(1.0, 0.7, 0.5)), 0.95
    yield "twins: identical in distribution", _twins, 0.95
    yield "fixed: cells of ≤ 10 tasks at .5, others at .1", partial(_split, 0.5, 0.1, None), 0.95
    yield "fixed: cells of ≤ 10 tasks at .1, others at .5", partial(_split, 0.1, 0.5, None), 0.95
    yield "fixed: largest cell at .05, others at .5", partial(_split, 0.5, 0.05, "largest"), 0.95
    yield "fixed: largest cell at .5, others at .05", partial(_split, 0.05, 0.5, "largest"), 0.95


def _spread(spread: Spread, rng: np.random.Generator, sizes: Array, rate: float, n: int) -> Array:
    return draw_rates(rng, (n, 2, sizes.size), rate, spread)


def _twins(rng: np.random.Generator, sizes: Array, rate: float, n: int) -> Array:
    return twin_rates(draw_rates(rng, (n, 2, sizes.size), rate, SPREAD))


def _split(
    small: float,
    large: float,
    which: str | None,
    rng: np.random.Generator,
    sizes: Array,
    rate: float,
    n: int,
) -> Array:
    """The same two rates for both configurations in every replicate, by the size of the cell."""
    del rng, rate
    is_large = sizes == sizes.max() if which == "largest" else sizes > 10
    return np.broadcast_to(np.where(is_large, large, small), (n, 2, sizes.size))


def _default_over_grid(rates: Rates, level: float, scale: Scale) -> Iterator[tuple[float, float]]:
    """Coverage of (gap, score) by the default over the grid (near 1 mirrors near 0)."""
    design = Design(level=level)
    for layout in LAYOUTS:
        for rate in (RATES["near 0"], RATES["½"]):
            for tasks in TASKS:
                sizes = cell_sizes(layout, tasks)
                rng = generator(scale.seed, "beyond", layout, rate, tasks)
                pairs = draw_tables(rng, sizes, rates(rng, sizes, rate, scale.beyond))
                for kind in TARGETS:
                    weights = target_weights(kind, sizes)
                    gap, score = pairs.truths(weights)
                    on_gap = from_moments(pairs.gap_moments, weights, design, gap=True)
                    on_score = from_moments(pairs.score_moments, weights, design, gap=False)
                    yield coverage(on_gap, gap).covered, coverage(on_score, score).covered


CASES: dict[str, tuple[float, ...]] = {
    "twins .5": (0.5, 0.5),
    "twins .9": (0.9, 0.9),
    "twins .05": (0.05, 0.05),
    "gap .6 − .5": (0.6, 0.5),
    "gap .95 − .85": (0.95, 0.85),
    "gap .9 − .5": (0.9, 0.5),
    "score .5": (0.5,),
    "score .9": (0.9,),
    "score .05": (0.05,),
}


def sampled_cells(scale: Scale, started: float) -> Table:
    """Whole cells sampled: the default against the percentile cluster bootstrap and CR1 with t."""
    rows = []
    for layout, sizes, kinds in (
        ("8 equal", np.full(8, 25.0), ("equal",)),
        ("12 SWE", np.array(SWE, dtype=float), TARGETS),
    ):
        for case, rates in CASES.items():
            for sd in EFFECT_SDS:
                rng = generator(scale.seed, "cells", layout, case, sd)
                moments, truth = draw_sampled_cells(rng, Clusters(sizes, rates, sd), scale.sampled)
                for kind in kinds:
                    found = _by_cells(moments, target_weights(kind, sizes), len(rates) == 2, scale)
                    by_method = {name: coverage(b, truth) for name, b in found.items()}
                    rows.append(Row((layout, kind, case, f"{sd:g}"), by_method))
            progress(f"sampled cells: {layout}, {case}", started)
    rows.sort(key=lambda r: (r.labels[0] != "8 equal", r.labels[1] == "equal"))
    return Table(("cells", "target", "case", "sd"), rows, SAMPLED_LIMITS)


def _by_cells(moments: CellMoments, weights: Array, gap: bool, scale: Scale) -> dict[str, Bounds]:
    wild = Design(sampled="cells", seed=scale.seed)
    percentile = replace(wild, interval="percentile", draws=2 * scale.draws)
    return {
        "wild": from_moments(moments, weights, wild, gap=gap),
        "percentile": from_moments(moments, weights, percentile, gap=gap),
        "CR1-t": cr1_t(moments, weights),
    }


def cr1_t(moments: CellMoments, weights: Array, alpha: float = 0.05) -> Bounds:
    """What most tools do: cluster variance C/(C − 1) Σ e_x² and t with C − 1 degrees of freedom."""
    q = weights * moments.mean
    theta, cells = q.sum(axis=1), weights.size
    residual = q - weights * theta[:, None]
    se = np.sqrt(cells / (cells - 1) * (residual**2).sum(axis=1))
    half = stdtrit(cells - 1, 1 - alpha / 2) * se
    zero = np.zeros_like(half)
    return Bounds(theta - half, theta + half, zero, zero)


BOARDS: dict[str, tuple[float, Spread]] = {
    "½, spread": (0.5, SPREAD),
    "½, all alike": (0.5, Spread(0.7, 0.0, 0.0)),
    "near 0, spread": (0.05, SPREAD),
}


def simultaneous(scale: Scale, started: float) -> Table:
    """Studentized bands: share of boards on which all 45 gaps are covered at once."""
    sizes = np.array(SWE, dtype=float)
    rows = []
    for name, (rate, spread) in BOARDS.items():
        for kind in TARGETS:
            found = {
                engine: _family_coverage(
                    sizes, kind, rate, spread, Design(interval=engine, family="studentized"), scale
                )
                for engine in ("t", "percentile")
            }
            rows.append(Row(("12 SWE", kind, name, str(int(sizes.sum()))), found))
            progress(f"simultaneous: {name}, {kind}", started)
    return Table(("cells", "target", "rates", "tasks"), rows, BAND_LIMITS)


def _family_coverage(
    sizes: Array, kind: str, rate: float, spread: Spread, design: Design, scale: Scale
) -> Coverage:
    """A board counts as one replicate; its width is the mean over pairs."""
    cells = np.repeat(np.arange(sizes.size), sizes.astype(int))
    weights, (left, right) = target_weights(kind, sizes), all_pairs(CONFIGURATIONS)
    rng = generator(scale.seed, "bands", kind, rate, spread)
    low, high, width = np.zeros((3, scale.boards))
    for board in range(scale.boards):
        rates = draw_rates(rng, (1, CONFIGURATIONS, sizes.size), rate, spread)[0]
        own = replace(design, seed=board, draws=scale.draws)
        found = bands(draw_board(rng, cells, rates), cells, weights, kind, own)
        truth = (rates[left] - rates[right]) @ weights
        # the worst miss on either side stands for the board
        low[board], high[board] = (found.low - truth).max(), (found.high - truth).min()
        width[board] = (found.high - found.low).mean()
    zero = np.zeros_like(low)
    return coverage(Bounds(low, high, zero, zero), zero)._replace(width=float(width.mean()))
