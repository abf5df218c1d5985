"""Success, dollars and seconds of the same trials, as panels of the same shape."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import InputError
from tiebreak.estimand import Estimand, Utility
from tiebreak.estimate.contract import Array
from tiebreak.estimate.grouped import grouped_scores
from tiebreak.estimate.ratios import own_means
from tiebreak.panel import Panel, build_panel, combined, common_support
from tiebreak.spending import SECONDS, UNITS, USD, coverage, left_out, spent
from tiebreak.trials import Trials


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """Panels of the trials that have an outcome and all of ``amounts``.

    ``success`` holds outcomes, ``amounts`` dollars and seconds. ``without`` names configurations
    that have no such trial at all, with what they lack; they are in no panel.
    """

    trials: Trials
    design: Design
    success: Panel
    amounts: dict[str, Panel]
    without: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The configurations that have what is needed."""
        return self.success.configurations

    def utility(self, prices: dict[str, float]) -> Panel:
        """success − Σ price · amount."""
        panel = self.success
        for column, price in prices.items():
            if price:
                panel = combined(panel, self.amounts[column], -price)
        return panel


def spending(trials: Trials, estimand: Estimand, design: Design, columns: list[str]) -> Spending:
    """Panels of success and of the columns' amounts.

    Raises
    ------
    InputError
        Nobody has what is needed, or an amount is negative or absurd.
    """
    without: dict[str, str] = {}
    free = estimand.unpriced == "zero"
    for column in columns:
        lines = coverage(trials, column)
        without |= {c.configuration: UNITS[column] for c in lines if not c.priced and not free}
    kept = [n for n in trials.configurations["configuration"] if n not in without]
    if not kept:
        raise InputError(
            f"no configuration has a {' and a '.join(UNITS[c] for c in columns)}",
            where=trials.origin,
            allowed=f"columns {' and '.join(columns)} above 0 (0 or empty is unpriced, not free)",
            hint="--unpriced zero counts them as free" if columns == [USD] else None,
        )
    trials = left_out(trials, kept) if without else trials
    success, amounts = _panels(trials, estimand, columns, free=free)
    return Spending(trials, design, success, amounts, without)


def _panels(
    trials: Trials, estimand: Estimand, columns: list[str], *, free: bool
) -> tuple[Panel, dict[str, Panel]]:
    """Success less 0 × amounts, so that trials without one are left out; amounts by difference."""
    plain = replace(estimand, utility=Utility(), support="full")
    each = {column: spent(trials, column, free=free) for column in columns}
    nothing = sum(each.values(), start=np.zeros(trials.frame.height)) * 0.0
    success = _seen(build_panel(trials, plain, nothing), estimand)
    amounts = {}
    for column, lost in each.items():
        less = _seen(build_panel(trials, plain, lost + nothing), estimand)
        amounts[column] = combined(success, less, -1.0, "amount")
    return replace(success, scale="unit"), amounts


def _seen(panel: Panel, estimand: Estimand) -> Panel:
    """A task without a price is one that did not run, and common support leaves it out."""
    panel = replace(panel, ran=panel.ran & ~np.isnan(panel.values))
    return common_support(panel) if estimand.support == "common" else panel


def means(panel: Panel) -> Array:
    """Score (or mean amount) of every configuration over its own tasks, by the target's weights."""
    return grouped_scores(panel).score if panel.counts is not None else own_means(panel)


def wanted(trials: Trials) -> list[str]:
    """The amounts that the records state for somebody."""
    return [c for c in (USD, SECONDS) if any(line.priced for line in coverage(trials, c))]
