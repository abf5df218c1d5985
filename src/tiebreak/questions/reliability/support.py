"""Identifiability before numbers: what the design tells apart, in names and in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak.errors import listed
from tiebreak.kernels.decomposition.identifiability import (
    WEAK,
    Comparison,
    Extremes,
    Separation,
    extremes,
    graph_components,
    separation,
    separation_table,
)
from tiebreak.questions.judge import number
from tiebreak.questions.reliability.fits import Cells

SAME = "their levels are the same trials in this design, so only their sum is known"


def identifiability(cells: Cells) -> dict[str, Any]:
    """The design: parts of the model–scaffold graph, separations, extremes, and notes on them."""
    models, _ = graph_components(cells.layout)
    parts = [
        [n for n, p in zip(cells.found.models, models, strict=True) if p == part]
        for part in np.unique(models)
    ]
    told = separation(cells.layout, cells.merging.kept)
    asked = (*cells.merging.kept, *(f for names in cells.merging.merged for f in names[1:]))
    table = separation_table(cells.layout, tuple(f for f in asked if f not in ("B",)))
    ends = extremes(cells.layout)
    return {
        "connected": len(parts) == 1,
        "graph_parts": parts,
        "constant": list(cells.merging.constant),
        "eigenvalues": [number(v) for v in told.eigenvalues],
        "weakest": list(told.sets[0]) if told.sets else [],
        "weak": [list(names) for names in told.weak],
        "separation": [c._asdict() for c in table],
        "items_all_zero": int(ends.items_zero.size),
        "items_all_one": int(ends.items_one.size),
        "models_all_zero": [cells.found.models[m] for m in ends.models_zero],
        "models_all_one": [cells.found.models[m] for m in ends.models_one],
        "notes": list(_notes(cells, parts, told, table, ends)),
    }


def merged_lines(cells: Cells) -> tuple[dict[str, Any], ...]:
    """Sets of facets that are one here."""
    return tuple({"facets": list(names), "reason": SAME} for names in cells.merging.merged)


def _notes(
    cells: Cells,
    parts: list[list[str]],
    told: Separation,
    table: tuple[Comparison, ...],
    ends: Extremes,
) -> Iterator[str]:
    if len(parts) > 1:
        yield (
            f"{len(parts)} groups of models share no scaffold (the first: {listed(parts[0], 3)}): "
            "models of two groups are compared only by taking scaffolds as draws of one population"
        )
    if cells.merging.constant:
        names = listed(cells.merging.constant)
        yield f"a single level of {names}: a part of the mean, no variance to estimate"
    for value, close in zip(told.eigenvalues, told.sets, strict=True):
        if value < WEAK:
            yield f"{' and '.join(close)} are hardly told apart (eigenvalue {value:.3f})"
    for c in table:
        if c.repeated == 0:
            yield f"{c.left} is not told from {c.right}: no level of it meets two of {c.right}"
    items = cells.layout.n_items
    for n, word in ((ends.items_zero.size, "nobody"), (ends.items_one.size, "everybody")):
        if n:
            yield f"{n} of {items:,} tasks are solved by {word}"
    for held, word in ((ends.models_zero, "no task"), (ends.models_one, "every task")):
        if held.size:
            yield f"{listed([cells.found.models[m] for m in held], 4)} solved {word}"
