"""The options of the command reach the question."""

from __future__ import annotations

import json

import pytest

import tiebreak as tb
from tiebreak.cli import main
from tiebreak.simulate.ranking_reversal import FAMILIES, table

NAMES = list(FAMILIES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    table().write_csv(folder / "log.csv")
    rows = "".join(",".join("0" if a == b else "2" for b in NAMES) + "\n" for a in NAMES)
    (folder / "far.csv").write_text(",".join(NAMES) + "\n" + rows)
    (folder / "mine.csv").write_text("family,weight\n" + "".join(f"{n},0.25\n" for n in NAMES))
    return folder


@pytest.fixture
def answer(folder, capsys):
    def call(line):
        assert main([*line.replace("@", f"{folder}/").split(), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return call


def asked(folder, *args, **options):
    return json.loads(tb.targets(tb.read(folder / "log.csv"), *args, **options).to_json())


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("--cells family", {"cells": "family"}),
        ("--cells family --sweep editing", {"cells": "family", "sweep": "editing"}),
        ("--target equal:family --perturb 120", {"target": "equal:family", "perturb": 120}),
        (
            "--cells family --perturb 120 --concentration 7 --seed 4",
            {"cells": "family", "perturb": 120, "concentration": 7.0, "seed": 4},
        ),
        (
            "--cells family --perturb 120 --ball 0.3 --margin 0.1",
            {"cells": "family", "perturb": 120, "ball": 0.3, "margin": 0.1},
        ),
        ("--cells family --wide 0.6", {"cells": "family", "wide": 0.6}),
        (
            "--cells family --distance gower:family",
            {"cells": "family", "distance": "gower:family"},
        ),
        ("--cells family --top 2", {"cells": "family", "top": 2}),
        (
            "--target observed --target equal:family",
            {"targets": ["observed", "equal:family"]},
        ),
    ],
)
def test_the_command_and_python_agree(answer, folder, words, options):
    assert answer(f"targets @log.csv {words}") == asked(folder, **options)


def test_files_state_targets_and_distances(answer):
    found = answer(
        "targets @log.csv A B --target @mine.csv --target equal:family --distance @far.csv"
    )
    mine, equal = (
        [s for s in found["scores"] if s["target"] == t] for t in ("stated:family", "equal:family")
    )
    assert [s["score"] for s in mine] == [s["score"] for s in equal]
    assert all(r["wasserstein_radius"] == pytest.approx(r["radius"]) for r in found["radii"])


def test_markdown(folder, capsys):
    assert main(["targets", str(folder / "log.csv"), "--cells", "family", "--markdown"]) == 0
    assert "### Cells (solved/tasks)" in capsys.readouterr().out
