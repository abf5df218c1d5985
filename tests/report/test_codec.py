"""What is packed for the page is there to the bit; the browser tests decode it."""

from __future__ import annotations

import base64
import json
import math

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.report.codec import NAME_A, NAME_B, NUMBER, codes, encode_comparisons, floats, whole
from tiebreak.report.payload import script_json


def unpacked(packed):
    if "all" in packed:
        return [packed["all"]] * packed["n"]
    kind = next(k for k in ("f64", "u8", "u16", "u32") if k in packed)
    dtype = {"f64": "<f8", "u8": "<u1", "u16": "<u2", "u32": "<u4"}[kind]
    return np.frombuffer(base64.b64decode(packed[kind]), dtype).tolist()


@pytest.mark.parametrize("values", [[0.1, 1 / 3, -0.0, 5e-324], [1.5], [0.25, math.nan]])
def test_numbers_keep_every_bit(values):
    found = unpacked(floats(values))
    assert [math.nan if v is None else v for v in found] == pytest.approx(
        values, rel=0, abs=0, nan_ok=True
    )


def test_equal_numbers_are_stored_once():
    assert floats([0.5] * 1000) == {"n": 1000, "all": 0.5}
    assert floats([math.nan] * 3) == {"n": 3, "all": None}
    assert floats([]) == {"n": 0, "f64": ""}


@pytest.mark.parametrize("top", [0, 255, 256, 65535, 65536])
def test_whole_numbers_take_as_few_bytes_as_they_can(top):
    packed = whole([0, top])
    assert unpacked(packed) == [0, top]
    assert set(packed) - {"n"} == {"u8" if top < 256 else "u16" if top < 65536 else "u32"}


def test_words_are_coded_in_order_and_types_stay_apart():
    packed = codes(["b", "a", "b", None, ["x"], 1, "1"])
    assert packed["values"] == ["b", "a", None, ["x"], 1, "1"]
    assert unpacked(packed["codes"]) == [0, 1, 0, 2, 3, 4, 5]


def sentences(packed, comparisons):
    """The sentences put together again, as the page does it."""
    at, lines = unpacked(packed["templates"]["codes"]), packed["numbers"].split("\n")
    for p, c in enumerate(comparisons):
        template, numbers = packed["templates"]["values"][at[p]], iter(lines[p].split("|"))
        if isinstance(template, list):
            yield template[0]
            continue
        parts = {
            NAME_A: lambda c=c: c.a,
            NAME_B: lambda c=c: c.b,
            NUMBER: lambda n=numbers: next(n),
        }
        yield "".join(parts[ch]() if ch in parts else ch for ch in template)


def test_sentences_come_back_whole(example):
    board = tb.board(example, target="equal:repo", missing="fail")
    names = sorted(s.configuration for s in board.standings)
    packed = encode_comparisons(board.comparisons, names)
    assert list(sentences(packed, board.comparisons)) == [c.sentence for c in board.comparisons]
    assert len(packed["templates"]["values"]) < len(board.comparisons)


@pytest.mark.parametrize("names", [("a", "ab"), ("1", "2.5"), ("e", "er"), ("x" + NUMBER, "y|1")])
def test_names_that_look_like_the_sentence_do_not_confuse_it(make_trials, names):
    rows = {n: {f"t{t}": float(t % (i + 2) == 0) for t in range(20)} for i, n in enumerate(names)}
    board = tb.board(make_trials(rows))
    packed = encode_comparisons(board.comparisons, sorted(names))
    assert list(sentences(packed, board.comparisons)) == [c.sentence for c in board.comparisons]


def test_json_cannot_leave_its_script_element():
    hostile = {"</script><!--": "<script>\u2028\u2029 & ]]>"}
    text = script_json(hostile)
    assert not set(text) & set("<>&\u2028\u2029")
    assert text.isascii()
    assert json.loads(text) == hostile
