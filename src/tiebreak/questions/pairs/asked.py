"""What is asked of all pairs: options → frozen specs. An option without use is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from tiebreak.design import Design, PairDesign, Rule
from tiebreak.errors import SpecError, listed
from tiebreak.estimand import Estimand, Target
from tiebreak.options import specs

Near = str | float | Fraction
Unlabelled = Literal["alone", "out"]
UNLABELLED: tuple[Unlabelled, ...] = ("alone", "out")
VERDICT_RULES = ("unresolved", "stable")
VERDICT_OPTIONS = (
    *("margin", "interval", "family", "claim", "assume_run_sd", "estimator"),
    *("price", "time_price", "unpriced"),  # utilities are no counts: verdicts alone judge them
)
NEAR = Fraction(1, 20)
REFERENCE_WIDTH = 0.05
MOST_POINTS = 1001


@dataclass(frozen=True, slots=True)
class Asked:
    """Estimands (two where orders under two targets are compared), designs and extras."""

    estimands: tuple[Estimand, ...]
    design: PairDesign
    judged: Design
    blocks: str | None
    unlabelled: Unlabelled
    curve: tuple[Fraction, ...]
    reference_width: float


def asked(
    rule: Rule,
    near: Near | None,
    sampled: str,
    target: str | Target | Sequence[str | Target] | None,
    extras: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Asked:
    """The specs that the options state.

    Raises
    ------
    SpecError
        A value that its spec does not allow, or an option that the rule has no use for.
    """
    sources = () if sampled == "none" else tuple(sampled.split("+"))
    _check_use(rule, near, sources, extras, options)
    targets = [target] if isinstance(target, str | Target) else list(target or ())
    estimands, judged = _estimands(rule, targets, options)
    if "cells" in sources and estimands[0].target.column is None:
        raise SpecError(
            "cells are sampled, but no column forms them",
            allowed="--cells COLUMN or --target equal:COLUMN",
        )
    margin = (NEAR if near is None else exact_number(near, "--near")) if rule == "near" else None
    design = PairDesign(rule, margin, sources, judged.level, judged.draws, judged.seed)
    width = extras["reference_width"]
    return Asked(
        estimands=estimands,
        design=design,
        judged=judged,
        blocks=extras["blocks"],
        unlabelled=_unlabelled(extras["unlabelled"]),
        curve=_curve(extras["curve"]),
        reference_width=_width(REFERENCE_WIDTH if width is None else width),
    )


def _check_use(
    rule: str,
    near: Near | None,
    sources: tuple[str, ...],
    extras: Mapping[str, Any],
    options: Mapping[str, Any],
) -> None:
    """Options that would be accepted and ignored."""
    given = {k for k, v in options.items() if v is not None}
    idle = [] if rule in VERDICT_RULES else sorted(given & set(VERDICT_OPTIONS))
    if "runs" in given and rule not in VERDICT_RULES and "runs" not in sources:
        idle.append("runs (nothing samples them)")
    if rule != "near":
        idle += [n for n, v in (("near", near), ("curve", extras["curve"])) if v is not None]
    needs = (("unlabelled", "blocks"), ("reference_width", "curve"))
    idle += [f"{a} without {b}" for a, b in needs if extras[a] is not None and extras[b] is None]
    if idle:
        raise SpecError(f"an option that the rule {rule} has no use for", got=listed(idle))


def _estimands(
    rule: str, targets: list[str | Target], options: Mapping[str, Any]
) -> tuple[tuple[Estimand, ...], Design]:
    """One estimand, or the two whose orders are compared: against the observed mix by default."""
    if rule != "reversed":
        if len(targets) > 1:
            raise SpecError(
                "several targets", allowed="one, or --rule reversed", got=_said(targets)
            )
        given = {**options, "target": targets[0]} if targets else dict(options)
        estimand, judged = specs(given)  # type: ignore[arg-type]
        return (estimand,), judged
    if len(targets) not in (1, 2):
        what = "reversals are between two targets"
        raise SpecError(what, allowed="one or two --target", got=_said(targets) or "none")
    made = [specs({**options, "target": t}) for t in targets]  # type: ignore[typeddict-item]
    estimands = [e for e, _ in made]
    column = next((e.target.column for e in estimands if e.target.column), None)
    if len(estimands) == 1:
        estimands.insert(0, replace(estimands[0], target=Target("observed", column)))
    if {e.target.column for e in estimands} - {column, None}:
        raise SpecError("the two targets use different columns", got=_said(targets), allowed="one")
    pair = tuple(
        replace(e, target=replace(e.target, column=column)) if column else e for e in estimands
    )
    if pair[0].target == pair[1].target:
        raise SpecError("the two targets are the same", got=str(pair[0].target), allowed="two")
    return pair, made[0][1]


def _said(targets: list[str | Target]) -> str:
    return listed(str(t) for t in targets)


def exact_number(value: Near, option: str) -> Fraction:
    """A number as it is written: 0.05 is 1/20, not the float next to it.

    Raises
    ------
    SpecError
        Text that is no number.
    """
    try:
        return Fraction(str(value).strip())
    except (ValueError, ZeroDivisionError):
        raise SpecError(
            f"{option} is not a number", allowed="0.05 or 1/20", got=str(value)
        ) from None


def _curve(text: str | None) -> tuple[Fraction, ...]:
    """START:STOP:STEP, both ends included."""
    if text is None:
        return ()
    parts = text.split(":")
    shape = "START:STOP:STEP with 0 ≤ START ≤ STOP ≤ 1 and STEP > 0, e.g. 0:0.10:0.01"
    if len(parts) != 3:
        raise SpecError("a curve that cannot be read", allowed=shape, got=text)
    start, stop, step = (exact_number(p, "--curve") for p in parts)
    if not (0 <= start <= stop <= 1 and step > 0):
        raise SpecError("a curve out of range", allowed=shape, got=text)
    n = (stop - start) // step + 1
    if n > MOST_POINTS:
        raise SpecError("a curve of too many points", allowed=f"up to {MOST_POINTS}", got=str(n))
    return tuple(start + k * step for k in range(n))


def _unlabelled(rule: str | None) -> Unlabelled:
    if rule is None:
        return "alone"
    if rule not in UNLABELLED:
        raise SpecError(
            "unknown rule for unlabelled configurations", allowed="alone, out", got=rule
        )
    return rule


def _width(width: float) -> float:
    if not 0 < width <= 1:
        raise SpecError("a reference width out of range", allowed="0 to 1", got=str(width))
    return float(width)
