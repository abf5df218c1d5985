"""Arrays and comparisons as compact JSON values that a page decodes without loss.

Floats are the base64 of little-endian binary64 (so a page computes with Python's very numbers),
repeated words are codes, and sentences are templates with their names and numbers taken out.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.results.pairs import Comparison

FLOATS = (
    "gap",
    "gap_low",
    "gap_high",
    "gap_se",
    "df",
    "gap_observed",
    "gap_matched",
    "gap_standardized",
    "movement",
    "movement_low",
    "movement_high",
    "radius",
    "margin_radius",
    "support",
)
"""Members of a comparison that are numbers or null."""
NAME_A, NAME_B, NUMBER = "\ue001", "\ue002", "\ue003"
"""Private-use characters that stand for what is taken out of a sentence."""


def floats(values: Any) -> dict[str, Any]:
    """Numbers, NaN for null: one value where all are the same, else base64 of binary64."""
    array = np.asarray(values, dtype="<f8").ravel()
    if array.size and (np.isnan(array).all() or (array == array[0]).all()):
        first = None if np.isnan(array[0]) else float(array[0])
        return {"n": array.size, "all": first}
    return {"n": array.size, "f64": base64.b64encode(array.tobytes()).decode()}


def codes(values: Iterable[Any]) -> dict[str, Any]:
    """Repeated JSON values as indices into the list of those that occur, in order."""
    items = list(values)
    index: dict[str, int] = {}
    distinct: list[Any] = []
    numbers: list[int] = []
    for item in items:
        key = repr(item)
        if key not in index:
            index[key] = len(distinct)
            distinct.append(item)
        numbers.append(index[key])
    return {"values": distinct, "codes": whole(numbers)}


def whole(values: Any) -> dict[str, Any]:
    """Whole numbers ≥ 0 as base64 of 1, 2 or 4 bytes each."""
    array: NDArray[np.int64] = np.asarray(values, dtype=np.int64).ravel()
    top = int(array.max(initial=0))
    kind = "u8" if top < 2**8 else "u16" if top < 2**16 else "u32"
    packed = array.astype(f"<{kind[0]}{int(kind[1:]) // 8}")
    return {"n": array.size, kind: base64.b64encode(packed.tobytes()).decode()}


def encode_comparisons(comparisons: Sequence[Comparison], names: Sequence[str]) -> dict[str, Any]:
    """All members of all comparisons; ``names`` gives configurations their index."""
    at = {name: i for i, name in enumerate(names)}
    found: dict[str, Any] = {
        field: floats([_or_nan(getattr(c, field)) for c in comparisons]) for field in FLOATS
    }
    templates, numbers = _sentences(comparisons)
    return found | {
        "margin": floats([c.margin for c in comparisons]),
        "a": whole([at[c.a] for c in comparisons]),
        "b": whole([at[c.b] for c in comparisons]),
        "n_tasks": whole([c.n_tasks for c in comparisons]),
        "flags": codes(list(c.flags) for c in comparisons),
        "verdict": codes(c.verdict for c in comparisons),
        "winner": codes({c.a: "a", c.b: "b"}.get(c.winner or "") for c in comparisons),
        "reasons": codes(dict(c.reasons) for c in comparisons),
        "templates": templates,
        "numbers": numbers,
    }


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _sentences(comparisons: Sequence[Comparison]) -> tuple[dict[str, Any], str]:
    """Templates by code, and the numbers that were taken out: ``1.5|2``, one line a pair."""
    parts = [_template(c) for c in comparisons]
    return codes(template for template, _ in parts), "\n".join("|".join(n) for _, n in parts)


def _template(c: Comparison) -> tuple[Any, list[str]]:
    """A sentence with its names and numbers taken out; a list holds one that is left whole."""
    if any(mark in c.sentence for mark in (NAME_A, NAME_B, NUMBER)) or c.a == c.b:
        return [c.sentence], []
    numbers: list[str] = []

    def take(match: re.Match[str]) -> str:
        text = match[0]
        if text in (c.a, c.b):
            return NAME_A if text == c.a else NAME_B
        numbers.append(text)
        return NUMBER

    longest = sorted((re.escape(n) for n in (c.a, c.b) if n), key=len, reverse=True)
    pattern = "|".join([*longest, r"-?[0-9][0-9,]*(?:\.[0-9]+)?"])
    return re.sub(pattern, take, c.sentence), numbers
