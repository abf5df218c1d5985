"""tau-bench 1 result files: a JSON list of trials, one file per system and domain.

The file states neither: both come from its name, ``gpt-4o-airline.json`` (``<model>-<domain>``).
Only the fields named below are decoded, so message bodies are never built.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from tiebreak.errors import InputError
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.sniff import head
from tiebreak.readers.source import json_as
from tiebreak.readers.universe import read_universe

KEYS = (b'"task_id"', b'"reward"', b'"info"', b'"trial"')
LONG_KEYS = (b'"task_id"', b'"reward"', b'"info"')
"""What the head shows: a record of an unreduced file has its messages before the trial."""
TELLING = (b'"reward_info"', b'"user_cost"', b'"source"')
DOMAINS = ("airline", "retail")
SCHEMA = {
    "configuration": pl.String,
    "task": pl.String,
    "run": pl.String,
    "score": pl.Float64,
    "status": pl.String,
    "domain": pl.String,
}
MAPPING = {"task": "task_id", "run": "trial", "score": "reward"}


class Trial(msgspec.Struct):
    """One trial; the reward is null where nothing was evaluated."""

    task_id: int | str
    trial: int
    reward: float | None = None
    info: dict[str, msgspec.Raw] | None = None


def _recognise(path: Path) -> str | None:
    if path.is_dir():
        found = [p.name for p in sorted(path.glob("*.json")) if _layout(p)]
        return f"a directory of tau-bench results (such as {found[0]})" if found else None
    return "a tau-bench result list (task_id, trial, reward, info)" if _layout(path) else None


def _layout(path: Path) -> bool:
    start = head(path, ".json")
    return (
        bool(re.match(rb"\[\s*\{", start))
        and all(key in start for key in LONG_KEYS)
        and any(key in start for key in (KEYS[3], *TELLING))
    )


def _read(path: Path, options: ReadOptions) -> Records:
    files = [p for p in sorted(path.glob("*.json")) if _layout(p)] if path.is_dir() else [path]
    rows = [row for file in files for row in _rows(file)]
    if not rows:
        raise InputError("no trial here", where=str(path), allowed="a list of at least one trial")
    return Records(
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        tasks=read_universe(options.tasks) if options.tasks else None,
        mapping=MAPPING,
        notes=("the only cost stated is that of the simulated user: the agent is unpriced",),
    )


def _rows(file: Path) -> list[dict[str, Any]]:
    system, domain = _named(file)
    trials = json_as(list[Trial], file)
    shared = {"configuration": system, "domain": domain}
    return [shared | _row(t, f"{file}, record {n}", domain) for n, t in enumerate(trials, 1)]


def _named(file: Path) -> tuple[str, str]:
    """System and domain by the name of the file."""
    stem = file.name.removesuffix(".gz").removesuffix(".json")
    for domain in DOMAINS:
        if stem.endswith(f"-{domain}"):
            return stem.removesuffix(f"-{domain}"), domain
    return stem, "unknown"


def _row(trial: Trial, where: str, domain: str) -> dict[str, Any]:
    if trial.reward is not None and not 0 <= trial.reward <= 1:
        raise InputError(
            "the reward is no score",
            where=where,
            allowed="a number in [0, 1], or null where nothing was evaluated",
            got=str(trial.reward),
        )
    # A trial that raised keeps its traceback in place of an evaluation and a reward of 0.
    broken = trial.info is not None and "error" in trial.info
    return {
        "task": f"{domain}/{trial.task_id}",
        "run": str(trial.trial),
        "score": None if broken else trial.reward,
        "status": "error" if broken or trial.reward is None else "ok",
    }


READER = Reader(
    "tau_bench",
    "tau-bench 1 result lists (task_id, trial, reward, info), one or a directory",
    _recognise,
    _read,
)
