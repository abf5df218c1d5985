"""OpenHands index: a folder per model and scaffold with an outcome and a cost per instance.

``results/<model>/`` and ``alternative_agents/<scaffold>/<model>/`` hold ``metadata.json`` (which
names the scaffold), ``scores.json`` (published means per benchmark) and
``instance_results/<benchmark>.json``. No file lists what was asked: the instances of a benchmark
are those that some file of it holds, and one that a file leaves out was not run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.source import json_as

FOLDER = "instance_results"
SOLVEABLE = "solveable_accuracy"
"""Metric of a benchmark whose score leaves some instances out (swe-bench-multimodal)."""
SHORT = 0.75
"""A file with less than this share of the instances is one that holds the scored ones only."""
TOLERANCE = 0.05
"""Published mean costs and those of the instances may differ by this much."""
SCORE_TOLERANCE = 0.1
"""Published scores are printed with one digit of a point."""
UNSCORED = "unsolveable, left out of the published score"
NO_RESULTS = "no instance results"
SCHEMA = dict.fromkeys(
    ("configuration", "model", "scaffold", "openness", "benchmark", "task", "status"), pl.String
) | {"score": pl.Float64, "cost_usd": pl.Float64}


class Metadata(msgspec.Struct):
    """``metadata.json``; other fields (prices, release date, version) are not read."""

    agent_name: str
    model: str
    openness: str | None = None


class Published(msgspec.Struct):
    """One benchmark of ``scores.json``: score in per cent, mean cost in USD."""

    benchmark: str
    score: float | None = None
    metric: str | None = None
    cost_per_instance: float | None = None


class Instance(msgspec.Struct):
    """Outcome and cost of one instance; null where unknown."""

    resolved: bool | None
    cost: float | None = None


@dataclass(slots=True)
class Entry:
    """One folder: a model under a scaffold, its files by benchmark and what it publishes."""

    model: str
    meta: Metadata
    published: dict[str, Published]
    files: dict[str, dict[str, Instance]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The configuration."""
        return f"{self.meta.agent_name} | {self.model}"


def _folders(path: Path) -> list[Path]:
    """Entries at or below a path."""
    return sorted(p.parent for p in path.rglob("metadata.json"))


def _recognise(path: Path) -> str | None:
    if not path.is_dir():
        return None
    found = next((p for p in _folders(path) if (p / FOLDER).is_dir()), None)
    return f"an OpenHands index (<model>/{FOLDER}/<benchmark>.json)" if found else None


def _read(path: Path, _options: ReadOptions) -> Records:
    entries = [_entry(folder) for folder in _folders(path)]
    if not any(e.files for e in entries):
        raise InputError("no instance results here", where=str(path), allowed=f"{FOLDER}/*.json")
    asked = _asked(entries)
    scored = {benchmark: _scored(benchmark, ids, entries) for benchmark, ids in asked.items()}
    excluded: Counter[str] = Counter()
    rows = [row for entry in entries for row in _rows(entry, scored, excluded)]
    totals = _totals(entries)
    return Records(
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        excluded=excluded,
        mapping={"score": "resolved", "cost_usd": "cost"},
        notes=tuple(_notes(entries, asked, scored, totals)),
        stated_costs=totals,
    )


def _entry(folder: Path) -> Entry:
    scores = folder / "scores.json"
    published = json_as(list[Published], scores) if scores.is_file() else []
    entry = Entry(
        folder.name,
        json_as(Metadata, folder / "metadata.json"),
        {p.benchmark: p for p in published},
    )
    for file in sorted((folder / FOLDER).glob("*.json")):
        entry.files[file.stem] = json_as(dict[str, Instance], file)
    return entry


def _asked(entries: Iterable[Entry]) -> dict[str, list[str]]:
    """Instances of every benchmark: those that some file holds."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        for benchmark, instances in entry.files.items():
            found[benchmark] |= instances.keys()
    return {benchmark: sorted(found[benchmark]) for benchmark in sorted(found)}


def _scored(benchmark: str, ids: list[str], entries: Iterable[Entry]) -> list[str]:
    """The instances that the published score counts.

    Where the score is of the solveable ones, the files that leave many instances out tell which
    those are; without such a file nothing does, and all are kept.
    """
    having = [e for e in entries if benchmark in e.files]
    stated = (e.published.get(benchmark) for e in having)
    if not any(p is not None and p.metric == SOLVEABLE for p in stated):
        return ids
    short = [
        e.files[benchmark].keys() for e in having if len(e.files[benchmark]) < SHORT * len(ids)
    ]
    return sorted(set().union(*short)) if short else ids


def _rows(
    entry: Entry, scored: Mapping[str, list[str]], excluded: Counter[str]
) -> list[tuple[object, ...]]:
    """A row per scored instance of the benchmarks that the entry holds."""
    rows: list[tuple[object, ...]] = []
    excluded[NO_RESULTS] += not entry.files
    shared = (entry.name, entry.model, entry.meta.agent_name, entry.meta.openness)
    for benchmark, instances in entry.files.items():
        excluded[UNSCORED] += len(instances.keys() - set(scored[benchmark]))
        for task in scored[benchmark]:
            outcome = _outcome(instances.get(task))
            rows.append((*shared, benchmark, f"{benchmark}/{task}", *outcome))
    return rows


def _outcome(instance: Instance | None) -> tuple[str, float | None, float | None]:
    """Status, score, cost: nothing says why an outcome is null, so that is an error."""
    if instance is None:
        return "not_run", None, None
    if instance.resolved is None:
        return "error", None, instance.cost
    return "ok", float(instance.resolved), instance.cost


def _totals(entries: Iterable[Entry]) -> pl.DataFrame:
    """Published mean cost of every file beside that of its instances (null counts as 0 there)."""
    rows = []
    for entry in entries:
        for benchmark, instances in entry.files.items():
            stated = entry.published.get(benchmark)
            if stated is None or stated.cost_per_instance is None or not instances:
                continue
            found = sum(i.cost or 0.0 for i in instances.values()) / len(instances)
            rows.append((entry.name, benchmark, len(instances), stated.cost_per_instance, found))
    names = {"configuration": pl.String, "part": pl.String, "count": pl.Int64}
    schema = names | {"stated": pl.Float64, "found": pl.Float64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    gap = (pl.col("found") - pl.col("stated")).abs()
    return table.with_columns(agrees=gap <= TOLERANCE * pl.col("stated").abs())


def _notes(
    entries: list[Entry],
    asked: Mapping[str, list[str]],
    scored: Mapping[str, list[str]],
    totals: pl.DataFrame,
) -> list[str]:
    """What the layout leaves open and how it was read."""
    sizes = ", ".join(f"{b} {len(ids)}" for b, ids in asked.items())
    without = [e.name for e in entries if not e.files]
    odd = totals.filter(~pl.col("agrees"))
    renamed = [f"{e.model} ({e.meta.model})" for e in entries if e.meta.model != e.model]
    notes = [f"no file lists what was asked: instances that some file holds: {sizes}"]
    notes += _absent_notes(entries, scored) + _unscored_notes(asked, scored)
    notes += [f"{NO_RESULTS}: {listed(without)}"] if without else []
    notes += [f"model is the folder's name; metadata differ: {listed(renamed)}"] if renamed else []
    if odd.height:
        worst = odd.select(pl.format("{} {}", "configuration", "part")).to_series()
        notes.append(
            f"{odd.height} of {totals.height} files: mean cost differs from cost_per_instance by "
            f"more than {TOLERANCE:.0%}, such as {listed(worst, 2)}; cost lists them"
        )
    return notes + _score_notes(entries, scored)


def _absent_notes(entries: list[Entry], scored: Mapping[str, list[str]]) -> list[str]:
    absent: Counter[str] = Counter()
    for entry in entries:
        for benchmark, instances in entry.files.items():
            absent[benchmark] += len(set(scored[benchmark]) - instances.keys())
    counts = ", ".join(f"{b} {n}" for b, n in sorted(absent.items()) if n)
    return [f"absent from a file, so not run: {counts}"] if counts else []


def _unscored_notes(asked: Mapping[str, list[str]], scored: Mapping[str, list[str]]) -> list[str]:
    """How the instances outside the published score were told."""
    return [
        f"{b}: {len(ids) - len(scored[b])} instances that the shorter files leave out are no tasks"
        for b, ids in asked.items()
        if len(scored[b]) < len(ids)
    ]


def _score_notes(entries: list[Entry], scored: Mapping[str, list[str]]) -> list[str]:
    """Files whose published score is not the share of the tasks resolved."""
    odd, n = [], 0
    for entry in entries:
        for benchmark, instances in entry.files.items():
            stated = entry.published.get(benchmark)
            if stated is None or stated.score is None:
                continue
            solved = sum(instances[t].resolved is True for t in scored[benchmark] if t in instances)
            share, n = 100 * solved / max(len(scored[benchmark]), 1), n + 1
            if abs(share - stated.score) > SCORE_TOLERANCE:
                odd.append(f"{entry.name} {benchmark}")
    if not odd:
        return []
    return [
        f"{len(odd)} of {n} files: share resolved differs from the published score by more than "
        f"{SCORE_TOLERANCE} points, such as {listed(odd, 2)}"
    ]


READER = Reader(
    "openhands",
    "OpenHands index (<model>/metadata.json and instance_results/<benchmark>.json)",
    _recognise,
    _read,
)
