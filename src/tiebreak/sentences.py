"""Results in plain language. Words only: every number comes from the estimates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tiebreak.design import PairDesign
from tiebreak.results.concord import AgreementLine
from tiebreak.results.cost import Switches
from tiebreak.results.cost_lines import FrontierLine, SpendingLine, UnpricedLine
from tiebreak.results.pair_counts import PairFraction, PairInterval
from tiebreak.results.pairs import Standing
from tiebreak.results.runs import ConfigurationLine, DifferenceLine


def points(value: float) -> str:
    """A gap in points, one decimal (two below a tenth)."""
    size = abs(100 * value)
    return f"{size:.2f}" if 0 < size < 0.1 else f"{size:.1f}"


class Pair(NamedTuple):
    """What the sentences about a pair share: its values, who leads whom by how much, the target."""

    values: Mapping[str, Any]
    lead: str
    other: str
    gap: str
    target: str


def pair_sentence(values: Mapping[str, Any], level: float, target: str, utility: str = "") -> str:
    """What the evidence says about a pair, by its verdict."""
    a, b, gap = values["a"], values["b"], values["gap"]
    if gap is None:
        return f"{a} and {b} cannot be compared: they share no scored task."
    lead, other = (a, b) if gap >= 0 else (b, a)
    unit = f"points of {utility}" if utility else "points"
    pair = Pair(values, lead, other, f"{points(gap)} {unit}{_interval(values, level)}", target)
    return SENTENCES[values["verdict"]](pair) + _caveats(values["flags"])


def _interval(values: Mapping[str, Any], level: float) -> str:
    """The interval of the lead, so that it reads with the leader first."""
    if values["gap_low"] is None:
        return ""
    sign = 1 if values["gap"] >= 0 else -1
    low, high = sorted((100 * sign * values["gap_low"], 100 * sign * values["gap_high"]))
    return f" ({100 * level:g} % interval {low + 0.0:.1f} to {high + 0.0:.1f})"


def _unsupported(p: Pair) -> str:
    part = f"{p.lead} leads {p.other} by {p.gap}" if p.values["gap"] else f"they are {p.gap} apart"
    return (
        f"The records do not support comparing {p.values['a']} with {p.values['b']} under the "
        f"{p.target} target: only {100 * p.values['support']:.0f} % of its weight lies where both "
        f"ran; there, {part}."
    )


def _verifier(p: Pair) -> str:
    return (
        f"Who wins depends on who judges: {p.lead} leads {p.other} by {p.gap}, "
        "but paired label sources select opposite winners."
    )


def _underpowered(p: Pair) -> str:
    low, high, margin = p.values["gap_low"], p.values["gap_high"], points(p.values["margin"])
    if low is None:
        why = f"less than the {margin}-point margin"
    elif low <= 0 <= high:
        why = "an interval that includes 0"
    else:
        why = f"an interval without 0, but a gap below the {margin}-point margin"
    lead = (
        f"{p.lead} leads {p.other} by"
        if p.values["gap"]
        else f"{p.lead} and {p.other} are apart by"
    )
    return f"Not settled: {lead} {p.gap}, {why}."


def _target(p: Pair) -> str:
    return (
        f"{p.lead} leads {p.other} by {p.gap} under the {p.target} target, but the claim depends "
        f"on it: the gap moves by {100 * p.values['movement']:+.1f} points from the observed mix."
    )


def _stable(p: Pair) -> str:
    if p.values["winner"] is None:
        return (
            f"{p.lead} is ahead of {p.other} by {p.gap} under both mixes; "
            "grouped records allow no interval."
        )
    return f"{p.lead} is better than {p.other} by {p.gap} under the {p.target} target."


SENTENCES: dict[str, Callable[[Pair], str]] = {
    "unsupported": _unsupported,
    "verifier-sensitive": _verifier,
    "underpowered": _underpowered,
    "target-sensitive": _target,
    "stable": _stable,
}


def _caveats(flags: Sequence[str]) -> str:
    said = {
        "monte_carlo": " A deciding bound is within Monte Carlo error of its threshold; draw more.",
        "few_cells": " Few cells are sampled: the interval may be unbounded.",
    }
    return "".join(text for flag, text in said.items() if flag in flags)


def board_headline(summary: Mapping[str, Any], standings: Sequence[Standing], top: int) -> str:
    """How many pairs are resolved and who cannot be told from the best."""
    total = len(standings)
    among = f"among the top {top}" if top < total else f"of {total} configurations"
    n = summary["n_pairs"]
    if all(s.tier is None for s in standings):
        kept = summary["verdicts"].get("stable", 0)
        return (
            f"{kept:,} of {n:,} pairs {among} differ by at least the margin in the same order "
            "under both mixes; grouped records allow no interval and resolve none."
        )
    head = f"{summary['resolved']:,} of {n:,} pairs {among} are resolved."
    first = [s.configuration for s in standings if s.tier == 1 and s.score is not None]
    unscored = sum(s.score is None for s in standings)
    if len(first) == 1 and not unscored:
        return f"{head} {first[0]} is shown better than every other."
    names = ", ".join(first[:3]) + (f" and {len(first) - 3} more" if len(first) > 3 else "")
    verb = "has" if unscored == 1 else "have"
    tail = f" {unscored} {verb} no score under this target." if unscored else ""
    return f"{head} {len(first)} of {total} cannot be told from the best: {names}.{tail}"


def permute_headline(values: Mapping[str, Any], gap: str, alpha: float) -> str:
    """Whether the board could be one of exchangeable configurations."""
    size, usual = points(values["max_gap"]), points(values["max_gap_reference_95"])
    p = values["max_gap_p"]
    verdict = (
        "The configurations are not exchangeable within tasks"
        if p <= alpha
        else "The board could be one of configurations that are exchangeable within tasks"
    )
    return (
        f"{verdict}: the largest {gap} gap is {size} points, against {usual} in 95 % of "
        f"boards with permuted labels (p = {p:.4f})."
    )


def runs_headline(
    lines: Sequence[ConfigurationLine], difference: DifferenceLine | None, level: float
) -> str:
    """The claims of a pair, of one configuration, or how many show a shared shock."""
    if difference is not None:
        return _difference_sentence(difference, level)
    if len(lines) == 1:
        return _configuration_sentence(lines[0], level)
    several = [line for line in lines if line.most_runs > 1]
    shared = [
        line.configuration for line in several if (line.components.run_is_shared or 1.0) < 1 - level
    ]
    names = f": {', '.join(shared[:4])}" if shared else ""
    return (
        f"{len(lines)} configurations, {len(several)} with several runs; a shock shared by the "
        f"tasks of a run shows in {len(shared)}{names}."
    )


def _configuration_sentence(line: ConfigurationLine, level: float) -> str:
    e = line.claims["population"]
    if e.value is None or e.low is None or e.high is None:
        return f"{line.configuration}: {e.reason}."
    head = (
        f"{line.configuration} solves {100 * e.value:.1f} % at one go "
        f"({100 * level:g} % interval over tasks {100 * e.low:.1f} to {100 * e.high:.1f})"
    )
    if line.always is None or line.ever is None or line.fewest_runs == 1:
        return f"{head}; a single run shows no run noise." if line.most_runs == 1 else f"{head}."
    always, ever = line.always.value or 0.0, line.ever.value or 0.0
    return (
        f"{head}, {100 * always:.1f} % in all of {line.fewest_runs} runs "
        f"and {100 * ever:.1f} % in at least one."
    )


def cost_headline(
    lines: Sequence[SpendingLine],
    switches: Switches,
    frontier: Sequence[FrontierLine],
    unpriced: Sequence[UnpricedLine],
    level: float,
) -> str:
    """Who is on top first, where that ends, how many are on the frontier, who has no price."""
    out = [u.configuration for u in unpriced if u.left_out]
    names = ", ".join(out[:3]) + (f" and {len(out) - 3} more" if len(out) > 3 else "")
    tail = f" No price, so left out: {names}." if out else ""
    if switches.first is None:
        return f"No configuration has prices wherever the target puts weight.{tail}"
    if not switches.lines:
        return f"{switches.first} is on top at every price.{tail}"
    first, last = switches.lines[0], switches.lines[-1]
    interval = ""
    if first.low is not None:
        high = "∞" if first.high is None else f"{first.high:.4g}"
        interval = f" ({100 * level:g} % interval {first.low:.4g} to {high})"
    more = "" if last is first else f"; from {last.price:.4g} on it is {last.after}"
    return (
        f"{switches.first} is on top up to a price of {first.price:.4g} success per USD{interval}, "
        f"then {first.after}{more}. {len(frontier)} of {len(lines)} configurations are dominated "
        f"by nobody.{tail}"
    )


CLAIMED = {
    "population": "over the population of tasks",
    "benchmark": "on exactly these tasks",
    "reliability": "in what is solved every time",
}


def _difference_sentence(d: DifferenceLine, level: float) -> str:
    """Whom each claim supports."""
    parts = []
    for claim, e in d.claims.items():
        if e.value is None:
            parts.append(f"{CLAIMED[claim]}: {e.reason}")
            continue
        winner = d.winners[claim]
        said = f"{winner} is better" if winner else "not settled"
        parts.append(f"{CLAIMED[claim]}: {said} ({100 * e.value:+.1f} points)")
    return f"{d.a} − {d.b} at {100 * level:g} %: " + "; ".join(parts) + "."


SHARES = {
    "near": "near ties (at most {near} points apart)",
    "unresolved": "unresolved",
    "stable": "stable",
    "reversed": "ordered the other way round by the two targets",
}
MEANS = {
    "gap": "The mean absolute gap of all pairs is",
    "discordance": "Two configurations disagree on average on",
}


def pairs_headline(
    design: PairDesign,
    fraction: PairFraction,
    intervals: Sequence[PairInterval],
    passes: bool | None,
) -> str:
    """The exact share of this board, and whether anything beyond it is claimed."""
    size = f"{100 * fraction.value:.1f} %"
    if design.rule in MEANS:
        unit = "of the tasks" if design.rule == "discordance" else "(of the score scale)"
        head = f"{MEANS[design.rule]} {size} {unit}"
    else:
        near = "" if design.near is None else f"{float(100 * design.near):g}"
        what = SHARES[design.rule].format(near=near)
        head = f"{fraction.numerator:,} of {fraction.denominator:,} pairs ({size}) are {what}"
    if not intervals:
        return f"{head}: exactly, of this board and these tasks."
    last = intervals[-1]
    low, high = 100 * last.low, 100 * last.high
    warned = " The first-order diagnostic fails." if passes is False else ""
    return (
        f"{head} on this board; {100 * design.level:g} % interval with {design.source} drawn anew: "
        f"{low:.1f} to {high:.1f} %.{warned}"
    )


def concord_headline(tau: AgreementLine, n: int, by: str, named: str, level: float) -> str:
    """How far two rankings agree, and whether that differs from no agreement."""
    noun = "configurations" if by == "configuration" else f"values of {by}"
    if tau.value is None:
        return f"Over {n} {noun} this board and {named} cannot be compared: {tau.reasons['value']}."
    head = f"Over {n} {noun} this board and {named} have Kendall's tau-b {tau.value:.3f}"
    if tau.low is None or tau.high is None:
        return f"{head}; {tau.reasons['low']}, so no interval."
    said = "" if tau.low > 0 or tau.high < 0 else ", so they may not agree at all"
    return f"{head} ({100 * level:g} % interval {tau.low:.3f} to {tau.high:.3f}){said}."
