"""A result's view as a titled, themed chart."""

from __future__ import annotations

import textwrap
from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.display import Rendered, printable
from tiebreak.errors import SpecError, listed
from tiebreak.plots.parts import View
from tiebreak.plots.registry import QUESTIONS
from tiebreak.plots.theme import CONFIG

NBSP = "\u00a0"
SUBTITLE = 110
"""Letters in a line under the title."""


def views_of(result: Rendered) -> tuple[View, ...]:
    """All views of a result's type.

    Raises
    ------
    SpecError
        A result that has no picture.
    """
    for kind, views in QUESTIONS.values():
        if isinstance(result, kind):
            return views
    raise SpecError(f"a {type(result).__name__} has no plot", allowed=listed(QUESTIONS, 20))


def find_view(views: tuple[View, ...], name: str | None) -> View:
    """The view of this name, the first by default.

    Raises
    ------
    SpecError
        No such view.
    """
    if name is None:
        return views[0]
    for view in views:
        if view.name == name:
            return view
    raise SpecError("no such view", allowed=listed((v.name for v in views), 20), got=name)


def draw(result: Rendered, view: str | None, titled: bool) -> ChartType:
    """The chart, with title, answer and estimand above it where it is ``titled``."""
    found = find_view(views_of(result), view)
    chart = found.draw(result)
    if titled:
        chart = chart.properties(title=_title(result, found))
    themed: ChartType = chart.configure(**CONFIG)
    return themed


def _title(result: Rendered, view: View) -> alt.TitleParams:
    lines = [printable(result.headline).replace(" %", NBSP + "%"), *_scope(result)]
    wrapped = [
        part for line in lines for part in textwrap.wrap(line, SUBTITLE, break_on_hyphens=False)
    ]
    return alt.TitleParams(view.title, subtitle=wrapped)


def _scope(result: Any) -> list[str]:
    """Estimand and design, so that a picture that travels says what it is of."""
    provenance = getattr(result, "provenance", None)
    if provenance is None:
        return []
    design = getattr(result, "design", provenance.design)
    return [printable(f"{provenance.estimand}; {design}")]
