"""SWE-bench experiments tree: <submission>/results/results.json + metadata.yaml, or
<submission>/per_instance_details.json (bash-only).

A results file lists the resolved ids; everything else about a task is the absence of its id,
so the universe of tasks must be stated, never taken from what was resolved.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from tiebreak.errors import InputError, TiebreakError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.source import json_as, yaml_mapping
from tiebreak.readers.universe import read_universe

CATEGORY_STATUS = {"no_generation": "failed", "no_logs": "infrastructure"}
"""Categories without an outcome: the agent gave no patch; the evaluation left no log."""


class Results(msgspec.Struct):
    """``results.json``: ids by category; old files hold more categories, which are implied."""

    resolved: list[str]
    no_generation: list[str] = []
    no_logs: list[str] = []


class Instance(msgspec.Struct):
    """One entry of ``per_instance_details.json``."""

    resolved: bool | None = None
    cost: float | None = None


class Outcome(NamedTuple):
    """Outcome of one task, as the file states it."""

    score: float | None
    status: str
    cost: float | None = None


def _submissions(path: Path) -> list[Path]:
    """Submission folders below a path (or the path itself), by name."""
    found = {p.parent.parent for p in path.glob("**/results/results.json")}
    found |= {p.parent for p in path.glob("**/per_instance_details.json")}
    found |= {
        p.parent
        for pattern in ("metadata.yaml", "metadata.yml")
        for p in path.glob(f"**/{pattern}")
    }
    return sorted(found, key=lambda p: p.name)


def _recognise(path: Path) -> str | None:
    if not path.is_dir():
        return None
    for pattern in ("results/results.json", "per_instance_details.json"):
        if next(path.glob(f"**/{pattern}"), None) is not None:
            return f"a SWE-bench experiments tree (<submission>/{pattern})"
    return None


def _read(path: Path, options: ReadOptions) -> Records:
    tasks = _with_repo(read_universe(_task_file(path, options)))
    ids = tasks["task"].to_list()
    rows: list[pl.DataFrame] = []
    notes: list[str] = []
    faults: list[str] = []
    excluded: Counter[str] = Counter()
    for folder in _submissions(path):
        try:
            outcomes = _outcomes(folder, notes, excluded)
        except TiebreakError as fault:
            faults.append(str(fault))
            continue
        if outcomes is None:
            excluded["no results file"] += 1
            notes.append(f"{folder.name}: no results file")
            continue
        rows.append(_submission_rows(folder, outcomes, ids, excluded))
    if faults or not rows:
        raise InputError(
            f"{len(faults)} submissions cannot be read" if faults else "no submission has results",
            where=str(path),
            got=" — ".join(faults) or None,
        )
    return Records(pl.concat(rows), excluded=excluded, tasks=tasks, notes=tuple(notes))


def _task_file(path: Path, options: ReadOptions) -> Path:
    """The stated task list, or ``tasks.csv`` in the tree, beside it or above it."""
    if options.tasks is not None:
        return options.tasks
    places = [path, *list(path.resolve().parents)[:4]]
    found = next((p / "tasks.csv" for p in places if (p / "tasks.csv").is_file()), None)
    if found is None:
        raise InputError(
            "the tasks that were asked are not known: results name only the resolved ones",
            where=str(path),
            allowed="a task list with the column instance_id",
            hint="state it: --tasks FILE",
        )
    return found


def _with_repo(tasks: pl.DataFrame) -> pl.DataFrame:
    """The repository cell, from the id ``owner__name-number`` where the list has no column."""
    if "repo" in tasks.columns:
        return tasks
    return tasks.with_columns(
        repo=pl.col("task").str.extract(r"^(.+__.+)-[^-]+$", 1).str.replace("__", "/", literal=True)
    )


def _outcomes(folder: Path, notes: list[str], excluded: Counter[str]) -> dict[str, Outcome] | None:
    details, results = folder / "per_instance_details.json", folder / "results" / "results.json"
    if details.is_file():
        instances = json_as(dict[str, Instance], details)
        return {task: _instance(i) for task, i in instances.items()}
    if not results.is_file():
        return None
    content = json_as(Results, results)
    repeated = len(content.resolved) - len(set(content.resolved))
    if repeated:
        excluded["id repeated in resolved"] += repeated
        notes.append(f"{folder.name}: {repeated} repeated ids in resolved")
    return _by_category(folder.name, content, notes)


def _instance(instance: Instance) -> Outcome:
    score = None if instance.resolved is None else float(instance.resolved)
    return Outcome(score, "error" if score is None else "ok", instance.cost)


def _by_category(name: str, content: Results, notes: list[str]) -> dict[str, Outcome]:
    outcomes = {
        task: Outcome(None, status)
        for category, status in CATEGORY_STATUS.items()
        for task in getattr(content, category)
    }
    both = sorted(outcomes.keys() & set(content.resolved))
    if both:
        notes.append(
            f"{name}: resolved and without outcome at once, counted as resolved: {listed(both)}"
        )
    return outcomes | dict.fromkeys(content.resolved, Outcome(1.0, "ok"))


def _submission_rows(
    folder: Path, outcomes: dict[str, Outcome], ids: list[str], excluded: Counter[str]
) -> pl.DataFrame:
    """A row per task of the universe. Results imply 0 for what they do not list; details do not."""
    implied = (
        Outcome(None, "not_run")
        if (folder / "per_instance_details.json").is_file()
        else Outcome(0.0, "ok")
    )
    excluded["unknown task"] += len(outcomes.keys() - set(ids))
    found = [outcomes.get(task, implied) for task in ids]
    attributes = _attributes(folder)
    return pl.DataFrame(
        {
            "configuration": pl.repeat(folder.name, len(ids), eager=True),
            "task": ids,
            "score": [o.score for o in found],
            "status": [o.status for o in found],
            "cost_usd": [o.cost for o in found],
            **{
                k: pl.repeat(v, len(ids), eager=True, dtype=pl.String)
                for k, v in attributes.items()
            },
        },
        schema_overrides={"score": pl.Float64, "cost_usd": pl.Float64, "status": pl.String},
    )


def _attributes(folder: Path) -> dict[str, str | None]:
    """Model and name from the metadata, flat or nested, in either spelling, or nothing."""
    file = next(
        (f for f in (folder / "metadata.yaml", folder / "metadata.yml") if f.is_file()), None
    )
    meta: dict[str, Any] = yaml_mapping(file) if file else {}
    info, tags = (
        meta.get(key) if isinstance(meta.get(key), dict) else meta for key in ("info", "tags")
    )
    models = tags.get("model") if tags else None
    model = ", ".join(map(str, models)) if isinstance(models, list) else models
    return {
        "model": None if model is None else str(model),
        "name": _text(info, "name"),
        "organisation": _text(tags, "org"),
    }


def _text(mapping: Any, key: str) -> str | None:
    value = mapping.get(key) if isinstance(mapping, dict) else None
    return None if value is None else str(value)


READER = Reader(
    "swebench",
    "SWE-bench experiments tree (results.json or per_instance_details.json)",
    _recognise,
    _read,
)
