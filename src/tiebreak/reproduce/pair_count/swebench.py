"""SWE-bench Verified: a fixed board, and widths if this or that were sampled."""

from __future__ import annotations

from typing import Any

import numpy as np

from tiebreak.estimand import Estimand
from tiebreak.kernels.pair_counts.bootstrap import draw_blocks
from tiebreak.kernels.pair_counts.thinning import half_masks, thinned_orders
from tiebreak.kernels.resampling import uniform_counts
from tiebreak.panel import build_panel
from tiebreak.questions.pairs import pairs
from tiebreak.readers import read
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.pair_counts import PairCountResult
from tiebreak.results.reproduce import Value
from tiebreak.trials import Trials


def _trials(setting: Setting) -> Trials:
    return read(setting.records["tree"], tasks=setting.records["tasks"])


def board(setting: Setting) -> Found:
    """What is exact."""
    trials, p = _trials(setting), setting.parameters
    found = pairs(trials, near=p["near"], sampled="none", blocks="model", unlabelled="out")
    left, blocks = found.leave_one_out, found.blocks
    if left is None or blocks is None:
        raise ValueError("a board of 134 configurations has both")
    return Found(
        {
            "configurations": found.n_configurations,
            "pairs": found.n_pairs,
            "outcomes": trials.accounting.used,
            "near_ties": found.fraction.numerator,
            "fraction": found.fraction.value,
            "leave_one_out": left.largest_change,
            "untagged": blocks.unlabelled,
            "tags": blocks.n_blocks,
        },
        (found.provenance,),
    )


def widths(setting: Setting) -> Found:
    """Closed forms, and percentile widths by source; tasks are not stratified for tasks alone."""
    trials, p = _trials(setting), setting.parameters
    common: dict[str, Any] = {"near": p["near"], "draws": p["draws"], "seed": setting.seed}
    blocks = pairs(trials, sampled="configurations+cells", cells=p["cells"], **common)
    tasks = pairs(trials, sampled="tasks", **common)
    found: dict[str, Value] = {
        "pair_iid": _width(blocks, "pair-iid", "pairs"),
        "configurations": _width(blocks, "bootstrap", "configurations"),
        "tasks": _width(tasks, "bootstrap", "tasks"),
        "cells": _width(blocks, "bootstrap", "cells"),
        "joint": _width(blocks, "bootstrap", "configurations+cells"),
    }
    shared = [i for i in blocks.intervals if i.sampled == "configurations"]
    ratios = [i.ratio_to_pair_iid or 0.0 for i in shared]
    found |= {i.method: i.width for i in shared if i.method != "bootstrap"}
    found["ratios"] = [min(ratios), max(ratios)]
    passes = blocks.diagnostic is not None and blocks.diagnostic.passes
    return Found(found | {"passes": "yes" if passes else "no"}, (blocks.provenance,))


def _width(result: PairCountResult, method: str, sampled: str) -> float:
    return next(i.width for i in result.intervals if (i.method, i.sampled) == (method, sampled))


def curve(setting: Setting) -> Found:
    """First margins beyond the reference, and where pair-iid is the narrowest."""
    trials, p = _trials(setting), setting.parameters
    common: dict[str, Any] = {"curve": p["margins"], "draws": p["draws"], "seed": setting.seed}
    found = pairs(trials, sampled="configurations+cells", cells=p["cells"], **common)
    tasks = pairs(trials, sampled="tasks", **common)
    if found.curve is None or tasks.curve is None:
        raise ValueError("margins were stated")
    first = {(c.method, c.sampled): c.near for c in found.curve.crossings}
    narrowest = [
        min(w.width for w in (*a.widths[1:], *b.widths[1:])) >= a.widths[0].width
        for a, b in zip(found.curve.points, tasks.curve.points, strict=True)
    ]
    at_zero = tasks.curve.points[0].widths
    return Found(
        {
            "joint": _percent(first["bootstrap", "configurations+cells"]),
            "configurations": _percent(first["bootstrap", "configurations"]),
            "pair_iid": "never" if first["pair-iid", "pairs"] is None else "crosses",
            "narrowest": sum(narrowest[1:]),
            "at_zero": "tasks" if at_zero[1].width < at_zero[0].width else "pair-iid",
        },
        (found.provenance,),
    )


def _percent(near: float | None) -> Value:
    return "never" if near is None else round(100 * near)


def thinned(setting: Setting) -> Found:
    """Orders on half of the tasks; then with configurations drawn too."""
    trials, p = _trials(setting), setting.parameters
    found = pairs(trials, near="0.05", draws=p["draws"], seed=setting.seed).thinning
    if found is None:
        raise ValueError("the board is complete")
    return Found(
        {
            "kept": found.kept,
            "reversed": found.reversed,
            "unresolved": found.unresolved,
            "range": [found.reversed_low, found.reversed_high],
            "joint": _joint(trials, p["draws"], setting.seed),
        }
    )


def _joint(trials: Trials, draws: int, seed: int) -> Value:
    """Every half with its own draw of configurations."""
    panel = build_panel(trials, Estimand())
    rng = np.random.default_rng([seed, *map(ord, "half tasks and configurations")])
    ones, (m, n) = np.ones(panel.values.shape[1]), panel.values.shape
    rates = []
    for size in draw_blocks(draws, n):
        masks = half_masks(panel.cells, 1, size, rng)
        counts = uniform_counts(m, size, rng)
        rates.append(thinned_orders(panel.values, ones, ones, masks, counts).reversed)
    ends = np.quantile(np.concatenate(rates), [0.025, 0.975])
    return [float(e) for e in ends]
