"""Terminal-Bench 1 leaderboard: result files below one folder per submission.

Three shapes: a file per run in a run folder, a file per run in the submission's folder, one file
with all runs (trial names ``<task>.<k>-of-<n>``). Runs are numbered 1, 2, … in the order of their
files' paths. A run folder copied into another holds the same trials again: told by their ids.
"""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from tiebreak.errors import InputError
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.sniff import head
from tiebreak.readers.source import json_as
from tiebreak.readers.universe import read_universe

FILE = "*results.json"
KEYS = (b'"results"', b'"trial_name"', b'"is_resolved"', b'"failure_mode"')
NAME = re.compile(r"(?P<date>\d{8})_(?P<scaffold>[^_]+)_(?P<model>.+)")
"""A submission's folder; one that is named otherwise states neither scaffold nor model."""
HYPHEN = re.compile(r"(?<=\d)-(?=\d)")
"""The second spelling of a version: ``4-1`` for ``4.1``, of one model in two submissions."""
SUITE = re.compile(r"terminal-bench-core[@:].*")
TRIAL = re.compile(r"\.(\d+)-of-(\d+)")
STATUS = {
    "agent_timeout": "limit",
    "test_timeout": "infrastructure",
    "parse_error": "infrastructure",
    "agent_installation_failed": "infrastructure",
    "unknown_agent_error": "error",
    "fatal_llm_parse_error": "error",
    "context_length_exceeded": "limit",
}
"""Failure mode of a trial without an outcome → status: the tests' own faults are the harness's."""
SCHEMA = dict.fromkeys(
    ("configuration", "scaffold", "model", "task", "run", "status"), pl.String
) | {"score": pl.Float64, "input_tokens": pl.Float64, "output_tokens": pl.Float64}
MAPPING = {"task": "task_id", "score": "is_resolved", "status": "failure_mode"}


class Trial(msgspec.Struct):
    """One trial; ``is_resolved`` is null where no outcome was found."""

    task_id: str
    trial_name: str
    id: str | None = None
    uuid: str | None = None
    is_resolved: bool | None = None
    failure_mode: str | None = None
    total_input_tokens: int | None = None
    total_output_tokens: int | None = None

    @property
    def key(self) -> str:
        """What a copy of the trial shares with it."""
        return self.id or self.uuid or self.trial_name


class Results(msgspec.Struct):
    """A result file."""

    results: list[Trial]


def _layout(path: Path) -> bool:
    start = head(path, "results.json")
    return start.startswith(b"{") and all(key in start for key in KEYS)


def _recognise(path: Path) -> str | None:
    if path.is_dir():
        found = next((p for p in sorted(path.rglob(FILE)) if _layout(p)), None)
        return f"a tree of Terminal-Bench results (such as {found.name})" if found else None
    return "a Terminal-Bench result file (results, pass_at_k)" if _layout(path) else None


def _read(path: Path, options: ReadOptions) -> Records:
    files = [path] if path.is_file() else [p for p in sorted(path.rglob(FILE)) if _layout(p)]
    rows: list[dict[str, Any]] = []
    runs: dict[Path, count[int]] = {}
    seen: dict[Path, set[str]] = {}
    copied: list[Path] = []
    repeated = 0
    for file in sorted(files, key=lambda p: (len(p.parts), str(p))):
        folder = _submission(file, path)
        trials = json_as(Results, file).results
        fresh = [t for t in trials if t.key not in seen.setdefault(folder, set())]
        seen[folder] |= {t.key for t in trials}
        repeated += len(trials) - len(fresh)
        copied += [file] if trials and not fresh else []
        rows += _rows(folder.name, fresh, runs.setdefault(folder, count(1)))
    if not rows:
        raise InputError("no trial here", where=str(path), allowed="result files with trials")
    names = [folder.name for folder in runs]
    return Records(
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        excluded={"copy of another run": repeated},
        tasks=read_universe(options.tasks) if options.tasks else None,
        mapping=MAPPING,
        notes=tuple(_notes(copied, path, names)),
    )


def _submission(file: Path, root: Path) -> Path:
    """The submission's folder: named by the rule, or right below the data set's folder."""
    above = [p for p in file.parents if p == root or root in p.parents] or [file.parent]
    for folder in above:
        if NAME.fullmatch(folder.name) or SUITE.fullmatch(folder.parent.name):
            return folder
    return above[-2] if len(above) > 1 else above[-1]


def _rows(name: str, trials: list[Trial], numbers: count[int]) -> list[dict[str, Any]]:
    """Trials of one file; a file of several runs names the run in its trials."""
    parts = [TRIAL.search(t.trial_name) for t in trials]
    several = any(part and int(part[2]) > 1 for part in parts)
    run = "" if several or not trials else str(next(numbers))
    named = NAME.fullmatch(name)
    shared = {
        "configuration": name,
        "scaffold": named["scaffold"] if named else None,
        "model": HYPHEN.sub(".", named["model"]) if named else None,
    }
    return [
        shared | _row(t) | {"run": part[1] if several and part else run or "1"}
        for t, part in zip(trials, parts, strict=True)
    ]


def _row(trial: Trial) -> dict[str, Any]:
    mode = trial.failure_mode or "unset"
    lost = trial.is_resolved is None
    return {
        "task": trial.task_id,
        "score": None if trial.is_resolved is None else float(trial.is_resolved),
        "status": STATUS.get(mode, "error") if lost else "ok",
        # A count of 0 says that nothing was counted.
        "input_tokens": trial.total_input_tokens or None,
        "output_tokens": trial.total_output_tokens or None,
    }


def _notes(copied: list[Path], root: Path, submissions: list[str]) -> list[str]:
    notes = ["runs are numbered in the order of their files, in each submission by itself"]
    named = [found for name in submissions if (found := NAME.fullmatch(name))]
    spelt = [n.string for n in named if HYPHEN.search(n["model"])]
    notes += [f"{name}: the model's version is read with a dot" for name in spelt]
    lost = [name for name in submissions if not NAME.fullmatch(name)]
    notes += [f"{name}: names no scaffold and no model" for name in lost]
    notes += [f"{file.relative_to(root)}: a copy of another run, left out" for file in copied]
    return notes


READER = Reader(
    "terminal_bench",
    "Terminal-Bench 1 result trees (submission folders with *results.json)",
    _recognise,
    _read,
)
