"""Answer to ``inspect``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiebreak.display import Column, Rendered, Table
from tiebreak.results.provenance import Data, as_dict, finite
from tiebreak.version import __version__


@dataclass(frozen=True, slots=True)
class InspectResult(Rendered):
    """What was read, before any estimate.

    ``columns`` names the task and the configuration columns; ``support`` counts tasks with
    trials per configuration, in all and per cell; ``missing`` counts outcomes that are not there.
    """

    answer: str
    origin: str
    kind: str
    sources: tuple[str, ...]
    mapping: Mapping[str, str]
    columns: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]
    data: Data
    counts: Mapping[str, int]
    support: tuple[Mapping[str, Any], ...]
    missing: tuple[Mapping[str, Any], ...]

    @property
    def lines(self) -> list[str]:
        """What was recognised, mapped and left out."""
        mapped = ", ".join(f"{role} ← {column}" for role, column in self.mapping.items())
        return [
            f"source    {self.origin}",
            f"kind      {self.kind} records; label sources: {', '.join(self.sources)}",
            *([f"mapping   {mapped}"] if mapped else []),
            *(
                f"columns   of a {of}: {', '.join(names) or 'none'}"
                for of, names in self.columns.items()
            ),
            f"data      {self.data.text}",
            *(f"note      {note}" for note in self.notes),
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """The support table: one row per configuration."""
        return [dict(row) for row in self.support]

    def to_dict(self) -> dict[str, Any]:
        """JSON contract of ``inspect``."""
        fields = as_dict(self)
        del fields["answer"]
        head = {"tiebreak": __version__, "question": "inspect"}
        return {**head, **fields, "data": finite(as_dict(self.data))}

    def tables(self) -> list[Table]:
        """Support and missing outcomes."""
        columns = [
            Column(name, kind="text" if name == "configuration" else "whole")
            for name in self.support[0]
        ]
        tables = [Table("Support (tasks with trials)", columns, self.to_rows())]
        if not self.missing:
            return tables
        lost = [Column("configuration"), Column("status"), Column("count", kind="whole")]
        return [*tables, Table("Missing outcomes", lost, [dict(m) for m in self.missing])]
