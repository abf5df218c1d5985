"""The four families, as a table and as a command."""

from __future__ import annotations

from fractions import Fraction

import polars as pl

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.simulate.ranking_reversal import CROSSOVER, FAMILIES, MACRO, MICRO, table, trials


def test_the_truth_follows_from_the_counts():
    total = sum(n for n, _, _ in FAMILIES.values())
    for at in (0, 1):
        solved = {f: Fraction(c[1 + at], c[0]) for f, c in FAMILIES.items()}
        assert MICRO[at] == Fraction(sum(c[1 + at] for c in FAMILIES.values()), total)
        assert MACRO[at] == sum(solved.values()) / 4
    gaps = {f: Fraction(a - b, n) for f, (n, a, b) in FAMILIES.items()}
    rest = sum(g for f, g in gaps.items() if f != "lookup") / 3
    assert CROSSOVER * gaps["lookup"] + (1 - CROSSOVER) * rest == 0


def test_the_table_has_the_papers_names():
    made = table()
    assert made.columns == ["configuration", "task", "family", "score"]
    assert made.height == 200
    assert set(made["configuration"]) == {"A", "B"}
    assert "lookup-0" in made["task"].to_list()
    first = made.filter(pl.col("family") == "planning", pl.col("configuration") == "A")["score"]
    assert first.to_list() == [1, 0, 0, 0, 0]


def test_the_command_writes_what_read_reads(tmp_path, capsys):
    out = tmp_path / "out.parquet"
    assert main(["simulate", "ranking-reversal", str(out)]) == 0
    assert capsys.readouterr().out == f"200 trials → {out}\n"
    written = tb.read(out)
    assert written.task_columns == trials().task_columns == ("family",)
    assert tb.board(written).to_dict()["configurations"][0]["score"] == 0.83
