"""What every result carries: estimand, design, data, seed, version; and strict JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tiebreak.design import ComponentDesign, Design
from tiebreak.estimand import Estimand
from tiebreak.trials import Trials
from tiebreak.version import __version__


@dataclass(frozen=True, slots=True)
class Data:
    """Accounting of the records behind a result, with their content hash."""

    hash: str
    read: int
    used: int
    excluded: Mapping[str, int]
    missing: Mapping[str, int]

    @classmethod
    def of(cls, trials: Trials) -> Data:
        """The accounting of checked trials."""
        a = trials.accounting
        return cls(trials.hash, a.read, a.used, dict(a.excluded), trials.missing)

    @property
    def text(self) -> str:
        """``read 1,408 = 1,302 used + 106 duplicate (any); hash …``."""
        parts = "".join(f" + {n:,} {reason}" for reason, n in self.excluded.items())
        lost = ", ".join(f"{n:,} {status}" for status, n in self.missing.items())
        missing = f"; no outcome: {lost}" if lost else ""
        return f"read {self.read:,} = {self.used:,} used{parts}{missing}; hash {self.hash}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Estimand, design and data of a result.

    ``support_cells`` names a restricted target; ``sources_left_out`` the label sources that
    allow no reading under the estimand, with the reason. ``priced``: where the estimand is a
    utility, the share of each configuration's trials that have all that it needs;
    ``price_effect`` what leaving the others out does to success.
    """

    estimand: Estimand
    design: Design
    data: Data
    support_cells: tuple[str, ...] = ()
    missing_effect: str | None = None
    sources_left_out: tuple[str, ...] = ()
    priced: Mapping[str, float] = field(default_factory=dict)
    price_effect: str | None = None

    def to_dict(self, question: str) -> dict[str, Any]:
        """The top level of every JSON result."""
        e = self.estimand
        return {
            "tiebreak": __version__,
            "question": question,
            "estimand": {
                "text": str(e),
                "label_source": e.label_source,
                "protocol": str(e.protocol),
                "target": str(e.target),
                "missing": e.missing,
                "missing_effect": self.missing_effect,
                "support": e.support,
                "support_cells": list(self.support_cells),
                "sources_left_out": list(self.sources_left_out),
                **self._utility(),
            },
            "design": {"text": str(self.design), **as_dict(self.design)},
            "data": as_dict(self.data),
            "seed": self.design.seed,
        }

    def _utility(self) -> dict[str, Any]:
        """What a utility adds to the estimand."""
        e = self.estimand
        if not e.utility:
            return {}
        return {
            "utility": str(e.utility),
            "lambda": e.utility.price,
            "mu": e.utility.time_price,
            "unpriced": e.unpriced,
            "priced": dict(self.priced),
            "price_effect": self.price_effect,
        }

    def _priced(self) -> list[str]:
        """The least coverage of a utility."""
        if not self.priced:
            return []
        if min(self.priced.values()) == 1:
            return ["prices    every trial has what the utility needs"]
        least = min(self.priced, key=lambda name: (self.priced[name], name))
        left = "are left out" + (f", which {self.price_effect}" if self.price_effect else "")
        rule = "count as free" if self.estimand.unpriced == "zero" else left
        return [
            f"prices    at least {100 * self.priced[least]:.1f} % of a configuration's trials have "
            f"what the utility needs ({least}); the others {rule}"
        ]

    @property
    def lines(self) -> list[str]:
        """The same in words, for text output."""
        kept = f" over {', '.join(self.support_cells)}" if self.support_cells else ""
        effect = [f"missing   {self.missing_effect}"] if self.missing_effect else []
        return [
            f"estimand  {self.estimand}{kept}",
            f"design    {self.design}",
            f"data      {self.data.text}",
            *effect,
            *self._priced(),
            *(f"labels    not read: {reason}" for reason in self.sources_left_out),
        ]


def stated(design: ComponentDesign) -> dict[str, Any]:
    """The design of a decomposition as JSON, in the place of that of an interval."""
    return {"text": str(design), **as_dict(design)}


def told(design: ComponentDesign, provenance: Provenance) -> list[str]:
    """The lines of a provenance with the design of a decomposition."""
    own = f"design    {design}"
    return [own if line.startswith("design    ") else line for line in provenance.lines]


def as_dict(value: Any) -> dict[str, Any]:
    """A frozen value as strict JSON: tuples to lists, mappings to dicts, NaN and ∞ to null."""
    return {f.name: finite(getattr(value, f.name)) for f in fields(value)}


def finite(value: Any) -> Any:
    """JSON-ready copy of a value without NaN or infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): finite(v) for k, v in value.items()}
    return [finite(v) for v in value] if isinstance(value, tuple | list) else value
