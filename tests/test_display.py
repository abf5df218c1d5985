"""One rendering of every result: goldens of a small board, and names that mean harm."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tiebreak as tb
from tiebreak.design import Design
from tiebreak.display import Column, Table, printable, write
from tiebreak.estimand import Estimand, Target
from tiebreak.results.board import BoardResult
from tiebreak.results.pairs import Comparison, Standing
from tiebreak.results.provenance import Data, Provenance

GOLDENS = Path(__file__).parent / "goldens"
HOSTILE = [
    "<script>alert(1)</script>",
    "a | b",
    "`code` *bold* _it_ ~~no~~",
    "[click](javascript:x)",
    "red\x1b[31m",
    'quote " and & amp',
    "bell\x07 and \u202e turned",
    "back\\slash",
]


def standing(name, score, rank, **changed):
    values = dict.fromkeys(("score_observed", "score"), score)
    values |= {"score_low": 0.25, "score_high": 0.875, "score_se": 0.1, "rank": rank}
    values |= {"rank_low": 1, "rank_high": 3, "tier": 1, "n_tasks": 1200}
    return Standing(configuration=name, **(values | changed))


def comparison(a, b, gap, **changed):
    values = dict.fromkeys(("gap_observed", "gap_matched", "gap_standardized"), gap)
    values |= {"gap_low": gap - 0.0512, "gap_high": gap + 0.0512, "gap_se": 0.026, "df": 97.5}
    values |= {"movement": 0.0, "movement_low": 0.0, "movement_high": 0.0, "margin": 0.02}
    values |= {"radius": 0.25, "margin_radius": 0.125, "n_tasks": 1200, "support": 1.0}
    values |= {"flags": ("stable",), "verdict": "stable", "winner": a, "sentence": f"{a} > {b}"}
    return Comparison(a=a, b=b, gap=gap, **(values | changed))


@pytest.fixture
def board():
    """A board made by hand, so that its looks hang on no estimate; null, ∞ and markup in it."""
    names = ("all <of> it", "half | way", "_none_")
    infinite = {"radius": None, "reasons": {"radius": "infinite: no supported cell"}}
    return BoardResult(
        standings=(
            standing(names[0], 0.7512, 1),
            standing(names[1], 0.5, 2, tier=2),
            standing(names[2], None, None, score_observed=0.125, score_low=None, score_high=None),
        ),
        comparisons=(
            comparison(*names[:2], 0.2512),
            comparison(names[0], names[2], 0.625, **infinite),
            comparison(*names[1:], -0.0004, verdict="underpowered", winner=None),
        ),
        summary={"n_pairs": 3, "verdicts": {"stable": 2, "underpowered": 1}, "resolved": 2},
        answer="2 of 3 pairs of 3 configurations are resolved.",
        top=3,
        provenance=Provenance(
            Estimand("judge", target=Target("equal", "repo"), support="common"),
            Design(seed=7),
            Data("0123456789abcdef", 3601, 3600, {"duplicate (any)": 1}, {"limit": 4}),
            ("django/django", "a_b"),
            "'fail' moves raw scores",
        ),
    )


@pytest.mark.parametrize(
    ("name", "render"),
    [
        ("board.txt", lambda b: f"{b}\n"),
        ("board.md", lambda b: b.to_markdown()),
        ("board.html", lambda b: b._repr_html_()),
    ],
)
def test_a_small_board_looks_as_it_did(board, name, render):
    """Goldens of our own; after a wanted change, delete the file, run once and read the diff."""
    path = GOLDENS / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(render(board), encoding="utf-8")
        pytest.fail(f"{path} was not there; written anew, to be read and committed")
    assert render(board) == path.read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=HOSTILE)
def hostile(request, make_trials):
    """A pair and a board in which a name, a task and a cell carry the same hostile text."""
    tasks = {f"{request.param} {i}": f"{request.param}{i % 2}" for i in range(8)}
    outcomes = {f"{request.param} {s}": dict.fromkeys(tasks, s) for s in (0.0, 1.0)}
    trials = make_trials(outcomes, tasks)
    names = sorted(outcomes)
    return request.param, [
        tb.board(trials, target="equal:cell"),
        tb.compare(trials, *names, target="equal:cell"),
        tb.inspect(trials),
    ]


def test_nothing_sends_control_characters_to_a_terminal(hostile):
    for result in hostile[1]:
        for text in (str(result), result.to_markdown(), result._repr_html_()):
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


def test_html_holds_no_markup_but_our_own(hostile):
    tags = "p|strong|table|caption|thead|tbody|tr|th|td|ul|li"
    for result in hostile[1]:
        rest = re.sub(
            rf'</?(?:{tags})(?: style="text-align:(?:left|right)")?>', "", result._repr_html_()
        )
        assert "<" not in rest
        assert ">" not in rest
        assert '"' not in rest
        assert not re.search(r"&(?!amp;|lt;|gt;|quot;|#x27;)", rest)


def test_markdown_tables_keep_their_columns(hostile):
    for result in hostile[1]:
        rows = [line for line in result.to_markdown().splitlines() if line.startswith("|")]
        assert rows
        for table in re.split(r"\n\n", result.to_markdown()):
            lines = [line for line in table.splitlines() if line.startswith("|")]
            assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}) <= 1


def test_markdown_holds_no_markup_of_a_name(hostile):
    for result in hostile[1]:
        text = result.to_markdown()
        assert "<" not in text
        assert not re.search(r"(?<!\\)[`~\[\]]", text)
        bare = re.sub(r"\\.", "", text)
        assert bare.count("*") in (0, 4), "only the headline's own bold marks"
        assert "_" not in bare


def test_text_tables_stay_aligned(hostile):
    for result in hostile[1]:
        lines = str(result).splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("──"))
        assert all(len(line) <= len(lines[at]) for line in lines[at - 1 : at + 3])


def test_a_name_with_a_newline_stays_on_its_line(make_trials):
    trials = make_trials({"one\ntwo": {"t1": 1.0, "t2": 1.0}, "b": {"t1": 0.0, "t2": 0.0}})
    result = tb.board(trials)
    shown = "one two" if "one two" in str(result) else "one�two"
    assert shown in str(result)
    assert "one\ntwo" not in str(result) + result.to_markdown()


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "score", "–"),
        (float("nan"), "points", "–"),
        (0.12345, "score", "0.123"),
        (0.0215, "points", "+2.1"),
        (-0.5, "points", "-50.0"),
        (67000, "whole", "67,000"),
        ("name", "text", "name"),
    ],
)
def test_values_are_written_by_their_kind(value, kind, text):
    assert write(value, kind) == text


def test_printable_keeps_ordinary_text():
    assert printable("GPT-4 – é 漢 ≥ 2") == "GPT-4 – é 漢 ≥ 2"
    assert printable("a\tb\x1b") == "a�b�"


def test_a_column_is_titled_by_its_header_or_key():
    table = Table("T", [Column("a", "first"), Column("b")], [{"a": 1}])
    assert [c.title for c in table.columns] == ["first", "b"]
    assert table.cells() == [["1", "–"]]
