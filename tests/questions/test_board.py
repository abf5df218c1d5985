"""Boards: order, ranks, tiers and summary, by hand and by consistency."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import tiebreak as tb

TASKS = [f"t{i:03}" for i in range(60)]
CELLS = {t: f"c{i % 3}" for i, t in enumerate(TASKS)}


@pytest.fixture(scope="module")
def trials(make_trials):
    """Six configurations from far behind to far ahead."""
    rng = np.random.default_rng(4)
    rates = dict(zip("abcdef", [0.05, 0.1, 0.45, 0.55, 0.9, 0.95], strict=True))
    return make_trials(
        {c: {t: float(rng.random() < p) for t in TASKS} for c, p in rates.items()}, CELLS
    )


@pytest.fixture(scope="module")
def board(trials):
    return tb.board(trials, target="equal:cell")


def test_every_configuration_and_every_pair_is_there_once(board):
    assert sorted(s.configuration for s in board.standings) == list("abcdef")
    pairs = {frozenset((c.a, c.b)) for c in board.comparisons}
    assert pairs == {frozenset(p) for p in combinations("abcdef", 2)}


def test_pairs_read_from_the_raw_leader_down(board):
    raw = {s.configuration: s.score_observed for s in board.standings}
    assert all(raw[c.a] >= raw[c.b] for c in board.comparisons)
    assert [c.a for c in board.comparisons] == sorted(
        (c.a for c in board.comparisons), key=lambda n: (-raw[n], n)
    )


def test_standings_are_ranked_by_the_target_score(board):
    scores = [s.score for s in board.standings]
    assert scores == sorted(scores, reverse=True)
    assert [s.rank for s in board.standings] == [1 + sum(x > s for x in scores) for s in scores]


def test_ranks_and_tiers_agree_with_one_another(board):
    for s in board.standings:
        assert s.rank_low <= s.rank <= s.rank_high
    first = [s for s in board.standings if s.tier == 1]
    assert {s.configuration for s in first} == {"e", "f"}
    assert all(s.rank_low == 1 for s in first)
    assert all(s.rank_low > 1 for s in board.standings if s.tier > 1)


def test_nobody_in_the_first_tier_is_shown_worse_than_anybody(trials):
    band = tb.board(trials, target="equal:cell", family="studentized")
    first = {s.configuration for s in band.standings if s.tier == 1}
    shown_worse = {c.b for c in band.comparisons if c.gap_low > 0}
    shown_worse |= {c.a for c in band.comparisons if c.gap_high < 0}
    assert first == set("abcdef") - shown_worse


@pytest.mark.parametrize("family", ["pointwise", "holm", "bh", "simultaneous"])
def test_rank_intervals_do_not_depend_on_the_family_of_the_pair_table(trials, board, family):
    other = tb.board(trials, target="equal:cell", family=family)
    assert [(s.rank_low, s.rank_high, s.tier) for s in other.standings] == [
        (s.rank_low, s.rank_high, s.tier) for s in board.standings
    ]


def test_the_summary_counts_the_pairs(board):
    s = board.summary
    assert s["n_pairs"] == 15 == sum(s["verdicts"].values())
    assert s["resolved"] == sum(c.winner is not None for c in board.comparisons)
    for name, n in s["verdicts"].items():
        assert n == sum(c.verdict == name for c in board.comparisons)
    widths = sorted((c.gap_high - c.gap_low) / 2 for c in board.comparisons)
    assert s["half_width_median"] == pytest.approx(widths[7], abs=1e-9)


def test_a_top_judges_fewer_pairs_but_ranks_everybody(trials, board):
    top = tb.board(trials, target="equal:cell", top=3)
    assert len(top.comparisons) == 3
    assert {n for c in top.comparisons for n in (c.a, c.b)} == {"d", "e", "f"}
    assert top.standings == board.standings


def test_a_pair_of_the_board_is_the_pair_of_compare(trials, board):
    for c in board.comparisons[:3]:
        assert tb.compare(trials, c.a, c.b, target="equal:cell").comparison == c


def test_ties_share_a_rank_and_are_listed_by_name(make_trials):
    row = dict.fromkeys(TASKS, 1.0)
    board = tb.board(make_trials({"b": row, "a": row, "c": dict.fromkeys(TASKS, 0.0)}))
    assert [(s.configuration, s.rank) for s in board.standings] == [("a", 1), ("b", 1), ("c", 3)]
    assert [s.tier for s in board.standings] == [1, 1, 2]


def test_a_winner_of_all_is_named(make_trials):
    board = tb.board(make_trials({"a": dict.fromkeys(TASKS, 1.0), "b": dict.fromkeys(TASKS, 0.0)}))
    assert board.headline.endswith("a is shown better than every other.")


def test_cells_of_one_task_each_show_nobody_better_by_accident(make_trials):
    """Four coin-flippers, every task its own cell: no tier below the first (8 seeds)."""
    rng, lower = np.random.default_rng(0), 0
    for _ in range(8):
        flips = {c: {t: float(rng.random() < 0.5) for t in TASKS[:12]} for c in "abcd"}
        own = make_trials(flips, {t: t for t in TASKS[:12]})
        board = tb.board(own, target="equal:cell", draws=500)
        lower += sum(s.tier > 1 for s in board.standings)
    assert lower <= 1


def test_seeds_change_draws_only(trials):
    boards = [
        tb.board(trials, target="equal:cell", interval="percentile", draws=200, seed=s).to_dict()
        for s in (1, 1, 2)
    ]
    assert boards[0] == boards[1]
    assert boards[0]["comparisons"] != boards[2]["comparisons"]
    scores = [[c["score"] for c in b["configurations"]] for b in boards]
    assert scores[0] == scores[2]


def test_an_unsupported_pair_shows_nobody_better(make_trials):
    """a passes all 60; b ran the first half only and fails it: clear there, unsupported in all."""
    half = dict.fromkeys(TASKS[:30], 0.0)
    board = tb.board(make_trials({"a": dict.fromkeys(TASKS, 1.0), "b": half}))
    assert board.comparisons[0].gap_low > 0.5
    assert board.comparisons[0].verdict == "unsupported"
    assert [(s.rank_low, s.rank_high, s.tier) for s in board.standings] == [(1, 2, 1)] * 2


@pytest.mark.parametrize("interval", ["t", "percentile"])
def test_an_unlabelled_trial_counts_for_no_label_source(interval):
    """On the 30 tasks with both labels b wins by both; a's official lead is on the others."""
    rows = [
        (c, t, float((c == "a") == (i >= 30)), None if i >= 30 else float(c == "b"))
        for c in "ab"
        for i, t in enumerate([*TASKS, *(f"u{i}" for i in range(60))])
    ]
    names = ["configuration", "task", "label:official", "label:judge"]
    trials = tb.read(pl.DataFrame(rows, schema=names, orient="row"))
    (pair,) = tb.board(trials, interval=interval).comparisons
    assert pair.winner == "a"
    assert pair.verdict == "stable"
    both = tb.compare(trials, "a", "b", interval=interval).label_sources
    assert both == {"judge": {"official": "b", "judge": "b"}}
