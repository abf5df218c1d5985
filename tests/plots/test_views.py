"""Every view of every result: a valid specification, fixed colours, the same bytes twice."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import altair as alt
import pytest

import tiebreak as tb
from tests.plots.conftest import HOSTILE
from tiebreak.display import printable
from tiebreak.errors import InputError, SpecError
from tiebreak.plots import plot, views
from tiebreak.plots.files import to_html, to_json, to_svg
from tiebreak.plots.registry import QUESTIONS
from tiebreak.plots.theme import COLOURS, INK, SERIES, TINTS, VERDICT_COLOURS, VERDICT_SHAPES

DRAWN = [(question, view.name) for question, (_, found) in QUESTIONS.items() for view in found]
UNNAMED = ("cost", "reliability")
"""Drawn from the example alone: prices, and objects that no record names."""
FEW = [("board", "board"), ("board", "matrix"), ("targets", "crossovers"), ("runs", "strip")]


def texts(svg):
    written = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [" ".join(t.itertext()) for t in written]


def records(spec):
    """Every row of data in a specification, wherever it stands."""
    if isinstance(spec, list):
        return [row for part in spec for row in records(part)]
    if not isinstance(spec, dict):
        return []
    rows = spec["values"] if isinstance(spec.get("values"), list) else []
    own = [row for row in rows if isinstance(row, dict)]
    own += [row for rows in spec.get("datasets", {}).values() for row in rows]
    return own + [row for key, v in spec.items() if key != "datasets" for row in records(v)]


@pytest.mark.parametrize(("question", "view"), DRAWN)
def test_every_view_is_valid_and_uses_the_fixed_colours_only(results, question, view):
    chart = plot(results[question], view)
    assert chart.to_dict()["title"]["subtitle"]
    svg = to_svg(chart)
    used = set(re.findall(r"#[0-9a-fA-F]{3,8}\b", re.sub(r">[^<]*<", "><", svg)))
    assert used <= set(COLOURS.values())
    assert not re.search(r'(?:fill|stroke)="(?!none|transparent|#)', svg)
    assert len(texts(svg)) > 3


@pytest.mark.parametrize("name", ["targets of a pair", "runs of everybody"])
def test_further_shapes_of_a_result_are_drawn(results, name):
    for view in views(results[name]):
        if (name, view) != ("runs of everybody", "claims"):
            plot(results[name], view).to_dict()


@pytest.mark.parametrize(("question", "view"), FEW)
def test_the_same_result_gives_the_same_bytes(results, question, view):
    first, second = (plot(results[question], view) for _ in range(2))
    assert to_json(first) == to_json(second)
    assert to_svg(first) == to_svg(second)


@pytest.mark.parametrize(
    ("question", "view"), [d for d in DRAWN if d[0] not in ("cost", "reliability")]
)
def test_hostile_names_are_text_and_stay_whole(hostile, question, view):
    chart = plot(hostile[question], view)
    said = " ".join(texts(to_svg(chart)))
    named = question not in ("permute", "pairs") and view not in ("top", "calibration")
    shown = HOSTILE[:2] if question in ("compare", "runs") else HOSTILE
    for name in shown if named else ():
        assert " ".join(printable(name).split()) in " ".join(said.split())
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_a_page_holds_no_markup_from_names_and_asks_no_host(hostile):
    page = to_html(plot(hostile["board"]))
    assert "alert(1)" in page
    ours = re.sub(r"<script>.*?</script>", "", page, count=1, flags=re.S)
    assert "<script>alert" not in ours
    assert "<img" not in ours
    assert not re.findall(r'(?:src|href)="', ours)
    assert "default-src 'none'" in page
    assert page.count("<script>") == page.count("</script>") == 2


def test_names_that_look_the_same_keep_rows_of_their_own(make_trials):
    rows = {f"t{i}": float(i % 2) for i in range(6)}
    trials = make_trials({"a\x1b": rows, "a\x07": dict.fromkeys(rows, 1.0)})
    rows = records(plot(tb.board(trials)).to_dict())
    assert {row["name"] for row in rows} == {"a�", "a� (2)"}


def test_verdicts_differ_in_colour_and_in_shape():
    assert list(VERDICT_COLOURS) == list(VERDICT_SHAPES)
    assert set(VERDICT_COLOURS) == set(tb_verdicts())
    assert len(set(VERDICT_COLOURS.values())) == len(set(VERDICT_SHAPES.values())) == 5


def tb_verdicts():
    from tiebreak.decide import VERDICTS

    return VERDICTS


def luminance(colour):
    """Relative luminance of WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_marks_stand_out_from_paper_and_text_from_its_ground():
    """WCAG 2.2: 3 to 1 for graphics (1.4.11; the last, dashed line near it), 4.5 to 1 for text."""
    marks = (*VERDICT_COLOURS.values(), *SERIES[:-1])
    assert min(contrast(c, "#ffffff") for c in marks) >= 3
    assert contrast(SERIES[-1], "#ffffff") >= 2.8
    assert min(contrast(INK, tint) for tint in TINTS) >= 4.5
    assert contrast(COLOURS["muted"], "#ffffff") >= 4.5


def test_a_notebook_gets_the_chart_from_the_result(results):
    assert isinstance(results["board"].plot("matrix"), alt.Chart)
    assert results["board"].plot().to_dict() == plot(results["board"], "board").to_dict()


def test_a_chart_without_title_leaves_it_to_the_page(results):
    assert "title" not in plot(results["board"], titled=False).to_dict()


def test_views_are_listed_the_default_first(results):
    assert views(results["board"]) == ("board", "forest", "matrix")
    with pytest.raises(SpecError, match="no such view; allowed: board, forest, matrix"):
        plot(results["board"], "pie")


def test_a_result_without_pictures_says_which_have_some():
    from tiebreak.results.reproduce import ReproduceResult

    with pytest.raises(SpecError, match="a ReproduceResult has no plot; allowed: inspect, board"):
        plot(ReproduceResult("p", "t", 0, ()))


@pytest.mark.parametrize(
    ("ask", "view", "reason"),
    [
        (lambda t: replace(tb.board(t), comparisons=()), "forest", "one configuration"),
        (lambda t: replace(tb.board(t), comparisons=()), "matrix", "one configuration"),
        (lambda t: tb.runs(t), "claims", "name two configurations"),
        (lambda t: tb.runs(t), "curves", "several runs"),
        (lambda t: tb.runs(t), "plan", "several runs"),
        (lambda t: tb.targets(t, target="observed:cell"), "crossovers", "a second target"),
        (lambda t: tb.compare(t, "a", "c"), "gap", "share no scored task"),
    ],
)
def test_a_view_with_nothing_to_draw_says_why(make_trials, ask, view, reason):
    row = {t: float(i % 3 > 0) for i, t in enumerate(CELLS_OF_TWO)}
    outcomes = {"a": row, "b": {t: 1 - s for t, s in row.items()}, "c": {"t8": 1.0, "t9": 0.0}}
    trials = make_trials(outcomes, CELLS_OF_TWO | {"t8": "x", "t9": "y"})
    with pytest.raises(InputError, match=reason):
        plot(ask(trials), view)


CELLS_OF_TWO = {f"t{i}": "xy"[i % 2] for i in range(8)}
