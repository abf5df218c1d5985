"""The figures of the pair-count paper: ours, to the tolerance that each allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.reproduce.pair_count import PAPER
from tiebreak.reproduce.run import reproduce

LEDGER = Path(__file__).parents[2] / "papers" / "pair-count" / "LEDGER.md"


@pytest.fixture(scope="module")
def result(data):
    return reproduce("pair-count", data=data)


def test_figures(result):
    odd = [f"{f.id}: {f.published} {f.ours}" for f in result.figures if f.status == "differs"]
    assert odd == []
    assert result.summary["agrees"] >= 37


def test_grid(result):
    """Exact coverage to six decimals, and the sets of states that cover."""
    ours = {f.id: f.ours for f in result.figures}
    assert ours["coverage.by_m"] == pytest.approx([0.928296, 0.932463, 0.940377], abs=5e-7)
    assert ours["coverage.conditional"] == pytest.approx([0.929341, 0.932464, 0.940377], abs=5e-7)
    assert ours["oracle.misclassified"] == [476, 192, 0]


def test_without_records_the_exact_part_still_runs(tmp_path):
    found = reproduce("pair-count", data=tmp_path)
    status = {f.id: f.status for f in found.figures}
    assert status["coverage.pair_iid"] == "agrees"
    assert status["board.near_ties"] == "skipped"


def test_the_ledger_names_every_figure_that_differs():
    text = LEDGER.read_text(encoding="utf-8")
    missing = [f.id for f in PAPER.figures() if f.ledger is not None and f.id not in text]
    assert missing == []
