"""Success against cost and time: switch points, frontier, cost per resolved task, budgets."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import SpecError
from tiebreak.estimand import Estimand, Utility
from tiebreak.estimate.contract import Array
from tiebreak.estimate.ratios import own_intervals
from tiebreak.options import Options, find_configuration, specs
from tiebreak.panel import Panel, build_panel
from tiebreak.questions.cost.frontier import budgets, frontier, plane_of
from tiebreak.questions.cost.setup import Spending, means, spending, wanted
from tiebreak.questions.cost.switches import per_resolved, switches, why_no_interval
from tiebreak.questions.judge import number
from tiebreak.questions.prepare import missing_effect, price_effect
from tiebreak.results.cost import CostResult, Switches
from tiebreak.results.cost_lines import SpendingLine, StatedLine, UnpricedLine, UtilityLine
from tiebreak.results.provenance import Data, Provenance
from tiebreak.sentences import cost_headline
from tiebreak.spending import SECONDS, USD, coverage
from tiebreak.spending import spent as spent_on
from tiebreak.trials import Trials

IDLE = ("claim", "protocol", "family", "margin", "estimator")


def cost(trials: Trials, *configurations: str, **options: Unpack[Options]) -> CostResult:
    """Which configuration is best at which price, and what does a resolved task cost?

    Parameters
    ----------
    trials
        Checked records with ``cost_usd``, ``duration_s`` or both.
    configurations
        Names or unique fragments; by default everybody.
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`). At ``price``
        and ``time_price`` the utilities are shown; switch points of one price are at the other.
        Where no rule for missing outcomes is stated they count as failures, for they were paid.

    Returns
    -------
    CostResult
        Every configuration is measured on its own tasks that have a price, switch points also on
        the tasks that both have. Intervals are the t engine's, pointwise, by Fieller's theorem.
        Grouped records have means only, so no interval.

    Raises
    ------
    SpecError, InputError
        Names that match nothing or several, options that allow no answer, records without any
        price, or with negative or absurd ones.
    """
    _check(options)
    estimand, design = specs(options)
    trials = _named(trials, configurations)
    lost = sum(n for status, n in trials.missing.items() if status != "not_run")
    if estimand.missing == "unset" and lost and trials.kind == "item":
        estimand = replace(estimand, missing="fail")
    spent = spending(trials, estimand, design, [USD])
    return _answer(trials, spent, _stated(estimand, trials), design)


def _check(options: Options) -> None:
    idle = [name for name in IDLE if options.get(name) is not None]
    if idle:
        raise SpecError(
            f"cost has no use for {idle[0]}: it answers one attempt and every number of retries",
            allowed="--lambda, --mu, and how records count, are weighted and sampled",
        )


def _named(trials: Trials, configurations: tuple[str, ...]) -> Trials:
    if not configurations:
        return trials
    names = trials.configurations["configuration"].to_list()
    found = [find_configuration(names, fragment) for fragment in configurations]
    twice = [name for name in found if found.count(name) > 1]
    if twice:
        raise SpecError("a configuration is named twice", got=twice[0], allowed="once each")
    return trials.only(found)


def _stated(estimand: Estimand, trials: Trials) -> Estimand:
    return replace(estimand, label_source=estimand.label_source or trials.sources[0])


def _answer(trials: Trials, spent: Spending, estimand: Estimand, design: Design) -> CostResult:
    utility, columns = estimand.utility, wanted(trials)
    timed = SECONDS in columns
    both = spending(trials, estimand, design, [USD, SECONDS]) if timed else None
    priced = _lambda(spent, both, utility.time_price, trials)
    on, off = frontier(spent)
    lines = _lines(spent, estimand)
    unpriced = _unpriced(trials, spent)
    resolved = per_resolved(spent.success, spent.amounts[USD], design)
    return CostResult(
        configurations=lines,
        switches=priced,
        duration_switches=_mu(both, trials, estimand, design) if timed else None,
        utilities=_utilities(both if utility.time_price else spent, estimand, design),
        frontier=on,
        dominated=off,
        cost_per_resolved=resolved,
        unpriced=unpriced,
        unsupported=_unsupported(spent, lines),
        budgets=budgets(spent),
        plane=plane_of(both) if both is not None else None,
        stated=_disagreeing(trials),
        stated_checked=0 if trials.stated_costs is None else trials.stated_costs.height,
        price_effect=price_effect(spent.trials, spent.success, _prices(spent, estimand)),
        no_interval=why_no_interval(spent.success, design),
        answer=cost_headline(lines, priced, on, unpriced, design.level),
        provenance=_provenance(trials, spent, estimand, design),
    )


def _lambda(spent: Spending, both: Spending | None, time_price: float, trials: Trials) -> Switches:
    """Switches of λ at the stated μ."""
    if not time_price:
        return Switches(*switches(spent.success, spent.amounts[USD], spent.design))
    if both is None:
        raise SpecError("--mu needs durations", where=trials.origin, allowed="a column duration_s")
    base = both.utility({SECONDS: time_price})
    return Switches(*switches(base, both.amounts[USD], both.design))


def _mu(
    both: Spending | None, trials: Trials, estimand: Estimand, design: Design
) -> Switches | None:
    """Switches of μ at the stated λ; without one, durations are all that is needed."""
    price = estimand.utility.price
    timed = both if price else spending(trials, estimand, design, [SECONDS])
    if timed is None:
        return None
    base = timed.utility({USD: price}) if price else timed.success
    return Switches(*switches(base, timed.amounts[SECONDS], design))


def _utilities(
    spent: Spending | None, estimand: Estimand, design: Design
) -> tuple[UtilityLine, ...]:
    """Utilities at the stated prices, the best first; none where success is all."""
    utility = estimand.utility
    if not utility or spent is None:
        return ()
    panel = spent.utility({USD: utility.price, SECONDS: utility.time_price})
    value, low, high = _intervals(panel, design)
    lines = [
        UtilityLine(name, float(value[i]), number(low[i]), number(high[i]))
        for i, name in enumerate(spent.names)
        if not np.isnan(value[i])
    ]
    return tuple(sorted(lines, key=lambda line: (-line.utility, line.configuration)))


def _intervals(panel: Panel, design: Design) -> tuple[Array, Array, Array]:
    """Means with t intervals; none for grouped records or where cells are sampled."""
    if panel.counts is None and design.sampled == "tasks":
        return own_intervals(panel, design)
    value = means(panel)
    return value, np.full_like(value, np.nan), np.full_like(value, np.nan)


def _success_of_all(spent: Spending, estimand: Estimand) -> Panel:
    """Success of every trial, priced or not."""
    return build_panel(spent.trials, replace(estimand, utility=Utility(), support="full"))


def _lines(spent: Spending, estimand: Estimand) -> tuple[SpendingLine, ...]:
    """Every priced configuration, by success."""
    every = means(_success_of_all(spent, estimand))
    panels = spent.success, spent.amounts[USD]
    (s, s_low, s_high), (c, c_low, c_high) = (_intervals(p, spent.design) for p in panels)
    shares = {line.configuration: line.share for line in coverage(spent.trials, USD)}
    n_tasks = (~np.isnan(spent.success.values)).sum(axis=1)
    lines = [
        SpendingLine(
            configuration=name,
            success=float(s[i]),
            success_all=number(every[i]),
            success_low=number(s_low[i]),
            success_high=number(s_high[i]),
            cost=float(c[i]),
            cost_low=None if np.isnan(c_low[i]) else number(max(c_low[i], 0.0)),
            cost_high=number(c_high[i]),
            n_tasks=int(n_tasks[i]),
            priced=round(shares[name], 12),
        )
        for i, name in enumerate(spent.names)
        if not np.isnan(s[i] + c[i])
    ]
    return tuple(sorted(lines, key=lambda line: (-line.success, line.cost, line.configuration)))


def _unsupported(spent: Spending, lines: tuple[SpendingLine, ...]) -> tuple[str, ...]:
    """Priced configurations without a priced trial in some cell that the target weighs."""
    shown = {line.configuration for line in lines}
    return tuple(name for name in spent.names if name not in shown)


def _unpriced(trials: Trials, spent: Spending) -> tuple[UnpricedLine, ...]:
    """Configurations with trials that have no price, those without any first."""
    lines = [
        UnpricedLine(
            c.configuration, c.trials, c.trials - c.priced, c.configuration in spent.without
        )
        for c in coverage(trials, USD)
        if c.priced < c.trials
    ]
    return tuple(sorted(lines, key=lambda u: (not u.left_out, -u.unpriced, u.configuration)))


def _disagreeing(trials: Trials) -> tuple[StatedLine, ...]:
    """Published mean costs that the trials do not give, the farthest first."""
    if trials.stated_costs is None:
        return ()
    kept = trials.configurations["configuration"].to_list()
    rows = trials.stated_costs.iter_rows(named=True)
    lines = [
        StatedLine(r["configuration"], r["part"], r["count"], r["stated"], round(r["found"], 12))
        for r in rows
        if not r["agrees"] and r["configuration"] in kept
    ]
    return tuple(sorted(lines, key=lambda s: (-abs(s.found - s.stated), s.configuration, s.part)))


def _prices(spent: Spending, estimand: Estimand) -> Array:
    """Dollars of every trial; NaN where it has no price and none is assumed."""
    return spent_on(spent.trials, USD, free=estimand.unpriced == "zero")


def _provenance(trials: Trials, spent: Spending, estimand: Estimand, design: Design) -> Provenance:
    effect = missing_effect(spent.trials, _success_of_all(spent, estimand))
    cells = (f"{len(spent.success.tasks):,} tasks that all have",)
    kept = cells if estimand.support == "common" and spent.success.by_task else ()
    return Provenance(estimand, design, Data.of(trials), kept, effect)
