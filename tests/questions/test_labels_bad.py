"""What labels refuses: one line, exit code 2, nothing on standard output."""

from __future__ import annotations

import polars as pl
import pytest

from tiebreak.cli import main


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Tables with every fault."""
    folder = tmp_path_factory.mktemp("labels")
    rows = [
        (c, f"t{i}", float((i + j) % 2), float(i % 2))
        for j, c in enumerate("ab")
        for i in range(12)
    ]
    columns = ["configuration", "task", "label:expert", "label:judge"]
    good = pl.DataFrame(rows, schema=columns, orient="row")
    graded = good.with_columns(pl.Series("label:judge", [0.1 * (i % 10) for i in range(24)]))
    tables = {
        "good": good,
        "one class": good.with_columns(pl.lit(1.0).alias("label:expert")),
        "graded": graded,
        "scales": graded.with_columns(pl.col("label:judge") * 5 + 0.5),
        "one source": good.drop("label:judge"),
        "grouped": pl.DataFrame(
            {
                "configuration": ["a", "b"],
                "benchmark": ["x", "x"],
                "score": [0.4, 0.5],
                "count": [9, 9],
            }
        ),
        "other tasks": good.with_columns(
            pl.when(pl.col("task") < "t5").then("label:expert"),
            pl.when(pl.col("task") >= "t5").then("label:judge"),
        ),
    }
    for name, frame in tables.items():
        frame.write_csv(folder / f"{name}.csv")
    return folder


CASES = {
    "one class": ("one class", "", "one class only"),
    "graded": ("graded", "", "--threshold judge=0.5"),
    "scales": ("scales", "", "exceeds 1 but is no percentage"),
    "one source": ("one source", "", "one label source only"),
    "grouped": ("grouped", "", "trial by trial"),
    "other tasks": ("other tasks", "", "only comparisons between sources remain"),
    "unknown reference": ("good", "--reference oracle", "allowed: expert, judge"),
    "unknown source": ("good", "--against oracle", "unknown label source"),
    "itself": ("good", "--against expert", "stands against other sources"),
    "threshold out of range": ("graded", "--threshold 50", "0 < threshold ≤ 1"),
    "threshold of nobody": ("graded", "--threshold oracle=0.5", "not compared"),
    "threshold in words": ("graded", "--threshold high", "takes a number"),
    "threshold twice": ("graded", "--threshold judge=0.5,judge=0.6", "one per source"),
    "given what": ("good", "--given weather", "allowed: configuration, score"),
    "label source": ("good", "--label-source judge", "no use for"),
    "protocol": ("good", "--protocol pass@2", "no use for"),
    "estimator": ("good", "--estimator regression", "no use for"),
    "price": ("good", "--lambda 0.1", "no use for"),
    "missing": ("good", "--missing error", "no use for"),
    "no cells": ("good", "--cells nowhere", "no task column 'nowhere'"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(files, capsys, case):
    name, extra, said = CASES[case]
    stated = [] if "--reference" in extra else ["--reference", "expert"]
    assert main(["labels", str(files / f"{name}.csv"), *stated, *extra.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert said in err


def test_no_reference_at_all(files, capsys):
    assert main(["labels", str(files / "good.csv")]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("board {} --estimator regression", "needs cells"),
        ("board {} --estimator magic", "allowed: direct, regression"),
        (
            "board {} --estimator regression --interval percentile",
            "over the population of tasks only",
        ),
        ("targets {} --cells kind --estimator regression", "for board and compare"),
        ("runs {} --estimator regression", "for board and compare"),
        ("permute {} --estimator regression", "no use for"),
        ("cost {} --estimator regression", "no use for"),
        ("pairs {} --rule near --estimator regression", "no use for"),
    ],
)
def test_regression_is_refused_where_it_means_nothing(tmp_path, capsys, command, said):
    rows = [
        (c, f"t{i}", "xy"[i % 2], float((i + j) % 3 > 0))
        for j, c in enumerate("ab")
        for i in range(9)
    ]
    columns = ["configuration", "task", "kind", "score"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(tmp_path / "log.csv")
    assert main(command.format(tmp_path / "log.csv").split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert said in err
