"""Results to draw: the bundled example, and records with hostile names."""

from __future__ import annotations

import polars as pl
import pytest

import tiebreak as tb
from tiebreak.data import EXAMPLE

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)> & \"quoted\" 'names' `${x}`",
    "\x1b[31mred\x07 and\nlines",
    "a.b[0]['c'] | = != datum.score",
    "long " + "name " * 30,
    "日本語 🤖 \u202eevil",
)
CELLS = {f"t{i}": "<b>cell</b>" if i < 9 else "other & cell" for i in range(16)}


def solved(i, j, k):
    """No pattern that a component could take up whole."""
    return float((5 * i + 7 * k * j + j * j) % 11 > 4)


def answers(trials, a, b, column):
    """Every question about the records, by the name of its pictures."""
    target = f"equal:{column}"
    return {
        "inspect": tb.inspect(trials, cells=column),
        "board": tb.board(trials, target=target, missing="fail"),
        "compare": tb.compare(trials, a, b, target=target, missing="fail"),
        "targets": tb.targets(trials, cells=column, missing="fail", perturb=100),
        "permute": tb.permute(trials, permutations=100, missing="fail"),
        "runs": tb.runs(trials, a, b),
        "pairs": tb.pairs(trials, missing="fail", curve="0:0.1:0.05", sampled="tasks", draws=200),
    }


@pytest.fixture(scope="session")
def example():
    return tb.read(EXAMPLE)


@pytest.fixture(scope="session")
def results(example):
    """The example's answers, also those that name a pair, sweep a cell or take everybody."""
    a, b = "patchbot | tundra", "loopwright | sorrel-large"
    swept = tb.targets(example, a, b, cells="repo", missing="fail", sweep="webframe")
    found = answers(example, a, b, "repo")
    found["cost"] = tb.cost(example, missing="fail")
    found["labels"] = tb.labels(example, "official", missing="fail", draws=200)
    found["reliability"] = tb.reliability(example, missing="fail", leave_out=False)
    found["ranks"] = tb.ranks(example, missing="fail")
    return found | {"targets of a pair": swept, "runs of everybody": tb.runs(example)}


@pytest.fixture(scope="session")
def hostile(make_trials):
    """Names that would break a page, a terminal, an expression or a layout."""
    outcomes = {
        name: {t: [float((i + 2 * j + run) % 3 > 0) for run in (0, 1)] for j, t in enumerate(CELLS)}
        for i, name in enumerate(HOSTILE)
    }
    found = answers(make_trials(outcomes, CELLS), HOSTILE[0], HOSTILE[1], "cell")
    rows = [
        (
            f"{model} on {scaffold}",
            model,
            scaffold,
            t,
            float((5 * i + 7 * k * j + j * j) % 11 > 4),
            float(j % 3 > 0),
        )
        for i, model in enumerate(HOSTILE)
        for k, scaffold in enumerate(HOSTILE[:2])
        for j, t in enumerate(CELLS)
    ]
    names = ["configuration", "model", "scaffold", "task", "label:\u202ea", "label:\x1b<b>"]
    systems = tb.read(pl.DataFrame(rows, schema=names, orient="row"))
    return found | {
        "labels": tb.labels(systems, systems.sources[0]),
        "ranks": tb.ranks(systems, engine="reml"),
    }
