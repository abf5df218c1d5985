"""The figures of the one-run paper: ours, to the tolerance that each allows."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tiebreak.reproduce.one_run import PAPER
from tiebreak.reproduce.run import reproduce

LEDGER = Path(__file__).parents[2] / "papers" / "one-run" / "LEDGER.md"


@pytest.fixture(scope="module")
def result():
    return reproduce("one-run")


def test_figures(result):
    """The whole study, 2,000 replicates of each result."""
    odd = [f"{f.id}: {f.published} {f.ours}" for f in result.figures if f.status == "differs"]
    assert odd == []
    assert result.summary["agrees"] >= 27


def test_the_published_remedy_is_no_test_of_the_population(result):
    ours = {f.id: f.ours for f in result.figures}
    assert ours["null.within_10"] > 0.2
    for runs in (3, 5, 10):
        assert 0.03 <= ours[f"null.ours_{runs}"] <= 0.065


def test_it_takes_less_than_a_minute():
    """60 s on two cores is what is asked; 8 s on one is what it takes, so 60 is generous."""
    start = time.perf_counter()
    reproduce("one-run", seed=1)
    assert time.perf_counter() - start < 60


def test_the_ledger_names_every_figure_that_differs():
    text = LEDGER.read_text(encoding="utf-8")
    for figure in PAPER.figures():
        if figure.ledger is not None:
            section, _, name = figure.id.partition(".")
            stem = re.sub(r"_[A-Z0-9]+$|_bench$|_pop$", "", name)
            assert f"{section}.{stem}" in text, figure.id
