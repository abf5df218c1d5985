"""Pictures of ``labels``: how sources err, for whom, and how well their labels calibrate."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType

from tiebreak.display import printable
from tiebreak.plots.parts import (
    View,
    data,
    height,
    kinds,
    labels,
    named,
    offsets,
    points_x,
    score_x,
    side,
    zero_line,
)
from tiebreak.plots.theme import MUTED, SERIES, SHAPES, STEP, WIDTH
from tiebreak.results.labels import LabelsResult

RATES = {"fpr": "false-positive rate", "fnr": "false-negative rate"}
OVERALL = "all configurations"


def bias(result: LabelsResult) -> ChartType:
    """How far every source is above or below the reference, for everybody and by configuration."""
    rows = _errors(result)
    names = list(dict.fromkeys(row["name"] for row in rows))
    base, colour, shape = _base(rows, names, shown=True)
    title = f"source − {printable(result.reference)} (points)"
    x = points_x("bias_low", title, side(names))
    bars = base.mark_rule(strokeWidth=2).encode(x=x, x2="bias_high:Q", color=colour)
    dots = base.mark_point(size=50).encode(x="bias:Q", color=colour, shape=shape)
    size = _height(names, result)
    return alt.layer(zero_line(), bars, dots).properties(width=WIDTH, height=size)


def errors(result: LabelsResult) -> ChartType:
    """False-positive and false-negative rates by configuration."""
    rows = _errors(result)
    names = list(dict.fromkeys(row["name"] for row in rows))
    panels = []
    for rate, title in RATES.items():
        base, colour, shape = _base(rows, names, shown=rate == "fpr")
        x = score_x(f"{rate}_low", title, side(names))
        bars = base.mark_rule(strokeWidth=2).encode(x=x, x2=f"{rate}_high:Q", color=colour)
        dots = base.mark_point(size=50).encode(x=f"{rate}:Q", color=colour, shape=shape)
        panel = alt.layer(bars, dots)
        panels.append(panel.properties(width=WIDTH // 2, height=_height(names, result)))
    return alt.hconcat(*panels, spacing=22)


def _errors(result: LabelsResult) -> list[dict[str, Any]]:
    """A row per source and configuration, everybody first."""
    text = labels(line.name for s in result.sources for line in s.configurations)
    said = labels(s.source for s in result.sources)
    return [
        {"name": OVERALL if line is s.overall else text[line.name], "source": said[s.source]}
        | {
            f"{rate}{part}": value
            for rate in ("bias", *RATES)
            for part, value in zip(("", "_low", "_high"), line.rates[rate], strict=True)
        }
        for s in result.sources
        for line in (s.overall, *s.configurations)
    ]


def _base(
    rows: list[dict[str, Any]], names: list[str], *, shown: bool
) -> tuple[alt.Chart, alt.Color, alt.Shape]:
    """Rows of names, one mark a source in each."""
    sources = list(dict.fromkeys(row["source"] for row in rows))
    colour, shape = kinds("source", _marks(sources))
    source = data(rows, "no source has labels beside the reference")
    base = alt.Chart(source).encode(y=named(names, shown=shown), yOffset=offsets("source", sources))
    return base, colour, shape


def _marks(sources: list[str]) -> dict[str, tuple[str, str]]:
    return {
        name: (SERIES[i % len(SERIES)], SHAPES[i % len(SHAPES)]) for i, name in enumerate(sources)
    }


def _height(names: list[str], result: LabelsResult) -> int:
    return height(len(names), STEP + 9 * max(len(result.sources) - 1, 0))


def calibration(result: LabelsResult) -> ChartType:
    """Held-out predictions against what the reference says; on the diagonal they are calibrated."""
    said = labels(c.source for c in result.calibration)
    rows: list[dict[str, Any]] = [
        {"source": said[c.source], "predicted": b.predicted, "observed": b.observed, "n": b.n}
        for c in result.calibration
        for b in c.reliability
    ]
    source = data(rows, "no source could be calibrated")
    colour, shape = kinds("source", _marks(list(dict.fromkeys(row["source"] for row in rows))))
    whole = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("predicted:Q", title="predicted probability of success", scale=whole)
    y = alt.Y(
        "observed:Q", title=f"share that {printable(result.reference)} calls a success", scale=whole
    )
    base = alt.Chart(source).encode(x=x, y=y, color=colour)
    ends = alt.InlineData(values=[{"predicted": v, "observed": v} for v in (0, 1)])
    diagonal = alt.Chart(ends).mark_line(color=MUTED, strokeDash=[4, 3], strokeWidth=1)
    legend = alt.Legend(title="trajectories", symbolFillColor=MUTED, symbolStrokeColor=MUTED)
    size = alt.Size("n:Q", scale=alt.Scale(range=[12, 260]), legend=legend)
    return alt.layer(
        diagonal.encode(x=x, y=y),
        base.mark_point(filled=True, opacity=0.85).encode(shape=shape, size=size),
    ).properties(width=360, height=360)


VIEWS = (
    View("bias", "Bias of every source by configuration", bias),
    View("errors", "Error rates by configuration", errors),
    View("calibration", "Reliability curve of the calibrated labels", calibration),
)
