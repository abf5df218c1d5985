"""The one contract of every reader: recognise a path, turn it into records.

Adding a reader takes a module with a ``READER``, its place in ``READERS`` of
``tiebreak.readers.registry``, one fixture and one golden test; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tiebreak.trials import Kind


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user may say about how to read: the task universe and a column mapping."""

    tasks: Path | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Records:
    """What a reader hands over.

    ``frame`` has ``configuration`` and ``task`` (any type), one score column per source in
    ``sources`` (floats in [0, 1] or null), optionally ``run``, ``status``, ``count``, costs and
    durations; every other column is a candidate task or configuration column.
    ``read`` counts source records; ``excluded`` the ones left out, by reason.
    ``tasks`` names the universe where the log or the user states it. ``counted``: rows were
    expanded from counts, so the numbers of their runs mean nothing. Grouped records may count
    tasks by their successes in columns ``solved:0`` … ``solved:K``. ``left_out`` names benchmarks
    that hold no outcome by task, with the reason; ``stated_costs`` is as in
    :class:`tiebreak.trials.Trials`.
    """

    frame: pl.DataFrame
    sources: tuple[str, ...] = ("score",)
    kind: Kind = "item"
    excluded: Mapping[str, int] = field(default_factory=dict)
    tasks: pl.DataFrame | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    counted: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)
    stated_costs: pl.DataFrame | None = None

    @property
    def read(self) -> int:
        """Number of source records: kept here plus excluded."""
        return self.frame.height + sum(self.excluded.values())


@dataclass(frozen=True, slots=True)
class Reader:
    """A log format: ``recognise`` says why a path is of this format, or None.

    ``roles`` are the column roles that a user may map in it: none where the columns are fixed,
    None where they are free.
    """

    name: str
    layout: str
    recognise: Callable[[Path], str | None]
    read: Callable[[Path, ReadOptions], Records]
    roles: tuple[str, ...] | None = ()
