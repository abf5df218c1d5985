"""Whatever the bytes: trials, or one clear error of ours; never another exception."""

from __future__ import annotations

import contextlib
import gzip
import json
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiebreak.errors import TiebreakError
from tiebreak.readers import READERS, read

FIXTURES = Path(__file__).parents[1] / "fixtures"
NAMES = (
    *("x.csv", "x.tsv", "x.csv.gz", "x.jsonl", "x.jsonl.gz", "x.json", "x.json.gz"),
    *("x.parquet", "x.arrow", "x.txt", "x", "results.json", "submission.json", "metrics.json"),
)
SAMPLES = sorted(p for p in FIXTURES.rglob("*") if p.is_file() and p.stat().st_size < 20_000)
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
PIECES = st.sampled_from(
    [
        *(b"", b"\0", b"\xff", b'"', b",", b"\n", b"\r", b"{", b"]", b"null", b"NaN", b"-1"),
        *(b"1e999", b"9" * 20, b"\xef\xbb\xbf", b"true", b'""', b"[]", "\u2028".encode()),
    ]
)


def swallow(path: Path) -> None:
    """Read by detection and by every stated format; ours may come out, nothing else."""
    for name in (None, *(r.name for r in READERS)):
        with contextlib.suppress(TiebreakError):
            read(path, format=name)


def in_file(name: str, raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / name
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        swallow(path)


@QUICK
@given(name=st.sampled_from(NAMES), raw=st.binary(max_size=200))
def test_arbitrary_bytes(name: str, raw: bytes) -> None:
    in_file(name, raw)


@QUICK
@given(name=st.sampled_from(NAMES), text=st.text(alphabet='",\n\r\t a1.{}[]:é', max_size=120))
def test_arbitrary_text_under_a_header(name: str, text: str) -> None:
    in_file(name, b"configuration,task,score\n" + text.encode())


@settings(QUICK, max_examples=150)
@given(sample=st.sampled_from(SAMPLES), at=st.floats(0, 1), cut=st.integers(0, 30), put=PIECES)
def test_mutated_files(sample: Path, at: float, cut: int, put: bytes) -> None:
    raw = sample.read_bytes()
    place = int(at * len(raw))
    in_file(sample.name, raw[:place] + put + raw[place + cut :])


TABLE = pl.DataFrame(
    {"configuration": ["a", "b"] * 20, "task": [f"t{i // 2}" for i in range(40)], "score": [1] * 40}
)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_broken_columnar_files(tmp_path: Path, kind: str, part: float) -> None:
    """Cut short, or with eight bytes overwritten at either end of what is left.

    Not random bytes: a size changed inside a page can make the decoder ask for more memory than
    there is, which ends the process and cannot be caught.
    """
    path = tmp_path / f"x.{kind}"
    (TABLE.write_parquet if kind == "parquet" else TABLE.write_ipc)(path)
    raw = path.read_bytes()
    cut = raw[: int(part * len(raw))]
    for content in (cut, b"\xff" * 8 + cut[8:], cut[:-8] + b"\xff" * 8):
        path.write_bytes(content)
        swallow(path)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
)
RECORD = st.dictionaries(
    st.sampled_from(["model", "task", "run", "score", "status", "cost", "count", "domain", "x"]),
    VALUES,
)


@QUICK
@given(records=st.lists(RECORD, max_size=6), lines=st.booleans())
def test_arbitrary_records(records: list[dict[str, object]], lines: bool) -> None:
    if lines:
        in_file("x.jsonl", "\n".join(json.dumps(r) for r in records).encode())
    else:
        in_file("x.json", json.dumps(records).encode())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: str(p.relative_to(FIXTURES)))
def test_every_fixture_under_every_format(sample: Path) -> None:
    swallow(sample)
