"""HAL (Holistic Agent Leaderboard): SQLite databases, one row per run of an agent on a benchmark.

The lists of solved and failed tasks are Python literals, or the text ``None`` where there are none.
A system that ran again later ran under other code or settings, so its runs are no replicates: the
run of the last date is kept (of one date, the last run id), earlier ones are left out and counted.
A task in neither list of a run has no outcome there: it was not run, as far as the log tells.
"""

from __future__ import annotations

import ast
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.universe import read_universe

MAGIC = b"SQLite format 3\0"
TABLE = "parsed_results"
COLUMNS = ("benchmark_name", "agent_name", "run_id", "date", "successful_tasks", "failed_tasks")
OPTIONAL = ("model_name", "total_cost", "accuracy")
NO_LIST = "the text None"
MAPPING = {"scaffold": "agent_name", "model": "model_name", "score": "successful_tasks"}
SCHEMA = dict.fromkeys(
    ("configuration", "scaffold", "model", "benchmark", "task", "run", "status"), pl.String
) | {"score": pl.Float64, "cost_usd": pl.Float64}


class Run(NamedTuple):
    """A row of the table; ``lists`` is None where it holds no task lists."""

    benchmark: str
    agent: str
    model: str
    scaffold: str
    run_id: str
    date: str
    lists: tuple[tuple[str, ...], tuple[str, ...]] | None
    cost: float | None
    accuracy: float | None


@dataclass(slots=True)
class _Log:
    """What was left out, why, and what is to be said."""

    excluded: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(p for p in path.glob("*.db") if p.is_file())


def _layout(path: Path) -> bool:
    """A SQLite file whose table has the columns; what cannot be opened is not recognised."""
    try:
        with path.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                return False
        with closing(_open(path)) as database:
            return set(COLUMNS) <= _columns(database)
    except (OSError, sqlite3.Error):
        return False


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def _columns(database: sqlite3.Connection) -> set[str]:
    return {row[1] for row in database.execute(f"PRAGMA table_info({TABLE})")}


def _recognise(path: Path) -> str | None:
    if path.is_dir():
        found = next((p for p in _files(path) if _layout(p)), None)
        return f"a folder of HAL databases (such as {found.name})" if found else None
    return f"a HAL database (table {TABLE})" if _layout(path) else None


def _read(path: Path, options: ReadOptions) -> Records:
    log = _Log()
    runs = [run for file in _files(path) for run in _runs(file)]
    if not runs:
        raise InputError("no run here", where=str(path), allowed=f"rows of the table {TABLE}")
    kept = _last_runs(_with_lists(runs, log), log)
    if not kept:
        got = "; ".join(f"{name}: {why}" for name, why in log.left_out.items())
        raise InputError("no run with task lists", where=str(path), got=got)
    several = path.is_dir()
    rows = list(_rows(kept, log, qualified=several))
    return Records(
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
        excluded=log.excluded,
        tasks=read_universe(options.tasks) if options.tasks else None,
        mapping=MAPPING,
        notes=tuple(_notes(kept, log, qualified=several)),
        left_out=log.left_out,
    )


def _runs(path: Path) -> Iterator[Run]:
    try:
        with closing(_open(path)) as database:
            known = _columns(database)
            fields = [*COLUMNS, *(c if c in known else f"NULL AS {c}" for c in OPTIONAL)]
            rows = database.execute(f"SELECT {', '.join(fields)} FROM {TABLE} ORDER BY rowid")
            found = [dict(zip((*COLUMNS, *OPTIONAL), row, strict=True)) for row in rows]
    except sqlite3.Error as fault:
        raise InputError("not a HAL database", where=str(path), got=str(fault)) from fault
    for row in found:
        yield _run(row, path)


def _run(row: dict[str, Any], path: Path) -> Run:
    where = f"{path}, run '{row['run_id']}'"
    empty = [c for c in COLUMNS[:3] if not isinstance(row[c], str) or not row[c].strip()]
    if empty:
        raise InputError(f"a run without {listed(empty)}", where=where, allowed="text")
    scaffold, model = _split(row["agent_name"], row["model_name"])
    lists = [_task_list(row[c], f"{where}, {c}") for c in COLUMNS[4:]]
    solved, failed = lists
    if (solved is None) != (failed is None):
        raise InputError("one list of tasks without the other", where=where, allowed="both or none")
    return Run(
        benchmark=row["benchmark_name"],
        agent=row["agent_name"],
        model=model,
        scaffold=scaffold,
        run_id=row["run_id"],
        date=str(row["date"] or ""),
        lists=None if solved is None or failed is None else (solved, failed),
        cost=_number(row["total_cost"]),
        accuracy=_number(row["accuracy"]),
    )


def _split(agent: str, model: object) -> tuple[str, str]:
    """``Scaffold (5x) (Model (May 2025))`` → scaffold and model: the last bracket, balanced."""
    name = agent.strip()
    if isinstance(model, str) and model and name.endswith(f"({model})"):
        return name.removesuffix(f"({model})").rstrip() or name, model
    depth = 0
    for at in range(len(name) - 1, -1, -1) if name.endswith(")") else ():
        depth += (name[at] == ")") - (name[at] == "(")
        if depth == 0:
            label = str(model) if model else name[at + 1 : -1]
            return name[:at].rstrip() or name, label
    return name, str(model) if model else name


def _task_list(text: object, where: str) -> tuple[str, ...] | None:
    """Ids of a Python list literal; None for the text ``None``."""
    try:
        value = ast.literal_eval(text) if isinstance(text, str) else text
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as fault:
        got = str(text)[:60]
        raise InputError(
            "not a list of tasks", where=where, allowed=f"a Python list or {NO_LIST}", got=got
        ) from fault
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(v, str | int) for v in value):
        got = str(text)[:60]
        raise InputError("not a list of task ids", where=where, allowed="text or numbers", got=got)
    return tuple(str(v) for v in value)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _with_lists(runs: list[Run], log: _Log) -> list[Run]:
    """Runs that name their tasks; benchmarks that have none are named with the reason."""
    kept = [run for run in runs if run.lists is not None and any(run.lists)]
    without = Counter(run.benchmark for run in runs) - Counter(run.benchmark for run in kept)
    benchmarks = {run.benchmark for run in kept}
    for name, n in sorted(without.items()):
        log.excluded["run without task lists"] += n
        if name not in benchmarks:
            log.left_out[name] = f"no task lists in any of its {n} runs: headline scores only"
    return kept


def _last_runs(runs: list[Run], log: _Log) -> list[Run]:
    """The last run of every system on every benchmark."""
    by_system: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        by_system[run.benchmark, run.agent].append(run)
    kept = []
    for again in by_system.values():
        *earlier, last = sorted(again, key=lambda run: (run.date, run.run_id))
        kept.append(last)
        for run in earlier:
            log.excluded["earlier run of the same system"] += len(_outcomes(run, log))
            log.notes.append(f"{run.benchmark}: {run.agent} ran again: {run.run_id} left out")
    return sorted(kept, key=lambda run: (run.benchmark, run.agent))


def _outcomes(run: Run, log: _Log) -> dict[str, float]:
    """Score of every listed task.

    Raises
    ------
    InputError
        A task that is in both lists.
    """
    solved, failed = run.lists or ((), ())
    both = sorted(set(solved) & set(failed))
    if both:
        where = f"run '{run.run_id}' of {run.benchmark}"
        raise InputError("tasks both solved and failed", where=where, got=listed(both))
    outcomes = dict.fromkeys(solved, 1.0) | dict.fromkeys(failed, 0.0)
    log.excluded["task listed twice in a run"] += len(solved) + len(failed) - len(outcomes)
    return outcomes


def _rows(runs: list[Run], log: _Log, *, qualified: bool) -> Iterator[dict[str, Any]]:
    """A row per run and task of its benchmark; what a run does not list was not run.

    ``total_cost`` is that of the whole run: its tasks bear equal shares, 0 meaning not recorded.
    """
    universe: dict[str, dict[str, None]] = defaultdict(dict)
    outcomes = [_outcomes(run, log) for run in runs]
    for run, found in zip(runs, outcomes, strict=True):
        universe[run.benchmark].update(dict.fromkeys(found))
    for run, found in zip(runs, outcomes, strict=True):
        share = run.cost / len(found) if run.cost and run.cost > 0 else None
        for task in sorted(universe[run.benchmark]):
            yield {
                "configuration": run.agent,
                "scaffold": run.scaffold,
                "model": run.model,
                "benchmark": run.benchmark,
                "task": f"{run.benchmark}/{task}" if qualified else task,
                "run": "1",
                "status": "ok" if task in found else "not_run",
                "score": found.get(task),
                "cost_usd": share if task in found else None,
            }


def _notes(runs: list[Run], log: _Log, *, qualified: bool) -> Iterator[str]:
    yield "of several runs of a system the last by date is kept: reruns are no replicates"
    yield "total_cost is that of a run: its tasks bear equal shares"
    if qualified:
        yield "task ids are prefixed by their benchmark"
    yield from log.notes
    yield from (f"{name}: left out: {why}" for name, why in log.left_out.items())
    graded: Counter[str] = Counter()
    for run in runs:
        solved, failed = run.lists or ((), ())
        share = len(set(solved)) / max(len({*solved, *failed}), 1)
        graded[run.benchmark] += run.accuracy is not None and abs(share - run.accuracy) > 0.005
    for name, n in graded.items():
        if n:
            yield f"{name}: headline accuracy is not the share of solved tasks in {n} runs"


READER = Reader(
    "hal",
    "HAL databases (SQLite with the table parsed_results), one or a folder",
    _recognise,
    _read,
)
