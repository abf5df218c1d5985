"""What a score estimates: frozen values with one canonical text, the same in Python, CLI and JSON.

>>> str(Estimand.parse("target=equal:repo missing=fail"))
'protocol=pass@1 target=equal:repo missing=fail support=full'
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import quote, unquote

from tiebreak.errors import SpecError, listed

Missing = Literal["unset", "fail", "drop", "error"]
Support = Literal["full", "common"]
Unpriced = Literal["unset", "zero", "drop"]

MISSING: tuple[Missing, ...] = ("fail", "drop", "error")
SUPPORTS: tuple[Support, ...] = ("full", "common")
UNPRICED: tuple[Unpriced, ...] = ("zero", "drop")
PROTOCOLS = "pass@K or pass^K with K ≥ 1"
SUM_TOLERANCE = 1e-5
"""Stated weights may miss 1 by this much (twenty cells printed with six digits do)."""
TARGETS = ("observed", "equal", "stated")


@dataclass(frozen=True, slots=True)
class Protocol:
    """``pass@k`` (solved at least once in k runs) or ``pass^k`` (solved in all k runs)."""

    kind: Literal["pass@", "pass^"] = "pass@"
    k: int = 1

    def __post_init__(self) -> None:
        if self.kind not in ("pass@", "pass^") or self.k < 1:
            raise SpecError("unknown protocol", allowed=PROTOCOLS, got=str(self))

    def __str__(self) -> str:
        return f"{self.kind}{self.k}"

    @classmethod
    def parse(cls, text: str) -> Protocol:
        """Read ``pass@3`` or ``pass^3``."""
        match = re.fullmatch(r"(pass[@^])([1-9]\d*)", text)
        if not match:
            raise SpecError("unknown protocol", allowed=PROTOCOLS, got=text)
        return cls(cast("Literal['pass@', 'pass^']", match[1]), int(match[2]))


@dataclass(frozen=True, slots=True)
class Target:
    """The weights over cells: ``observed``, ``equal`` over a task column, or ``stated``.

    ``column`` names the task column that forms the cells; under ``observed`` it may be None
    (all tasks are one cell) or name the cells that radii and movements refer to.
    """

    kind: Literal["observed", "equal", "stated"] = "observed"
    column: str | None = None
    weights: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in TARGETS:
            raise SpecError("unknown target", allowed=listed(TARGETS), got=self.kind)
        if self.kind != "observed" and not self.column:
            raise SpecError(f"an {self.kind} target needs a task column", allowed="equal:COLUMN")
        if self.kind == "stated":
            _check_weights(self.weights)

    def __str__(self) -> str:
        column = f":{quote(self.column, safe='')}" if self.column else ""
        pairs = ";".join(f"{quote(c, safe='/')}={w!r}" for c, w in self.weights)
        return f"{self.kind}{column}" + (f"({pairs})" if self.weights else "")

    @classmethod
    def stated(cls, column: str, weights: Mapping[str, float]) -> Target:
        """Stated weights per cell; they must be non-negative and sum to 1."""
        return cls("stated", column, tuple((str(c), float(w)) for c, w in weights.items()))

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read ``observed``, ``observed:COL``, ``equal:COL`` or ``stated:COL(cell=w;cell=w)``."""
        match = re.fullmatch(r"(observed|equal|stated)(?::([^()]+))?(?:\((.*)\))?", text)
        if not match or (match[1] == "stated") != (match[3] is not None):
            raise SpecError(
                "unknown target",
                allowed="observed, observed:COLUMN, equal:COLUMN, or a file of cells and weights",
                got=text,
            )
        column = unquote(match[2]) if match[2] else None
        pairs = (pair.rpartition("=") for pair in match[3].split(";")) if match[3] else ()
        weights = tuple((unquote(c), _number(w)) for c, _, w in pairs)
        return cls(cast("Literal['observed', 'equal', 'stated']", match[1]), column, weights)


@dataclass(frozen=True, slots=True)
class Utility:
    """Success less what it took: success − λ·cost − μ·duration.

    ``price`` is λ, success per USD; ``time_price`` is μ, success per second. Both 0, the default,
    is success itself.

    >>> str(Utility(price=0.05))
    'success-0.05*usd'
    """

    price: float = 0.0
    time_price: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("lambda", self.price), ("mu", self.time_price)):
            if not (math.isfinite(value) and value >= 0):
                raise SpecError(f"{name} out of range", allowed="a number ≥ 0", got=f"{value:g}")

    def __bool__(self) -> bool:
        """Whether anything but success counts."""
        return self.price > 0 or self.time_price > 0

    def __str__(self) -> str:
        cost = f"-{self.price!r}*usd" if self.price else ""
        return f"success{cost}" + (f"-{self.time_price!r}*s" if self.time_price else "")

    @classmethod
    def parse(cls, text: str) -> Utility:
        """Read ``success``, ``success-0.05*usd``, ``success-0.001*s`` or both terms."""
        number = r"[0-9.]+(?:[eE][+-]?[0-9]+)?"
        match = re.fullmatch(rf"success(?:-({number})\*usd)?(?:-({number})\*s)?", text)
        if not match:
            raise SpecError("unknown utility", allowed="success-λ*usd-μ*s", got=text)
        return cls(*(_number(part or "0") for part in match.groups()))


@dataclass(frozen=True, slots=True)
class Estimand:
    """The quantity a score estimates.

    ``label_source`` None means the primary source of the records; ``missing`` "unset" is an
    error as soon as the records hold a missing outcome. ``support`` "common" restricts the
    target to the cells that every compared configuration covers, and changes its name.
    ``unpriced`` says how trials without a price enter a utility: "zero" (as free) or "drop" (left
    out); "unset" leaves single ones out and is an error where a configuration has no other.
    """

    label_source: str | None = None
    protocol: Protocol = Protocol()
    target: Target = Target()
    missing: Missing = "unset"
    support: Support = "full"
    utility: Utility = Utility()
    unpriced: Unpriced = "unset"

    def __post_init__(self) -> None:
        if self.missing not in (*MISSING, "unset"):
            raise SpecError(
                "unknown rule for missing outcomes", allowed=listed(MISSING), got=self.missing
            )
        if self.support not in SUPPORTS:
            raise SpecError("unknown support", allowed=listed(SUPPORTS), got=self.support)
        if self.unpriced not in (*UNPRICED, "unset"):
            what = "unknown rule for unpriced trials"
            raise SpecError(what, allowed=listed(UNPRICED), got=self.unpriced)

    def __str__(self) -> str:
        named = self.label_source is not None
        source = f"label_source={quote(self.label_source or '', safe='')} " if named else ""
        utility = f" utility={self.utility}" if self.utility else ""
        unpriced = f" unpriced={self.unpriced}" if self.unpriced != "unset" else ""
        return (
            f"{source}protocol={self.protocol} target={self.target} "
            f"missing={self.missing} support={self.support}{utility}{unpriced}"
        )

    @classmethod
    def parse(cls, text: str) -> Estimand:
        """Read the canonical text; fields that are not named keep their defaults."""
        given: dict[str, Any] = {}
        for part in text.split():
            name, _, value = part.partition("=")
            if name not in READERS:
                raise SpecError(
                    "unknown field of an estimand", allowed=listed(READERS), got=name or part
                )
            given[name] = READERS[name](value)
        return cls(**given)


READERS: dict[str, Callable[[str], Any]] = {
    "label_source": unquote,
    "protocol": Protocol.parse,
    "target": Target.parse,
    "missing": str,
    "support": str,
    "utility": Utility.parse,
    "unpriced": str,
}
"""How each field of an estimand is read from its canonical text."""


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SpecError("a weight is not a number", allowed="cell=weight", got=text) from None


def _check_weights(weights: tuple[tuple[str, float], ...]) -> None:
    cells = [c for c, _ in weights]
    twice = sorted({c for c in cells if cells.count(c) > 1})
    if twice:
        raise SpecError("the target names a cell twice", allowed="once each", got=listed(twice))
    bad = [f"{c}={w}" for c, w in weights if not (math.isfinite(w) and w >= 0)]
    if bad:
        raise SpecError(
            "target weights are negative or not finite", allowed="numbers ≥ 0", got=listed(bad)
        )
    total = math.fsum(w for _, w in weights)
    if abs(total - 1) > SUM_TOLERANCE:
        raise SpecError("target weights do not sum to 1", allowed="a sum of 1", got=f"{total:.6g}")
