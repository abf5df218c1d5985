"""Charts as SVG that may stand in the page: known elements only, colours by name, short numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from tiebreak.display import Rendered
from tiebreak.errors import InputError
from tiebreak.report.sections import Section

SVG = "{http://www.w3.org/2000/svg}"
ElementTree.register_namespace("", SVG[1:-1])
ELEMENTS = {"svg", "g", "path", "text", "tspan", "line", "rect", "circle", "defs", "clipPath"} | {
    "linearGradient",
    "stop",
}
ATTRIBUTES = (
    {"class", "clip-path", "cx", "cy", "d", "dx", "dy", "fill", "fill-opacity", "font-family"}
    | {"font-size", "font-style", "font-weight", "gradientUnits", "height", "id", "offset"}
    | {"opacity", "r", "rx", "ry", "stroke", "stroke-dasharray", "stroke-dashoffset"}
    | {"stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-opacity", "stroke-width"}
    | {"stop-color", "stop-opacity", "text-anchor", "transform", "viewBox", "width", "x", "x1"}
    | {"x2", "y", "y1", "y2"}
)
NUMBERS = {"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"}
LONG = re.compile(r"-?\d*\.\d{3,}(?:e-?\d+)?")
CONTROL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""


def figures(section: Section, drawn: Rendered, part: str = "") -> list[dict[str, str]]:
    """Every picture of a section: its name, title and SVG. A view without content is left out.

    ``part`` is said behind the title.
    """
    return list(_figures(section, drawn, part))


def _figures(section: Section, result: Rendered, part: str) -> Iterator[dict[str, str]]:
    from tiebreak.plots import plot
    from tiebreak.plots.drawing import views_of
    from tiebreak.plots.files import to_svg
    from tiebreak.plots.registry import QUESTIONS

    if not isinstance(result, tuple(kind for kind, _ in QUESTIONS.values())):
        return
    for view in views_of(result):
        if section.views is None or view.name in section.views:
            try:
                svg = to_svg(plot(result, view.name, titled=False))
            except InputError:
                continue  # this result holds nothing for the view
            name, title = f"{section.name}-{view.name}", view.title + part
            yield {"name": name, "title": title, "svg": clean_svg(svg, name, title)}


def clean_svg(svg: str, name: str, title: str) -> str:
    """The picture rebuilt from elements and attributes that can do nothing but draw.

    Colours of the theme become CSS variables, so that the page's theme holds for pictures too;
    ids get the figure's name in front, so that pictures do not share them.
    """
    root = ElementTree.fromstring(CONTROL.sub("�", svg))
    made = _rebuilt(root, name)
    if made is None:
        raise InputError("the picture is no SVG", where=name)
    made.set("role", "img")
    made.set("aria-label", title)
    made.set("focusable", "false")
    return ElementTree.tostring(made, encoding="unicode")


def _rebuilt(element: ElementTree.Element, name: str) -> ElementTree.Element | None:
    tag = element.tag.removeprefix(SVG) if isinstance(element.tag, str) else ""
    if tag not in ELEMENTS:
        return None
    kept = {k: _value(k, v, name) for k, v in element.attrib.items() if k in ATTRIBUTES}
    made = ElementTree.Element(SVG + tag, {k: v for k, v in kept.items() if v})
    made.text = element.text
    for child in element:
        inner = _rebuilt(child, name)
        if inner is not None:
            made.append(inner)
    return made


def _value(key: str, value: str, name: str) -> str:
    if key in ("fill", "stroke", "stop-color"):
        return _colour(value, name)
    if key == "id":
        return f"{name}-{value}"
    if key == "clip-path":
        return value.replace("url(#", f"url(#{name}-") if value.startswith("url(#") else ""
    if key == "font-family":
        return ""  # the page's own
    return LONG.sub(_short, value) if key in NUMBERS else value


def _colour(value: str, name: str) -> str:
    from tiebreak.plots.theme import COLOURS

    if value.startswith("url("):
        return value.replace("url(#", f"url(#{name}-") if value.startswith("url(#") else ""
    variables: dict[str, Any] = {colour: f"var(--{n})" for n, colour in COLOURS.items()}
    return str(variables.get(value.lower(), value))


def _short(match: re.Match[str]) -> str:
    text = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
