"""Results in plain language. Words only: every number comes from the estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiebreak.results.pairs import Standing


def points(value: float) -> str:
    """A gap in points, one decimal (two below a tenth)."""
    size = abs(100 * value)
    return f"{size:.2f}" if 0 < size < 0.1 else f"{size:.1f}"


def pair_sentence(c: Mapping[str, Any], level: float, target: str) -> str:
    """What the evidence says about a pair, by its verdict."""
    a, b = c["a"], c["b"]
    if c["gap"] is None:
        return f"{a} and {b} cannot be compared: they share no scored task."
    lead, other = (a, b) if c["gap"] >= 0 else (b, a)
    gap = f"{points(c['gap'])} points{_interval(c, level)}"
    say = {
        "unsupported": _unsupported,
        "verifier-sensitive": _verifier,
        "underpowered": _underpowered,
        "target-sensitive": _target,
        "stable": _stable,
    }[c["verdict"]]
    return say(c, lead, other, gap, target) + _caveats(c["flags"])


def _interval(c: Mapping[str, Any], level: float) -> str:
    if c["gap_low"] is None:
        return ""
    low, high = (
        sorted((c["gap_low"], c["gap_high"]))
        if c["gap"] >= 0
        else sorted((-c["gap_low"], -c["gap_high"]))
    )
    return f" ({100 * level:g} % interval {100 * low:.1f} to {100 * high:.1f})"


def _unsupported(c: Mapping[str, Any], lead: str, other: str, gap: str, target: str) -> str:
    rest = f"on the supported part {lead} {'leads' if c['gap'] else 'ties with'} {other}" + (
        f" by {gap}" if c["gap"] else ""
    )
    return (
        f"The records do not support comparing {c['a']} with {c['b']} under the {target} target: "
        f"only {100 * c['support']:.0f} % of its weight lies where both ran; {rest}."
    )


def _verifier(c: Mapping[str, Any], lead: str, other: str, gap: str, target: str) -> str:
    return (
        f"Who wins depends on who judges: {lead} leads {other} by {gap}, "
        f"but a paired label source picks {other}."
    )


def _underpowered(c: Mapping[str, Any], lead: str, other: str, gap: str, target: str) -> str:
    if c["gap_low"] is None:
        why = f"less than the {points(c['margin'])}-point margin"
    elif c["gap_low"] <= 0 <= c["gap_high"]:
        why = "an interval that includes 0"
    else:
        why = f"real, but less than the {points(c['margin'])}-point margin"
    verb = f"{lead} leads {other} by {gap}" if c["gap"] else f"{lead} and {other} are {gap} apart"
    return f"Not settled: {verb}, {why}."


def _target(c: Mapping[str, Any], lead: str, other: str, gap: str, target: str) -> str:
    return (
        f"{lead} leads {other} by {gap} under the {target} target, but the claim depends on it: "
        f"the gap moves by {100 * c['movement']:+.1f} points from the observed mix."
    )


def _stable(c: Mapping[str, Any], lead: str, other: str, gap: str, target: str) -> str:
    if c["winner"] is None:
        return (
            f"{lead} is ahead of {other} by {gap} under both mixes; "
            "grouped records allow no interval."
        )
    return f"{lead} is better than {other} by {gap} under the {target} target."


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
    tail = f" {unscored} have no score under this target." if unscored else ""
    return f"{head} {len(first)} of {total} cannot be told from the best: {names}.{tail}"
