"""Hostile text in every field: nothing runs, nothing breaks, nothing hides."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import tiebreak as tb
from tiebreak.display import printable
from tiebreak.report.figures import clean_svg
from tiebreak.report.page import report_html

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    '"><svg onload=window.hacked=1>',
    "' onfocus=window.hacked=1 autofocus '",
    "</style><style>*{display:none}</style>",
    "<!-- <script> ]]> {{ 7*7 }} {% raw %}",
    "javascript:window.hacked=1",
    "a\u2028b\u2029c\u202edcba\u0007\u001b[31m",
    "__proto__",
    "constructor",
    "\ue001\ue002\ue003|1,000.5",
    "&lt;b&gt; &amp; \\u003cb\\u003e",
    "datum['x'] + window.hacked",
    "😀 名前 " + "long" * 60,
)
SOURCE = "label:<b onclick=window.hacked=1>official"
CELLS = ("</td><script>window.hacked=1</script>", "__proto__", "\u202ex<!--")
COLUMN = "re</th><script>window.hacked=1</script>po"


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """Every name, cell, column, model, run, label source and file name is hostile."""
    rows = [
        {
            "configuration": name,
            "model": HOSTILE[(i + 1) % len(HOSTILE)],
            "task": f"{HOSTILE[t % 7]} {t}",
            "run": f"<i>{run}",
            SOURCE: float((i * 7 + t * 3 + run) % 11 < 3 + i % 5),
            "label:judge</script>": float((i + t) % 3 == 0),
            "cost_usd": 0.1 + i,
            COLUMN: CELLS[t % 3],
        }
        for i, name in enumerate(HOSTILE)
        for t in range(18)
        for run in range(2)
    ]
    place = tmp_path_factory.mktemp("h") / "<script>window.hacked=1<.csv"
    pl.DataFrame(rows).write_csv(place)
    return tb.read(place)


@pytest.fixture(scope="module")
def html(trials):
    return report_html(trials, cells=COLUMN)


def test_no_hostile_text_is_markup(html):
    outside = html.split("<script>")[0] + html.split("</script>")[-1]
    for mark in ("<script>window", "<img", "<svg onload", "<b onclick", "</style><style>"):
        assert mark not in outside, mark
    assert "{{ 7*7 }} {% raw %}" in html
    shown = re.sub(r"<[^>]*>", "", html)  # attributes keep names as they are, for copying
    assert not set("\u202e\u2028\u2029\x07\x1b") & set(shown)


def test_the_page_works_and_runs_nothing(open_page, html, trials):
    page = open_page(html)
    assert page.faults == []
    assert page.evaluate("window.hacked") is None
    names = page.evaluate("PAIRS.model.names")
    assert sorted(names) == sorted(trials.configurations["configuration"].to_list())
    for i in range(len(names)):
        page.select_option("#pair-a", str(i))
        page.locator("#pair-cells input").first.fill("0.7")
    page.locator("#pairs-head button").first.click()
    page.fill("#pairs-filter", "<img")
    assert page.locator("#pairs-body tr").count() == len(names) - 1
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("({}).hacked === undefined && ({}).toString() === '[object Object]'")
    assert page.faults == []


def test_names_are_shown_as_text_and_copied_as_they_are(open_page, html):
    page = open_page(html)
    options = page.locator("#pair-a option").all_text_contents()
    names = page.evaluate("PAIRS.model.names")
    assert options == [printable(n) for n in names]
    copied = json.loads(page.evaluate("JSON.stringify(whatifJson(PAIRS))"))
    assert {copied["a"], copied["b"]} <= set(names)
    assert set(copied["what_if"]["weights"]) == {c.strip() for c in CELLS}


def test_pairs_decode_to_what_python_says(open_page, html, trials):
    page = open_page(html)
    board = tb.board(trials, cells=COLUMN)
    found = page.evaluate("sectionJson('board').comparisons")
    assert found == board.to_dict()["comparisons"]


@pytest.mark.parametrize(
    ("inside", "gone"),
    [
        ("<script>x</script>", "script"),
        ("<g onclick='x'/>", "onclick"),
        ("<a href='javascript:x'><text>t</text></a>", "href"),
        ("<image href='http://x/y.png'/>", "image"),
        ("<g style='background:url(http://x)'/>", "style"),
        ("<g fill='url(http://x/#y)'/>", "http://x"),
        ("<foreignObject><body/></foreignObject>", "foreignObject"),
        ("<use href='#x'/>", "use"),
        ("<style>x</style>", "style"),
    ],
)
def test_pictures_keep_only_what_draws(inside, gone):
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'>{inside}<path d='M0,0'/></svg>"
    )
    found = clean_svg(svg, "f", "A <title>")
    assert gone not in found
    assert 'd="M0,0"' in found
    assert 'aria-label="A &lt;title&gt;"' in found


def test_pictures_share_no_ids_and_take_theme_colours():
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg'><clipPath id='c'/><g clip-path='url(#c)' "
        "fill='#0072B2'><path d='M1.23456,-0.00001'/><text>a\x07b</text></g></svg>"
    )
    found = clean_svg(svg, "board", "t")
    assert 'id="board-c"' in found
    assert 'clip-path="url(#board-c)"' in found
    assert 'fill="var(--blue)"' in found
    assert 'd="M1.23,0"' in found
