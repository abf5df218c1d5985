"""tau2-bench result files: one JSON object with ``info``, ``tasks`` and ``simulations``.

A file is one run of one agent on one domain; a directory of files is read as a whole. Only the
fields named below are decoded, so message bodies are never built and model arguments (which
may hold access keys) never leave the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.sniff import head
from tiebreak.readers.source import json_as
from tiebreak.readers.universe import read_universe

NESTED = (b'"info"', b'"user_info"', b'"agent_info"')
FLAT = (b'"domain"', b'"agent"', b'"simulations"', b'"termination_reason"')
STATUS = {
    "user_stop": None,
    "agent_stop": None,
    "max_steps": "limit",
    "timeout": "limit",
    "context_window_exceeded": "limit",
    "too_many_errors": "error",
    "agent_error": "error",
    "unexpected_error": "error",
    "user_error": "infrastructure",
    "infrastructure_error": "infrastructure",
}
"""Termination reason → status. A regular stop says nothing: ok where scored, error where not.
A fault of the user simulator is the harness's, not the agent's."""
MODE_OF_AGENT = {"_solo": "no-user", "_gt": "oracle-plan"}
"""Agents that are the plain agent in another mode, by the end of their name."""
KEYS = ["configuration", "task", "run"]
SCHEMA = dict.fromkeys((*KEYS, "model", "scaffold", "domain", "mode", "status"), pl.String) | {
    "score": pl.Float64,
    "cost_usd": pl.Float64,
    "duration_s": pl.Float64,
}


class Party(msgspec.Struct):
    """The agent or the user simulator."""

    implementation: str
    llm: str | None = None


class Environment(msgspec.Struct):
    """The domain."""

    domain_name: str


class Info(msgspec.Struct):
    """What was run."""

    agent_info: Party
    user_info: Party
    environment_info: Environment
    audio_native_config: dict[str, Any] | None = None


class Task(msgspec.Struct):
    """A task of the run, whether it was reached or not."""

    id: str | int


class Reward(msgspec.Struct):
    """The score, null where nothing could be evaluated."""

    reward: float | None = None


class Simulation(msgspec.Struct):
    """One trial: a simulation, or its line in the index of a run kept as a directory."""

    task_id: str | int | None = None
    trial: int | None = None
    reward_info: Reward | None = None
    reward: float | None = None
    termination_reason: str | None = None
    agent_cost: float | None = None
    duration: float | None = None


class Results(msgspec.Struct):
    """A result file."""

    info: Info
    tasks: list[Task]
    simulations: list[Simulation] | None = None
    simulation_index: list[Simulation] | None = None


class FlatResults(msgspec.Struct):
    """A result file whose run is described by three words beside the simulations."""

    domain: str
    agent: str
    simulations: list[Simulation]
    model: str | None = None


class Setting(NamedTuple):
    """What one file ran: its configuration, domain and mode."""

    scaffold: str
    model: str | None
    domain: str
    mode: str
    user: str | None = None

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns that all trials of the file share."""
        named = " | ".join(part for part in (self.scaffold, self.model) if part)
        return {
            "configuration": named,
            "model": self.model,
            "scaffold": self.scaffold,
            "domain": self.domain,
            "mode": self.mode,
        }

    def task(self, number: str | int | None) -> str:
        """``domain/id``; in another mode than the default one, ``domain/mode/id``."""
        place = self.domain if self.mode == "default" else f"{self.domain}/{self.mode}"
        return f"{place}/{str(number).strip()}"


class Part(NamedTuple):
    """What one file gives: its trials, the trials it planned, and records that name no task."""

    trials: pl.DataFrame
    planned: pl.DataFrame
    unnamed: int
    user: str | None


def _layout(path: Path) -> tuple[bytes, ...] | None:
    """Which of the two layouts the head of a file shows."""
    start = head(path, ".json")
    if not start.startswith(b"{"):
        return None
    return next((keys for keys in (NESTED, FLAT) if all(key in start for key in keys)), None)


def _recognise(path: Path) -> str | None:
    if path.is_dir():
        found = next((p for p in sorted(path.rglob("*.json")) if _layout(p)), None)
        return f"a directory of tau2-bench results (such as {found.name})" if found else None
    keys = _layout(path)
    if keys is None:
        return None
    return f"a tau2-bench result file (keys {listed(k.decode().strip(chr(34)) for k in keys)})"


def _read(path: Path, options: ReadOptions) -> Records:
    parts = {file: _part(file) for file in _files(path)}
    trials = pl.concat([p.trials for p in parts.values()])
    planned = pl.concat([p.planned for p in parts.values()]).unique(KEYS, maintain_order=True)
    lost = planned.join(trials, on=KEYS, how="anti", maintain_order="left")
    unnamed = {str(file): part.unnamed for file, part in parts.items() if part.unnamed}
    if trials.is_empty() and lost.is_empty():
        raise InputError(
            "no simulation names its task",
            where=f"{path}, field simulations[].task_id",
            allowed="at least one simulation with a task id",
            got=f"{sum(unnamed.values())} simulations without one",
        )
    return Records(
        pl.concat([trials, lost]).with_columns(_priced()),
        excluded={"no task id": sum(unnamed.values())},
        tasks=read_universe(options.tasks) if options.tasks else None,
        notes=(*_notes(trials, lost, unnamed), *_user_note(parts), *_other_note(path, parts)),
    )


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = [p for p in sorted(path.rglob("*.json")) if _layout(p)]
    if not files:
        raise InputError(
            "no tau2-bench result file here",
            where=str(path),
            allowed="JSON files with info, tasks and simulations",
        )
    return files


def _part(file: Path) -> Part:
    setting, tasks, simulations = _content(file)
    named = [(n, s) for n, s in enumerate(simulations) if _is_id(s.task_id)]
    trials = _table([_row(setting, s, f"{file}, field simulations[{n}]") for n, s in named])
    unnamed = len(simulations) - len(named)
    # A listed task without a record may be one whose record lost its id: not known, not "not run".
    listed_tasks = [] if unnamed else [setting.task(t.id) for t in tasks]
    runs = sorted(set(trials["run"])) or ["0"]
    planned = [
        setting.columns | {"task": task, "run": run, "status": "not_run"}
        for task in listed_tasks
        for run in runs
    ]
    return Part(trials, _table(planned), unnamed, setting.user)


def _is_id(number: str | int | None) -> bool:
    return number is not None and str(number).strip() != ""


def _table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _content(file: Path) -> tuple[Setting, list[Task], list[Simulation]]:
    if _layout(file) == FLAT:
        flat = json_as(FlatResults, file)
        scaffold, mode = _agent(flat.agent)
        return Setting(scaffold, flat.model, flat.domain, mode), [], flat.simulations
    content = json_as(Results, file)
    if content.simulations is None and content.simulation_index is None:
        raise InputError(
            "no simulations",
            where=f"{file}, field simulations",
            allowed="a list of simulations, or their simulation_index",
        )
    simulations = content.simulations or content.simulation_index or []
    return _setting(content.info), content.tasks, simulations


def _setting(info: Info) -> Setting:
    scaffold, mode = _agent(info.agent_info.implementation)
    if info.user_info.implementation == "dummy_user":
        mode = "no-user"
    elif info.audio_native_config is not None:
        mode = "voice"
    model, domain = info.agent_info.llm, info.environment_info.domain_name
    # Without a user the model of the simulator is named but never called.
    user = None if mode == "no-user" else info.user_info.llm
    return Setting(scaffold, model, domain, mode, user)


def _agent(implementation: str) -> tuple[str, str]:
    """The scaffold and the mode that the agent's name tells."""
    for ending, mode in MODE_OF_AGENT.items():
        if implementation.endswith(ending):
            return implementation.removesuffix(ending), mode
    return implementation, "default"


def _row(setting: Setting, simulation: Simulation, where: str) -> dict[str, Any]:
    found = simulation.reward_info
    reward = found.reward if found else simulation.reward
    if reward is not None and not 0 <= reward <= 1:
        raise InputError(
            "the reward is no score",
            where=f"{where}.reward_info.reward",
            allowed="a number in [0, 1], or null where nothing was evaluated",
            got=str(reward),
        )
    reason = simulation.termination_reason
    return setting.columns | {
        "task": setting.task(simulation.task_id),
        # Trials are numbered from 0; a record without a number is the first.
        "run": str(simulation.trial or 0),
        "score": reward,
        "status": STATUS.get(reason or "user_stop", reason),
        "cost_usd": simulation.agent_cost,
        "duration_s": simulation.duration,
    }


def _priced() -> pl.Expr:
    """A cost of 0 is unpriced, not free."""
    return pl.when(pl.col("cost_usd") != 0).then("cost_usd").alias("cost_usd")


def _notes(trials: pl.DataFrame, lost: pl.DataFrame, unnamed: dict[str, int]) -> list[str]:
    notes = [f"{file}: {n} simulations name no task, excluded" for file, n in unnamed.items()]
    if lost.height:
        notes.append(f"{lost.height} trials of listed tasks were not run (status not_run)")
    unpriced = trials.filter(pl.col("cost_usd").is_null() | (pl.col("cost_usd") == 0))
    if unpriced.height:
        who = unpriced["configuration"].unique().sort()
        notes.append(
            f"unpriced: {unpriced.height} of {trials.height} trials cost 0 or nothing is stated "
            f"({listed(who, 4)})"
        )
    return notes


def _user_note(parts: dict[Path, Part]) -> list[str]:
    users = {part.user for part in parts.values() if part.user}
    if len(users) < 2:
        return []
    return [f"user simulators differ between files: {listed(sorted(users))}"]


def _other_note(path: Path, parts: dict[Path, Part]) -> list[str]:
    others = [p.name for p in sorted(path.rglob("*.json")) if p not in parts]
    return (
        [f"{len(others)} JSON files are no results, left out: {listed(others, 4)}"]
        if others
        else []
    )


READER = Reader(
    "tau2",
    "tau2-bench result files (info, tasks, simulations), one or a directory",
    _recognise,
    _read,
)
