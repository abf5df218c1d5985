"""Which column plays which role in a table of records."""

from __future__ import annotations

from collections.abc import Mapping

from tiebreak.errors import InputError, listed
from tiebreak.trials import LABEL

ROLES: dict[str, tuple[str, ...]] = {
    "configuration": (
        "configuration", "config", "configuration_id", "submission", "subject_id", "system",
        "entry",
    ),
    "model": ("model", "model_name", "model_id", "llm"),
    "scaffold": ("scaffold", "agent", "agent_name", "harness"),
    "task": (
        "task", "task_id", "task_name", "item", "item_id", "id", "instance_id", "example_id",
        "sample_id", "doc_id", "question_id", "problem_id", "query_id",
    ),
    "benchmark": ("benchmark", "benchmark_id", "benchmark_name", "domain", "dataset", "suite"),
    "run": (
        "run", "run_id", "seed", "epoch", "trial", "trial_id", "attempt", "repeat", "replicate",
    ),
    "score": (
        "score", "resolved", "is_resolved", "success", "successful", "is_success", "correct",
        "is_correct", "passed", "pass", "reward", "outcome", "accuracy", "pass1", "pass_1",
    ),
    "successes": (
        "successes", "n_successes", "num_successes", "n_correct", "num_correct", "n_passed",
    ),
    "count": ("count", "trials", "n_trials", "num_trials", "n_runs", "num_runs"),
    "status": ("status",),
    "cost_usd": ("cost_usd", "cost", "total_cost", "total_cost_usd", "price_usd"),
    "duration_s": ("duration_s", "duration", "latency", "latency_s", "runtime_s", "elapsed_s"),
    "input_tokens": ("input_tokens", "prompt_tokens", "total_input_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens", "total_output_tokens"),
}  # fmt: skip


def map_columns(columns: list[str], stated: Mapping[str, str], where: str) -> dict[str, str]:
    """Role → column: stated by the user, else recognised by its usual names.

    Raises
    ------
    InputError
        A stated role or column that does not exist, a column mapped twice, or two candidates
        for one role.
    """
    mapping = dict(stated)
    _check_stated(columns, mapping, where)
    taken = set(mapping.values())
    for role, names in ROLES.items():
        if role in mapping or (role == "score" and _labels(columns)):
            continue
        found = [c for c in columns if c.strip().lower() in names and c not in taken]
        if len(found) > 1:
            raise InputError(
                f"{len(found)} columns could be the {role}",
                where=where,
                got=listed(found),
                hint=f"name one: --map {role}={found[0]}",
            )
        if found:
            mapping[role] = found[0]
    return mapping | {c: c for c in _labels(columns) if c not in taken}


def _labels(columns: list[str]) -> list[str]:
    return [c for c in columns if c.startswith(LABEL)]


def _check_stated(columns: list[str], mapping: Mapping[str, str], where: str) -> None:
    roles = [r for r in mapping if r not in ROLES and not r.startswith(LABEL)]
    if roles:
        raise InputError(
            "unknown role in the column mapping",
            where=where,
            allowed=f"{listed(ROLES, 20)} or {LABEL}NAME",
            got=listed(roles),
        )
    absent = [c for c in mapping.values() if c not in columns]
    if absent:
        raise InputError(
            "mapped column does not exist",
            where=where,
            allowed=listed(columns, 40),
            got=listed(absent),
        )
    twice = {c for c in mapping.values() if list(mapping.values()).count(c) > 1}
    if twice:
        raise InputError(
            "a column is mapped twice",
            where=where,
            allowed="one role per column",
            got=listed(sorted(twice)),
        )


def check_roles(stated: Mapping[str, str], allowed: tuple[str, ...] | None, where: str) -> None:
    """Refuse a mapping that a format with fixed columns would not heed.

    Raises
    ------
    InputError
        A role that this format does not let the user choose.
    """
    other = [role for role in stated if allowed is not None and role not in allowed]
    if other:
        raise InputError(
            "this format has fixed columns",
            where=where,
            allowed=f"a mapping of {listed(allowed)}" if allowed else "no column mapping",
            got=listed(other),
            hint="to map columns freely, read it as --format table",
        )
