"""The figures of the evaluation-reliability paper: ours, to the tolerance that each allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.reproduce.evaluation_reliability import PAPER
from tiebreak.reproduce.run import reproduce

LEDGER = Path(__file__).parents[2] / "papers" / "evaluation-reliability" / "LEDGER.md"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Without records."""
    return {
        f.id: f
        for f in reproduce("evaluation-reliability", data=tmp_path_factory.mktemp("none")).figures
    }


def test_kendall_intervals(alone):
    for name in ("bfcl", "terminal_bench_2", "swebench_verified", "tau2_core"):
        assert alone[f"intervals.{name}"].status == "agrees"


def test_facts(alone):
    assert alone["facts.largest_gain"].ours == pytest.approx(0.097)
    assert alone["facts.systems"].ours == [0.935, 0.994]
    assert alone["facts.models"].ours == [0.148, 0.841]


def test_without_records_the_rest_is_skipped(alone):
    assert {f.status for f in alone.values()} == {"agrees", "skipped"}


def test_figures(data):
    result = reproduce("evaluation-reliability", data=data)
    odd = [f"{f.id}: {f.published} {f.ours}" for f in result.figures if f.status == "differs"]
    assert odd == []
    assert result.summary["agrees"] >= 10


def test_the_ledger_names_every_figure_that_differs():
    text = LEDGER.read_text(encoding="utf-8")
    missing = [
        f.id
        for f in PAPER.figures()
        if f.ledger is not None and f.id not in text and f.status(f.ledger.ours) != "agrees"
    ]
    assert missing == []
