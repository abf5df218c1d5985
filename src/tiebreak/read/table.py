"""Long tables: CSV, TSV, JSONL, JSON, Parquet, Arrow, and any frame narwhals knows.

Files are scanned and only the columns in use are kept; ids become categoricals while they
stream, so millions of trials fit in memory.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.read.columns import map_columns
from tiebreak.read.contract import Reader, ReadOptions, Records
from tiebreak.read.counts import expand_counts
from tiebreak.read.scores import to_unit
from tiebreak.read.source import check_text, decode_json, read_bytes
from tiebreak.trials import LABEL, MEASURES

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
COLUMNAR = {".parquet": pl.scan_parquet, ".arrow": pl.scan_ipc, ".ipc": pl.scan_ipc, ".feather": pl.scan_ipc}
LONG_TEXT = 200
"""Mean length (bytes) above which a text column is a message body, not a covariate."""


def scan(path: Path) -> pl.LazyFrame:
    """A lazy frame over a table file; content faults are reported with their place."""
    suffix = _suffix(path)
    if suffix in COLUMNAR:
        return _tried(path, lambda: COLUMNAR[suffix](path))
    check_text(path)
    if suffix in SEPARATORS:
        return _scan_delimited(path, SEPARATORS[suffix])
    if suffix in (".jsonl", ".ndjson"):
        return _scan_lines(path)
    rows = decode_json(list[dict[str, Any]], read_bytes(path), str(path))
    return _tried(path, lambda: pl.DataFrame(rows, infer_schema_length=None).lazy())


def _scan_delimited(path: Path, separator: str) -> pl.LazyFrame:
    source: Any = io.BytesIO(read_bytes(path)) if path.suffix == ".gz" else path
    _check_quotes(path)
    options: dict[str, Any] = {"separator": separator, "infer_schema_length": 10_000}
    try:
        lazy = pl.scan_csv(source, **options)
        lazy.collect_schema()
    except pl.exceptions.PolarsError as fault:
        raise _unreadable(path, fault) from fault
    return lazy


def _check_quotes(path: Path) -> None:
    quotes = read_bytes(path).count(b'"')
    if quotes % 2:
        raise InputError("a quoted field is never closed", where=str(path), got=f"{quotes} quote marks")


def _scan_lines(path: Path) -> pl.LazyFrame:
    raw = read_bytes(path)
    try:
        return pl.read_ndjson(io.BytesIO(raw), infer_schema_length=None).lazy()
    except pl.exceptions.PolarsError as fault:
        for number, line in enumerate(raw.splitlines(), 1):
            if line.strip():
                decode_json(dict[str, Any], line, f"{path}, line {number}")
        raise _unreadable(path, fault) from fault


def _tried(path: Path, scan_it: Any) -> pl.LazyFrame:
    try:
        lazy: pl.LazyFrame = scan_it()
        lazy.collect_schema()
    except (pl.exceptions.PolarsError, OSError, TypeError, OverflowError) as fault:
        raise _unreadable(path, fault) from fault
    return lazy


def _unreadable(where: object, fault: BaseException) -> InputError:
    return InputError("the table cannot be read", where=str(where), got=" ".join(str(fault).split())[:300])


def from_lazy(lazy: pl.LazyFrame, where: str, stated: Mapping[str, str]) -> Records:
    """Records from a lazy frame of trials: map the columns, stream what is used, convert scores.

    Raises
    ------
    InputError
        No rows, no configuration, task or score column, or a value that cannot be used.
    """
    columns = lazy.collect_schema().names()
    mapping = map_columns(columns, stated, where)
    scores = _score_columns(mapping, columns, where)
    extras, notes = _extras(lazy, columns, mapping)
    plan = lazy.select(
        *_ids(mapping, columns, where),
        *(pl.col(mapping[r]).alias(r) for r in scores),
        *(pl.col(mapping[m]).cast(pl.Float64).alias(m) for m in MEASURES if m in mapping),
        *(pl.col(mapping[r]).alias(r) for r in ("successes", "count") if r in mapping),
        *extras,
    )
    try:
        frame = plan.collect(engine="streaming")
    except pl.exceptions.PolarsError as fault:
        raise _unreadable(where, fault) from fault
    if frame.height == 0:
        raise InputError("the table has no rows", where=where, allowed="at least one record")
    return _finish(frame, scores, mapping, notes, where)


def _finish(
    frame: pl.DataFrame, scores: list[str], mapping: dict[str, str], notes: list[str], where: str
) -> Records:
    for role in scores:
        column = frame[role].alias(mapping[role])
        unit, note = to_unit(column, frame["configuration"], where)
        frame = frame.with_columns(unit.alias(role))
        notes += [note] if note else []
    if "task" not in mapping:
        return _grouped(frame, mapping, notes)
    if "count" in frame.columns:
        frame = expand_counts(frame, where)
        notes.append("counts expanded to trials: the order of runs is unknown (nested runs)")
    sources = tuple(r.removeprefix(LABEL) for r in scores) or ("score",)
    return Records(frame, sources=sources, mapping=mapping, notes=tuple(notes))


def _grouped(frame: pl.DataFrame, mapping: dict[str, str], notes: list[str]) -> Records:
    if "successes" in frame.columns:
        frame = frame.with_columns(score=pl.col("successes") / pl.col("count")).drop("successes")
    kind = "grouped" if "count" in frame.columns else "aggregate"
    notes.append(f"no task column: one {kind} rate per configuration and {mapping['benchmark']}")
    return Records(frame, kind=kind, mapping=mapping, notes=tuple(notes))  # type: ignore[arg-type]


def _score_columns(mapping: dict[str, str], columns: list[str], where: str) -> list[str]:
    scores = [r for r in mapping if r == "score" or r.startswith(LABEL)]
    counted = "successes" in mapping and "count" in mapping
    if not scores and not counted:
        raise InputError(
            "no score column",
            where=where,
            allowed="score, resolved, success, correct, passed, reward, …, or a label source",
            got=listed(columns, 40),
            hint="name it: --map score=COLUMN",
        )
    return scores


def _ids(mapping: dict[str, str], columns: list[str], where: str) -> list[pl.Expr]:
    parts = [r for r in ("scaffold", "model") if r in mapping]
    if "configuration" not in mapping and not parts:
        raise _no_role("configuration", columns, where)
    if "task" not in mapping and "benchmark" not in mapping:
        raise _no_role("task", columns, where)
    configuration = (
        text(mapping["configuration"])
        if "configuration" in mapping
        else pl.concat_str([text(mapping[p]) for p in parts], separator=" | ")
    )
    task = text(mapping["task"] if "task" in mapping else mapping["benchmark"])
    roles = [r for r in ("run", "status", *parts, "benchmark") if r in mapping]
    return [
        configuration.cast(pl.Categorical).alias("configuration"),
        task.cast(pl.Categorical).alias("task"),
        *(text(mapping[r]).cast(pl.Categorical).alias(r if r != "benchmark" else mapping[r]) for r in roles),
    ]


def _no_role(role: str, columns: list[str], where: str) -> InputError:
    return InputError(
        f"no {role} column", where=where, got=listed(columns, 40), hint=f"name it: --map {role}=COLUMN"
    )


def text(column: str) -> pl.Expr:
    """Ids are strings: NFKC, outer white space removed, case kept."""
    return pl.col(column).cast(pl.String).str.normalize("NFKC").str.strip_chars()


def _extras(lazy: pl.LazyFrame, columns: list[str], mapping: dict[str, str]) -> tuple[list[pl.Expr], list[str]]:
    """Further columns of simple type: candidates for task and configuration columns."""
    schema, head = lazy.collect_schema(), lazy.head(1000).collect()
    kept: list[pl.Expr] = []
    skipped: list[str] = []
    for name in (c for c in columns if c not in mapping.values() and c not in mapping):
        is_text = schema[name] in (pl.String, pl.Categorical) or isinstance(schema[name], pl.Enum)
        long_text = schema[name] == pl.String and (head[name].str.len_bytes().mean() or 0) > LONG_TEXT
        if is_text and not long_text:
            kept.append(text(name).cast(pl.Categorical))
        elif schema[name].is_numeric() or schema[name] == pl.Boolean:
            kept.append(pl.col(name))
        else:
            skipped.append(name)
    return kept, [f"columns not read (nested or long text): {listed(skipped)}"] if skipped else []


def _suffix(path: Path) -> str:
    return (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()


def _recognise(path: Path) -> str | None:
    suffix = _suffix(path)
    if path.is_file() and suffix in {*COLUMNAR, *SEPARATORS, ".jsonl", ".ndjson"}:
        return f"a table file ({suffix})"
    if path.is_file() and suffix == ".json" and _is_list_of_objects(path):
        return "a JSON list of records"
    return None


def _is_list_of_objects(path: Path) -> bool:
    try:
        rows = msgspec.json.decode(read_bytes(path), type=list[msgspec.Raw])
    except msgspec.DecodeError:
        return False
    return bool(rows) and bytes(rows[0]).lstrip().startswith(b"{")


def _read(path: Path, options: ReadOptions) -> Records:
    return from_lazy(scan(path), str(path), options.mapping)


READER = Reader("table", "CSV, TSV, JSONL, JSON, Parquet or Arrow: one row per trial", _recognise, _read)
