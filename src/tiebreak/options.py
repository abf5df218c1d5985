"""Options that all questions share → the frozen specs. One spelling for Python, CLI and JSON."""

from __future__ import annotations

import difflib
from dataclasses import fields, replace
from typing import TypedDict, cast

from tiebreak.design import Claim, Design, Estimator, Family, Interval, RunDesign, Sampled
from tiebreak.errors import SpecError, listed
from tiebreak.estimand import Estimand, Missing, Protocol, Support, Target, Unpriced, Utility


class JudgedOptions(TypedDict, total=False):
    """Keywords of questions that say by themselves what is sampled (see :class:`Options`)."""

    cells: str | None
    label_source: str | None
    protocol: str | Protocol
    missing: Missing
    support: Support
    price: float
    time_price: float
    unpriced: Unpriced
    interval: Interval | None
    level: float
    family: Family
    margin: float
    draws: int
    seed: int
    claim: Claim
    runs: RunDesign
    assume_run_sd: float | None
    estimator: Estimator


class Options(JudgedOptions, total=False):
    """Keywords of every question; each is a field of :class:`Estimand` or :class:`Design`.

    ``cells`` names the task column that forms the cells of an observed target. ``price`` and
    ``time_price`` are the λ and μ of the utility success − λ·cost − μ·duration (``--lambda``,
    ``--mu``), in success per USD and per second.
    """

    target: str | Target
    sampled: Sampled


def specs(options: Options) -> tuple[Estimand, Design]:
    """The estimand and design that the options state.

    Raises
    ------
    SpecError
        An unknown keyword, or a value that its spec does not allow.
    """
    given = {k: v for k, v in options.items() if v is not None}
    unknown = sorted(set(given) - set(Options.__annotations__))
    if unknown:
        raise SpecError(
            "unknown option", allowed=listed(Options.__annotations__, 20), got=listed(unknown)
        )
    target, protocol = given.pop("target", Target()), given.pop("protocol", Protocol())
    target = Target.parse(target) if isinstance(target, str) else cast(Target, target)
    protocol = Protocol.parse(protocol) if isinstance(protocol, str) else cast(Protocol, protocol)
    cells = given.pop("cells", None)
    target = _with_cells(target, cast("str | None", cells))
    utility = Utility(*(cast(float, given.pop(n, 0.0)) for n in ("price", "time_price")))
    designed = {f.name: given.pop(f.name) for f in fields(Design) if f.name in given}
    design = Design(**designed)  # type: ignore[arg-type]
    if design.sampled == "cells" and target.column is None:
        raise SpecError(
            "cells are sampled, but no column forms them",
            allowed="--cells COLUMN or --target equal:COLUMN",
        )
    spec = Estimand(target=target, protocol=protocol, utility=utility, **given)  # type: ignore[arg-type]
    return spec, design


def _with_cells(target: Target, cells: str | None) -> Target:
    if cells is None or cells == target.column:
        return target
    if target.column is not None:
        raise SpecError(
            "two columns for the cells", allowed="one", got=f"{target.column} and {cells}"
        )
    return replace(target, column=cells)


def find_configuration(names: list[str], fragment: str) -> str:
    """The configuration of this name, or the only one whose name holds the fragment.

    Raises
    ------
    SpecError
        No match, or several (the candidates are listed).
    """
    if fragment in names:
        return fragment
    found = [n for n in names if fragment.casefold() in n.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        raise SpecError(
            f"'{fragment}' matches {len(found)} configurations",
            got=listed(found, 20),
            allowed="a fragment of one name",
        )
    near = difflib.get_close_matches(fragment, names, n=3, cutoff=0.3)
    raise SpecError(f"no configuration matches '{fragment}'", allowed=listed(near or names, 10))
