"""The head of a file, by which a reader recognises its format without reading all of it."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

HEAD = 1 << 16
"""Bytes that are looked at: enough for the keys of a record, whatever the size of the file."""


def head(path: Path, *endings: str) -> bytes:
    """The first bytes of a file with one of these endings (or one more ``.gz``), else nothing.

    What cannot be opened or gunzipped gives nothing: it is not recognised.
    """
    name = path.name.lower()
    if not path.is_file() or not name.removesuffix(".gz").endswith(endings):
        return b""
    opener = gzip.open if name.endswith(".gz") else open
    try:
        with opener(path, "rb") as stream:
            return bytes(stream.read(HEAD)).removeprefix(codecs.BOM_UTF8).lstrip()
    except (OSError, EOFError, zlib.error):
        return b""
