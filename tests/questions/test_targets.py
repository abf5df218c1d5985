"""Which weighting makes whom win, on invented records whose answers are known."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.simulate.ranking_reversal import CROSSOVER, FAMILIES, MACRO, MICRO, trials

GROUPED = [
    ("one", "x", 0.9, 10), ("one", "y", 0.25, 20), ("one", "z", 0.5, 10),
    ("two", "x", 0.6, 10), ("two", "y", 0.75, 20), ("two", "z", 0.5, 10),
]  # fmt: skip


COLUMNS = ["configuration", "benchmark", "score"]
GOLDENS = Path(__file__).parents[1] / "goldens"


@pytest.fixture(scope="module")
def reversal():
    """The paper's four families: A wins overall, B by family."""
    return trials()


@pytest.fixture(scope="module")
def swept(reversal):
    return tb.targets(reversal, "A", "B", cells="family", sweep="lookup")


@pytest.fixture(scope="module")
def grouped():
    return tb.read(pl.DataFrame(GROUPED, [*COLUMNS, "count"], orient="row"))


def by_target(result, name):
    return {s.configuration: s for s in result.scores if s.target == name}


def test_micro_and_macro_are_the_papers(swept):
    for target, truth in (("observed:family", MICRO), ("equal:family", MACRO)):
        scores = by_target(swept, target)
        assert [scores[c].score for c in "AB"] == [pytest.approx(float(t)) for t in truth]
    assert [by_target(swept, "equal:family")[c].rank for c in "AB"] == [2, 1]
    assert by_target(swept, "equal:family")["A"].shift == pytest.approx(0.4375 - 0.83)


def test_the_crossover_is_exact(swept):
    equal, observed = swept.crossovers
    assert (equal.path, equal.weight_exact) == ("lookup, rest equal", str(CROSSOVER))
    assert equal.weight == float(CROSSOVER)
    assert (equal.winner_below, equal.winner_above) == ("B", "A")
    # rest 2 : 1 : 1, gaps -.2, -.6, -.8: -.45 against +.15
    assert (observed.path, observed.weight_exact) == ("lookup, rest observed", "3/4")
    assert 0 < equal.weight_low < equal.weight < equal.weight_high < 1
    assert equal.reasons == {}


def test_the_interval_holds_the_weights_whose_gap_may_be_zero(reversal, swept):
    """Fieller inverts the contrast: at its ends the t interval of the gap touches 0.

    To 1e-2: the engine moderates the variance by the weights, Fieller takes it as quadratic.
    """
    for bound in (swept.crossovers[0].weight_low, swept.crossovers[0].weight_high):
        rest = (1 - bound) / 3
        weights = dict.fromkeys(FAMILIES, rest) | {"lookup": bound}
        gap = tb.compare(reversal, "A", "B", target=tb.Target.stated("family", weights))
        assert min(abs(gap.gap_low), abs(gap.gap_high)) < 0.01


def test_counts_are_never_bare_rates(swept):
    counts = {(c.configuration, c.cell): (c.k, c.n) for c in swept.cells}
    for family, (n, a, b) in FAMILIES.items():
        assert counts["A", family] == (a, n)
        assert counts["B", family] == (b, n)
    assert "0/5" in str(swept)


def test_what_the_aggregate_hides(swept):
    assert [(c.configuration, c.cell, c.k, c.n) for c in swept.hidden.zero] == [
        ("A", "recovery", 0, 5)
    ]
    assert swept.hidden.full == ()
    assert {c.cell for c in swept.hidden.wide} == {"editing", "planning", "recovery"}
    observed, equal = swept.targets
    assert observed.n_effective == pytest.approx(100)
    assert equal.n_effective == pytest.approx(16 / (1 / 80 + 1 / 10 + 2 / 5))
    assert equal.thin_weight == 0


def test_the_half_space_in_words(swept):
    half = swept.regions.half_space
    assert half.gaps == {"editing": -0.2, "lookup": 0.15, "planning": -0.6, "recovery": -0.8}
    assert [t.sentence for t in half.thresholds] == [
        "A wins only when lookup is more than 78 % of the work (the rest split equally)."
    ]


def test_scores_at_the_ends_of_a_path_are_those_of_its_weights(swept):
    rates = {(c.configuration, c.cell): c.rate for c in swept.cells}
    for path in swept.paths:
        own = [s for s in swept.path_scores if s.path == path.path]
        assert [s.configuration for s in own] == ["A", "B"]
        for s in own:
            for end, mix in ((s.start, path.start), (s.end, path.end)):
                expected = sum(w * rates[s.configuration, cell] for cell, w in mix.items())
                assert end == pytest.approx(expected, abs=1e-12)


PROVENANCE = ("tiebreak", "estimand", "design", "data", "seed")


def test_the_example_prints_the_same(swept):
    """All but the provenance, whose lines are the last three."""
    text = "\n".join(str(swept).splitlines()[:-3]) + "\n"
    assert text == (GOLDENS / "targets.txt").read_text(encoding="utf-8")


def test_the_example_gives_the_same_json(swept):
    found = {k: v for k, v in json.loads(swept.to_json()).items() if k not in PROVENANCE}
    assert found == json.loads((GOLDENS / "targets.json").read_text(encoding="utf-8"))


OUTCOMES = st.lists(st.lists(st.integers(0, 1), min_size=9, max_size=9), min_size=3, max_size=3)
CELLS = {f"t{i}": "xyz"[i % 3] if i < 8 else "x" for i in range(9)}


def board_of(make_trials, rows):
    return make_trials(
        {
            f"c{i}": {t: float(v) for t, v in zip(CELLS, row, strict=True)}
            for i, row in enumerate(rows)
        },
        CELLS,
    )


def exact_score(rows, i, weights):
    cells = list(CELLS.values())
    means = {
        x: Fraction(sum(v for v, c in zip(rows[i], cells, strict=True) if c == x), cells.count(x))
        for x in "xyz"
    }
    return sum(weights[x] * means[x] for x in "xyz")


def mix(at, cell="x"):
    return {x: at if x == cell else (1 - at) / 2 for x in "xyz"}


@settings(max_examples=60, deadline=None)
@given(rows=OUTCOMES)
def test_at_a_crossover_the_scores_tie(make_trials, rows):
    """Recomputed in Fractions from the outcomes; on either side the named one leads."""
    found = tb.targets(board_of(make_trials, rows), cells="cell", sweep="x")
    for c in (c for c in found.crossovers if c.path == "x, rest equal"):
        i, j = int(c.a[1]), int(c.b[1])

        def gap(at, i=i, j=j):
            return exact_score(rows, i, mix(at)) - exact_score(rows, j, mix(at))

        if c.weight_exact is None:
            ends = [gap(Fraction(0)), gap(Fraction(1))]
            assert ends == [0, 0] or ends[0] * ends[1] > 0
            continue
        at = Fraction(c.weight_exact)
        assert gap(at) == 0
        assert c.weight == float(at)
        for beside, winner in ((at / 2, c.winner_below), ((at + 1) / 2, c.winner_above)):
            if winner is not None:
                assert (gap(beside) > 0) == (winner == c.a)


@settings(max_examples=60, deadline=None)
@given(rows=OUTCOMES)
def test_the_envelope_names_who_is_on_top(make_trials, rows):
    found = tb.targets(board_of(make_trials, rows), cells="cell", sweep="x")
    segments = [s for s in found.envelopes if s.path == "x, rest equal"]
    assert (segments[0].weight_from, segments[-1].weight_to) == (0, 1)
    for s in segments:
        middle = (Fraction(s.weight_from_exact) + Fraction(s.weight_to_exact)) / 2
        scores = [exact_score(rows, i, mix(middle)) for i in range(3)]
        assert scores[int(s.winner[1])] == max(scores)


@settings(max_examples=25, deadline=None)
@given(rows=OUTCOMES)
def test_radii_are_those_of_compare(make_trials, rows):
    board = board_of(make_trials, rows)
    found = tb.targets(board, cells="cell")
    for r in found.radii:
        alone = tb.compare(board, r.a, r.b, target=r.target)
        assert (r.radius, r.margin_radius) == (alone.radius, alone.margin_radius)
        if r.radius is None:
            assert "infinite" in r.reasons["radius"]
            assert r.moved_from == r.moved_to == ()
        else:
            moved = [sum(m.mass for m in side) for side in (r.moved_from, r.moved_to)]
            assert moved == [pytest.approx(r.radius / 2, abs=1e-9)] * 2


@settings(max_examples=25, deadline=None)
@given(rows=OUTCOMES)
def test_the_discrete_distance_gives_the_l1_radius(make_trials, rows):
    """Wasserstein with 2·1[x≠y] is L1."""
    discrete = tb.Distance.stated("xyz", 2.0 * (1 - np.eye(3)))
    for r in tb.targets(board_of(make_trials, rows), cells="cell", distance=discrete).radii:
        for name in ("radius", "margin_radius"):
            l1, ground = getattr(r, name), getattr(r, f"wasserstein_{name}")
            assert (l1 is None) == (ground is None)
            assert l1 is None or ground == pytest.approx(l1, abs=1e-9)


def test_verdicts_are_those_of_compare(reversal):
    found = tb.targets(reversal, cells="family", targets=["observed", "equal:family"])
    for v in found.verdicts[0].verdicts:
        alone = tb.compare(reversal, "A", "B", target=v.target)
        assert (v.gap, v.gap_low, v.gap_high) == (alone.gap, alone.gap_low, alone.gap_high)
        assert (v.verdict, v.winner, v.movement) == (alone.verdict, alone.winner, alone.movement)
    assert found.verdicts[0].survives is None


def test_a_claim_that_survives_every_target_is_named(make_trials):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(40)}
    board = make_trials(
        {"best": dict.fromkeys(tasks, 1.0), "worst": dict.fromkeys(tasks, 0.0)}, tasks
    )
    stated = tb.Target.stated("cell", {"x": 0.9, "y": 0.1})
    found = tb.targets(board, targets=["equal:cell", stated])
    assert [v.target for v in found.verdicts[0].verdicts] == [
        "observed:cell", "equal:cell", "stated:cell",
    ]  # fmt: skip
    assert found.verdicts[0].survives == "best"
    assert "survives" in found.headline
    assert [s.never for s in found.regions.shares] == [False, True]


def test_one_target_may_be_stated_as_everywhere_else(reversal):
    one = tb.targets(reversal, target="equal:family")
    both = tb.targets(reversal, cells="family")
    assert one.to_json() == both.to_json()


def test_without_a_sweep_the_path_leads_from_the_observed_mix(reversal):
    found = tb.targets(reversal, cells="family")
    (path,), (crossing,) = found.paths, found.crossovers
    assert path.path == "observed:family to equal:family"
    # .03 at the observed mix, −.3625 at equal weights: .03/.3925
    assert crossing.weight_exact == str(Fraction(3, 100) / Fraction(3925, 10000))
    assert path.start["lookup"] == 0.8
    assert path.end["lookup"] == 0.25


def test_only_the_observed_mix_has_no_path(reversal):
    found = tb.targets(reversal, target="observed", cells="family", perturb=100)
    assert found.paths == found.crossovers == found.envelopes == ()
    assert found.perturbation.target == "observed:family"


def test_two_cells_give_one_sweep_and_exact_shares(make_trials):
    tasks = {f"t{i}": "x" if i < 4 else "y" for i in range(8)}
    up = {t: float(c == "x") for t, c in tasks.items()}
    down = {t: float(c == "y" and t != "t7") for t, c in tasks.items()}
    found = tb.targets(make_trials({"up": up, "down": down}, tasks), cells="cell", sweep="x")
    assert [p.path for p in found.paths] == ["x, rest equal"]
    assert found.crossovers[0].weight_exact == "3/7"
    assert found.regions.method == "exact"
    assert {s.configuration: s.share for s in found.regions.shares} == {
        "up": pytest.approx(4 / 7), "down": pytest.approx(3 / 7),
    }  # fmt: skip


def test_four_cells_are_sampled_with_their_error(swept):
    regions = swept.regions
    assert (regions.method, regions.draws) == ("sampled", 10_000)
    assert sum(s.share for s in regions.shares) == pytest.approx(1)
    share = regions.shares[0]
    assert share.share_se == pytest.approx((share.share * (1 - share.share) / 10_000) ** 0.5)


def test_runs_of_a_task_give_ratios_too(make_trials):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(4)}
    a = {t: [1.0, 0.0, 0.0] for t in tasks} | {"t0": [1.0, 1.0, 1.0]}
    b = {t: [1.0, 0.0, 1.0] for t in tasks} | {"t2": [0.0, 0.0, 0.0]}
    found = tb.targets(make_trials({"a": a, "b": b}, tasks), cells="cell", sweep="x")
    # x: (1 + 1/3)/2 − (2/3 + 0)/2 = 1/3; y: 1/3 − 2/3 = −1/3
    assert found.crossovers[0].weight_exact == "1/2"


def test_graded_scores_have_no_exact_weight(make_trials):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(4)}
    a = {"t0": 0.731, "t1": 0.2, "t2": 0.9, "t3": 0.3}
    b = {"t0": 0.2, "t1": 0.631, "t2": 0.1, "t3": 0.9}
    (crossing,) = tb.targets(
        make_trials({"a": a, "b": b}, tasks), cells="cell", sweep="x"
    ).crossovers
    assert crossing.weight is not None
    assert crossing.weight_exact is None
    assert "graded" in crossing.reasons["weight_exact"]


def test_groups_get_exact_crossovers_and_no_interval(grouped):
    found = tb.targets(grouped, cells="benchmark", sweep="x", perturb=100)
    crossing = found.crossovers[0]
    # x: +.3; the rest equally: (−.5 + 0)/2
    assert crossing.weight_exact == "5/11"
    assert crossing.weight_low is None
    assert "grouped" in crossing.reasons["weight_low"]
    assert found.regions.method == "exact"
    assert all(v.gap_low is None for p in found.verdicts for v in p.verdicts)
    assert found.unit == "trials"
    assert found.targets[0].weights == {"x": 0.25, "y": 0.5, "z": 0.25}
    assert by_target(found, "observed:benchmark")["one"].score == pytest.approx((9 + 5 + 5) / 40)


def test_groups_without_counts_say_so():
    bare = tb.read(pl.DataFrame([g[:3] for g in GROUPED], COLUMNS, orient="row"))
    found = tb.targets(bare, cells="benchmark", sweep="x")
    assert found.hidden is None
    assert {(c.k, c.n) for c in found.cells} == {(None, None)}
    assert "counts" in found.crossovers[0].reasons["weight_exact"]
    assert found.crossovers[0].weight == pytest.approx(5 / 11)
    assert "0.900 of ?" in str(found)


RAGGED = {f"t{i}": "xyz"[i % 3] for i in range(12)}


@pytest.fixture(scope="module")
def ragged(make_trials):
    """``short`` never ran cell z."""
    full = {t: float(i % 2) for i, t in enumerate(RAGGED)}
    other = {t: float(i % 3 == 0) for i, t in enumerate(RAGGED)}
    short = {t: float(i % 4 == 0) for i, t in enumerate(RAGGED) if RAGGED[t] != "z"}
    return make_trials({"full": full, "other": other, "short": short}, RAGGED)


def test_paths_and_regions_keep_to_common_support(ragged):
    found = tb.targets(ragged, cells="cell", sweep="x")
    assert found.regions.cells == ("x", "y")
    assert {p.path: set(p.start) for p in found.paths} == {"x, rest equal": {"x", "y"}}
    assert [t.outside for t in found.targets] == [pytest.approx(1 / 3)] * 2
    assert any("outside common support" in note for note in found.notes)
    assert by_target(found, "equal:cell")["short"].score is None


def test_a_restricted_target_has_nothing_outside(ragged):
    found = tb.targets(ragged, cells="cell", support="common", distance="gower:cell")
    assert [t.outside for t in found.targets] == [0, 0]
    assert by_target(found, "equal:cell")["short"].score is not None
    assert all(r.wasserstein_radius is not None or r.reasons for r in found.radii)


def test_a_target_without_weight_on_common_support_is_not_perturbed(ragged):
    only_z = tb.Target.stated("cell", {"x": 0.0, "y": 0.0, "z": 1.0})
    found = tb.targets(ragged, targets=[only_z])
    assert found.targets[1].n_effective is None
    assert found.targets[1].outside == 1
    with pytest.raises(tb.SpecError, match="no weight on common support"):
        tb.targets(ragged, targets=[only_z], perturb=100)


def test_sampled_cells_have_no_interval_of_a_crossover(reversal):
    found = tb.targets(reversal, cells="family", sweep="lookup", sampled="cells")
    crossing = found.crossovers[0]
    assert crossing.weight_exact == "32/41"
    assert crossing.weight_low is None
    assert "cells are sampled" in crossing.reasons["weight_low"]


def test_one_name_asks_for_its_pairs(ragged):
    found = tb.targets(ragged, "short", cells="cell")
    assert {frozenset((v.a, v.b)) for v in found.verdicts} == {
        frozenset(("full", "short")), frozenset(("other", "short")),
    }  # fmt: skip
    assert len(found.scores) == 6


def test_the_top_is_by_raw_score(ragged):
    found = tb.targets(ragged, cells="cell", top=2)
    assert {s.configuration for s in found.scores} == {"full", "other"}
    assert found.regions.cells == ("x", "y", "z")


@pytest.mark.parametrize("law", [{}, {"concentration": 20.0}, {"ball": 0.2}])
def test_perturbed_weights(reversal, law):
    found = tb.targets(reversal, cells="family", perturb=200, seed=3, **law).perturbation
    assert found.n == 200
    assert sum(found.top.values()) == pytest.approx(1)
    assert found.concentration == (None if "ball" in law else law.get("concentration", 100.0))
    assert list(found.top_gap) == ["0.025", "0.1", "0.5", "0.9", "0.975"]
    assert list(found.top_gap.values()) == sorted(found.top_gap.values())
    (pair,) = found.pairs
    assert sum(pair.verdicts.values()) == pytest.approx(1)
    assert 0 <= pair.wins_b <= 1


def test_a_tight_law_gives_the_verdict_of_the_target(reversal):
    found = tb.targets(reversal, cells="family", perturb=100, concentration=1e8)
    (pair,), (_, equal) = found.perturbation.pairs, found.verdicts[0].verdicts
    assert pair.verdicts == {equal.verdict: 1.0}
    assert pair.wins_b == 1.0
    assert found.perturbation.top_gap["0.5"] == pytest.approx(0.3625, abs=1e-3)


def test_the_same_question_gives_the_same_bytes(reversal):
    once, again = (tb.targets(reversal, cells="family", perturb=150, seed=7) for _ in range(2))
    assert once.to_json() == again.to_json()
    assert str(once) == str(again)
    other = tb.targets(reversal, cells="family", perturb=150, seed=8)
    assert other.perturbation.top_gap != once.perturbation.top_gap


def test_numeric_and_named_columns_make_the_distance(make_table):
    tasks = {f"t{i}": "xy"[i % 2] for i in range(8)}
    table = make_table(
        {"a": {t: float(i < 6) for i, t in enumerate(tasks)},
         "b": {t: float(i >= 5) for i, t in enumerate(tasks)}}, tasks,
    ).with_columns(size=pl.col("task").str.slice(1).cast(pl.Int64))  # fmt: skip
    found = tb.targets(tb.read(table), cells="cell", distance="gower:size,cell")
    # a leads by 6/8 − 3/8; the nearest of b's own tasks, of the same cell, is 2/7 away in size
    for r in found.radii:
        assert 0 < r.wasserstein_radius < r.radius if r.radius else True
    assert found.distance == "gower:size,cell"


def test_a_long_table_is_left_to_json(make_trials):
    """12 configurations have 66 pairs, more than are printed; the answer says so."""
    tasks = {f"t{i}": "xy"[i % 2] for i in range(24)}
    board = make_trials(
        {f"c{k:02}": {t: float(i >= k) for i, t in enumerate(tasks)} for k in range(12)}, tasks
    )
    found = tb.targets(board, cells="cell")
    assert len(found.verdicts) == 66
    assert not any(t.caption.startswith("Pairs") for t in found.tables())
    assert any(line.startswith("shown     in --json only: Pairs") for line in found.lines)
    some = tb.targets(board, cells="cell", top=3)
    assert "3 of 12 configurations are shown" in some.notes
    assert [t.caption[:5] for t in some.tables()].count("Pairs") == 1


def test_markdown_and_html_render(swept):
    assert "### Crossovers" in swept.to_markdown()
    assert "32/41" in swept._repr_html_()


def test_rows_are_the_scores(swept):
    assert [r["configuration"] for r in swept.to_rows()] == ["A", "B"] * 2
    assert json.loads(swept.to_json())["crossovers"][0]["weight_exact"] == "32/41"
