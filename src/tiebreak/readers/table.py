"""Long tables: CSV, TSV, JSONL, JSON, Parquet, Arrow, and any frame narwhals knows.

Files are scanned and only the columns in use are kept; ids become categoricals while they
stream and are normalised once per distinct value, so millions of trials fit in memory.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.columns import map_columns
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.counts import expand_counts, with_rates
from tiebreak.readers.delimited import delimited_fault, header_names, scan_delimited
from tiebreak.readers.scores import to_unit
from tiebreak.readers.sniff import head
from tiebreak.readers.source import check_text, decode_json, read_bytes
from tiebreak.trials import LABEL, MEASURES, Kind

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
COLUMNAR: dict[str, Callable[[Path], pl.LazyFrame]] = {
    ".parquet": lambda p: pl.scan_parquet(p, glob=False, hive_partitioning=False),
    **dict.fromkeys(
        (".arrow", ".ipc", ".feather"),
        lambda p: pl.scan_ipc(p, glob=False, hive_partitioning=False),
    ),
}
LINES = (".jsonl", ".ndjson")
TEXT_ROLES = ("configuration", "task", "run", "status", "scaffold", "model", "benchmark")
NUMBER_ROLES = (*MEASURES, "successes", "count")
RESERVED = {*TEXT_ROLES, *NUMBER_ROLES, "score"} - {"benchmark", "model", "scaffold"}
"""Names that a column keeps only where it plays that role."""
FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What Polars raises on broken content; a panic in a decoder is one of them."""
LONG_TEXT = 200
"""Mean length (bytes) above which a text column is a message body, not a covariate."""


def scan(path: Path) -> pl.LazyFrame:
    """A lazy frame over a table file; content faults are reported with their place.

    The columns of a delimited file are text: such a file states no types.
    """
    suffix = _suffix(path)
    if suffix in COLUMNAR:
        return _tried(path, lambda: COLUMNAR[suffix](path))
    if suffix in SEPARATORS:
        return scan_delimited(path, SEPARATORS[suffix])
    check_text(path)
    if suffix in LINES:
        return _scan_lines(path, read_bytes(path).removeprefix(codecs.BOM_UTF8), "line")
    rows = decode_json(list[msgspec.Raw], read_bytes(path), str(path))
    # JSON strings hold no raw line ends, so these are white space between values.
    lines = (bytes(row).replace(b"\n", b" ").replace(b"\r", b" ") for row in rows)
    return _scan_lines(path, b"\n".join(lines), "record")


def load(path: Path) -> pl.DataFrame:
    """A whole table in memory, its faults reported like those of a lazy one."""
    lazy = scan(path)
    try:
        return lazy.collect()
    except FAULTS as fault:
        raise _broken(path, fault) from fault


def column_names(path: Path) -> frozenset[str]:
    """Names of the columns, from the first bytes of the file; none if there is no telling."""
    suffix = _suffix(path)
    try:
        if suffix in COLUMNAR:
            return frozenset(COLUMNAR[suffix](path).collect_schema().names())
    except FAULTS:
        return frozenset()
    return header_names(path, SEPARATORS[suffix]) if suffix in SEPARATORS else frozenset()


def _broken(path: Path, fault: BaseException) -> InputError:
    """What is wrong with a file that Polars refused: the broken row where one can be named."""
    separator = SEPARATORS.get(_suffix(path))
    named = delimited_fault(path, separator) if separator else None
    return named or _unreadable(path, fault)


def _scan_lines(path: Path, raw: bytes, noun: str) -> pl.LazyFrame:
    if not raw.strip():
        raise _no_rows(str(path))
    try:
        return pl.read_ndjson(io.BytesIO(raw), infer_schema_length=None).lazy()
    except FAULTS as fault:
        for number, line in enumerate(raw.split(b"\n"), 1):
            if line.strip():
                decode_json(dict[str, Any], line, f"{path}, {noun} {number}")
        raise _unreadable(path, fault) from fault


def _tried(path: Path, scan_it: Callable[[], pl.LazyFrame]) -> pl.LazyFrame:
    try:
        lazy = scan_it()
        lazy.collect_schema()
    except FAULTS as fault:
        raise _unreadable(path, fault) from fault
    return lazy


def _unreadable(where: object, fault: BaseException) -> InputError:
    got = " ".join(str(fault).split())[:300]
    return InputError("the table cannot be read", where=str(where), got=got)


def _no_rows(where: str) -> InputError:
    return InputError("the table has no rows", where=where, allowed="at least one record")


def from_lazy(lazy: pl.LazyFrame, where: str, stated: Mapping[str, str]) -> Records:
    """Records from a lazy frame of trials: map the columns, stream what is used, convert scores.

    Raises
    ------
    InputError
        No rows, no configuration, task or score column, or a value that cannot be used.
    """
    schema = lazy.collect_schema()
    mapping = map_columns(schema.names(), stated, where)
    if "count" not in mapping:
        mapping.pop("successes", None)
    scores = _score_columns(mapping, schema.names(), where)
    _check_roles(mapping, schema, where)
    extras, notes = _extras(lazy, schema, mapping, where)
    plan = lazy.select(
        *(_raw(mapping[r]).alias(_name(r, mapping)) for r in TEXT_ROLES if r in mapping),
        *(pl.col(mapping[r]).alias(r) for r in scores),
        *(_number(mapping[r], schema).alias(r) for r in NUMBER_ROLES if r in mapping),
        *extras,
    )
    try:
        frame = _collected(plan, where)
    except InputError:
        _check_numbers(lazy, schema, mapping, where)
        raise
    if frame.height == 0:
        raise _no_rows(where)
    return _finish(_with_ids(_normalised(frame), mapping), scores, mapping, notes, where)


def _collected(plan: pl.LazyFrame, where: str) -> pl.DataFrame:
    try:
        return plan.collect(engine="streaming")
    except FAULTS as fault:
        raise _unreadable(where, fault) from fault


def _check_numbers(
    lazy: pl.LazyFrame, schema: pl.Schema, mapping: Mapping[str, str], where: str
) -> None:
    """Name the column and the values behind a table that cannot be read, where they are numbers."""
    for role in (r for r in NUMBER_ROLES if r in mapping and schema[mapping[r]] == pl.String):
        given = pl.col(mapping[role]).str.strip_chars()
        lost = (given != "") & given.cast(pl.Float64, strict=False).is_null()
        found = _collected(lazy.filter(lost).select(given.alias("v")).head(1000), where)["v"]
        if found.len():
            dollars = "plain numbers, all in US dollars" if role == "cost_usd" else "numbers"
            raise InputError(
                f"column '{mapping[role]}' holds values that are no numbers",
                where=where,
                allowed=dollars,
                got=listed([f'"{v}"' for v in found.unique().sort()], 3),
            )


def _raw(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).cast(pl.Categorical)


def _number(column: str, schema: pl.Schema) -> pl.Expr:
    """A number, or text that reads as one (empty and NaN: none)."""
    given = pl.col(column)
    if schema[column] == pl.String:
        stripped = given.str.strip_chars()
        given = pl.when(stripped != "").then(stripped)
    return given.cast(pl.Float64).fill_nan(None)


def _name(role: str, mapping: Mapping[str, str]) -> str:
    """The benchmark role keeps the name of its column (benchmark, domain, dataset, …)."""
    own = role == "benchmark" and mapping[role] not in RESERVED
    return mapping[role] if own else role


def _normalised(frame: pl.DataFrame) -> pl.DataFrame:
    """NFKC and no outer white space, decided once per distinct text."""
    for column in frame.iter_columns():
        if column.dtype != pl.Categorical:
            continue
        raw = column.drop_nulls().unique().cast(pl.String)
        clean = raw.to_frame("t").select(text("t"))["t"]
        changed = raw != clean
        if changed.any():
            table = pl.DataFrame({"raw": raw, "clean": clean}).filter(changed)
            mended = column.cast(pl.String).replace(table["raw"], table["clean"])
            frame = frame.with_columns(mended.cast(pl.Categorical).alias(column.name))
    return frame


def _with_ids(frame: pl.DataFrame, mapping: Mapping[str, str]) -> pl.DataFrame:
    """``configuration`` from scaffold and model where no column names it; ``task`` likewise."""
    parts = [r for r in ("scaffold", "model") if r in mapping]
    if "configuration" not in mapping:
        joined = pl.concat_str([pl.col(p).cast(pl.String) for p in parts], separator=" | ")
        frame = frame.with_columns(configuration=joined.cast(pl.Categorical))
    if "task" not in mapping:
        frame = frame.with_columns(task=pl.col(_name("benchmark", mapping)))
    return frame


def _finish(
    frame: pl.DataFrame, scores: list[str], mapping: dict[str, str], notes: list[str], where: str
) -> Records:
    for role in scores:
        column = frame[role].alias(mapping[role])
        unit, note = to_unit(column, frame["configuration"], where)
        if note and role == "score" and "count" in frame.columns:
            _check_no_count(column, frame["count"], where)
        frame = frame.with_columns(unit.alias(role))
        notes += [note] if note else []
    sources = tuple(r.removeprefix(LABEL) for r in scores) or ("score",)
    kind: Kind = "item"
    if "count" in frame.columns and scores not in ([], ["score"]):
        raise InputError("counts with several label sources", where=where, allowed="one score")
    if "task" not in mapping:
        kind = "grouped" if "count" in frame.columns else "aggregate"
        frame = with_rates(frame, where) if "count" in frame.columns else frame
        notes.append(f"no task column: one {kind} score per configuration and benchmark")
    counted = "task" in mapping and "count" in frame.columns
    if counted:
        frame = expand_counts(frame, where)
        notes.append("counts expanded to trials: the order of runs is unknown (nested runs)")
    return Records(
        frame, sources=sources, kind=kind, mapping=mapping, notes=tuple(notes), counted=counted
    )


def _check_no_count(column: pl.Series, count: pl.Series, where: str) -> None:
    """37 of 50 under a score name would pass for 37 percent."""
    numbers = column.cast(pl.Float64, strict=False)
    if ((numbers == numbers.round()) & (numbers <= count)).all():
        raise InputError(
            f"column '{column.name}' could hold percentages or numbers of successes",
            where=where,
            got="whole numbers beside a count of trials that none exceeds",
            hint=f"for successes say --map successes={column.name}; else write fractions",
        )


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


def _check_roles(mapping: Mapping[str, str], schema: pl.Schema, where: str) -> None:
    columns = schema.names()
    if not {"configuration", "model", "scaffold"} & mapping.keys():
        raise _no_role("configuration", columns, where)
    if not {"task", "benchmark"} & mapping.keys():
        raise _no_role("task", columns, where)
    for role, column in mapping.items():
        dtype = schema[column]
        text_like = dtype in (pl.String, pl.Null) or dtype.is_numeric()
        if dtype.is_nested() or (role in NUMBER_ROLES and not text_like):
            raise InputError(
                f"column '{column}' cannot be the {role}",
                where=where,
                allowed="numbers" if role in NUMBER_ROLES else "text, numbers or booleans",
                got=f"values of type {dtype}",
            )


def _no_role(role: str, columns: list[str], where: str) -> InputError:
    return InputError(
        f"no {role} column",
        where=where,
        got=listed(columns, 40),
        hint=f"name it: --map {role}=COLUMN",
    )


def text(column: str) -> pl.Expr:
    """Ids are strings: NFKC, outer white space removed, case kept."""
    return pl.col(column).cast(pl.String).str.normalize("NFKC").str.strip_chars()


def _extras(
    lazy: pl.LazyFrame, schema: pl.Schema, mapping: Mapping[str, str], where: str
) -> tuple[list[pl.Expr], list[str]]:
    """Further columns of simple type: candidates for task and configuration columns."""
    others = [c for c in schema.names() if c not in mapping.values()]
    strings = [pl.col(c).str.len_bytes().mean() for c in others if schema[c] == pl.String]
    lengths = _collected(lazy.head(1000).select(strings), where).to_dicts()
    long = {c for row in lengths for c, mean in row.items() if (mean or 0) > LONG_TEXT}
    kept: list[pl.Expr] = []
    skipped: list[str] = []
    for name in others:
        dtype = schema[name]
        if name in long or name in mapping or name in RESERVED:
            skipped.append(name)
        elif dtype.is_numeric() or dtype == pl.Boolean:
            kept.append(pl.col(name))
        elif dtype in (pl.String, pl.Categorical, pl.Enum):
            kept.append(_raw(name))
        else:
            skipped.append(name)
    notes = [f"columns not read (nested, long text, or a role given elsewhere): {listed(skipped)}"]
    return kept, notes if skipped else []


def _suffix(path: Path) -> str:
    return (Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix).lower()


def _recognise(path: Path) -> str | None:
    suffix = _suffix(path)
    if path.is_file() and suffix in {*COLUMNAR, *SEPARATORS, *LINES}:
        return f"a table file ({suffix})"
    if suffix == ".json" and _starts_as_list(path):
        return "a JSON list of records"
    return None


def _starts_as_list(path: Path) -> bool:
    """Only the first bytes: a list that breaks off later is a fault to report, not to pass by."""
    return re.match(rb"\[\s*[{\]]", head(path, ".json")) is not None


def _read(path: Path, options: ReadOptions) -> Records:
    try:
        return from_lazy(scan(path), str(path), options.mapping)
    except InputError as fault:
        if isinstance(fault.__cause__, FAULTS):
            raise _broken(path, fault.__cause__) from fault
        raise


READER = Reader(
    "table",
    "CSV, TSV, JSONL, JSON, Parquet or Arrow: one row per trial",
    _recognise,
    _read,
    roles=None,
)
