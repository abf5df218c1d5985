"""One pair in full: what each field means, by hand, and what is said in words."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tiebreak as tb

CELLS = {f"t{i}": "big" if i < 6 else "small" for i in range(8)}
A = dict(zip(CELLS, [1, 1, 1, 1, 0, 0, 0, 0], strict=True))
B = dict(zip(CELLS, [1, 0, 0, 0, 0, 0, 1, 1], strict=True))


@pytest.fixture
def result(make_trials):
    return tb.compare(make_trials({"a": A, "b": B}, CELLS), "a", "b", target="equal:cell")


def test_every_quantity_by_hand(result):
    """big: 4/6 against 1/6; small: 0 against 1. Equal weights: ½·½ − ½·1 = −¼; observed +⅛."""
    assert result.gap == pytest.approx(-0.25)
    assert result.gap_matched == pytest.approx(-0.25)
    assert result.gap_observed == pytest.approx(0.125)
    assert result.gap_standardized == pytest.approx(-0.25)
    assert result.movement == pytest.approx(-0.375)
    assert (result.n_tasks, result.support, result.margin) == (8, 1.0, 0.02)
    # b leads by −½, 1 at (½, ½): zero at weight ⅓ for small, so ⅙ of the mass moves.
    assert result.radius == pytest.approx(1 / 3)
    # a margin of 2 points: −½ w + (1 − w) = .02 at 1 − w = .52/1.5.
    assert result.margin_radius == pytest.approx(2 * (0.5 - 0.52 / 1.5))
    assert [s.score for s in result.scores] == pytest.approx([1 / 3, 7 / 12])
    assert [c.gap for c in result.cells] == pytest.approx([0.5, -1.0])


def test_swapping_the_names_swaps_the_signs(make_trials):
    trials = make_trials({"a": A, "b": B}, CELLS)
    one, other = (tb.compare(trials, *names, target="equal:cell") for names in ("ab", "ba"))
    assert one.gap == -other.gap
    assert one.gap_low == -other.gap_high
    assert one.radius == other.radius
    assert one.flags == other.flags


def test_a_matched_gap_beside_the_difference_of_standardized_scores(make_trials):
    """b lacks a task of 'big' that a passed: matched gap 3/5 − 1/5, standardized 4/6 − 1/5."""
    partial = {t: s for t, s in B.items() if t != "t1"}
    result = tb.compare(make_trials({"a": A, "b": partial}, CELLS), "a", "b", target="equal:cell")
    assert result.gap == pytest.approx(0.5 * 0.4 - 0.5)
    assert result.gap_standardized == pytest.approx(0.5 * (4 / 6 - 1 / 5) - 0.5)
    assert "difference of standardized scores" in str(result)


def test_a_cell_that_one_lacks_is_outside_support(make_trials):
    partial = {t: s for t, s in B.items() if CELLS[t] == "big"}
    result = tb.compare(make_trials({"a": A, "b": partial}, CELLS), "a", "b", target="equal:cell")
    assert (result.verdict, result.support, result.gap) == ("unsupported", 0.5, pytest.approx(0.5))
    assert result.gap_standardized is None
    assert result.reasons["gap_standardized"]
    common = tb.compare(
        make_trials({"a": A, "b": partial}, CELLS), "a", "b", target="equal:cell", support="common"
    )
    assert (common.support, common.gap) == (1.0, pytest.approx(0.5))
    assert common.to_dict()["estimand"]["support_cells"] == ["big"]


def test_a_radius_that_is_infinite_is_null_with_its_reason(make_trials):
    trials = make_trials({"a": dict.fromkeys(CELLS, 1.0), "b": B | {"t6": 0.0, "t7": 0.0}}, CELLS)
    result = tb.compare(trials, "a", "b", target="equal:cell")
    assert result.radius is None
    assert "infinite" in result.reasons["radius"]
    assert "infinite" in str(result)


NULLABLE = (
    "gap", "gap_low", "gap_high", "gap_se", "df", "gap_observed", "gap_matched",
    "gap_standardized", "movement", "movement_low", "movement_high", "radius", "margin_radius",
)  # fmt: skip


@pytest.mark.parametrize("interval", ["t", "percentile"])
@pytest.mark.parametrize("case", ["plain", "one task", "nothing shared", "partial", "one cell"])
def test_every_null_has_its_reason_and_nothing_else_has_one(make_trials, case, interval):
    b = {
        "plain": B,
        "one task": {"t0": 0.0},
        "nothing shared": {"other": 1.0},
        "partial": {t: s for t, s in B.items() if CELLS[t] == "big"},
        "one cell": B,
    }[case]
    cells = None if case == "one cell" else CELLS | {"other": "small"}
    target = "observed" if case == "one cell" else "equal:cell"
    trials = make_trials({"a": A, "b": b}, cells)
    found = tb.compare(trials, "a", "b", target=target, interval=interval).to_dict()
    assert sorted(found["reasons"]) == sorted(k for k in NULLABLE if found[k] is None)


def test_grouped_records_have_no_interval_and_say_why():
    rows = [(c, g, r, 50) for c, rates in (("a", (0.9, 0.4)), ("b", (0.6, 0.5))) for g, r in
            zip(("x", "y"), rates, strict=True)]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["configuration", "domain", "score", "count"], orient="row")
    result = tb.compare(tb.read(frame), "a", "b", target="equal:domain")
    assert result.gap == pytest.approx(0.1)
    found = result.to_dict()
    assert sorted(found["reasons"]) == sorted(k for k in NULLABLE if found[k] is None)
    assert {"gap_low", "gap_matched"} <= set(found["reasons"])
    assert (result.verdict, result.winner) == ("stable", None)
    assert "no_interval" in result.flags
    assert [s.tier for s in result.scores] == [s.rank_low for s in result.scores] == [None, None]


def test_label_sources_that_select_opposite_winners_are_verifier_sensitive():
    tasks = [f"t{i}" for i in range(60)]
    rows = [(c, t, float(c == "a"), float(c == "b")) for c in "ab" for t in tasks]
    names = ["configuration", "task", "label:official", "label:judge"]
    trials = tb.read(pl.DataFrame(rows, schema=names, orient="row"))
    result = tb.compare(trials, "a", "b")
    assert result.verdict == "verifier-sensitive"
    assert result.winner == "a"
    assert result.label_sources == {"judge": {"official": "a", "judge": "b"}}
    other = tb.compare(trials, "a", "b", label_source="judge")
    assert (other.winner, other.gap) == ("b", -1.0)


def test_an_undecided_label_source_disagrees_with_nobody():
    tasks = [f"t{i}" for i in range(60)]
    rows = [(c, t, float(c == "a"), 0.0) for c in "ab" for t in tasks]
    names = ["configuration", "task", "label:official", "label:judge"]
    result = tb.compare(tb.read(pl.DataFrame(rows, schema=names, orient="row")), "a", "b")
    assert result.verdict == "stable"
    assert result.label_sources == {"judge": {"official": "a", "judge": None}}


def test_missing_outcomes_count_by_the_rule_and_the_effect_is_said(make_trials):
    lost = A | {"t0": None, "t1": None}
    trials = make_trials({"a": lost, "b": B})
    fail, drop = (tb.compare(trials, "a", "b", missing=rule) for rule in ("fail", "drop"))
    assert fail.scores[0].score == pytest.approx(2 / 8)
    assert drop.scores[0].score == pytest.approx(2 / 6)
    assert (fail.n_tasks, drop.n_tasks) == (8, 6)
    effect = fail.to_dict()["estimand"]["missing_effect"]
    assert effect == "'fail' moves raw scores by up to -8.33 points (a) against 'drop'"


@pytest.mark.parametrize(
    ("protocol", "scores"),
    [("pass@1", [0.5, 0.5]), ("pass@2", [5 / 6, 0.5]), ("pass^2", [1 / 6, 0.5])],
)
def test_protocols_by_hand(make_trials, protocol, scores):
    """a: 2 of 4 on both tasks, so pass@2 = 1 − 1/6 and pass^2 = 1/6; b: 4 of 4 and 0 of 4."""
    trials = make_trials(
        {"a": {"t1": [1, 0, 1, 0], "t2": [0, 1, 1, 0]}, "b": {"t1": [1] * 4, "t2": [0] * 4}}
    )
    result = tb.compare(trials, "a", "b", protocol=protocol)
    assert [s.score for s in result.scores] == pytest.approx(scores)


def test_few_sampled_cells_are_said_to_be_few(make_trials):
    result = tb.compare(
        make_trials({"a": A, "b": B}, CELLS), "a", "b", cells="cell", sampled="cells"
    )
    assert "few_cells" in result.flags
    assert "Few cells are sampled" in result.sentence


def test_the_result_speaks_for_its_comparison(result):
    assert result.verdict in result.flags
    assert result.headline == result.sentence
    with pytest.raises(AttributeError, match="no attribute 'gapp'"):
        _ = result.gapp


def test_other_configurations_do_not_change_a_pair(make_trials):
    third = {t: float(np.sin(i) > 0) for i, t in enumerate(CELLS)}
    alone = tb.compare(make_trials({"a": A, "b": B}, CELLS), "a", "b", target="equal:cell")
    beside = tb.compare(
        make_trials({"a": A, "b": B, "c": third}, CELLS), "a", "b", target="equal:cell"
    )
    assert alone.comparison == beside.comparison
    assert beside.to_dict()["data"]["excluded"] == {"other configuration": 8}


@pytest.mark.parametrize("labels", ["1,,1", "1,0.5,1"])
def test_a_second_source_that_cannot_be_read_does_not_stop_the_first(labels: str) -> None:
    """A judge that misses one run, or grades, must not refuse pass^3 by the official label."""
    judged = [float(x) if x else None for x in labels.split(",")]
    rows = [
        (c, f"t{t}", str(r), float((t + r * (c == "b")) % 3 > 0), 1.0 if t else judged[r])
        for c in "ab"
        for t in range(12)
        for r in range(3)
    ]
    names = ["configuration", "task", "run", "label:official", "label:judge"]
    trials = tb.read(pl.DataFrame(rows, schema=names, orient="row"))
    result = tb.compare(trials, "a", "b", protocol="pass^3")
    left_out = result.to_dict()["estimand"]["sources_left_out"]
    assert result.gap is not None
    assert left_out == (
        [] if labels == "1,,1" else ["judge: pass^3 needs outcomes that are 0 or 1"]
    )
    assert set(result.label_sources) == ({"judge"} if labels == "1,,1" else set())
