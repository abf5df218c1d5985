"""The report without a browser: its parts, its reasons, its bytes, its refusals."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.data import EXAMPLE
from tiebreak.report.page import report_html
from tiebreak.report.sections import SECTIONS
from tiebreak.report.summary import summarize

VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Elements with their attributes, and what is left open."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def data_of(html):
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_every_section_is_there_in_order(example_html):
    page = Page(example_html)
    assert page.open == []
    assert [a["id"] for t, a in page.elements if t == "section"] == [s.name for s in SECTIONS]
    links = [a["href"] for t, a in page.elements if t == "a" and a["href"] != "#main"]
    assert links == [f"#{s.name}" for s in SECTIONS]


def test_ids_are_unique_and_labels_refer_to_them(example_html):
    found = [a for _, a in Page(example_html).elements]
    ids = [a["id"] for a in found if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["aria-labelledby"] for a in found if "aria-labelledby" in a} <= set(ids)


def test_the_policy_allows_this_style_and_this_script_alone(example_html):
    page = Page(example_html)
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    for tag in ("style", "script"):
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", example_html, re.DOTALL)
        assert len(inside) == 1
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_nothing_in_it_leads_elsewhere_or_runs(example_html):
    for tag, attributes in Page(example_html).elements:
        assert tag not in ("iframe", "object", "embed", "link", "base", "image", "use", "img")
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("style", "src", "srcset", "action", "xlink:href"), (tag, name)
            if name == "href":
                assert value.startswith("#")
    addresses = set(re.findall(r"https?://[^\"'\s<)]+", example_html))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_pictures_take_the_colours_of_the_theme(example_html):
    pictures = re.findall(r"<figure.*?</figure>", example_html, re.DOTALL)
    assert len(pictures) >= 6
    for picture in pictures:
        colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', picture))
        rest = {c for c in colours if not c.startswith(("var(--", "url(#"))}
        assert rest <= {"none", "transparent", "black", "#000", "white", "#fff"}, picture[:90]


def test_the_same_records_give_the_same_bytes(example, example_html):
    again = report_html(example, target="equal:repo", missing="fail")
    assert again == example_html


def test_sections_without_support_say_why(make_trials):
    rows = {c: {f"t{t}": float(t % k == 0) for t in range(12)} for k, c in enumerate("ab", 2)}
    found = summarize(make_trials(rows), {}, pictures=False)
    reasons = {s["name"]: s["reason"] for s in found["sections"]}
    assert reasons["board"] is None
    assert reasons["targets"].startswith("No cells")
    assert "single run" in reasons["runs"]
    html = report_html(make_trials(rows), pictures=False)
    assert reasons["runs"] in html
    assert data_of(html)["sections"]["runs"] is None


def test_one_configuration_gets_what_it_supports(make_trials):
    trials = make_trials({"a": {f"t{t}": [1.0, float(t % 2)] for t in range(8)}})
    found = summarize(trials, {}, pictures=False)
    reasons = {s["name"]: s["reason"] for s in found["sections"]}
    assert "nothing to compare" in reasons["answer"]
    assert reasons["records"] is None
    assert reasons["runs"] is None
    assert found["payload"]["pairs"] is None
    assert "No answer" in report_html(trials, pictures=False)


def test_cells_are_found_where_none_are_named(complete):
    found = summarize(complete, {}, pictures=False)
    board = found["payload"]["sections"]["board"]
    assert board["estimand"]["target"] == "observed:domain"
    assert found["payload"]["whatif"]["cells"] == ["d0", "d1", "d2"]


def test_grouped_records_get_their_report(grouped):
    found = summarize(grouped, {}, pictures=False)
    reasons = {s["name"]: s["reason"] for s in found["sections"]}
    assert reasons["answer"] is None
    assert reasons["runs"] is not None
    assert found["payload"]["whatif"]["unit"] == "trials"


def test_options_reach_every_section(example):
    found = summarize(example, {"missing": "drop", "margin": 0.05, "level": 0.9}, pictures=False)
    for name, json_ in found["payload"]["sections"].items():
        if json_ is not None and "design" in json_:
            assert json_["design"]["level"] == 0.9, name
            assert json_["estimand"]["missing"] == "drop", name
            assert json_["design"].get("margin") == 0.05 or name in (
                "cost",
                "all-pairs",
                "reliability",
            )


def test_a_report_of_utilities(example):
    """With a price the scores are utilities: they leave [0, 1], and no knob counts it twice."""
    found = summarize(
        example, {"missing": "drop", "price": 0.3, "unpriced": "drop"}, pictures=False
    )
    reasons = {s["name"]: s["reason"] for s in found["sections"]}
    assert {reasons[name] for name in ("answer", "records", "board", "pairs", "cost")} == {None}
    packed = found["payload"]["whatif"]
    assert packed["scale"] == "utility"
    assert packed["paid"] is None
    assert "less 0.3 per USD spent" in found["sections"][1]["words"]


def test_the_answer_is_in_sentences(example):
    answer = summarize(example, {"missing": "fail"}, pictures=False)["sections"][0]
    topics = [s["topic"] for s in answer["sentences"]]
    assert topics[0] == "Resolved"
    assert {"Told apart", "It depends", "What would settle the rest"} <= set(topics)
    assert all(s["text"].endswith(".") for s in answer["sentences"])
    assert re.match(r"\d+ of 45 pairs are resolved at 95 %", answer["headline"])


@pytest.fixture
def refused(capsys):
    """refused(*argv): the message of a command that must fail at once."""

    def call(*argv):
        code = main(["report", *map(str, argv)])
        shown = capsys.readouterr()
        assert (code, shown.out) == (2, "")
        assert shown.err.count("\n") == 1
        return shown.err

    return call


def test_what_the_user_can_mend_is_refused(refused, tmp_path):
    out = tmp_path / "r.html"
    assert "--missing" in refused(EXAMPLE, "-o", out)
    fail = ("--missing", "fail")
    assert "no task column" in refused(EXAMPLE, "-o", out, *fail, "--cells", "nothing")
    assert "margin" in refused(EXAMPLE, "-o", out, *fail, "--margin", "7")
    assert "no such" in refused(tmp_path / "none.csv", "-o", out)
    claim = ("--claim", "benchmark", "--protocol", "pass@2")
    assert "the benchmark claim" in refused(EXAMPLE, "-o", out, *fail, *claim)
    assert "price" in refused(EXAMPLE, "-o", out, *fail, "--lambda", "0.1")
    assert "label source" in refused(EXAMPLE, "-o", out, *fail, "--label-source", "nobody")
    assert not out.exists()


def test_places_that_cannot_be_written_are_refused_first(refused, tmp_path):
    assert "a folder stands" in refused(EXAMPLE, "-o", tmp_path, "--missing", "fail")
    assert "no such folder" in refused(EXAMPLE, "-o", tmp_path / "no" / "r.html")


def test_the_missing_extra_is_named(refused, monkeypatch, tmp_path):
    monkeypatch.setattr("tiebreak.report.page.NEEDED", ("jinja2", "no_such_package"))
    message = refused(EXAMPLE, "-o", tmp_path / "r.html")
    assert "no-such-package" in message
    assert "tiebreak[report]" in message


def test_the_command_writes_the_file_and_says_where(tmp_path, capsys, complete):
    table, out = tmp_path / "records.csv", tmp_path / "r.html"
    complete.table().write_csv(table)
    assert main(["report", str(table), "-o", str(out), "--seed", "3"]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    assert "records.csv" in Page(out.read_text(encoding="utf-8")).texts["title"][0]


def test_a_large_board_stays_small(data):
    place = data / "swebench-verified"
    trials = tb.read(place / "raw", tasks=place / "tasks.csv")
    html = report_html(trials, pictures=False)
    assert len(html.encode()) < 4_000_000
    pairs = data_of(html)["pairs"]
    assert pairs["a"]["n"] == 134 * 133 // 2
    assert set(pairs["verdict"]["values"]) <= {"stable", "underpowered", "target-sensitive"}
