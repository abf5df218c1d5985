"""``tiebreak report``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiebreak.arguments import SETTINGS, SOURCE, Settings, Source


def report(
    path: Path,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])] = Path("report.html"),
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
) -> None:
    """Everything the records support, in one HTML file that works offline.

    Parameters
    ----------
    path
        Records in any readable layout.
    out
        File to write.
    """
    from tiebreak.report.page import check_place, need_extra, write_report

    need_extra()
    check_place(out)
    write_report(source.read(path), out, **settings.options())
    sys.stdout.write(f"{out}\n")
