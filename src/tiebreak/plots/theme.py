"""One look for every chart: few fixed colours, readable in print, names never cut.

A chart uses no colour but those of :data:`COLOURS`, so that a page can recolour its SVG for a dark
theme by replacing them. They stay apart under the common colour-vision deficiencies (Okabe–Ito,
the purple darkened for contrast on paper), and nothing is told by colour alone.
"""

from __future__ import annotations

from typing import Any

INK = "#1f2328"
MUTED = "#6a7178"
GRID = "#e2e5e9"
BAND = "#eef0f3"
"""Margin bands and stripes: behind everything."""
BLUE = "#0072b2"
VERMILLION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#a8487f"
ORANGE = "#b07800"
SKY = "#3f9fd8"
TINTS = ("#f4f8fb", "#dcebf5", "#bddaee", "#98c6e4", "#70afd8")
"""Rates from low to high; ink is readable on all of them."""
PAPER = "transparent"
"""Background of charts and SVG; files that stand alone get a sheet of their own."""
SHEET = "#ffffff"
LIGHT = "#fefefe"
"""Writing on filled marks."""

COLOURS = {
    "ink": INK,
    "muted": MUTED,
    "grid": GRID,
    "band": BAND,
    "blue": BLUE,
    "vermillion": VERMILLION,
    "green": GREEN,
    "purple": PURPLE,
    "orange": ORANGE,
    "sky": SKY,
    "light": LIGHT,
    **{f"tint{i}": tint for i, tint in enumerate(TINTS)},
}
"""Every colour a chart may hold, by name."""

CROSS = "M-1,-0.6L-0.6,-1L0,-0.4L0.6,-1L1,-0.6L0.4,0L1,0.6L0.6,1L0,0.4L-0.6,1L-1,0.6L-0.4,0Z"
VERDICT_COLOURS = {
    "stable": BLUE,
    "target-sensitive": VERMILLION,
    "underpowered": MUTED,
    "verifier-sensitive": PURPLE,
    "unsupported": INK,
}
VERDICT_SHAPES = {
    "stable": "circle",
    "target-sensitive": "triangle-up",
    "underpowered": "square",
    "verifier-sensitive": "diamond",
    "unsupported": CROSS,
}
SERIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
"""Colours of lines, in order; further lines are drawn muted and named."""
SHAPES = ("circle", "triangle-up", "square", "diamond", CROSS, "triangle-down")
DASHES = ([1, 0], [7, 3], [2, 3], [9, 3, 2, 3], [5, 5], [12, 4])

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Metrics that these share: text takes the room here that it takes in a reader's browser."""
STEP = 17
"""Height of a row that has a name, in pixels."""
WIDTH = 420
"""Width of a panel, in pixels."""

_TEXT = {"labelFont": FONT, "titleFont": FONT, "labelColor": INK, "titleColor": INK}
_AXIS = {
    **_TEXT,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "titlePadding": 8,
    "labelLimit": 0,
    "titleLimit": 0,
    "labelPadding": 5,
    "labelFlush": False,
    "gridColor": GRID,
    "domainColor": MUTED,
    "tickColor": MUTED,
}
CONFIG: dict[str, Any] = {
    "aria": False,
    "background": PAPER,
    "font": FONT,
    "padding": 12,
    "view": {"stroke": None},
    "axis": _AXIS,
    "axisBand": {"grid": False, "ticks": False, "domain": False},
    "axisQuantitative": {"tickCount": 6},
    "axisPoint": {"grid": False, "ticks": False, "domain": False},
    "legend": {
        **_TEXT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 0,
        "titleLimit": 0,
        "symbolStrokeWidth": 2,
        "gradientStrokeColor": GRID,
        "columnPadding": 18,
        "orient": "top",
        "offset": 10,
    },
    "header": {
        **_TEXT,
        "labelFontSize": 12,
        "labelLimit": 0,
        "labelAnchor": "start",
        "labelFontWeight": "bold",
        "labelPadding": 6,
    },
    "title": {
        "font": FONT,
        "subtitleFont": FONT,
        "fontSize": 15,
        "subtitleFontSize": 12,
        "color": INK,
        "subtitleColor": MUTED,
        "anchor": "start",
        "frame": "bounds",
        "limit": 0,
        "offset": 14,
        "subtitlePadding": 6,
        "lineHeight": 18,
    },
    "text": {"font": FONT, "fontSize": 12, "color": INK},
    "point": {"filled": True, "size": 65, "opacity": 1, "color": BLUE},
    "rule": {"color": INK},
    "tick": {"opacity": 1},
    "line": {"strokeWidth": 2, "color": BLUE},
    "bar": {"color": BLUE},
}
"""Configuration that every chart gets."""
