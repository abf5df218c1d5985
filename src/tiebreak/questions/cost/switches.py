"""As a price grows, who takes the top from whom, and the prices that the data allow for it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tiebreak.design import Design
from tiebreak.estimate.ratios import Ratios, ratios
from tiebreak.kernels.crossovers import KINDS
from tiebreak.kernels.frontier import price_envelope
from tiebreak.panel import Panel
from tiebreak.questions.cost.setup import means
from tiebreak.questions.judge import number, rounded
from tiebreak.results.cost_lines import ResolvedLine, SwitchLine

GROUPED = "grouped records allow no item-level interval"
CELLS_SAMPLED = "cells are sampled: a price has no sampling interval"
NO_TASK = "no shared scored task in a cell that the target weighs"


def why_no_interval(panel: Panel, design: Design) -> str | None:
    """Why nothing here has an interval, if so."""
    if panel.counts is not None:
        return GROUPED
    return CELLS_SAMPLED if design.sampled == "cells" else None


def switches(
    base: Panel, burden: Panel, design: Design
) -> tuple[str | None, tuple[SwitchLine, ...]]:
    """Who is on top at price 0, and every switch as the price of the burden grows."""
    top, weight = means(base), means(burden)
    known = np.flatnonzero(~np.isnan(top + weight))
    if not known.size:
        return None, ()
    found = price_envelope(top[known], weight[known])
    order = known[found.winners]
    names, first = base.configurations, base.configurations[int(order[0])]
    pairs = list(pairwise(order.tolist()))
    why = why_no_interval(base, design)
    sets = None
    if pairs and why is None:
        left, right = (np.array(side, dtype=np.intp) for side in zip(*pairs, strict=True))
        sets = ratios(base, burden, design, left, right)
    lines = (
        _line(rounded(price), (names[i], names[j]), sets, p, why)
        for p, (price, (i, j)) in enumerate(zip(found.prices, pairs, strict=True))
    )
    return first, tuple(lines)


def _line(
    price: float, pair: tuple[str, str], sets: Ratios | None, p: int, why: str | None
) -> SwitchLine:
    before, after = pair
    if sets is None:
        reasons = dict.fromkeys(("low", "high", "matched"), why or GROUPED)
        return SwitchLine(price, None, None, before, after, None, 0, reasons)
    matched = number(sets.value[p])
    low, high, reasons = bounds(sets, p)
    if matched is None:
        reasons |= {"matched": NO_TASK}
    elif matched < 0:
        matched, reasons = None, reasons | {"matched": "the lead is the other way there"}
    return SwitchLine(price, low, high, before, after, matched, int(sets.n_tasks[p]), reasons)


def bounds(sets: Ratios, p: int) -> tuple[float | None, float | None, dict[str, str]]:
    """The prices ≥ 0 that the data allow, as an interval; of two pieces, what spans them."""
    kind, low, high = KINDS[sets.allowed.kind[p]], sets.allowed.low[p], sets.allowed.high[p]
    if np.isnan(sets.value[p]):
        return None, None, dict.fromkeys(("low", "high"), NO_TASK)
    if kind == "empty" or (kind == "bounded" and high < 0):
        why = "the data exclude every price ≥ 0"
        return None, None, {"low": why, "high": why}
    if kind == "bounded" and np.isfinite(high):
        return number(max(low, 0.0)), number(high), {}
    start = 0.0
    if kind == "bounded":
        start = max(float(low), 0.0)
    elif kind == "outside" and low < 0:
        start = max(float(high), 0.0)
    return number(start), None, {"high": "unbounded: the difference below cannot be told from 0"}


def per_resolved(success: Panel, cost: Panel, design: Design) -> tuple[ResolvedLine, ...]:
    """Mean cost over mean success of every configuration, the cheapest first."""
    solved, dollars = means(success), means(cost)
    why, k = why_no_interval(success, design), len(success.configurations)
    sets = None if why else ratios(cost, success, design, np.arange(k))
    lines = [
        _resolved(name, solved[i], dollars[i], sets, i, why)
        for i, name in enumerate(success.configurations)
    ]
    return tuple(sorted(lines, key=lambda r: (r.value is None, r.value or 0.0, r.configuration)))


def _resolved(
    name: str, success: float, dollars: float, sets: Ratios | None, i: int, why: str | None
) -> ResolvedLine:
    if not success > 0:
        none = "nothing is resolved" if success == 0 else NO_TASK
        return ResolvedLine(name, None, None, None, dict.fromkeys(("value", "low", "high"), none))
    value = number(dollars / success)
    if sets is None:
        return ResolvedLine(name, value, None, None, dict.fromkeys(("low", "high"), why or ""))
    low, high, reasons = bounds(sets, i)
    return ResolvedLine(name, value, low, high, reasons)
