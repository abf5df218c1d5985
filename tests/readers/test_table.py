"""Long tables of any kind: what is recognised, what is refused, and with which words."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tiebreak.errors import InputError, SpecError, TiebreakError
from tiebreak.readers import read
from tiebreak.readers.registry import choose
from tiebreak.trials import Trials

CSV = """model,task_id,seed,resolved,status,cost,repo,difficulty
alder,t1,0,true,,0.5,moss/stone,1
alder,t1,1,false,failed,0.25,moss/stone,1
alder,t2,0,,timeout,,fern/brook,2
birch,t1,0,false,,1.5,moss/stone,1
birch,t2,0,true,,0,fern/brook,2
"""
GOLDEN = [
    ("alder", "t1", "0", "ok", 1.0, 0.5, "alder", "moss/stone", "1"),
    ("alder", "t1", "1", "failed", 0.0, 0.25, "alder", "moss/stone", "1"),
    ("alder", "t2", "0", "limit", None, None, "alder", "fern/brook", "2"),
    ("birch", "t1", "0", "ok", 0.0, 1.5, "birch", "moss/stone", "1"),
    ("birch", "t2", "0", "ok", 1.0, 0.0, "birch", "fern/brook", "2"),
]
COLUMNS = ["configuration", "task", "run", "status", "score", "cost_usd"]
MAPPING = {
    "model": "model",
    "task": "task_id",
    "run": "seed",
    "score": "resolved",
    "status": "status",
    "cost_usd": "cost",
}


def typed() -> pl.DataFrame:
    return pl.read_csv(CSV.encode())


def rows(trials: Trials) -> list[tuple[object, ...]]:
    table = trials.table().select(*COLUMNS, "model", "repo", pl.col("difficulty").cast(pl.String))
    return table.sort("configuration", "task", "run").rows()


def written(place: Path, name: str, content: str | bytes) -> Path:
    raw = content.encode() if isinstance(content, str) else content
    (place / name).write_bytes(raw)
    return place / name


WRITERS: dict[str, Callable[[Path], object]] = {
    "x.csv": lambda p: p.write_text(CSV),
    "x.CSV": lambda p: p.write_text(CSV),
    "x.csv.gz": lambda p: p.write_bytes(gzip.compress(CSV.encode())),
    "x.tsv": lambda p: p.write_text(CSV.replace(",", "\t")),
    "bom.csv": lambda p: p.write_text(CSV, encoding="utf-8-sig"),
    "crlf.csv": lambda p: p.write_bytes(CSV.replace("\n", "\r\n").encode()),
    "blank.csv": lambda p: p.write_text(CSV.replace("\n", "\n\n") + "\n"),
    "quoted.csv": lambda p: p.write_text(CSV.replace("moss/stone", '"moss/stone"')),
    "odd[1]*.csv": lambda p: p.write_text(CSV),
    "x.parquet": lambda p: typed().write_parquet(p),
    "a=1.parquet": lambda p: typed().write_parquet(p),
    "x.arrow": lambda p: typed().write_ipc(p),
    "x.feather": lambda p: typed().write_ipc(p),
    "x.jsonl": lambda p: typed().write_ndjson(p),
    "x.ndjson.gz": lambda p: p.write_bytes(gzip.compress(typed().write_ndjson().encode())),
    "bom.jsonl": lambda p: p.write_text(typed().write_ndjson(), encoding="utf-8-sig"),
    "x.json": lambda p: p.write_text(json.dumps(typed().to_dicts())),
    "pretty.json": lambda p: p.write_text(json.dumps(typed().to_dicts(), indent=2)),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_file_format_gives_the_same(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    trials = read(tmp_path / name)
    assert rows(trials) == GOLDEN
    assert dict(trials.mapping) == MAPPING
    assert (trials.kind, trials.sources) == ("item", ("score",))
    assert (trials.accounting.read, trials.accounting.used) == (5, 5)
    assert trials.missing == {"limit": 1}
    assert trials.task_columns == ("repo", "difficulty")
    assert choose(tmp_path / name)[0].name == "table"


@pytest.mark.parametrize(
    "frame",
    [
        typed(),
        typed().lazy(),
        typed().to_arrow(),
        typed().to_pandas(),
        pd.read_csv(io.StringIO(CSV)),
        pa.table(typed().to_dict(as_series=False)),
    ],
    ids=["polars", "lazy", "arrow", "pandas", "pandas-nan", "pyarrow"],
)
def test_every_frame_gives_the_same(frame: Any) -> None:
    """pandas writes a missing score as NaN, which is therefore a missing outcome there."""
    assert rows(read(frame)) == GOLDEN


@pytest.mark.parametrize("thing", [[1, 2], {"a": 1}, 3, None, object()])
def test_no_frame(thing: Any) -> None:
    with pytest.raises(InputError, match="not a table of records"):
        read(thing)


@pytest.mark.parametrize(
    ("task", "run", "score"),
    [
        ("task", "run", "score"),
        ("item", "seed", "resolved"),
        ("id", "epoch", "success"),
        ("instance_id", "trial", "correct"),
        ("example_id", "attempt", "passed"),
        ("sample_id", "repeat", "reward"),
        ("doc_id", "Run", "Score"),
    ],
)
def test_usual_names(task: str, run: str, score: str) -> None:
    frame = pl.DataFrame({"system": ["a", "b"], task: ["x", "x"], run: [3, 3], score: [0, 1]})
    trials = read(frame)
    assert dict(trials.mapping) == {
        "configuration": "system",
        "task": task,
        "run": run,
        "score": score,
    }
    assert trials.frame["run"].to_list() == ["3", "3"]


def simple(**columns: list[Any]) -> pl.DataFrame:
    base = {"configuration": ["a", "a", "b", "b"], "task": ["x", "y", "x", "y"]}
    return pl.DataFrame(base | columns, strict=False)


def test_names_of_configurations_from_scaffold_and_model() -> None:
    frame = simple(score=[1, 0, 1, 1]).rename({"configuration": "llm"})
    trials = read(frame.with_columns(agent=pl.lit(" walker ")))
    assert trials.configurations["configuration"].to_list() == ["walker | a", "walker | b"]
    assert trials.configurations["model"].to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False, None, True], [1.0, 0.0, None, 1.0]),
        (["resolved", "unresolved", "", "Resolved "], [1.0, 0.0, None, 1.0]),
        (["Successful", "Unsuccessful", "Unsure", "Successful"], [1.0, 0.0, None, 1.0]),
        (["C", "I", "I", "C"], [1.0, 0.0, 0.0, 1.0]),
        ([1, 0, 0, 1], [1.0, 0.0, 0.0, 1.0]),
        ([0.25, 0.5, None, 1.0], [0.25, 0.5, None, 1.0]),
        (["0.25", " 0.5", "n/a", "1"], [0.25, 0.5, None, 1.0]),
        ([25.0, 50, 0, 100], [0.25, 0.5, 0.0, 1.0]),
        (["25%", "0.5%", "0%", "-"], [0.25, 0.005, 0.0, None]),
        (["1%", "1%", "0%", "1%"], [0.01, 0.01, 0.0, 0.01]),
    ],
)
def test_scores_as_people_write_them(values: list[Any], expected: list[float | None]) -> None:
    trials = read(simple(score=values))
    found = trials.frame.sort("configuration", "task")["score"].to_list()
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([50, 60, 0.5, 0.6], r"mixes fractions and percentages; .*a up to 60, most values of b"),
        ([1, 100, 1, 1], "mixes fractions and percentages"),
        ([0.2, 0.7, 1.2, 0.9], "exceeds 1 but is no percentage; .*at most 1.2"),
        ([1, 2, 3, 5], "exceeds 1 but is no percentage; .*divide by the largest"),
        (["50%", "0.5", "60%", "40%"], "percent sign in some rows only; .*found: "),
        ([0.5, float("nan"), 1, 0], "record 2: 1 values of column 'score'.*found: nan"),
        ([0.5, 1, float("inf"), 0], "record 3: 1 values of column 'score'.*found: inf"),
        (["0.5", "1", "-inf", "nan"], "record 3: 2 values of column 'score'.*found: -inf"),
        ([0.5, -0.25, 1, 0], "record 2: 1 values .*found: -0.25"),
        ([50, 101, 70, 80], "record 2: 1 values .*found: 101"),
        (["yes", "maybe", "no", "no"], "values that are no scores; .*found: maybe"),
        (["yes", "0.5", "no", "no"], "values that are no scores"),
        ([[1], [0], [1], [0]], "'score' cannot be the score; .*List"),
    ],
)
def test_scores_that_are_none(values: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(simple(score=values))


def test_an_integer_count_is_no_percentage() -> None:
    frame = pl.DataFrame(
        {"system": ["a", "b"], "domain": ["x", "x"], "resolved": [37, 12], "trials": [50, 50]}
    )
    with pytest.raises(InputError, match=r"percentages or numbers of successes.*successes=resolv"):
        read(frame)
    trials = read(frame, mapping={"successes": "resolved"})
    assert trials.kind == "grouped"
    assert trials.frame.sort("configuration").select("score", "count").rows() == [
        (0.74, 50.0),
        (0.24, 50.0),
    ]


def test_successes_and_trials_become_trials() -> None:
    trials = read(simple(successes=[1, 0, 2, 1], trials=[2, 1, 2, 1]))
    table = trials.table().sort("configuration", "task", "run")
    assert table.select("configuration", "task", "run", "score").rows() == [
        ("a", "x", "1", 1.0),
        ("a", "x", "2", 0.0),
        ("a", "y", "1", 0.0),
        ("b", "x", "1", 1.0),
        ("b", "x", "2", 1.0),
        ("b", "y", "1", 1.0),
    ]


@pytest.mark.parametrize(
    ("successes", "counts"),
    [
        ([3, 0, 0, 0], [2, 1, 1, 1]),
        ([1, 0, 0, 0], [0, 1, 1, 1]),
        ([0.5, 0, 0, 0], [2, 1, 1, 1]),
        ([None, 0, 0, 0], [2, 1, 1, 1]),
        ([1, 0, 0, 0], [1.5, 1, 1, 1]),
        ([1, 0, 0, 0], [float("inf"), 1, 1, 1]),
    ],
)
def test_counts_that_make_no_trials(successes: list[Any], counts: list[Any]) -> None:
    with pytest.raises(InputError, match="configuration 'a', task 'x': 1 records whose succ"):
        read(simple(successes=successes, trials=counts))


def test_too_many_trials_are_a_wrong_column() -> None:
    with pytest.raises(InputError, match=r"too many trials; .*found: 4,000,000,000,000"):
        read(simple(successes=[1, 1, 1, 1], trials=[10**12] * 4))


def test_label_sources() -> None:
    frame = simple(expert=["yes", "no", "yes", "no"], judge=[1, 1, 0, 0])
    trials = read(frame, mapping={"label:expert": "expert", "label:judge": "judge"})
    assert trials.sources == ("expert", "judge")
    assert trials.frame.sort("configuration", "task")["label:judge"].to_list() == [1, 1, 0, 0]


# --- columns that cannot be told -----------------------------------------------------------


def test_two_candidates_for_one_role_show_both() -> None:
    with pytest.raises(
        InputError, match=r"2 columns could be the score; found: resolved, reward; .*--map score="
    ):
        read(simple(resolved=[1, 0, 1, 0], reward=[1, 0, 1, 0]))
    trials = read(simple(resolved=[1, 0, 1, 0], reward=[0, 0, 0, 0]), score="reward")
    assert trials.frame["score"].sum() == 0


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"task": "task", "run": "task"}, "a column is mapped twice; .*found: task"),
        ({"task": "nope"}, "mapped column does not exist; allowed: configuration, task.*nope"),
        ({"taks": "task"}, "unknown role in the column mapping; .*found: taks"),
    ],
)
def test_mapping_faults(mapping: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(simple(score=[1, 0, 1, 0]), mapping=mapping)


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("configuration", "no configuration column; found: task, score; .*--map configuration="),
        ("task", "no task column; found: configuration, score"),
        ("score", "no score column; allowed: score, resolved"),
    ],
)
def test_a_role_that_nothing_plays(gone: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(simple(score=[1, 0, 1, 0]).drop(gone))


def test_a_column_under_the_name_of_a_role_given_elsewhere_is_said() -> None:
    frame = simple(score=[1, 0, 1, 0], won=[0, 0, 0, 1])
    trials = read(frame, score="won")
    assert trials.frame["score"].sum() == 1
    assert "columns not read (nested, long text, or a role given elsewhere): score" in trials.notes


def test_message_bodies_are_not_read() -> None:
    frame = simple(score=[1, 0, 1, 0], body=["long " * 100] * 4, tags=[["a"]] * 4)
    trials = read(frame)
    assert trials.notes[0].endswith("role given elsewhere): body, tags")
    assert trials.task_columns == ()


# --- ids -----------------------------------------------------------------------------------


def test_ids_stay_as_written_in_text(tmp_path: Path) -> None:
    lines = [f"a,{i:03d},1" for i in range(12_000)] + ["a,1e3,0", "a,x1,0", "a,7,0"]
    path = written(tmp_path, "x.csv", "system,task,score\n" + "\n".join(lines) + "\n")
    tasks = read(path).tasks["task"].to_list()
    assert len(tasks) == 12_003
    assert {"007", "7", "1e3", "x1"} <= set(tasks)


def test_odd_unicode_ids() -> None:
    """NFKC and outer white space; case is kept."""
    frame = simple(score=[1, 0, 1, 0]).with_columns(
        configuration=pl.Series(["ﬁr\u2003", "fir", " fir", "fir"]),
        task=pl.Series(["Ａ", "a", "B\u00a0", "A"]),
    )
    with pytest.raises(InputError, match="'fir', task 'A', run '1': 2 rows repeat 1"):
        read(frame)
    assert read(frame, duplicates="first").tasks["task"].to_list() == ["A", "B", "a"]


def test_id_zero_in_two_domains_is_two_tasks() -> None:
    frame = pl.DataFrame(
        {
            "system": ["a", "a", "b", "b"],
            "domain": ["sea", "sky", "sea", "sky"],
            "task_id": [0, 0, 0, 0],
            "score": [1, 0, 1, 1],
        }
    )
    trials = read(frame)
    assert trials.tasks.rows() == [("sea/0", "sea"), ("sky/0", "sky")]
    assert "task ids qualified by 'domain': 1 ids recur in several" in trials.notes
    lost = frame.with_columns(domain=pl.Series(["sea", None, "sea", "sky"]))
    with pytest.raises(InputError, match="task ids recur under 'domain', which 1 records leave"):
        read(lost)


@pytest.mark.parametrize(("name", "mapping"), [("Benchmark", {}), ("pool", {"benchmark": "pool"})])
def test_a_benchmark_column_of_any_name_qualifies(name: str, mapping: dict[str, str]) -> None:
    frame = simple(score=[1, 0, 1, 0]).with_columns(pl.Series(name, ["p", "p", "q", "q"]))
    trials = read(frame, mapping=mapping)
    assert trials.tasks["task"].to_list() == ["p/x", "p/y", "q/x", "q/y"]
    assert trials.task_columns == (name,)


def test_a_task_list_cannot_name_ids_that_recur(tmp_path: Path) -> None:
    frame = simple(score=[1, 0, 1, 0], domain=["p", "p", "q", "q"])
    with pytest.raises(InputError, match="the task list does not tell them apart"):
        read(frame, tasks=written(tmp_path, "tasks.txt", "x\ny\n"))


@pytest.mark.parametrize("empty", [None, "", "  "])
@pytest.mark.parametrize("column", ["configuration", "task"])
def test_empty_ids(column: str, empty: str | None) -> None:
    frame = simple(score=[1, 0, 1, 0]).with_columns(pl.Series(column, ["p", "q", empty, "r"]))
    with pytest.raises(InputError, match=f"record 3: 1 records have no {column}"):
        read(frame)


def test_contradicting_covariates_are_no_cells() -> None:
    frame = simple(score=[1, 0, 1, 0], area=["p", "q", "r", "q"], kind=["k", None, None, "l"])
    trials = read(frame)
    assert trials.task_columns == ("kind",)
    with pytest.raises(SpecError, match="'area' is no task column: task 'x' has p, r"):
        trials.cells("area")
    assert trials.cells("kind").to_list() == ["k", "l"]


def test_a_task_without_a_cell() -> None:
    trials = read(simple(score=[1, 0, 1, 0], area=["p", None, "p", None]))
    with pytest.raises(InputError, match="no value for 1 tasks; found: y"):
        trials.cells("area")


# --- duplicates, filters, the universe -------------------------------------------------------


def repeated() -> pl.DataFrame:
    frame = pl.DataFrame({"system": ["a"] * 3, "task": ["x", "x", "y"], "score": [0, 1, 1]})
    return frame.with_columns(cost=pl.Series([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("first", 0.0), ("last", 1.0), ("any", 1.0), ("mean", 0.5), ("majority", 0.0)],
)
def test_duplicates_by_rule(rule: Any, expected: float) -> None:
    trials = read(repeated(), duplicates=rule)
    assert trials.frame.filter(pl.col("task") == "x")["score"].item() == expected
    assert dict(trials.accounting.excluded) == {f"duplicate ({rule})": 1}


def test_conflicting_duplicates_need_a_rule() -> None:
    with pytest.raises(InputError, match=r"2 rows repeat 1 .*; 1 of them disagree.*--duplicates"):
        read(repeated())
    with pytest.raises(SpecError, match=r"unknown duplicates rule; .*found: best"):
        read(simple(score=[1, 0, 1, 0]), duplicates="best")  # type: ignore[arg-type]


def test_where() -> None:
    frame = simple(score=[1, 0, 1, 0], area=["p", "q", "p", "q"])
    trials = read(frame, where={"area": "q"})
    assert trials.frame.height == 2
    assert dict(trials.accounting.excluded) == {"not area=q": 2}
    with pytest.raises(InputError, match="no record has area=z; allowed: p, q"):
        read(frame, where={"area": "z"})
    with pytest.raises(SpecError, match="names no column 'nope'"):
        read(frame, where={"nope": "z"})


def test_a_task_list_is_the_universe(tmp_path: Path) -> None:
    tasks = written(tmp_path, "tasks.csv", "instance_id,area\nx,p\nz,q\n")
    trials = read(simple(score=[1, 0, 1, 0]), tasks=tasks)
    assert trials.tasks.rows() == [("x", "p"), ("z", "q")]
    assert dict(trials.accounting.excluded) == {"unknown task": 2}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.txt", "x\nx\n", "tasks listed twice; found: x"),
        ("t.txt", b"x\n\xe9\n", "line 2: the text is not UTF-8"),
        ("t.txt", "\n\n", "a task without an id"),
        ("t.csv", "name\nx\n", "no columns could be the task id"),
        ("t.csv", "task,item\nx,y\n", "2 columns could be the task id"),
        ("t.csv", "task,area\nx\n", "line 2: a row does not fit the header"),
    ],
)
def test_task_list_faults(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(simple(score=[1, 0, 1, 0]), tasks=written(tmp_path, name, content))


def test_a_task_list_that_no_record_is_in(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no record is left"):
        read(simple(score=[1, 0, 1, 0]), tasks=written(tmp_path, "t.txt", "p\nq\n"))


# --- broken files ---------------------------------------------------------------------------

HEAD = "system,task,score\n"
BROKEN: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("x.csv", "", "the file is empty; allowed: at least one record"),
    "header only": ("x.csv", HEAD, "the table has no rows"),
    "blank lines": ("x.csv", "\n\n", "line 1: the first line holds no column names"),
    "binary": ("x.csv", b"a,b\n\x00\x01", "byte 4: binary content where text is expected"),
    "parquet as csv": ("x.csv", b"PAR1\x15\x04\x15\x00", "binary content|not UTF-8"),
    "latin-1": ("x.csv", b"system,task,score\na,caf\xe9,1\n", "line 2: .*0xE9; .*iconv"),
    "utf-16": ("x.csv", HEAD.encode("utf-16"), "not UTF-8|binary content"),
    "cut utf-8": ("x.csv", HEAD.encode() + b"a,caf\xc3", "not UTF-8"),
    "name twice": ("x.csv", "task,task,score\nx,y,1\n", "line 1: column names appear twice.*task"),
    "odd header": ("x.csv", '""' + HEAD + "a,x,1\n", "x.csv: the header cannot be read"),
    "quoted name": ("x.csv", '"a""b",task,score\nx,y,1\n', "line 1: odd quoting"),
    "short row": ("x.csv", HEAD + "a,x,1\nb,x\n", "line 3: a row .*3 fields .*found: 2 fields"),
    "long row": ("x.csv", HEAD + "a,x,1\nb,x,1,9\n", "line 3: a row .*found: 4 fields"),
    "short and long": ("x.csv", HEAD + "a,x\nb,x,1,9\n", "line 2: a row .*found: 2 fields"),
    "short quoted": ("x.csv", HEAD + '"a","x",1\n"b","x"\n', "line 3: a row .*found: 2 fields"),
    "open quote": ("x.csv", HEAD + 'a,x,1\nb,"x,1\nc,x,0\n', "line 3: a quoted field is never"),
    "two open": ("x.csv", HEAD + 'a,"x,1\nb,"x,1\n', "line 2: a quote mark inside a field"),
    "quote inside": (
        "x.csv",
        HEAD + '"a",5" x,1\n"b",6" x,1\n"c",x,1\n',
        "the table cannot be read",
    ),
    "cr only": (
        "x.csv",
        HEAD.replace("\n", "\r") + "a,x,1\r",
        "line 1: lines end in a carriage return",
    ),
    "late word": ("x.csv", HEAD + "a,x,1\n" * 12_000 + "a,x,soon\n", "no scores; .*found: soon"),
    "cost": ("x.csv", "system,task,score,cost\na,x,1,dear\n", 'column .cost.*"dear"'),
    "bad gzip": ("x.csv.gz", b"\x1f\x8b\x08 nothing", "the file cannot be read"),
    "cut gzip": ("x.csv.gz", gzip.compress(CSV.encode())[:-9], "the file cannot be read"),
    "no gzip": ("x.csv.gz", CSV, "the file cannot be read"),
    "no parquet": ("x.parquet", CSV, "the table cannot be read"),
    "no arrow": ("x.arrow", CSV, "the table cannot be read"),
    "cut jsonl": ("x.jsonl", '{"task": "x"}\n{"task": ', "line 2: not valid JSON; .*truncated"),
    "list in jsonl": ("x.jsonl", '{"task": "x"}\n[1]\n', "line 2, field.*Expected `object`"),
    "nan in jsonl": ("x.jsonl", '{"task": "x", "score": NaN}\n', "line 1: not valid JSON"),
    "no keys": ("x.jsonl", "{}\n{}\n", "no score column"),
    "cut json": ("x.json", '[{"task": "x"}, {"task": ', "not valid JSON; .*truncated"),
    "json numbers": ("x.json", '[{"task": "x"}, 3]', "record 2, field .*Expected `object`"),
    "no records": ("x.json", "[]", "the table has no rows"),
    "json object": ("x.json", '{"task": "x"}', "nothing readable here; .*ending in '.json'"),
    "deep json": ("x.json", "[{" + '"a":[' * 100_000, "not valid JSON"),
    "unknown": ("x.pdf", "%PDF", "nothing readable here; .*found: a file ending in '.pdf'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(tmp_path: Path, case: str) -> None:
    name, content, message = BROKEN[case]
    path = written(tmp_path, name, content)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("value", "task"),
    [('5" disk', '5" disk'), ('"5"" disk"', '5" disk'), ('"a,b"', "a,b"), ('"a\nb"', "a\nb")],
)
def test_quotes_that_are_right(tmp_path: Path, value: str, task: str) -> None:
    path = written(tmp_path, "x.csv", f"{HEAD}a,{value},1\nb,{value},0\n")
    assert read(path).tasks["task"].to_list() == [task]


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file or directory; .* exists"):
        read(tmp_path / "nope" / "x.csv")
    for odd in ("x" * 5000, "a\0b", "~nobody-of-this-name/x.csv"):
        with pytest.raises(InputError, match="no such file"):
            read(odd)
    with pytest.raises(InputError, match=r"nothing readable here; .*found: an empty directory"):
        read(tmp_path)
    (tmp_path / "notes.md").write_text("nothing")
    with pytest.raises(InputError, match=r"found: a directory with notes\.md"):
        read(tmp_path)
    with pytest.raises(InputError, match="a directory"):
        read(tmp_path, format="table")
    with pytest.raises(SpecError, match=r"unknown format; .*table"):
        read(tmp_path, format="nope")


def test_every_fault_is_one_of_ours() -> None:
    assert issubclass(InputError, TiebreakError)
    assert issubclass(SpecError, TiebreakError)
