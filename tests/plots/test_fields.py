"""What a picture shows is what the result holds: nothing computed, nothing lost."""

from __future__ import annotations

import pytest

from tests.plots.test_views import records
from tiebreak.plots import plot
from tiebreak.plots.pairs import FOREST_TOP, MOST_PAIRS


def rows_with(result, view, *keys):
    """Rows of data that hold these keys, each once."""
    found = [r for r in records(plot(result, view).to_dict()) if set(keys) <= set(r)]
    return [r for i, r in enumerate(found) if r not in found[:i]]


def test_board(results):
    board = results["board"]
    found = rows_with(board, "board", "rank_low")
    assert [(r["name"], r["score"], r["low"], r["high"], r["raw"]) for r in found] == [
        (s.configuration, s.score, s.score_low, s.score_high, s.score_observed)
        for s in board.standings
    ]
    assert [(r["rank"], r["rank_low"], r["rank_high"], r["tier"]) for r in found] == [
        (s.rank, s.rank_low, s.rank_high, s.tier) for s in board.standings
    ]
    assert {r["group"][:6] for r in found if r["tier"] == 1} == {"tier 1"}


def test_forest_is_sorted_by_gap(results):
    board = results["board"]
    found = rows_with(board, "forest", "gap", "low", "high", "verdict")
    assert [r["gap"] for r in found] == sorted((c.gap for c in board.comparisons), reverse=True)
    by_name = {f"{c.a} − {c.b}": c for c in board.comparisons}
    assert len(found) == len(by_name)
    for r in found:
        c = by_name[r["name"]]
        assert (r["gap"], r["low"], r["high"], r["verdict"]) == (
            c.gap,
            c.gap_low,
            c.gap_high,
            c.verdict,
        )
    (band,) = rows_with(board, "forest", "margin_low")
    assert band == {"margin_low": -0.02, "margin_high": 0.02}


def test_a_forest_of_many_pairs_shows_the_first_and_says_so(example, results):
    from dataclasses import replace

    names = [f"c{i:02}" for i in range(20)]
    one = results["board"].comparisons[0]
    pairs = [replace(one, a=a, b=b) for i, a in enumerate(names) for b in names[i + 1 :]]
    many = replace(results["board"], comparisons=tuple(pairs))
    found = rows_with(many, "forest", "gap", "low")
    first = set(names[:FOREST_TOP])
    assert len(pairs) > MOST_PAIRS
    assert {r["name"] for r in found} == {f"{c.a} − {c.b}" for c in pairs if {c.a, c.b} <= first}
    assert "pairs of the first 16" in str(plot(many, "forest").to_dict())


def test_matrix_has_one_mark_per_pair(results):
    board = results["board"]
    found = rows_with(board, "matrix", "row", "column")
    marks = {frozenset((r["row"], r["column"])): r["verdict"] for r in found}
    assert marks == {frozenset((c.a, c.b)): c.verdict for c in board.comparisons}


def test_compare(results):
    compared = results["compare"]
    c = compared.comparison
    (own,) = rows_with(compared, "gap", "verdict")
    assert (own["gap"], own["low"], own["high"], own["verdict"]) == (
        c.gap,
        c.gap_low,
        c.gap_high,
        c.verdict,
    )
    others = [r for r in rows_with(compared, "gap", "gap", "name") if "verdict" not in r]
    assert [(r["gap"], r["low"]) for r in others] == [
        (c.gap_observed, None),
        (c.movement, c.movement_low),
    ]
    found = rows_with(compared, "cells", "who", "rate")
    assert {(r["name"], r["who"], r["rate"], r["weight"]) for r in found} == {
        (line.cell, who, rate, line.weight)
        for line in compared.cells
        for who, rate in ((c.a, line.rate_a), (c.b, line.rate_b))
    }


def test_cells_show_counts_and_where_nothing_ran(results):
    targets = results["targets"]
    found = {(r["name"], r["cell"]): r for r in rows_with(targets, "cells", "cell", "text")}
    assert len(found) == 10 * 8
    assert found["patchbot | tundra-4", "webframe"]["text"] == "85/96"
    empty = found["plainshell | sorrel-large", "authd"]
    assert (empty["text"], empty["rate"]) == ("no runs", None)
    for c in targets.cells:
        assert found[c.configuration, c.cell]["rate"] == c.rate


def test_crossovers(results):
    swept = results["targets of a pair"]
    stretches = rows_with(swept, "crossovers", "weight_to")
    numbered = {who.split(" ", 1)[1]: who for who in (r["who"] for r in stretches)}
    expected = [(numbered[s.winner], s.weight_from, s.weight_to) for s in swept.envelopes]
    assert [(r["who"], r["weight"], r["weight_to"]) for r in stretches] == expected
    lines = {
        (r["name"], r["weight"], r["score"]) for r in rows_with(swept, "crossovers", "score", "who")
    }
    ends = ((s, w) for s in swept.path_scores for w in (0, 1))
    assert lines == {(s.configuration, w, (s.start, s.end)[w]) for s, w in ends}
    changes = rows_with(swept, "crossovers", "pair", "low")
    assert [(r["weight"], r["low"], r["high"]) for r in changes] == [
        (c.weight, c.weight_low, c.weight_high) for c in swept.crossovers
    ]


def test_scores_and_radii_by_target(results):
    targets = results["targets"]
    found = rows_with(targets, "scores", "target", "score")
    assert {(r["name"], r["target"], r["score"], r["low"], r["high"]) for r in found} == {
        (s.configuration, s.target, s.score, s.score_low, s.score_high)
        for s in targets.scores
        if s.score is not None
    }
    radii = rows_with(targets, "radii", "radius", "target")
    drawn = {(r["name"], r["target"], r["kind"], r["radius"]) for r in radii}
    lines = {(f"{r.a} − {r.b}", r.target): r for r in targets.radii}
    assert drawn == {
        (*key, kind, value)
        for key, r in lines.items()
        for kind, value in (
            ("lead gone", r.radius),
            ("lead down to the margin", r.margin_radius),
        )
    }
    endless = {
        (r["name"], r["target"]) for r in radii if r["infinite"] and r["kind"][-4:] == "gone"
    }
    assert endless == {k for k, r in lines.items() if "infinite" in r.reasons.get("radius", "")}


def test_on_top(results):
    targets = results["targets"]
    found = {(r["name"], r["of"]): r["share"] for r in rows_with(targets, "top", "share", "of")}
    for s in targets.regions.shares:
        assert found[s.configuration, "all weights"] == s.share
    for name, share in targets.perturbation.top.items():
        assert found[name, "weights around equal:repo"] == share


def test_permuted_boards(results):
    permuted = results["permute"]
    spec = plot(permuted).to_dict()
    quantiles = {r["value"] for r in records(spec) if "quantile" in r}
    references = (permuted.max_gap_reference, permuted.practical_gaps_reference)
    assert quantiles == {v for reference in references for v in reference.values()}
    observed = {r["value"] for r in records(spec) if set(r) == {"value"}}
    assert observed == {permuted.max_gap, permuted.practical_gaps}


def test_runs(results):
    runs = results["runs"]
    dots = rows_with(runs, "strip", "run", "score")
    assert [(r["name"], r["run"], r["score"]) for r in dots] == [
        (line.configuration, s.run, s.score)
        for line in runs.lines_by_configuration
        for s in line.run_scores
    ]
    parts = {
        (r["name"], r["component"]): r["variance"] for r in rows_with(runs, "strip", "variance")
    }
    for line in runs.lines_by_configuration:
        assert parts[line.configuration, "tasks"] == line.components.task
        assert parts[line.configuration, "tasks × runs"] == line.components.task_run
    points = rows_with(runs, "curves", "curve", "k")
    for line in runs.lines_by_configuration:
        for curve, expected in (("pass@k", line.pass_at), ("pass^k", line.pass_hat)):
            own = [r for r in points if r["name"] == line.configuration and curve in r["curve"]]
            assert [(r["k"], r["value"], r["low"], r["high"]) for r in own] == [
                (p.k, p.value, p.low, p.high) for p in expected
            ]


def test_claims_and_plan_of_a_pair(results):
    d = results["runs"].difference
    found = rows_with(results["runs"], "claims", "winner")
    assert [(r["gap"], r["low"], r["high"]) for r in found] == [
        (e.value, e.low, e.high) for e in d.claims.values()
    ]
    steps = rows_with(results["runs"], "plan", "what", "runs")
    assert {(r["runs"], r["value"]) for r in steps if r["what"].startswith("detectable")} == {
        (s.runs, s.detectable) for s in d.plan.steps
    }
    assert {r["floor"] for r in steps} == {d.plan.floor}


def test_support(results):
    inspected = results["inspect"]
    found = {(r["name"], r["cell"]): r["text"] for r in rows_with(inspected, "support", "cell")}
    for row in inspected.support:
        for cell, n in row.items():
            if cell != "configuration":
                assert found[row["configuration"], cell] == (f"{n:,}" if n else "no runs")


def test_cost(results):
    cost = results["cost"]
    found = rows_with(cost, "frontier", "cost", "stands")
    drawn = {r["name"]: (r["success"], r["cost"], r["cost_low"], r["cost_high"]) for r in found}
    assert drawn == {
        c.configuration: (c.success, c.cost, c.cost_low, c.cost_high) for c in cost.configurations
    }
    best = {r["name"] for r in found if r["stands"].startswith("on the frontier")}
    assert best == {f.configuration for f in cost.frontier}
    numbers = {r["text"] for r in rows_with(cost, "frontier", "text", "at")}
    assert numbers == {f"{r['number']}  {r['name']}" for r in found}
    taken = [r for r in rows_with(cost, "switches", "price") if r["price"] is not None]
    lines = [*cost.switches.lines, *cost.duration_switches.lines]
    assert [(r["price"], r["low"], r["high"]) for r in taken] == [
        (s.price, s.low, s.high) for s in lines
    ]
    resolved = {r["name"]: r["resolved"] for r in rows_with(cost, "spending", "resolved")}
    assert resolved == {r.configuration: r.value for r in cost.cost_per_resolved}
    bought = rows_with(cost, "budget", "spend", "said")
    assert [(r["spend"], r["success"]) for r in bought] == [
        (b.spend, b.success) for b in cost.budgets
    ]


def test_all_pairs(results):
    pairs = results["pairs"]
    (exact,) = rows_with(pairs, "intervals", "fraction", "name")
    assert exact["fraction"] == pairs.fraction.value
    bars = rows_with(pairs, "intervals", "low", "high")
    assert [(r["low"], r["high"]) for r in bars] == [(i.low, i.high) for i in pairs.intervals]
    drawn = [(r["near"], r["width"]) for r in rows_with(pairs, "curve", "near", "width")]
    assert drawn == [(p.near, i.width) for p in pairs.curve.points for i in p.widths]


@pytest.mark.parametrize("rule", ["fail", "drop"])
def test_the_mean_of_complete_runs_is_the_score(make_trials, rule):
    import tiebreak as tb

    rows = {f"t{i}": [float((i * r) % 4 < 2) for r in (1, 2, 3)] for i in range(12)}
    (line,) = tb.runs(make_trials({"a": rows}), missing=rule).lines_by_configuration
    assert [r.n_tasks for r in line.run_scores] == [12, 12, 12]
    mean = sum(r.score for r in line.run_scores) / 3
    assert mean == pytest.approx(line.claims["population"].value, abs=1e-11)
    by_hand = [sum(scores[r] for scores in rows.values()) / 12 for r in range(3)]
    assert [r.score for r in line.run_scores] == pytest.approx(by_hand, abs=1e-11)


def test_labels(results):
    labels = results["labels"]
    (source,) = labels.sources
    drawn = {r["name"]: r["bias"] for r in rows_with(labels, "bias", "bias", "source")}
    assert drawn.pop("all configurations") == source.overall.rates["bias"].value
    assert drawn == {line.name: line.rates["bias"].value for line in source.configurations}
    points = rows_with(labels, "calibration", "predicted", "n")
    assert [(p["predicted"], p["observed"]) for p in points] == [
        (b.predicted, b.observed) for c in labels.calibration for b in c.reliability
    ]


def test_reliability(results):
    reliability = results["reliability"]
    fits = reliability.parts[0].fits
    shown = rows_with(reliability, "components", "variance", "stands")
    assert [r["variance"] for r in shown] == [c.variance for f in fits for c in f.components]
    assert {r["name"] for r in shown if r["stands"].startswith("at zero")} == {
        c.facet for f in fits for c in f.components if c.at_boundary
    }
    values = [r["value"] for r in rows_with(reliability, "coefficients", "unlimited")]
    assert values == [c.value for f in fits for c in f.coefficients if c.value is not None]
    limits = [r for r in rows_with(reliability, "design", "size") if r["size"] is None]
    assert {r["value"] for r in limits} <= {
        row.value for f in fits for row in f.study.rows if row.limit
    }


def test_ranks(results):
    ranks = results["ranks"]
    drawn = {
        r["name"]: (r["low"], r["rank"], r["high"]) for r in rows_with(ranks, "intervals", "raw")
    }
    assert drawn == {m.model: (m.rank_low, m.median_rank, m.rank_high) for m in ranks.models}
    cells = rows_with(ranks, "dominance", "probability")
    names = [m.model for m in ranks.models]
    assert all(
        c["probability"] == ranks.pairwise[names.index(c["above"])][names.index(c["below"])]
        for c in cells
    )
    assert len(cells) == len(names) * (len(names) - 1)
