"""Trials + options → one plain dict: every section with its words, tables, pictures and JSON."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

from tiebreak.display import CellKind, Rendered, Table, printable, write
from tiebreak.errors import TiebreakError
from tiebreak.estimand import Target
from tiebreak.options import Options, specs
from tiebreak.panel import build_panel
from tiebreak.progress import track
from tiebreak.questions.inspect import cell_column
from tiebreak.questions.prepare import prepare
from tiebreak.questions.whatif import whatif
from tiebreak.report.payload import make_payload
from tiebreak.report.sections import SECTIONS, Asked, Section
from tiebreak.results.board import BoardResult
from tiebreak.results.provenance import finite
from tiebreak.results.settle import SettleResult
from tiebreak.trials import Trials
from tiebreak.version import __version__

LONG_TABLE = 8
"""From so many rows on a table can be filtered."""


def summarize(trials: Trials, options: Options, *, pictures: bool = True) -> dict[str, Any]:
    """Everything the page shows.

    Without a target and without ``cells``, the first task column that forms at most 30 cells is
    taken for them, so that there are weights to look at; the estimand says so.

    Raises
    ------
    SpecError, InputError
        Options that mean nothing or do not fit the records, or missing outcomes without a rule:
        what the user can mend. What the records cannot support is a section's reason instead.
    """
    options = _with_cells(trials, options)
    estimand, design = specs(options)
    if trials.configurations.height > 1:
        prepare(trials, estimand, design)
    else:
        build_panel(trials, estimand)
    asked = Asked(trials, options)
    done = [
        _section(section, asked, pictures) for section in track(SECTIONS, len(SECTIONS), "report")
    ]
    return {
        "version": __version__,
        "origin": _name(trials.origin),
        "hash": trials.hash,
        "sections": done,
        "payload": _payload(asked, {s["name"]: s.pop("json") for s in done}),
    }


def _name(origin: str) -> str:
    """The name of what was read, without the folders that lead to it."""
    path, _, kind = printable(origin).partition(" (")
    return PurePath(path).name + (f" ({kind}" if kind else "")


def _with_cells(trials: Trials, options: Options) -> Options:
    target = options.get("target")
    plain = target is None or Target() in (target, _parsed(target))
    column = cell_column(trials) if plain and options.get("cells") is None else None
    return options if column is None else {**options, "cells": column}


def _parsed(target: str | Target) -> Target:
    return Target.parse(target) if isinstance(target, str) else target


def _section(section: Section, asked: Asked, pictures: bool) -> dict[str, Any]:
    """A section, or the reason that there is none."""
    head = {"name": section.name, "title": section.title, "about": section.about}
    try:
        result = section.ask(asked)
    except TiebreakError as fault:
        return head | {"reason": _reason(fault), "json": None}
    return head | {
        "reason": None,
        "headline": printable(result.headline),
        "words": printable(section.words(asked)),
        "sentences": _sentences(result),
        "lines": [_line(text) for text in _lines(section, asked, result)],
        "tables": [_table(t, f"{section.name}-{i}") for i, t in enumerate(section.tables(result))],
        "figures": _figures(section, asked, result) if pictures else [],
        "json": _json(result),
    }


def _reason(fault: TiebreakError) -> str:
    """What is missing and how it is mended; the page says where."""
    parts = (fault.what, f"allowed: {fault.allowed}" if fault.allowed else None, fault.hint)
    said = "; ".join(printable(part) for part in parts if part)
    return said[:1].upper() + said[1:] + "."


def _figures(section: Section, asked: Asked, result: Rendered) -> list[dict[str, str]]:
    """The section's pictures; one of a part of the board says so."""
    from tiebreak.report.figures import figures

    drawn = section.pictured(asked, result)
    part = ""
    if isinstance(drawn, BoardResult) and len(drawn.standings) < len(asked.board.standings):
        part = f", the first {len(drawn.standings)} of {len(asked.board.standings)}"
    return figures(section, drawn, part)


def _sentences(result: Rendered) -> list[dict[str, str]]:
    if not isinstance(result, SettleResult):
        return []
    return [{"topic": s.topic, "text": printable(s.sentence)} for s in result.sentences]


def _lines(section: Section, asked: Asked, result: Rendered) -> list[str]:
    """The result's own; estimand and design stand where they are not a result's."""
    if section.name != "records":
        return result.lines
    estimand, design = asked.specs
    return [f"estimand  {estimand}", f"design  {design}", *result.lines]


def _line(text: str) -> dict[str, str]:
    """``topic     text``, as results write what they were computed from."""
    topic, _, rest = printable(text).partition(" ")
    return {"topic": topic, "text": rest.strip()}


def _table(table: Table, name: str) -> dict[str, Any]:
    """Shown text beside the value of every cell."""
    return {
        "name": name,
        "caption": printable(table.caption),
        "columns": [
            {"key": c.key, "title": printable(c.title), "number": c.kind != "text"}
            for c in table.columns
        ],
        "rows": [[_cell(row.get(c.key), c.kind) for c in table.columns] for row in table.rows],
        "long": len(table.rows) >= LONG_TABLE,
    }


def _cell(value: Any, kind: CellKind) -> dict[str, Any]:
    shown = printable(write(value, kind))
    kept = finite(value)
    return {"text": shown, "value": None if shown == kept else json.dumps(kept)}


def _json(result: Rendered) -> dict[str, Any]:
    """The result's JSON; pairs are coded apart and put back by the page."""
    found = result.to_dict()
    return found | {"comparisons": None} if "comparisons" in found else found


def _payload(asked: Asked, results: dict[str, Any]) -> dict[str, Any]:
    if results.get("board") is None:
        return make_payload(None, None, results)
    if results.get("pairs") is not None:
        results = results | {"pairs": None}  # the board's own
    arrays = whatif(asked.trials, asked.board, **asked.options)
    return make_payload(asked.board, arrays, results)
