"""Answer to ``cost``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiebreak.display import Column, Rendered, Table
from tiebreak.results.cost_lines import (
    BudgetLine,
    DominatedLine,
    FrontierLine,
    PlaneResult,
    ResolvedLine,
    SpendingLine,
    StatedLine,
    SwitchLine,
    UnpricedLine,
    UtilityLine,
)
from tiebreak.results.provenance import Provenance, as_dict

SHOWN = 12
"""Longer lists of published totals are left to JSON."""


@dataclass(frozen=True, slots=True)
class Switches:
    """Who is on top at price 0, and who takes over as it grows."""

    first: str | None
    lines: tuple[SwitchLine, ...]


@dataclass(frozen=True, slots=True)
class CostResult(Rendered):
    """Success against cost and time.

    ``switches`` are of λ at the stated μ, ``duration_switches`` of μ at the stated λ (None where
    no duration is stated). ``unsupported`` names priced configurations without a priced trial in
    some cell that the target weighs; they are in no table. ``stated`` lists published mean costs
    that the trials do not give within 5 %, of ``stated_checked``. ``no_interval`` says why no bound
    is given, where none is.
    """

    configurations: tuple[SpendingLine, ...]
    switches: Switches
    duration_switches: Switches | None
    utilities: tuple[UtilityLine, ...]
    frontier: tuple[FrontierLine, ...]
    dominated: tuple[DominatedLine, ...]
    cost_per_resolved: tuple[ResolvedLine, ...]
    unpriced: tuple[UnpricedLine, ...]
    unsupported: tuple[str, ...]
    budgets: tuple[BudgetLine, ...]
    plane: PlaneResult | None
    stated: tuple[StatedLine, ...]
    stated_checked: int
    price_effect: str | None
    no_interval: str | None
    answer: str
    provenance: Provenance

    @property
    def lines(self) -> list[str]:
        """What is left out and what the tables are of, and the provenance."""
        out = [u for u in self.unpriced if u.left_out]
        some = [u for u in self.unpriced if not u.left_out]
        free = self.provenance.estimand.unpriced == "zero"
        notes = []
        if out:
            names = ", ".join(u.configuration for u in out)
            notes.append(f"unpriced  left out, no trial has a price: {names}")
        if some:
            rule = "count as free" if free else "are left out, with their outcomes"
            n = sum(u.unpriced for u in some)
            notes.append(f"unpriced  {n:,} trials of {len(some)} other configurations {rule}")
        if self.price_effect:
            notes.append(
                f"selected  leaving out what has no price or never ran {self.price_effect}"
            )
        if self.unsupported:
            notes.append(f"support   no priced trial in some cell: {', '.join(self.unsupported)}")
        if self.stated_checked:
            more = f"; the {SHOWN} farthest are shown" if len(self.stated) > SHOWN else ""
            notes.append(
                f"totals    {len(self.stated)} of {self.stated_checked} published mean costs "
                f"differ from those of their trials by more than 5%{more}"
            )
        if self.no_interval:
            notes.append(f"interval  none: {self.no_interval}")
        return [*notes, *self.provenance.lines]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per priced configuration."""
        per = {r.configuration: r for r in self.cost_per_resolved}
        chance = {f.configuration: f.probability for f in self.frontier}
        chance |= {d.configuration: d.probability for d in self.dominated}
        by = {d.configuration: d.by for d in self.dominated}
        return [
            as_dict(line)
            | {
                "cost_per_resolved": per[line.configuration].value,
                "frontier": chance[line.configuration],
                "dominated_by": by.get(line.configuration),
            }
            for line in self.configurations
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``cost``."""
        timed = self.duration_switches
        return {
            **self.provenance.to_dict("cost"),
            "sentence": self.answer,
            "configurations": [as_dict(c) for c in self.configurations],
            "first": self.switches.first,
            "switches": [s.to_dict("lambda") for s in self.switches.lines],
            "duration_first": timed.first if timed else None,
            "duration_switches": [s.to_dict("mu") for s in timed.lines] if timed else None,
            **{name: [as_dict(line) for line in getattr(self, name)] for name in LISTS},
            "unsupported": list(self.unsupported),
            "plane": self.plane.to_dict() if self.plane else None,
            "stated_checked": self.stated_checked,
            "price_effect": self.price_effect,
            "no_interval": self.no_interval,
        }

    def tables(self) -> list[Table]:
        """Switches, configurations, budgets, and what was asked or does not add up."""
        tables = [_switch_table("λ, success per USD", "lambda", self.switches)]
        if self.duration_switches is not None:
            tables.append(_switch_table("μ, success per second", "mu", self.duration_switches))
        if self.utilities:
            rows = [as_dict(u) for u in self.utilities]
            tables.append(Table(f"Utility: {self.provenance.estimand.utility}", UTILITIES, rows))
        written = _written(self)
        tables.append(Table("Dollars per task, the most successful first", DOLLARS, written))
        tables.append(Table("Success over the trials that have a price", SUCCESSES, written))
        tables.append(Table("What a budget buys (attempts at every task)", BUDGETS, _bought(self)))
        if self.plane is not None:
            tables.append(Table("Ties: gap − λ·cost − μ·duration = 0", PLANE, _ties(self.plane)))
        if self.stated:
            rows = [as_dict(s) for s in self.stated[:SHOWN]]
            rows = [r | {k: usd(r[k]) for k in ("stated", "found")} for r in rows]
            tables.append(Table("Published mean costs that do not add up", STATED, rows))
        return tables


LISTS = (
    "utilities", "frontier", "dominated", "cost_per_resolved", "unpriced", "budgets", "stated",
)  # fmt: skip
UTILITIES = [
    Column("configuration"),
    Column("utility", kind="score"),
    Column("low", kind="score"),
    Column("high", kind="score"),
]
SUCCESSES = [
    Column("configuration"),
    Column("success", kind="score"),
    Column("success_low", "low", "score"),
    Column("success_high", "high", "score"),
    Column("success_all", "of all trials", "score"),
    Column("n_tasks", "tasks", "whole"),
    Column("priced"),
]
DOLLARS = [
    Column("configuration"),
    Column("cost", "USD per task"),
    Column("cost_range", "interval"),
    Column("resolved", "per resolved"),
    Column("resolved_range", "interval"),
    Column("frontier", "P(frontier)", "score"),
    Column("dominated_by", "dominated by"),
]
BUDGETS = [
    Column("spend", "USD per task from"),
    Column("configuration"),
    Column("attempts", kind="whole"),
    Column("success", kind="score"),
]
PLANE = [
    Column("a"),
    Column("b"),
    Column("gap", kind="points"),
    Column("cost_gap", "cost, USD"),
    Column("duration_gap", "duration, s"),
]
STATED = [
    Column("configuration"),
    Column("part"),
    Column("stated", "published USD"),
    Column("found", "of its trials"),
]


def usd(value: float | None) -> str:
    """Dollars (or a price, or seconds) with three significant digits, whole from 1,000 on."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")


def _range(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "–"
    return f"{usd(low)} to {'∞' if high is None else usd(high)}"


def _switch_table(caption: str, name: str, found: Switches) -> Table:
    """From price 0: who is on top from where on."""
    rows: list[dict[str, Any]] = [
        {"from": "0", "range": "", "matched": "", "who": found.first or "nobody", "n": None}
    ]
    rows += [
        {
            "from": usd(line.price),
            "range": _range(line.low, line.high),
            "matched": usd(line.matched),
            "who": line.after,
            "n": line.n_tasks or None,
        }
        for line in found.lines
    ]
    columns = [
        Column("from", f"{name} from"),
        Column("who", "on top"),
        Column("matched", "on shared tasks"),
        Column("range", "interval"),
        Column("n", "shared tasks", "whole"),
    ]
    return Table(f"Who is on top as the price grows ({caption})", columns, rows)


def _written(result: CostResult) -> Sequence[dict[str, Any]]:
    """Dollars in four digits, intervals in one column."""
    per = {r.configuration: r for r in result.cost_per_resolved}
    rows = []
    for row in result.to_rows():
        r = per[row["configuration"]]
        rows.append(
            row
            | {
                "cost": usd(row["cost"]),
                "cost_range": _range(row["cost_low"], row["cost_high"]),
                "resolved": usd(r.value),
                "resolved_range": _range(r.low, r.high),
                "dominated_by": row["dominated_by"] or "",
                "priced": f"{100 * row['priced']:.1f} %",
            }
        )
    return rows


def _bought(result: CostResult) -> list[dict[str, Any]]:
    return [as_dict(b) | {"spend": usd(b.spend)} for b in result.budgets]


def _ties(plane: PlaneResult) -> list[dict[str, Any]]:
    rows = [as_dict(b) for b in plane.boundaries]
    return [r | {k: usd(r[k]) for k in ("cost_gap", "duration_gap")} for r in rows]
