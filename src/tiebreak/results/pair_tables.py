"""Tables of ``pairs``: widths are put beside what they are about, not ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiebreak.display import Column, Table

MOST_BLOCKS = 40
"""A longer list of blocks is left to JSON."""
ABOUT = {
    "pairs": "nothing: takes pairs that share a configuration as independent",
    "configurations": "future configurations like these, on these tasks",
    "tasks": "these configurations, on other tasks like these",
    "cells": "these configurations, on other cells of tasks like these",
    "runs": "these configurations and tasks, run again",
}
INTERVALS = [
    Column("method"),
    Column("sampled"),
    Column("low"),
    Column("high"),
    Column("width"),
    Column("ratio", "× pair-iid"),
    Column("about", "what it is about"),
]
SENSITIVITY = [Column("what", "sensitivity"), Column("value"), Column("range"), Column("about", "")]


def about(sampled: str) -> str:
    """Whom an interval speaks of."""
    parts = sampled.split("+")
    if len(parts) == 1:
        return ABOUT[sampled]
    return f"{', '.join(parts[:-1])} and {parts[-1]} drawn anew together"


def interval_table(rows: Sequence[Mapping[str, Any]]) -> Table | None:
    """Every interval with its source."""
    if not rows:
        return None
    shown = [
        {
            "method": r["method"],
            "sampled": r["sampled"],
            **{name: f"{r[name]:.4f}" for name in ("low", "high", "width")},
            "ratio": _ratio(r["ratio_to_pair_iid"]),
            "about": about(r["sampled"]),
        }
        for r in rows
    ]
    return Table("Intervals by what they take as sampled (no ranking of methods)", INTERVALS, shown)


def _ratio(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def sensitivity_table(
    left_out: Mapping[str, Any] | None, thinned: Mapping[str, Any] | None
) -> Table | None:
    """Leave-one-out and half of the tasks."""
    rows = []
    if left_out is not None:
        rows.append(
            {
                "what": "without one configuration",
                "value": f"{left_out['largest_change']:.5f}",
                "range": f"{left_out['low']:.4f} to {left_out['high']:.4f}",
                "about": f"largest change: {left_out['configuration']}",
            }
        )
    for name, what in (("reversed", "strictly reversed"), ("unresolved", "tied in either")):
        if thinned is not None:
            rows.append(
                {
                    "what": f"half of the tasks: {what}",
                    "value": f"{thinned[name]:.4f}",
                    "range": f"{thinned[f'{name}_low']:.4f} to {thinned[f'{name}_high']:.4f}",
                    "about": f"share of pairs, {thinned['draws']:,} draws of "
                    f"{thinned['kept']} of {thinned['n_tasks']} tasks",
                }
            )
    return Table("Sensitivity of the fixed board", SENSITIVITY, rows) if rows else None


def block_table(blocks: Mapping[str, Any] | None) -> Table | None:
    """A beside E, and the blocks."""
    if blocks is None:
        return None
    means = [
        ("A: every pair alike", blocks["a"], blocks["a_exact"]),
        ("E: every pair of blocks alike", blocks["e"], blocks["e_exact"]),
        ("A − E", blocks["difference"], None),
    ]
    rows: list[dict[str, Any]] = [
        {"what": what, "value": f"{value:.5f}", "exact": exact} for what, value, exact in means
    ]
    several = [(name, n) for name, n in blocks["members"].items() if n > 1]
    several.sort(key=lambda m: (-m[1], m[0]))
    rows += [
        {"what": f"block {name}", "value": f"{n} configurations"}
        for name, n in several[:MOST_BLOCKS]
    ]
    rows.append({"what": "blocks of one", "value": str(blocks["n_blocks"] - len(several))})
    rest = len(several) - MOST_BLOCKS
    more = f"; {rest} more in --json" if rest > 0 else ""
    rule = f"{blocks['unlabelled']} unlabelled configurations are {blocks['unlabelled_are']}"
    columns = [Column("what", blocks["column"]), Column("value"), Column("exact", "exactly")]
    return Table(f"Blocks by {blocks['column']}: {blocks['n_blocks']}; {rule}{more}", columns, rows)


def curve_table(curve: Mapping[str, Any] | None) -> Table | None:
    """Fractions and widths by margin; the last row says where each width crosses."""
    if curve is None:
        return None
    names = [f"{c['method']}, {c['sampled']}" for c in curve["crossings"]]
    rows: list[dict[str, Any]] = []
    for p in curve["points"]:
        widths = {n: f"{w['width']:.4f}" for n, w in zip(names, p["widths"], strict=True)}
        share = f"{p['fraction']['value']:.4f}"
        rows.append({"near": f"{p['near']:g}", "fraction": share, **widths})
    first = {
        n: "never" if c["near"] is None else f"{c['near']:g}"
        for n, c in zip(names, curve["crossings"], strict=True)
    }
    reference = f"{curve['reference_width']:g}"
    if names:
        rows.append({"near": f"first > {reference}", "fraction": None, **first})
    columns = [Column("near", "margin"), Column("fraction"), *(Column(n) for n in names)]
    return Table("Near ties by margin, and widths of the intervals", columns, rows)
