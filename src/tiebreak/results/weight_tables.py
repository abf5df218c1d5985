"""Tables of the answer to ``targets`` about moving weights: crossovers, radii, who is on top."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tiebreak.display import Column, Table
from tiebreak.results.provenance import as_dict
from tiebreak.results.target_tables import Labels
from tiebreak.results.weight_lines import (
    Crossover,
    Mass,
    Perturbation,
    RadiusLine,
    Regions,
    Segment,
)

LONGEST_RATIO = 13
"""Longer exact weights are left to JSON."""


def crossover_table(crossovers: Iterable[Crossover], labels: Labels) -> Table:
    """Where pairs change places, and where the data allow a tie."""
    columns = [
        Column("path"),
        Column("winner_below", "leads below"),
        Column("winner_above", "leads above"),
        Column("weight", kind="score"),
        Column("exact"),
        Column("allowed", "the data allow a tie at"),
    ]
    rows = [
        {
            "path": c.path,
            "winner_below": labels.get(c.winner_below or ""),
            "winner_above": labels.get(c.winner_above or ""),
            "weight": c.weight,
            "exact": _short(c.weight_exact),
            "allowed": _allowed(c),
        }
        for c in crossovers
        if c.weight is not None
    ]
    return Table("Crossovers (weight along the path)", columns, rows)


def _short(ratio: str | None) -> str | None:
    return ratio if ratio is not None and len(ratio) <= LONGEST_RATIO else None


def _allowed(c: Crossover) -> str:
    if c.weight_low is None or c.weight_high is None:
        return c.reasons["weight_low"]
    if "weight_low" in c.reasons:
        return "every weight"
    return f"{c.weight_low:.3f} to {c.weight_high:.3f}"


def envelope_table(envelopes: Iterable[Segment], labels: Labels) -> Table:
    """Who is on top along each path."""
    columns = [
        Column("path"),
        Column("weight_from", "from", "score"),
        Column("weight_to", "to", "score"),
        Column("winner", "on top"),
    ]
    rows = [as_dict(s) | {"winner": labels[s.winner]} for s in envelopes]
    return Table("Who is on top along the path", columns, rows)


def move_table(radii: Iterable[RadiusLine], labels: Labels) -> Table:
    """The least reweighting that takes the lead away."""
    columns = [Column("target"), Column("leader"), Column("from"), Column("to")]
    rows = [
        {
            "target": r.target,
            "leader": labels.get(r.leader or ""),
            "from": _masses(r.moved_from),
            "to": _masses(r.moved_to),
        }
        for r in radii
        if r.moved_to
    ]
    return Table("Least reweighting that takes the lead away", columns, rows)


def _masses(masses: Iterable[Mass]) -> str:
    return ", ".join(f"{m.mass:.3f} {m.cell}" for m in masses)


def top_table(regions: Regions | None, perturbation: Perturbation | None) -> Table:
    """How often each configuration is on top: over all weights, and around the target."""
    columns, rows = [Column("configuration")], dict[str, dict[str, Any]]()
    if regions is not None:
        columns += [Column("all", "all weights", "score"), Column("never", "ever")]
        for s in regions.shares:
            rows[s.configuration] = {"all": s.share, "never": "never" if s.never else "yes"}
    if perturbation is not None:
        columns.append(Column("near", f"around {perturbation.target}", "score"))
        for name, share in perturbation.top.items():
            rows.setdefault(name, {})["near"] = share
    table = [{"configuration": name} | row for name, row in rows.items()]
    return Table("On top (share of the weights)", columns, table)


def frequency_table(perturbation: Perturbation | None, labels: Labels) -> Table:
    """How often each verdict comes out when the weights are perturbed."""
    columns = [Column("a"), Column("b"), Column("verdict"), Column("share", kind="score")]
    rows = [
        {"a": labels[p.a], "b": labels[p.b], "verdict": verdict, "share": share}
        for p in (perturbation.pairs if perturbation is not None else ())
        for verdict, share in p.verdicts.items()
    ]
    return Table("Verdicts under perturbed weights (share of the draws)", columns, rows)
