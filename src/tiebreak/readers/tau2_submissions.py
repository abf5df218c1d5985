"""tau2-bench leaderboard tree: <name>/submission.json with pass_1 … pass_4 in percent per domain.

One score per configuration and domain and no count behind it: aggregate records. pass_1 is
read; pass_2 … pass_4 are other protocols of the same trials and stay in the file.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.source import json_as, read_bytes
from tiebreak.readers.universe import read_universe

FILE = "submission.json"
EXAMPLE = "A_EXAMPLE"
"""Start of the names of folders that show how to submit."""
KEYS = (b'"model_name"', b'"submitting_organization"', b'"results"')
TEXT = (
    "configuration",
    "task",
    "status",
    "model",
    "organisation",
    "modality",
    "submission_type",
    "domain",
    "mode",
)
SCHEMA = dict.fromkeys(TEXT, pl.String) | {"pass_1": pl.Float64, "cost_usd": pl.Float64}


class Domain(msgspec.Struct):
    """Results on one domain: percent of tasks passed, mean cost of a trajectory in USD."""

    pass_1: float | None = None
    cost: float | None = None


class Submission(msgspec.Struct):
    """``submission.json``; the defaults are those of the leaderboard's schema."""

    model_name: str
    submitting_organization: str
    results: dict[str, Domain | None]
    modality: str = "text"
    submission_type: str = "standard"


def _files(path: Path) -> list[Path]:
    """Submission files below a path (or the path itself), by folder name."""
    if path.is_file():
        return [path] if path.name == FILE else []
    found = (p for p in path.rglob(FILE) if p.is_file())
    return sorted(found, key=lambda p: p.resolve().parent.name)


def _is_submission(raw: bytes) -> bool:
    return all(key in raw for key in KEYS)


def _recognise(path: Path) -> str | None:
    if not any(_is_submission(read_bytes(file)) for file in _files(path)):
        return None
    return f"tau2-bench leaderboard submissions (<name>/{FILE} with results by domain)"


def _read(path: Path, options: ReadOptions) -> Records:
    rows: list[dict[str, Any]] = []
    examples: list[str] = []
    for file in _files(path):
        name, submission = file.resolve().parent.name, json_as(Submission, file)
        if name.startswith(EXAMPLE):
            examples += [name] * len(submission.results)
        else:
            _check_percent(submission, file)
            rows += _rows(name, submission)
    if not rows:
        raise InputError(
            "no submission with results here",
            where=str(path),
            allowed=f"<name>/{FILE}",
            got=f"only examples: {listed(sorted(set(examples)))}" if examples else None,
        )
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return Records(
        frame.with_columns(score=pl.col("pass_1") / 100).drop("pass_1"),
        kind="aggregate",
        excluded={"example": len(examples)},
        tasks=read_universe(options.tasks) if options.tasks else None,
        notes=(*_notes(frame), *_unlisted(path, frame)),
    )


def _rows(name: str, submission: Submission) -> list[dict[str, Any]]:
    """A row per domain the submission names, also where it states no result."""
    shared = {
        "configuration": name,
        "model": submission.model_name,
        "organisation": submission.submitting_organization,
        "modality": submission.modality,
        "submission_type": submission.submission_type,
        "mode": "voice" if submission.modality == "voice" else "default",
    }
    return [
        shared | {"task": domain, "domain": domain} | _result(entry)
        for domain, entry in submission.results.items()
    ]


def _result(entry: Domain | None) -> dict[str, Any]:
    if entry is None:
        return {"status": "not_run"}
    # A cost of 0 is unpriced, not free.
    return {"pass_1": entry.pass_1, "cost_usd": entry.cost or None}


def _check_percent(submission: Submission, file: Path) -> None:
    """Rates in percent: none out of range, and not fractions, which never exceed 1."""
    stated = {d: e.pass_1 for d, e in submission.results.items() if e and e.pass_1 is not None}
    outside = {domain: rate for domain, rate in stated.items() if not 0 <= rate <= 100}
    small = stated if 0 < max(stated.values(), default=0.0) <= 1 else {}
    for domain, rate in (outside or small).items():
        raise InputError(
            "the pass rate is no percentage",
            where=f"{file}, field results.{domain}.pass_1",
            allowed="percent in [0, 100] (fractions never exceed 1), or null",
            got=f"{rate:g}",
        )


def _notes(frame: pl.DataFrame) -> list[str]:
    notes = ["pass_1 per domain in percent, divided by 100: one rate, no count of trials"]
    voice = frame.filter(pl.col("mode") == "voice")["configuration"].n_unique()
    if voice:
        notes.append(
            f"{voice} voice submissions ran another protocol (mode voice): "
            "--where mode=default leaves them out"
        )
    null = pl.col("status") == "not_run"
    empty = pl.col("pass_1").is_null() & pl.col("status").is_null()
    notes += _counted(frame.filter(null), "domain entries are null (status not_run)")
    notes += _counted(frame.filter(empty), "domain entries state no pass_1 (status error)")
    unpriced = frame.filter(pl.col("cost_usd").is_null() & pl.col("status").is_null()).height
    if unpriced:
        notes.append(f"unpriced: {unpriced} domain entries cost 0 or state no cost")
    return notes


def _counted(rows: pl.DataFrame, what: str) -> list[str]:
    per_domain = Counter(rows["domain"].to_list())
    parts = listed(f"{domain} {n}" for domain, n in sorted(per_domain.items()))
    return [f"{rows.height} {what}: {parts}"] if rows.height else []


def _unlisted(path: Path, frame: pl.DataFrame) -> list[str]:
    """Submissions that the leaderboard's own manifest does not show."""
    manifest = path / "manifest.json"
    if not manifest.is_file():
        return []
    shown = {name for names in json_as(dict[str, list[str]], manifest).values() for name in names}
    hidden = sorted(set(frame["configuration"]) - shown)
    return [f"in no list of manifest.json: {listed(hidden)}"] if hidden else []


READER = Reader(
    "tau2_submissions",
    f"tau2-bench leaderboard tree (<name>/{FILE})",
    _recognise,
    _read,
)
