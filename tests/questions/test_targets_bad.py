"""What targets and permute refuse: one line, exit code 2, what, where, allowed, found."""

from __future__ import annotations

import polars as pl
import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.simulate.ranking_reversal import table

MATRIX = "lookup,editing,planning,recovery\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Records with columns that form no useful cells, and files for the options."""
    folder = tmp_path_factory.mktemp("bad")
    odd = table().with_columns(
        one=pl.lit("same"),
        own=pl.col("task"),
        gap=pl.when(pl.col("family") == "recovery").then(None).otherwise(pl.col("family")),
    )
    odd.write_csv(folder / "log.csv")
    alone = table().with_columns(task=pl.col("configuration") + pl.col("task"))
    alone.write_csv(folder / "alone.csv")
    table().filter((pl.col("family") == "lookup") == (pl.col("configuration") == "A")).write_csv(
        folder / "apart.csv"
    )
    grouped = [("A", "x", 0.9, 10), ("A", "y", 0.5, 10), ("B", "x", 0.6, 10), ("B", "y", 0.6, 10)]
    names = ["configuration", "benchmark", "score", "count"]
    pl.DataFrame(grouped, names, orient="row").write_csv(folder / "grouped.csv")
    contents = {
        "misses.csv": "family,weight\nlookup,0.5\nediting,0.5\n",
        "odd.csv": MATRIX + "0,1,1,1\n1,0,1,1\n",
        "skew.csv": MATRIX + "0,1,1,1\n2,0,1,1\n1,1,0,1\n1,1,1,0\n",
        "below.csv": MATRIX + "0,-1,1,1\n-1,0,1,1\n1,1,0,1\n1,1,1,0\n",
        "diagonal.csv": MATRIX + "0,1,1,1\n1,0.5,1,1\n1,1,0,1\n1,1,1,0\n",
        "words.csv": MATRIX + "0,1,1,far\n1,0,1,1\n1,1,0,1\n1,1,1,0\n",
        "lacks.csv": "lookup,editing,planning\n0,1,1\n1,0,1\n1,1,0\n",
        "more.csv": "lookup,editing,planning,recovery,x\n" + "0,0,0,0,0\n" * 5,
        "turned.csv": "cell,lookup,editing\nediting,0,1\nlookup,1,0\n",
    }
    for name, text in contents.items():
        (folder / name).write_text(text)
    return folder


T = "targets @log.csv"
BAD = [
    (T, "no cells, so no weights to move", "--cells COLUMN"),
    (f"{T} --cells one", "'one' has one value", "found: same"),
    (f"{T} --cells own", "as many cells as there are tasks", "found: 100 cells"),
    (f"{T} --cells gap", "'gap' has no value for 5 tasks", "recovery-0"),
    (f"{T} --cells nope", "no task column 'nope'", "allowed: family"),
    (f"{T} --target equal:family --cells one", "two columns for the cells", "family, one"),
    (f"{T} --target equal:family --target equal:family", "stated twice", "equal:family"),
    (f"{T} --target @misses.csv", "weights miss a cell", "found: none for planning, recovery"),
    (f"{T} --target even", "unknown target", "found: even"),
    (f"{T} --cells family --sweep lookups", "no such cell to sweep", "allowed: editing, lookup"),
    ("targets @apart.csv --cells family", "no common support", "found: A, B"),
    (f"{T} --cells family --perturb 10", "--perturb out of range", "100 to 1,000,000"),
    (f"{T} --cells family --ball 0.2", "--ball says nothing without --perturb", "--ball"),
    (f"{T} --cells family --perturb 200 --ball 3", "--ball out of range", "found: 3"),
    (f"{T} --cells family --perturb 200 --concentration 0", "--concentration out", "found: 0"),
    (
        f"{T} --cells family --perturb 200 --concentration 9 --ball 0.1",
        "two laws of perturbed weights",
        "--concentration or --ball",
    ),
    (f"{T} --cells family --wide 2", "--wide out of range", "found: 2"),
    (f"{T} --cells family --top 1", "--top", "2 or more"),
    (f"{T} A B --cells family --top 2", "--top", "two names"),
    (f"{T} A A --cells family", "compared with itself", "A"),
    (f"{T} C --cells family", "no configuration matches 'C'", "A, B"),
    (f"{T} --cells family --distance nowhere.csv", "nowhere.csv", "no such file"),
    (f"{T} --cells family --distance gower:", "unknown distance", "gower:COLUMN"),
    (f"{T} --cells family --distance gower:size", "no task column 'size'", "allowed: family"),
    (f"{T} --cells family --distance gower:one,one", "names a column twice", "one,one"),
    (f"{T} --cells family --distance @odd.csv", "not square", "found: 2 rows of 4"),
    (f"{T} --cells family --distance @skew.csv", "not symmetric", "lookup to editing"),
    (f"{T} --cells family --distance @below.csv", "negative", "found: -1"),
    (f"{T} --cells family --distance @diagonal.csv", "not 0 on its diagonal", "found: 0.5"),
    (f"{T} --cells family --distance @words.csv", "not a number", "column 'recovery', row 2"),
    (f"{T} --cells family --distance @lacks.csv", "misses a cell", "found: none for recovery"),
    (f"{T} --cells family --distance @more.csv", "names others", "found: x"),
    (f"{T} --cells family --distance @turned.csv", "rows of a distance matrix", "editing, lookup"),
    (f"{T} --cells family --distance @log.csv", "not", "log.csv"),
    ("targets @grouped.csv --cells benchmark --distance gower:benchmark", "no tasks", "gower"),
    ("permute @alone.csv", "no task is shared", "A, B"),
    ("permute @alone.csv --cells family", "no task is shared", "A, B"),
    ("permute @grouped.csv --cells benchmark", "no tasks to permute", "one record per"),
    ("permute @log.csv --gap raw", "unknown gap", "matched, standardized"),
    ("permute @log.csv --permutations 3", "permutations", "20 to"),
    ("permute @log.csv --interval percentile", "has no use for", "found: interval"),
    ("permute @log.csv --cells one", "'one' has one value", "same"),
    ("permute @log.csv --target @misses.csv", "weights miss a cell", "planning, recovery"),
]


@pytest.mark.parametrize(("line", "what", "found"), BAD, ids=[b[0] for b in BAD])
def test_one_line_and_exit_code_2(files, capsys, line, what, found):
    code = main(line.replace("@", f"{files}/").split())
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("tiebreak: ")
    assert err.count("\n") == 1
    assert what in err
    assert found in err


def test_candidates_of_a_fragment_are_listed(make_trials):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(4)}
    board = make_trials({n: dict.fromkeys(tasks, 1.0) for n in ("agent one", "agent two")}, tasks)
    with pytest.raises(tb.SpecError, match=r"'agent' matches 2 .*found: agent one, agent two"):
        tb.targets(board, "agent", cells="cell")


def test_a_swept_cell_outside_common_support_is_named(make_trials):
    tasks = {f"t{i}": "xyz"[i % 3] for i in range(9)}
    full = dict.fromkeys(tasks, 1.0)
    short = {t: 0.0 for t, c in tasks.items() if c != "z"}
    with pytest.raises(tb.SpecError, match="outside common support; allowed: x, y; found: z"):
        tb.targets(make_trials({"a": full, "b": short}, tasks), cells="cell", sweep="z")


def test_a_target_is_stated_once(make_trials):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(4)}
    board = make_trials({n: dict.fromkeys(tasks, 1.0) for n in "ab"}, tasks)
    with pytest.raises(tb.SpecError, match="targets are stated twice"):
        tb.targets(board, target="equal:cell", targets=["observed"])


@pytest.mark.parametrize("call", [tb.targets, tb.permute])
def test_an_unknown_keyword_is_refused(make_trials, call):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(4)}
    board = make_trials({n: dict.fromkeys(tasks, 1.0) for n in "ab"}, tasks)
    with pytest.raises(tb.SpecError, match=r"unknown option.*found: margn"):
        call(board, cells="cell", margn=0.1)


def test_tasks_that_share_no_known_column_have_no_distance(make_table):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(4)}
    board = make_table({n: dict.fromkeys(tasks, 1.0) for n in "ab"}, tasks)
    holes = board.with_columns(size=pl.when(pl.col("task") == "t1").then(None).otherwise(pl.lit(2)))
    with pytest.raises(tb.InputError, match=r"share no known value.*found: t0 and t1"):
        tb.targets(tb.read(holes), cells="cell", distance="gower:size")


@pytest.mark.parametrize(
    ("cells", "matrix", "what"),
    [
        (("a", "a"), ((0, 1), (1, 0)), "names a cell twice"),
        (("a", "b"), ((0, 1),), "not square"),
        (("a", "b"), ((0, float("nan")), (1, 0)), "negative or not finite"),
        ((), (), "unknown distance"),
    ],
)
def test_a_matrix_is_checked_in_python_too(cells, matrix, what):
    with pytest.raises(tb.SpecError, match=what):
        tb.Distance.stated(cells, matrix)
