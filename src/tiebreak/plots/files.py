"""Charts as bytes: SVG, PNG, a page that needs no network, or the Vega-Lite specification.

The same chart gives the same bytes; nothing is fetched. Text from records is data throughout: SVG
escapes it, and in the page no ``<`` of it survives outside a JSON string escape.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert
from altair.typing import ChartType

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.plots.theme import SHEET

_SCHEMA = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
VEGA_LITE = _SCHEMA if _SCHEMA in vl_convert.get_vegalite_versions() else None
"""Altair's own Vega-Lite where vl-convert has it, else the newest that it has."""
PNG_SCALE = 2.0
"""Pixels of a PNG per unit of the chart."""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
</head>
<body style="background: {sheet}; margin: 0">
<div id="chart"></div>
<script>{library}</script>
<script>
vegaEmbed("#chart", {spec}, {{renderer: "svg", actions: {{export: true, source: false, \
compiled: false, editor: false}}}});
</script>
</body>
</html>
"""


def to_json(chart: ChartType) -> str:
    """The Vega-Lite specification, keys sorted."""
    return json.dumps(chart.to_dict(), sort_keys=True, indent=1, allow_nan=False) + "\n"


def to_svg(chart: ChartType) -> str:
    """A picture on a transparent background."""
    svg: str = vl_convert.vegalite_to_svg(
        chart.to_dict(), vl_version=VEGA_LITE, allowed_base_urls=[]
    )
    return svg + "\n"


def to_png(chart: ChartType) -> bytes:
    """A picture on a white sheet."""
    found: bytes = vl_convert.vegalite_to_png(
        _on_sheet(chart), vl_version=VEGA_LITE, scale=PNG_SCALE, allowed_base_urls=[]
    )
    return found


def to_html(chart: ChartType) -> str:
    """A page that holds its JavaScript, with tooltips, and asks no host for anything."""
    library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    spec = json.dumps(_on_sheet(chart), sort_keys=True, allow_nan=False).replace("<", "\\u003c")
    title = html.escape(_title_of(chart))
    return PAGE.format(title=title, sheet=SHEET, library=library, spec=spec)


def _on_sheet(chart: ChartType) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    spec["config"] = spec["config"] | {"background": SHEET}
    return spec


def _title_of(chart: ChartType) -> str:
    title = chart.to_dict().get("title")
    return title["text"] if isinstance(title, dict) else "tiebreak"


WRITERS: dict[str, Callable[[ChartType], str | bytes]] = {
    ".svg": to_svg,
    ".png": to_png,
    ".html": to_html,
    ".json": to_json,
}


def check_place(path: Path) -> None:
    """Refuse a file that cannot be written, before the work that it would hold.

    Raises
    ------
    SpecError
        An ending that no writer has.
    InputError
        A folder, or a place without permission.
    """
    if path.suffix.lower() not in WRITERS:
        raise SpecError("unknown ending for a picture", allowed=listed(WRITERS), got=path.name)
    if path.is_dir():
        raise InputError("a folder stands where the picture would go", where=str(path))
    if not path.parent.is_dir():
        raise InputError("no such folder for the picture", where=str(path.parent))
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError("the picture cannot be written here", where=str(path))


def save(chart: ChartType, path: Path) -> None:
    """Write a chart in the format of the file's ending.

    Raises
    ------
    SpecError, InputError
        As :func:`check_place`; or the disk refuses.
    """
    check_place(path)
    made = WRITERS[path.suffix.lower()](chart)
    try:
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
    except OSError as fault:
        raise InputError(
            "the picture cannot be written", where=str(path), got=str(fault)
        ) from fault
