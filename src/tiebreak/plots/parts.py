"""Pieces that charts share: names, axes, refusals, verdict scales. Fields only, no mathematics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, Literal, TypeVar

import altair as alt
from altair.typing import ChartType

from tiebreak.display import printable
from tiebreak.errors import InputError
from tiebreak.plots.theme import (
    BAND,
    INK,
    MUTED,
    STEP,
    VERDICT_COLOURS,
    VERDICT_SHAPES,
)

POINTS = "datum.value == 0 ? '0' : format(100 * datum.value, '+.3~f')"
"""Gaps are written in signed points; the data stay on the score scale."""
K = TypeVar("K")
Side = Literal["top", "bottom"]
LONG = 40
"""A list of more rows has its axis on top."""
PANELS = ((34, 3, 240), (56, 2, 380), (10**6, 1, 520))
"""Names of up to so many letters: so many panels in a row, so wide in pixels."""
SIZES = "format(100 * datum.value, '.3~f')"
"""The same without a sign."""


@dataclass(frozen=True, slots=True)
class View:
    """One way to draw a result: its name, what the picture shows, and who draws it."""

    name: str
    title: str
    draw: Callable[[Any], ChartType]


class NothingToDrawError(InputError):
    """A view that a result has nothing for; the message is the reason."""


INHERITED = (
    *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toString"),
    *("toLocaleString", "valueOf", "__defineGetter__", "__defineSetter__", "__proto__"),
    *("__lookupGetter__", "__lookupSetter__"),
)
"""What every JavaScript object holds: Vega takes a panel of such a name for that."""


def labels(names: Iterable[str]) -> dict[str, str]:
    """How untrusted names are written: printable, and still one text for each."""
    return _distinct({name: printable(name) for name in names})


def pair_labels(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """How pairs are written: ``a − b``."""
    return _distinct({(a, b): f"{printable(a)} − {printable(b)}" for a, b in pairs})


def _distinct(texts: Mapping[K, str]) -> dict[K, str]:
    """A number behind a text that is taken."""
    found: dict[K, str] = {}
    taken: set[str] = set(INHERITED)
    for key, text in texts.items():
        spellings = chain([text], (f"{text} ({n})" for n in count(2)))
        found[key] = next(spelling for spelling in spellings if spelling not in taken)
        taken.add(found[key])
    return found


def data(rows: Sequence[Mapping[str, Any]], reason: str) -> alt.InlineData:
    """Rows to draw, or the reason that there are none."""
    if not rows:
        raise NothingToDrawError(reason)
    return alt.InlineData(values=[dict(row) for row in rows])


def named(names: Sequence[str], *, shown: bool = True) -> alt.Y:
    """Rows with names, in the order given; the names stand once where panels share them."""
    axis = alt.Axis(title=None, offset=6) if shown else None
    return alt.Y("name:N", scale=alt.Scale(domain=list(names)), axis=axis)


def height(n: int, step: int = STEP) -> int:
    """Height of so many rows."""
    return step * max(n, 2)


def side(names: Sequence[str]) -> Side:
    """Where the axis of a list stands: on top of a long one, where its reader starts."""
    return "top" if len(names) > LONG else "bottom"


def score_x(field: str, title: str, orient: Side = "bottom", **scale: Any) -> alt.X:
    """Scores, 0 to 1."""
    axis = alt.Axis(title=title, orient=orient)
    return alt.X(f"{field}:Q", axis=axis, scale=alt.Scale(zero=False, nice=True, **scale))


def points_x(field: str, title: str | list[str], orient: Side = "bottom") -> alt.X:
    """Gaps in points."""
    axis = alt.Axis(title=title, labelExpr=POINTS, orient=orient)
    return alt.X(f"{field}:Q", axis=axis, scale=alt.Scale(nice=True))


def zero_line() -> alt.Chart:
    """Where neither leads."""
    rule: alt.Chart = (
        alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q")
    )
    return rule


def margin_band(margin: float) -> alt.Chart:
    """Gaps too small to matter, on both sides of 0."""
    values = [{"margin_low": -margin, "margin_high": margin}]
    band = alt.Chart(alt.InlineData(values=values)).mark_rect(color=BAND, opacity=1)
    shown: alt.Chart = band.encode(x="margin_low:Q", x2="margin_high:Q")
    return shown


def verdict_colour(verdicts: Iterable[str], **legend: Any) -> alt.Color:
    """Colours of the verdicts that occur, in the order of the verdicts."""
    scale = _scale(verdicts, VERDICT_COLOURS)
    return alt.Color("verdict:N", scale=scale, legend=alt.Legend(title=None, **legend))


def verdict_shape(verdicts: Iterable[str], **legend: Any) -> alt.Shape:
    """Shapes of the same; both make one legend."""
    scale = _scale(verdicts, VERDICT_SHAPES)
    return alt.Shape("verdict:N", scale=scale, legend=alt.Legend(title=None, **legend))


def _scale(verdicts: Iterable[str], values: Mapping[str, str]) -> alt.Scale:
    found = set(verdicts)
    domain = [v for v in values if v in found]
    return alt.Scale(domain=domain, range=[values[v] for v in domain])


def kinds(field: str, marks: Mapping[str, tuple[str, str]]) -> tuple[alt.Color, alt.Shape]:
    """One legend of colours and shapes for the values of a field."""
    domain, colours, shapes = list(marks), *([m[i] for m in marks.values()] for i in (0, 1))
    return (
        alt.Color(f"{field}:N", title=None, scale=alt.Scale(domain=domain, range=colours)),
        alt.Shape(f"{field}:N", title=None, scale=alt.Scale(domain=domain, range=shapes)),
    )


def facets(panel: alt.LayerChart | alt.FacetChart, names: Sequence[str], size: int) -> ChartType:
    """A panel for every name, as many side by side as the longest name leaves room for."""
    longest = max(len(name) for name in names)
    columns, width = next((c, w) for most, c, w in PANELS if longest <= most)
    shown = panel.properties(width=width, height=size)
    facet = alt.Facet("name:N", sort=list(names), header=alt.Header(title=None))
    found: ChartType = shown.facet(facet=facet, columns=min(columns, len(names)))
    return found


def offsets(field: str, values: Sequence[str]) -> alt.YOffset:
    """Several marks in one row, one above the other."""
    return alt.YOffset(f"{field}:N", scale=alt.Scale(domain=list(values), paddingOuter=0.6))


def muted_text(**options: Any) -> dict[str, Any]:
    """How remarks inside a chart are written."""
    return {"color": MUTED, "fontSize": 11, **options}
