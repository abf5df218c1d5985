"""Picture of ``inspect``: which configuration has trials where."""

from __future__ import annotations

from altair.typing import ChartType

from tiebreak.plots.heat import NO_RUNS, heat_map, plain_tint
from tiebreak.plots.parts import View, labels
from tiebreak.results.inspect import InspectResult


def support(result: InspectResult) -> ChartType:
    """Tasks with trials, per configuration and cell."""
    text = labels(str(row["configuration"]) for row in result.support)
    columns = labels(key for row in result.support for key in row if key != "configuration")
    rows = [
        {
            "name": text[str(row["configuration"])],
            "cell": columns[cell],
            "text": f"{n:,}" if n else NO_RUNS,
        }
        for row in result.support
        for cell, n in row.items()
        if cell != "configuration"
    ]
    return heat_map(rows, list(text.values()), list(columns.values()), plain_tint())


VIEWS = (View("support", "Tasks with trials", support),)
