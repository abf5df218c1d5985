"""``tiebreak inspect``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, SOURCE, Output, Source


def inspect(
    path: Path, *, cells: str | None = None, source: Source = SOURCE, output: Output = OUTPUT
) -> None:
    """What was read: columns, mapping, accounting, support table, missing outcomes.

    Parameters
    ----------
    path
        Records in any readable layout.
    cells
        Task column for the support table.
    """
    from tiebreak.questions.inspect import inspect as question

    output.show(question(source.read(path), cells=cells))
