"""Prices: coverage of switch points, dollars per resolved task, and utilities.

Successes of two configurations share the difficulty of a task; the cost of a trial is lognormal,
shares the length of the task, and is higher by half where the trial fails. Replicates stand where
configurations and pairs would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sections import Scale, progress
from simulated import Array, cell_sizes, generator, target_weights

from tiebreak.design import Design
from tiebreak.estimand import Estimand, Target
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.estimate.ratios import own_intervals, ratios
from tiebreak.kernels.crossovers import KINDS, CrossoverSet
from tiebreak.panel import Panel, combined
from tiebreak.panel import Scale as PanelScale

LIMITS = (93.5, 96.5)
TASKS, SPREADS = (50, 200, 500), (0.5, 1.0)
BLOCK = 250
PRICE = 0.2
RATES, DOLLARS = np.array([0.75, 0.6]), np.array([1.0, 0.3])
FAILED = 1.5
"""A failed trial costs this many times a successful one."""
NAMED = {
    "switch": "λ at which the better, dearer one loses the top",
    "per resolved": "dollars per resolved task",
    "utility gap": f"gap of success − {PRICE}·cost",
    "utility score": f"single configuration's success − {PRICE}·cost",
}


@dataclass(frozen=True)
class CostRow:
    """Coverage in percent by column of a (cells, target, tasks, spread) row."""

    labels: tuple[str, ...]
    found: dict[str, float]


def expected() -> tuple[Array, Array]:
    """True success rates and mean costs."""
    return RATES, DOLLARS * (RATES + FAILED * (1 - RATES))


def draw(
    rng: np.random.Generator, tasks: int, spread: float, replicates: int
) -> tuple[Array, Array]:
    """Successes and costs, (2 × replicates, tasks), first all of a, then all of b."""
    shape = (2, replicates, tasks)
    shared, own = rng.standard_normal(shape[1:]), rng.standard_normal(shape)
    solved = (np.sqrt(0.5) * (shared + own) < ndtri(RATES)[:, None, None]).astype(float)
    length, noise = rng.standard_normal(shape[1:]), rng.standard_normal(shape)
    size = np.exp(spread * np.sqrt(0.5) * (length + noise) - spread**2 / 2)
    cost = DOLLARS[:, None, None] * size * np.where(solved > 0, 1.0, FAILED)
    return solved.reshape(-1, tasks), cost.reshape(-1, tasks)


def panels(solved: Array, cost: Array, sizes: Array, kind: str) -> tuple[Panel, Panel]:
    """Success and dollars of the same trials."""
    scales: tuple[PanelScale, PanelScale] = ("unit", "amount")
    cells = np.repeat(np.arange(sizes.size), sizes.astype(int))
    success, dollars = (
        Panel(
            estimand=Estimand(target=Target("equal", "cell") if kind == "equal" else Target()),
            configurations=tuple(str(i) for i in range(len(values))),
            tasks=tuple(str(t) for t in range(cells.size)),
            values=values,
            ran=np.ones(values.shape, dtype=bool),
            cells=cells,
            cell_names=tuple(str(x) for x in range(sizes.size)),
            weights=target_weights(kind, sizes),
            by_task=kind == "observed",
            max_runs=1,
            scale=scale,
        )
        for values, scale in zip((solved, cost), scales, strict=True)
    )
    return success, dollars


def holds(found: CrossoverSet, truth: Array | float) -> NDArray[np.bool_]:
    """Which sets hold the true ratio."""
    kinds = [found.kind == KINDS.index(k) for k in ("bounded", "outside", "whole")]
    inside = (found.low <= truth) & (truth <= found.high)
    outside = (truth <= found.low) | (truth >= found.high)
    return np.select(kinds, [inside, outside, np.ones_like(inside)], default=False)


def covered(success: Panel, dollars: Panel) -> dict[str, NDArray[np.bool_]]:
    """Whether the product's intervals hold the truth, per replicate."""
    rates, means = expected()
    design, n = Design(), len(success.values) // 2
    left = np.arange(n)
    switch = ratios(success, dollars, design, left, left + n)
    resolved = ratios(dollars, success, design, np.arange(2 * n))
    utility = combined(success, dollars, -PRICE)
    gaps = fit_pairs(utility, design, left, left + n).bounds(design)
    _, low, high = own_intervals(utility, design)
    truth = rates - PRICE * means
    gap, each = truth[0] - truth[1], np.repeat(truth, n)
    return {
        "switch": holds(switch.allowed, (rates[0] - rates[1]) / (means[0] - means[1])),
        "per resolved": holds(resolved.allowed, np.repeat(means / rates, n)),
        "utility gap": (gaps.low <= gap) & (gap <= gaps.high),
        "utility score": (low <= each) & (each <= high),
    }


def one_row(layout: str, kind: str, tasks: int, spread: float, scale: Scale) -> CostRow:
    """A row of the study."""
    rng = generator(scale.seed, "cost", layout, kind, tasks, spread)
    sizes, parts = cell_sizes(layout, tasks), []
    for start in range(0, scale.runs, BLOCK):
        solved, cost = draw(rng, tasks, spread, min(BLOCK, scale.runs - start))
        parts.append(covered(*panels(solved, cost, sizes, kind)))
    found = {name: 100 * float(np.mean([p[name].mean() for p in parts])) for name in NAMED}
    return CostRow((layout, kind, str(tasks), f"{spread:g}"), found)


def cost_rows(scale: Scale, started: float) -> list[CostRow]:
    """The grid over cells, targets, tasks and spreads."""
    rows = []
    for layout, kind in (("4 equal", "observed"), ("12 SWE", "equal")):
        for tasks in TASKS:
            for spread in SPREADS:
                rows.append(one_row(layout, kind, tasks, spread, scale))
                progress(f"cost {layout} {tasks}", started)
    return rows


def cost_text(rows: list[CostRow], scale: Scale) -> str:
    """The section."""
    head = ["cells", "target", "tasks", "spread", *NAMED]
    lines = [head, ["---"] * len(head)]
    lines += [[*r.labels, *(_cell(r.found[name]) for name in NAMED)] for r in rows]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    out = sum(not _inside(r.found[name]) for r in rows for name in NAMED)
    listed = "\n".join(f"- *{name}*: {what}" for name, what in NAMED.items())
    error = 100 * np.sqrt(0.95 * 0.05 / scale.runs)
    return (
        "## Prices\n\nTwo configurations with success .75 and .60 and mean costs of "
        f"{expected()[1][0]:.3f} and {expected()[1][1]:.3f} USD; costs are lognormal with SD "
        "*spread* on the log scale, half of it shared by both, and half as high again where a "
        f"trial fails. {scale.runs:,} replicates, Monte Carlo error {error:.2f}; percent covered. "
        f"**Bold**: outside {LIMITS[0]} to {LIMITS[1]} ({out} of {len(rows) * len(NAMED)}).\n\n"
        f"{listed}\n\n{table}\n\nCosts are skewed: with 50 tasks and a spread of 1 the mean of a "
        "sample lies below the true one more often than not, and so does its standard error."
    )


def _inside(value: float) -> bool:
    return LIMITS[0] <= value <= LIMITS[1]


def _cell(value: float) -> str:
    return f"{value:.1f}" if _inside(value) else f"**{value:.1f}**"
