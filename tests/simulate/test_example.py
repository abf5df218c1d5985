"""The bundled example is what its simulator makes, and its records show what was built in."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.data import EXAMPLE
from tiebreak.decide import VERDICTS
from tiebreak.results.board import BoardResult
from tiebreak.simulate import example


@pytest.fixture(scope="module")
def trials() -> tb.Trials:
    return tb.read(EXAMPLE)


@pytest.fixture(scope="module")
def equal(trials: tb.Trials) -> BoardResult:
    return tb.board(trials, target="equal:repo", missing="fail")


def test_the_committed_file_is_a_fresh_generation() -> None:
    # The text, not the gzip bytes: those depend on the zlib that a Python was built with.
    assert gzip.decompress(EXAMPLE.read_bytes()).decode() == example.table()


def test_writing_twice_gives_the_same_small_file(tmp_path) -> None:
    first, second = tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"
    example.write_example(first)
    example.write_example(second)
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) < 300_000


def test_another_seed_gives_other_records() -> None:
    assert example.table(1) != example.table(2)


def test_shape(trials: tb.Trials) -> None:
    assert trials.configurations.height == 10
    assert trials.tasks.height == sum(example.REPOSITORIES.values()) == 240
    assert trials.sources == ("official", "judge")
    sizes = dict(trials.tasks["repo"].value_counts().iter_rows())
    assert sizes == example.REPOSITORIES
    assert trials.frame["run"].n_unique() == example.RUNS
    assert trials.accounting.read == (10 * 240 - example.REPOSITORIES["authd"]) * example.RUNS


def test_defects_that_are_built_in(trials: tb.Trials) -> None:
    assert set(trials.missing) == {"infrastructure"}
    assert 5 <= trials.missing["infrastructure"] <= 60  # 7,170 trials, 0.4 % each
    costs = (
        trials.table().group_by("configuration").agg(priced=pl.col("cost_usd").is_not_null().any())
    )
    unpriced = [name for name, priced in costs.iter_rows() if not priced]
    assert unpriced == [example.UNPRICED]
    name, repo = example.NOT_RUN
    assert trials.table().filter(configuration=name, repo=repo).is_empty()


def test_truth_by_hand() -> None:
    known = example.truth()
    strong, special = "loopwright | sorrel-large", "patchbot | tundra-4"
    # mean of the eight rates in the table of the module: 5.56/8 and 4.18/8
    assert known.gap(strong, special, equal=True) == pytest.approx(0.695 - 0.5225)
    observed = (96 * 0.62 + 52 * 0.68 + 34 * 0.68 + 24 * 0.72 + 16 * 0.70 + 7.4 + 3.5 + 2.16) / 240
    assert known.score_observed[known.configurations.index(strong)] == pytest.approx(observed)
    assert known.gap(special, strong, equal=False) > 0.02  # the raw leader truly leads the raw mix


def test_outcomes_have_the_true_rates() -> None:
    known = example.truth()
    cells = np.repeat(np.arange(8), known.sizes)
    official = np.mean([example.draw(seed).official.mean(axis=2) for seed in range(150)], axis=0)
    rates = np.stack([official[:, cells == x].mean(axis=1) for x in range(8)], axis=1)
    # A cell's rate over 150 draws of n tasks: sd ≤ √(.25/(150 n)) ≤ .024; 4 sd at n = 3
    assert np.abs(rates - known.rates) == pytest.approx(0.0, abs=0.095)
    # all 240 tasks: sd ≤ √(.25/(150 · 240)) = .0026
    mixed = rates @ (known.sizes / 240)
    assert mixed == pytest.approx(known.score_observed, abs=0.0105)


def test_estimates_are_near_the_truth(equal: BoardResult) -> None:
    known = example.truth()
    compared = [c for c in equal.comparisons if c.verdict != "unsupported"]
    assert len(compared) == 36
    z = [(c.gap - known.gap(c.a, c.b, equal=True)) / c.gap_se for c in compared]
    assert np.abs(z) == pytest.approx(0.0, abs=4.0)
    covered = [c.gap_low <= known.gap(c.a, c.b, equal=True) <= c.gap_high for c in compared]
    assert sum(covered) >= 30  # 95 % of 36 dependent intervals


def test_every_verdict_appears(equal: BoardResult) -> None:
    assert set(equal.summary["verdicts"]) == set(VERDICTS)


def test_the_raw_winner_is_beaten_under_equal_weights(equal: BoardResult) -> None:
    raw = max(equal.standings, key=lambda s: s.score_observed)
    assert raw.configuration == "patchbot | tundra-4"
    assert raw.rank == 5
    lost = next(c for c in equal.comparisons if c.b == "loopwright | sorrel-large")
    assert (lost.a, lost.verdict, lost.winner) == (raw.configuration, "target-sensitive", lost.b)


def test_the_judge_forgives_one_configuration(equal: BoardResult, trials: tb.Trials) -> None:
    judged = tb.board(trials, target="equal:repo", label_source="judge", missing="drop")
    rank = {r.configuration: r.rank for r in judged.standings}
    assert rank[example.LENIENT_TO] == 1
    sensitive = [c for c in equal.comparisons if c.verdict == "verifier-sensitive"]
    assert sensitive
    assert all(example.LENIENT_TO in (c.a, c.b) for c in sensitive)


def test_the_unsupported_pairs_are_those_of_the_missing_repository(equal: BoardResult) -> None:
    unsupported = [c for c in equal.comparisons if c.verdict == "unsupported"]
    assert len(unsupported) == 9
    assert all(example.NOT_RUN[0] in (c.a, c.b) for c in unsupported)
