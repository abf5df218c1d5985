"""Tables of the answer to ``targets``: scores, cells, pairs, and what an aggregate hides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tiebreak.display import Column, Table, write
from tiebreak.results.provenance import as_dict
from tiebreak.results.target_lines import (
    CellCount,
    Hidden,
    PairVerdicts,
    TargetLine,
    TargetScore,
    WideCell,
)
from tiebreak.results.weight_lines import Perturbation, RadiusLine

FEW, SHORT = 4, 16
"""Up to so many configurations with names of up to so many letters are named in every table; more
or longer ones are numbered as in the scores."""
RADII = (
    ("radius", "radius"),
    ("margin_radius", "margin"),
    ("wasserstein_radius", "Wasserstein"),
)
Labels = Mapping[str, str]


def labels_of(names: Iterable[str]) -> Labels:
    """How each configuration is called outside the table of scores."""
    every = list(dict.fromkeys(names))
    named = len(every) <= FEW and all(len(n) <= SHORT for n in every)
    return {n: n if named else f"#{i}" for i, n in enumerate(every, 1)}


def score_table(scores: Sequence[TargetScore], targets: Sequence[TargetLine]) -> Table:
    """Configurations × targets: score, rank, and the shift from the raw score."""
    columns = [Column("number", "#", "whole"), Column("configuration"), Column("raw", kind="score")]
    rows: dict[str, dict[str, Any]] = {}
    for s in scores:
        row = rows.setdefault(s.configuration, {"number": len(rows) + 1, "raw": s.score_observed})
        row |= {"configuration": s.configuration, s.target: s.score, f"rank {s.target}": s.rank}
        row[f"shift {s.target}"] = s.shift
    for i, t in enumerate(targets):
        shift = [Column(f"shift {t.target}", "shift", "points")] if i else []
        columns += [Column(t.target, kind="score"), Column(f"rank {t.target}", "rank", "whole")]
        columns += shift
    return Table("Scores (shift from the raw score, points)", columns, list(rows.values()))


def cell_table(cells: Sequence[CellCount], labels: Labels, unit: str) -> Table:
    """Cells × configurations: k/n."""
    columns = [Column("cell")] + [Column(name, label) for name, label in labels.items()]
    rows: dict[str, dict[str, Any]] = {}
    for c in sorted(cells, key=lambda c: c.cell):
        rows.setdefault(c.cell, {"cell": c.cell})[c.configuration] = count_text(c.k, c.n, c.rate)
    return Table(f"Cells (solved/{unit})", columns, list(rows.values()))


def count_text(k: float | None, n: float | None, rate: float | None) -> str:
    """``76/80`` (``7.33/16`` with three runs a task); a rate whose count is not stated says so."""
    return (
        f"{write(rate, 'score')} of ?" if k is None or n is None else f"{round(k, 2):.10g}/{n:.10g}"
    )


def pair_table(
    verdicts: Sequence[PairVerdicts],
    radii: Sequence[RadiusLine],
    perturbation: Perturbation | None,
    labels: Labels,
) -> Table:
    """Pairs × targets: gap, verdict, radii; who wins under all; who wins when weights move."""
    kinds = RADII if any(_ground(r) for r in radii) else RADII[:2]
    columns, rows = [Column("a"), Column("b")], dict[tuple[str, str], dict[str, Any]]()
    for t in verdicts[0].verdicts:
        columns += [Column(t.target, kind="points"), Column(f"{t.target} verdict", "verdict")]
        columns += [Column(f"{t.target} {kind}", head, "score") for kind, head in kinds]
    columns.append(Column("survives", "wins under all"))
    for v in verdicts:
        row = rows.setdefault((v.a, v.b), {"a": labels[v.a], "b": labels[v.b]})
        row["survives"] = None if v.survives is None else labels[v.survives]
        for t in v.verdicts:
            row |= {t.target: t.gap, f"{t.target} verdict": t.verdict}
    for r in radii:
        rows[r.a, r.b] |= {f"{r.target} {kind}": _radius(r, kind) for kind, _ in kinds}
    if perturbation is not None and perturbation.pairs:
        columns += [Column("wins_a", "a wins*", "score"), Column("wins_b", "b wins*", "score")]
        for p in perturbation.pairs:
            rows[p.a, p.b] |= {"wins_a": p.wins_a, "wins_b": p.wins_b}
    return Table(_pair_caption(perturbation), columns, list(rows.values()))


def _pair_caption(perturbation: Perturbation | None) -> str:
    drawn = "" if perturbation is None else "; *share of the draws with that practical winner"
    return (
        "Pairs (gap a − b in points; radius: L1 distance of weights until the lead is gone, "
        f"margin: until it is down to the margin, ∞: nothing does it{drawn})"
    )


def _ground(r: RadiusLine) -> bool:
    return r.wasserstein_radius is not None or "wasserstein_radius" in r.reasons


def _radius(r: RadiusLine, kind: str) -> float | None:
    value: float | None = getattr(r, kind)
    return math.inf if value is None and "infinite" in r.reasons.get(kind, "") else value


def hidden_table(hidden: Hidden | None, labels: Labels) -> Table:
    """Per cell: who has no success, no failure, or an interval that says little."""
    lines: dict[str, Sequence[CellCount | WideCell]] = {}
    if hidden is not None:
        lines = {"zero": hidden.zero, "full": hidden.full, "wide": hidden.wide}
    limit = "" if hidden is None else f"interval wider than {hidden.wide_limit:g}"
    heads = {"zero": "no success", "full": "no failure", "wide": limit}
    found: dict[str, dict[str, list[str]]] = {}
    for kind, group in lines.items():
        for c in group:
            said = f"{labels[c.configuration]} {count_text(c.k, c.n, None)}"
            found.setdefault(c.cell, {}).setdefault(kind, []).append(said)
    rows = [
        {"cell": cell} | {kind: _named_or_counted(said) for kind, said in kinds.items()}
        for cell, kinds in sorted(found.items())
    ]
    columns = [Column("cell")] + [Column(kind, head) for kind, head in heads.items()]
    return Table("Hidden by the aggregate", columns, rows)


def _named_or_counted(said: Sequence[str]) -> str:
    return ", ".join(said) if len(said) < FEW else f"{len(said)} configurations"


def target_table(targets: Iterable[TargetLine], unit: str) -> Table:
    """How few tasks a target rests on."""
    columns = [
        Column("target"),
        Column("n_tasks", unit, "whole"),
        Column("effective", f"effective {unit}"),
        Column("thin_weight", f"weight on cells under 5 {unit}", "score"),
        Column("outside", "weight outside support", "score"),
    ]
    rows = [
        as_dict(t) | {"effective": "–" if t.n_effective is None else f"{t.n_effective:.1f}"}
        for t in targets
    ]
    return Table("What the targets rest on", columns, rows)
