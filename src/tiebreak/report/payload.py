"""What the page's script works on: all pairs, the arrays to redo them, and every section's JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from tiebreak.decide import VERDICTS
from tiebreak.report.codec import encode_comparisons, floats, whole
from tiebreak.results.board import BoardResult
from tiebreak.results.whatif import Array, Layer, WhatIf

LEVELS = 250
"""Up to so many distinct task values are stored as one byte each."""

FLAG_WORDS = {
    "unsupported": "the target puts weight where one of the two has no trials",
    "verifier-sensitive": "paired label sources select opposite winners",
    "underpowered": "the interval includes 0, or the gap is below the margin",
    "target-sensitive": "reweighting turns the order or moves the gap by more than the margin",
    "stable": "none of the conditions that would question the claim",
    "monte_carlo": "a deciding bound lies within Monte Carlo error of its threshold",
    "single_run": "one of the two has a single run: run-to-run noise is in no interval",
    "few_cells": "few cells are sampled: the interval may be unbounded",
    "no_interval": "grouped records allow no interval",
}


def make_payload(
    board: BoardResult | None, arrays: WhatIf | None, results: Mapping[str, Any]
) -> dict[str, Any]:
    """All that the page computes with; the sections' JSON without the pairs, which are coded."""
    found: dict[str, Any] = {"sections": dict(results), "flags": FLAG_WORDS}
    if board is None or arrays is None:
        return found | {"pairs": None, "whatif": None}
    return found | {
        "verdicts": list(VERDICTS),
        "margin": board.provenance.design.margin,
        "level": board.provenance.design.level,
        "pairs": encode_comparisons(board.comparisons, arrays.configurations),
        "whatif": encode_whatif(arrays),
    }


def encode_whatif(w: WhatIf) -> dict[str, Any]:
    """Arrays row by row."""
    return {
        "configurations": list(w.configurations),
        "cells": list(w.cells),
        "weights": floats(w.weights),
        "by_task": w.by_task,
        "observed": floats(w.observed),
        "observed_by_task": w.observed_by_task,
        "scores": _layer(w.scores),
        "paid": _layer(w.paid),
        "costs": _layer(w.costs),
        "task_cells": None if w.task_cells is None else whole(w.task_cells),
        "ran": None if w.ran is None else whole(w.ran),
        "all_ran": [bool(r) for r in w.all_ran],
        "disagree_below": floats(w.disagree_below),
        "unit": w.unit,
        "scale": w.scale,
    }


def _layer(layer: Layer | None) -> dict[str, Any] | None:
    if layer is None:
        return None
    values = None if layer.task_values is None else _values(layer.task_values)
    return {"rates": floats(layer.rates), "mass": floats(layer.mass), "values": values}


def _values(values: Array) -> dict[str, Any]:
    """Task-level values: a code for each of few levels, else numbers."""
    levels = np.unique(values[~np.isnan(values)])
    if levels.size > LEVELS:
        return {"levels": floats(values), "codes": None}
    codes = np.where(np.isnan(values), levels.size, np.searchsorted(levels, values))
    return {"levels": floats([*levels, np.nan]), "codes": whole(codes)}


def script_json(payload: Mapping[str, Any]) -> str:
    """JSON that may stand inside a script element: ASCII, and no <, > or & at all."""
    text = json.dumps(payload, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text
