"""Bytes and their faults: opening, decoding and parsing files with errors that name the place."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from tiebreak.errors import InputError

T = TypeVar("T")
CHUNK = 1 << 20


def existing(path: str | Path) -> Path:
    """The path, or an error that says it is not there."""
    found = _expanded(Path(path))
    if not _exists(found):
        near = next((p for p in found.parents if p.is_dir()), Path())
        hint = f"'{near}' exists" if found.parent != near else None
        raise InputError("no such file or directory", where=str(path), hint=hint)
    if found.is_file() and found.stat().st_size == 0:
        raise InputError("the file is empty", where=str(found), allowed="at least one record")
    return found


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # ~name of nobody
        return path


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long, or a NUL byte in it
        return False


def read_bytes(path: Path) -> bytes:
    """The content, gunzipped where the name ends in .gz."""
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix.lower() == ".gz" else raw
    except (OSError, EOFError, zlib.error) as fault:
        raise InputError("the file cannot be read", where=str(path), got=str(fault)) from fault


def text_chunks(path: Path) -> Iterator[bytes]:
    """The content piece by piece, gunzipped where the name ends in .gz, checked as it passes.

    Raises
    ------
    InputError
        Binary content or anything that is not UTF-8, naming the byte or the line.
    """
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    decoder, line, offset = codecs.getincrementaldecoder("utf-8")(), 1, 0
    try:
        with opener(path, "rb") as stream:
            while chunk := stream.read(CHUNK):
                _check_chunk(path, chunk, decoder, line, offset)
                line, offset = line + chunk.count(b"\n"), offset + len(chunk)
                yield chunk
            _check_chunk(path, b"", decoder, line, offset, final=True)
    except (OSError, EOFError, zlib.error) as fault:
        raise InputError("the file cannot be read", where=str(path), got=str(fault)) from fault


def check_text(path: Path) -> None:
    """Refuse binary content and anything that is not UTF-8, naming the byte and the line."""
    deque(text_chunks(path), maxlen=0)


def _check_chunk(
    path: Path, chunk: bytes, decoder: Any, line: int, offset: int, *, final: bool = False
) -> None:
    if b"\0" in chunk:
        at = chunk.index(b"\0")
        raise InputError(
            "binary content where text is expected",
            where=f"{path}, byte {offset + at}",
            allowed="UTF-8 text, or Parquet/Arrow under their own endings",
            got="a NUL byte",
        )
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError as fault:
        at = max(fault.start, 0)
        raise InputError(
            "the text is not UTF-8",
            where=f"{path}, line {line + chunk[:at].count(10)}",
            allowed="UTF-8, with or without a byte-order mark",
            got=f"byte 0x{fault.object[fault.start]:02X}",
            hint="convert it first, for instance: iconv -f LATIN1 -t UTF-8",
        ) from fault


def json_as(kind: type[T], path: Path) -> T:
    """Decode a JSON file into a msgspec type; a fault names the file and the field."""
    return decode_json(kind, read_bytes(path), str(path))


def decode_json(kind: type[T], raw: bytes, where: str) -> T:
    """Decode JSON bytes into a msgspec type."""
    try:
        return msgspec.json.decode(raw.removeprefix(codecs.BOM_UTF8), type=kind)
    except msgspec.ValidationError as fault:
        what, _, field = str(fault).partition(" - at ")
        raise InputError(what, where=f"{where}, field {field or '`$`'}") from fault
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise InputError("not valid JSON", where=where, got=str(fault)) from fault


def yaml_mapping(path: Path) -> dict[str, Any]:
    """A YAML file that holds a mapping (an empty file is an empty mapping)."""
    try:
        content = yaml.load(read_bytes(path), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
    ) as fault:  # ValueError: a date such as 2024-13-01
        got = " ".join(str(fault).split())
        raise InputError("not valid YAML", where=str(path), got=got) from fault
    if content is not None and not isinstance(content, dict):
        raise InputError("a mapping is expected", where=str(path), got=type(content).__name__)
    return content or {}
