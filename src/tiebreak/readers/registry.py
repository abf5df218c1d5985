"""All readers, the more specific first, and how one is chosen."""

from __future__ import annotations

from pathlib import Path

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.readers import (
    agent_reward_bench,
    data_agent_bench,
    hal,
    open_agent,
    openhands,
    responses,
    swebench,
    table,
    tau2,
    tau2_counts,
    tau2_submissions,
    tau_bench,
    terminal_bench,
)
from tiebreak.readers.contract import Reader
from tiebreak.readers.source import decode_json, read_bytes

READERS: tuple[Reader, ...] = (
    hal.READER,
    swebench.READER,
    openhands.READER,
    tau2_submissions.READER,
    terminal_bench.READER,
    tau2.READER,
    tau_bench.READER,
    tau2_counts.READER,
    responses.READER,
    agent_reward_bench.READER,
    data_agent_bench.READER,
    open_agent.READER,
    table.READER,
)


def choose(path: Path, stated: str | None = None) -> tuple[Reader, str]:
    """The reader for a path and why: stated by name, else the first that recognises it.

    Raises
    ------
    SpecError
        An unknown format name.
    InputError
        Nothing recognises the path.
    """
    if stated is not None:
        named = next((r for r in READERS if r.name == stated), None)
        if named is None:
            raise SpecError(
                "unknown format", allowed=listed((r.name for r in READERS), 30), got=stated
            )
        return named, "stated by --format"
    for reader in READERS:
        reason = reader.recognise(path)
        if reason is not None:
            return reader, reason
    if path.suffix == ".json":
        decode_json(object, read_bytes(path), str(path))  # broken JSON is said to be that
    raise InputError(
        "nothing readable here",
        where=str(path),
        allowed="; ".join(r.layout for r in READERS),
        got=_describe(path),
    )


def _describe(path: Path) -> str:
    if path.is_dir():
        names = sorted(p.name for p in path.iterdir())
        return f"a directory with {listed(names, 5)}" if names else "an empty directory"
    return f"a file ending in '{path.suffix}'"
