"""``tiebreak convert``."""

from __future__ import annotations

import sys
from pathlib import Path

from tiebreak.arguments import SOURCE, Source


def convert(path: Path, out: Path, *, source: Source = SOURCE) -> None:
    """Write any readable log as the canonical trial table.

    Parameters
    ----------
    path
        Records in any readable layout.
    out
        Table to write: .parquet, .csv, .tsv, .jsonl or .arrow.
    """
    from tiebreak.write import write_table

    trials = source.read(path)
    write_table(trials, out)
    sys.stdout.write(f"{trials.frame.height:,} trials → {out}\n")
