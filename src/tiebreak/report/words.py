"""What a score estimates and what an interval is about, in words for readers."""

from __future__ import annotations

from tiebreak.design import Design
from tiebreak.estimand import Estimand, Target
from tiebreak.sentences import points

MISSING = {
    "fail": "A missing outcome counts as a failure.",
    "drop": "Missing outcomes are left out.",
}
CLAIMS = {
    "population": "Intervals are about {units} like these",
    "benchmark": "Intervals are about exactly these tasks, run anew",
    "reliability": "Intervals are about {units} like these, solved every time",
}


def estimand_words(estimand: Estimand, design: Design) -> str:
    """The estimand and the design as a reader would be told them."""
    parts = (
        f"A score is {_protocol(estimand)}{_utility(estimand)}, as judged by "
        f"'{estimand.label_source}', {_target(estimand.target)}{_support(estimand)}.",
        MISSING.get(estimand.missing, ""),
        f"{_claim(estimand, design)}, at {100 * design.level:g} %.",
        f"A gap below {points(design.margin)} points does not matter." if design.margin else "",
    )
    return " ".join(part for part in parts if part)


def _protocol(estimand: Estimand) -> str:
    kind, k = estimand.protocol.kind, estimand.protocol.k
    if k == 1:
        return "the mean outcome of one attempt at a task"
    if kind == "pass@":
        return f"the chance that one of {k} attempts at a task succeeds"
    return f"the chance that all of {k} attempts at a task succeed"


def _utility(estimand: Estimand) -> str:
    u = estimand.utility
    spent = (f"{u.price:g} per USD" if u.price else "", f"{u.time_price:g} per second")
    kept = [text for text, price in zip(spent, (u.price, u.time_price), strict=True) if price]
    return f" less {' and '.join(kept)} spent" if kept else ""


def _target(target: Target) -> str:
    if target.kind == "observed":
        return "each task weighing the same"
    if target.kind == "equal":
        return f"each {target.column} weighing the same"
    return f"with stated weights over {target.column}"


def _support(estimand: Estimand) -> str:
    return " on what all configurations ran" if estimand.support == "common" else ""


def _claim(estimand: Estimand, design: Design) -> str:
    cells = f"cells of {estimand.target.column}"
    return CLAIMS[design.claim].format(units="tasks" if design.sampled == "tasks" else cells)
