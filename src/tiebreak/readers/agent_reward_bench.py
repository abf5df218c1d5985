"""AgentRewardBench: expert annotations of web-agent trajectories, and verdicts beside them.

One row of the annotations is one expert's label of one trajectory (a model on a task), so a
trajectory that two experts saw has two rows under one key: how to merge them is the user's
choice of a duplicates rule. Verdicts (a programmatic check and a judge model) are one row per
trajectory; they are joined to every annotation of it, so that no rule changes their value.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from tiebreak.errors import InputError, listed
from tiebreak.readers.contract import Reader, ReadOptions, Records
from tiebreak.readers.table import column_names, load, text
from tiebreak.trials import label_column

LABELS = {"Successful": 1.0, "Unsuccessful": 0.0, "Unsure": None}
TRAJECTORY = ("benchmark", "model_name", "task_id")
ANNOTATED, FIRST = "trajectory_success", "reference_first_annotation"
VERDICTS = ("functional", "aer_c")
ANNOTATIONS_FILE = {*TRAJECTORY, ANNOTATED}
VERDICTS_FILE = {*TRAJECTORY, FIRST, *VERDICTS}
SAME_TASK = {
    "visualwebarena.resized.": "visualwebarena.",
    "assistantbench.improved.validation.": "assistantbench.validation.",
}
"""Spellings of one task: the images were resized for some agents, the questions reworded once."""
SCAFFOLD = "GenericAgent"
KEY = ["configuration", "task"]


def _files(path: Path) -> tuple[Path | None, Path | None]:
    """The annotations and the verdicts at a path, told by their columns."""
    files = [path] if path.is_file() else sorted(path.glob("*.csv"))
    columns = {file: column_names(file) for file in files}
    annotations = [f for f in files if columns[f] >= ANNOTATIONS_FILE]
    verdicts = [f for f in files if columns[f] >= VERDICTS_FILE]
    for found in (annotations, verdicts):
        if len(found) > 1:
            raise InputError(
                f"{len(found)} files of the same kind", where=str(path), got=_names(found)
            )
    return next(iter(annotations), None), next(iter(verdicts), None)


def _recognise(path: Path) -> str | None:
    found = [file for file in _files(path) if file is not None]
    return f"AgentRewardBench columns in {_names(found)}" if found else None


def _read(path: Path, _options: ReadOptions) -> Records:
    annotations, verdicts = _files(path)
    if annotations is None and verdicts is None:
        raise InputError(
            "neither annotations nor verdicts",
            where=str(path),
            allowed=f"columns {', '.join((*TRAJECTORY, ANNOTATED))}",
        )
    judged = _verdicts(verdicts) if verdicts is not None else None
    if annotations is None and judged is not None:
        return _records(judged, VERDICTS, [f"expert is '{FIRST}'"], {})
    expert = _trajectories(annotations or path, ANNOTATED)
    notes = ["annotator, side effect, optimality and looping are no task columns: not read"]
    if judged is None:
        return _records(expert, (), notes, {})
    return _joined(expert, judged, notes)


def _joined(expert: pl.DataFrame, judged: pl.DataFrame, notes: list[str]) -> Records:
    columns = [label_column(source) for source in VERDICTS]
    frame = expert.join(judged.select(*KEY, *columns), on=KEY, how="left", maintain_order="left")
    lone = judged.join(expert, on=KEY, how="anti").height
    without = expert.join(judged, on=KEY, how="anti").select(KEY).unique().height
    notes.append(f"{without} annotated trajectories have no verdict")
    return _records(frame, VERDICTS, notes, {"verdict without annotation": lone})


def _records(
    frame: pl.DataFrame, verdicts: Iterable[str], notes: list[str], excluded: dict[str, int]
) -> Records:
    sources = ("expert", *verdicts)
    unsure = frame[label_column("expert")].null_count()
    notes += [f"{unsure} label 'Unsure': a missing outcome"] if unsure else []
    notes += _spelling_notes(frame)
    return Records(
        frame.drop("spelling"),
        sources=sources,
        excluded=excluded,
        mapping={"configuration": "model_name", "task": "task_id", "expert": "trajectory label"},
        notes=tuple(notes),
    )


def _spelling_notes(frame: pl.DataFrame) -> list[str]:
    return [
        f"{n} records of tasks '{prefix}N' are of '{SAME_TASK[prefix]}N'"
        for prefix in SAME_TASK
        if (n := frame["spelling"].str.starts_with(prefix).sum())
    ]


def _trajectories(file: Path, label: str, *further: str) -> pl.DataFrame:
    """Ids, attributes and the expert's label of every row."""
    table = load(file)
    _check_labels(table[label], LABELS, f"{file}, column '{label}'")
    prefix = SCAFFOLD + "-"
    named = text("model_name").alias("configuration")
    is_generic = pl.col("configuration").str.starts_with(prefix)
    frame = table.select(
        named,
        _same_task(text("task_id")).alias("task"),
        text("benchmark").alias("benchmark"),
        text(label).replace_strict(LABELS, return_dtype=pl.Float64).alias(label_column("expert")),
        text("task_id").alias("spelling"),
        *further,
    )
    return frame.with_columns(
        pl.col("configuration").str.strip_prefix(prefix).alias("model"),
        pl.when(is_generic).then(pl.lit(SCAFFOLD)).alias("scaffold"),
    )


def _same_task(task: pl.Expr) -> pl.Expr:
    for prefix, plain in SAME_TASK.items():
        task = task.str.replace(f"^{prefix.replace('.', '[.]')}", plain)
    return task


def _verdicts(file: Path) -> pl.DataFrame:
    """One row per trajectory with both verdicts and the first annotation."""
    frame = _trajectories(file, FIRST, *VERDICTS)
    marks = {"0": 0.0, "1": 1.0, "": None}
    for verdict in VERDICTS:
        _check_labels(frame[verdict], marks, f"{file}, column '{verdict}'")
    repeated = frame.filter(pl.struct(KEY).is_duplicated())
    if repeated.height:
        raise InputError(
            f"{repeated.height} verdict rows repeat a trajectory",
            where=str(file),
            allowed="one row per trajectory",
            got=listed(repeated["task"].unique().sort(), 4),
        )
    scored = [
        text(v).replace_strict(marks, default=None, return_dtype=pl.Float64).alias(label_column(v))
        for v in VERDICTS
    ]
    return frame.with_columns(scored).drop(VERDICTS)


def _check_labels(values: pl.Series, allowed: Iterable[str], where: str) -> None:
    """Every label is one of the known words; an empty one is not."""
    known = list(allowed)
    clean = values.to_frame("v").select(text("v"))["v"]
    bad = ~clean.is_in(known).fill_null(value=("" in known))
    if bad.any():
        row = int(bad.arg_max() or 0)
        raise InputError(
            f"{int(bad.sum())} labels mean nothing",
            where=f"{where}, row {row + 1}",
            allowed=", ".join(known[:3]),
            got=repr(values[row]),
        )


def _names(files: Iterable[Path]) -> str:
    return " and ".join(file.name for file in files)


READER = Reader(
    "agent_reward_bench",
    "AgentRewardBench: annotations.csv, the verdicts table, or a directory with both",
    _recognise,
    _read,
)
