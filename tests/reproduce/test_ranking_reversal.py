"""The figures of the ranking-reversal paper: ours, exactly where they are exact."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tiebreak.cli import main
from tiebreak.reproduce.ranking_reversal import PAPER
from tiebreak.reproduce.ranking_reversal.bootstrap import paired_rows, variance
from tiebreak.reproduce.run import reproduce
from tiebreak.results.reproduce import value_text

LEDGER = Path(__file__).parents[2] / "papers" / "ranking-reversal" / "LEDGER.md"


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    return {f.id: f.ours for f in reproduce("ranking-reversal").figures}


def test_families(ours: dict[str, Any]) -> None:
    assert ours["families.micro"] == pytest.approx([0.83, 0.80])
    assert ours["families.macro"] == pytest.approx([0.4375, 0.80])
    assert ours["families.counts"] == [76, 64, 6, 8, 1, 4, 0, 4]
    assert ours["families.zero"] == "A recovery"


def test_crossover(ours: dict[str, Any]) -> None:
    assert ours["families.crossover"] == "32/41"
    assert ours["families.crossover_weight"] == pytest.approx(32 / 41)
    assert ours["families.below_above"] == "B, A"


def test_sweep(ours: dict[str, Any]) -> None:
    rest = (0.6 + 0.2 + 0) / 3
    assert ours["families.points"] == 101
    assert ours["families.sweep"] == pytest.approx(
        [0.95 * w + rest * (1 - w) for w in (0, 0.25, 0.5, 0.75, 1)]
    )
    assert ours["families.points_a_wins"] == sum(41 * i > 100 * 32 for i in range(101))


def test_bootstrap(ours: dict[str, Any]) -> None:
    """The paper's Random(35); and the deviation without draws, against draws of another kind."""
    assert ours["bootstrap.interval"] == [-0.50625, -0.203125]
    assert ours["bootstrap.sd"] == pytest.approx(0.0781, abs=5e-5)
    rng, rows = np.random.default_rng(0), paired_rows()
    drawn = np.mean([rng.choice(d, (40_000, len(d))).mean(axis=1) for d in rows.values()], axis=0)
    # the standard error of a standard deviation is sd/√(2n)
    assert drawn.std() == pytest.approx(float(variance(rows)) ** 0.5, rel=3 / 80_000**0.5)


def test_the_command_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "ranking-reversal"]) == 0
    assert "10 agree, 2 differ for a reason in the ledger, 0 differ without" in (
        capsys.readouterr().out
    )


def test_every_figure_has_its_section_and_its_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    for figure in PAPER.figures():
        assert figure.section in {s.name for s in PAPER.sections}
        assert f"def {figure.test.partition('::')[2]}(" in source, figure.id


def test_the_ledger_names_every_known_difference_and_its_value(ours: dict[str, Any]) -> None:
    rows = re.findall(
        r"^\| (\w+\.\w+) \| ([^|]+) \| ([^|]+) \|", LEDGER.read_text(encoding="utf-8"), re.MULTILINE
    )
    known = [f for f in PAPER.figures() if f.ledger is not None]
    assert rows == [
        (f.id, value_text(f.published, f.digits), value_text(ours[f.id], f.digits)) for f in known
    ]
