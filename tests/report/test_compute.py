"""What the page computes is what the Python code computes, in a real browser."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.estimand import Target
from tiebreak.kernels.crossovers import gap_crossovers, sweep_ends, upper_envelope
from tiebreak.questions.judge import judge
from tiebreak.questions.prepare import prepare
from tiebreak.report.page import report_html

CLOSE = 1e-12
"""Both add the same binary64 numbers, in another order, and Python rounds to 12 decimals."""
RECORDS = {
    "example": ("repo", {"missing": "fail"}),
    "complete": ("domain", {}),
    "grouped": ("benchmark", {}),
}
SCRIPT = """([weights, byTask]) => {
  const { model, pairs } = PAIRS;
  const json = (x) => (Number.isFinite(x) ? x : null);
  const all = Array.from({ length: pairs.size }, (_, p) => {
    const g = model.gap(pairs.a[p], pairs.b[p], weights, byTask);
    const sign = g.gap < 0 ? -1 : 1;
    const radius = (m) => g.covered > 0
      ? l1Radius(g.cellGaps.map((d) => sign * d), g.cellWeights, m) : NaN;
    const [a, b] = [model.names[pairs.a[p]], model.names[pairs.b[p]]];
    return { a, b, gap: json(g.gap), support: g.covered,
      radius: json(radius(0)), margin_radius: json(radius(DATA.margin)),
      crossovers: model.cells.map((_, x) => json(crossover(g.cellGaps, g.cellWeights, x))) };
  });
  const scores = model.names.map((name, i) => [name, json(model.score(i, weights, byTask))]);
  return { scores: Object.fromEntries(scores), observed:
    Object.fromEntries(model.names.map((name, i) => [name, json(model.observed(i))])), pairs: all };
}"""


@pytest.fixture(scope="module")
def page_of(open_page, request):
    pages = {}

    def page(kind):
        if kind not in pages:
            column, options = RECORDS[kind]
            html = report_html(
                request.getfixturevalue(kind), pictures=False, target=f"equal:{column}", **options
            )
            pages[kind] = open_page(html)
        return pages[kind]

    return page


def weightings(cells):
    """Equal, random, lopsided, and some that leave cells without weight."""
    rng, k = np.random.default_rng(1), len(cells)
    yield np.full(k, 1 / k)
    yield from rng.dirichlet(np.ones(k), 2)
    yield rng.dirichlet(np.full(k, 0.05))
    corner = np.zeros(k)
    corner[:2] = 0.75, 0.25
    yield corner


def near(ours, theirs):
    assert (ours is None) == (theirs is None), (ours, theirs)
    assert ours is None or abs(ours - theirs) <= CLOSE, (ours, theirs)


@pytest.mark.parametrize("kind", RECORDS)
def test_scores_gaps_and_radii_under_any_weights(page_of, kind, request):
    trials, (column, options) = request.getfixturevalue(kind), RECORDS[kind]
    page = page_of(kind)
    cells = page.evaluate("PAIRS.model.cells")
    for weights in weightings(cells):
        target = Target.stated(column, dict(zip(cells, weights.tolist(), strict=True)))
        normal = (weights / weights.sum()).tolist()
        board = tb.board(trials, target=target, **options)
        found = page.evaluate(SCRIPT, [normal, False])
        for s in board.standings:
            near(found["scores"][s.configuration], s.score)
            near(found["observed"][s.configuration], s.score_observed)
        check_pairs(found["pairs"], board.comparisons)


def check_pairs(found, comparisons):
    assert len(found) == len(comparisons)
    for ours, c in zip(found, comparisons, strict=True):
        assert (ours["a"], ours["b"]) == (c.a, c.b)
        near(ours["gap"], c.gap)
        near(ours["radius"], c.radius)
        near(ours["margin_radius"], c.margin_radius)
        assert ours["support"] == pytest.approx(c.support, abs=CLOSE)


@pytest.mark.parametrize("kind", RECORDS)
def test_the_observed_mix(page_of, kind, request):
    trials, (column, options) = request.getfixturevalue(kind), RECORDS[kind]
    page = page_of(kind)
    board = tb.board(trials, cells=column, **options)
    by_task = page.evaluate("PAIRS.model.mixByTask")
    assert by_task == (trials.kind == "item")
    found = page.evaluate(SCRIPT, [page.evaluate("PAIRS.model.mix"), by_task])
    for s in board.standings:
        near(found["scores"][s.configuration], s.score)
    check_pairs(found["pairs"], board.comparisons)


def test_crossovers_of_every_pair_and_cell(page_of, example):
    page = page_of("example")
    weights = np.random.default_rng(5).dirichlet(np.ones(8))
    cells = page.evaluate("PAIRS.model.cells")
    target = Target.stated("repo", dict(zip(cells, weights.tolist(), strict=True)))
    estimand, design = tb.Estimand(target=target, missing="fail"), tb.Design()
    panel = prepare(example, estimand, design).panel
    order = [panel.configurations.index(n) for n in page.evaluate("PAIRS.model.names")]
    left, right = np.triu_indices(len(order), 1)
    e = judge(panel.take(order), design, left, right).estimates
    found = page.evaluate(SCRIPT, [weights.tolist(), False])["pairs"]
    seen = 0
    for p, pair in enumerate(found):
        gaps = np.nan_to_num(e.cell_gaps[p])
        for x in range(len(cells)):
            at = math.nan
            if not np.isnan(e.cell_gaps[p, x]):
                start, end = sweep_ends(e.cell_weights[p], x)
                at = float(gap_crossovers(np.array([start @ gaps]), np.array([end @ gaps]))[0])
            near(pair["crossovers"][x], None if math.isnan(at) else at)
            seen += not math.isnan(at)
    assert seen > 20


@pytest.mark.parametrize("margin", [0.0, 0.01, 0.02, 0.05, 0.1, 0.2])
def test_verdicts_and_winners_at_any_margin(page_of, example, margin):
    board = tb.board(example, target="equal:repo", missing="fail", margin=margin)
    found = page_of("example").evaluate(
        """(margin) => Array.from({ length: PAIRS.pairs.size }, (_, p) => {
             const { winner, verdict } = decide(PAIRS.pairs, PAIRS.model, p, margin);
             return [verdict, winner];
           })""",
        margin,
    )
    expected = [[c.verdict, {c.a: 1, c.b: -1}.get(c.winner, 0)] for c in board.comparisons]
    assert found == expected
    assert len({v for v, _ in expected}) >= 3


@pytest.mark.parametrize("seed", range(6))
def test_envelopes_are_those_of_the_kernel(page_of, seed):
    rng = np.random.default_rng(seed)
    start = np.round(rng.random(12), seed % 3 + 1)
    end = np.round(rng.random(12), seed % 3 + 1)
    kernel = upper_envelope(start, end)
    found = page_of("example").evaluate(
        "([start, slope]) => envelope(start, slope, 1)", [start.tolist(), (end - start).tolist()]
    )
    assert found["winners"] == kernel.winners.tolist()
    assert found["breaks"] == pytest.approx(kernel.breakpoints.tolist(), abs=CLOSE)


UTILITIES = """([weights, byTask, price]) => {
  const { model, pairs } = PAIRS;
  const json = (x) => (Number.isFinite(x) ? x : null);
  const scores = model.names.map((n, i) => [n, json(model.utility(i, weights, byTask, price))]);
  const gaps = Array.from({ length: pairs.size }, (_, p) => {
    const [i, j] = [pairs.a[p], pairs.b[p]];
    return [model.names[i], model.names[j], json(model.utilityGap(i, j, weights, byTask, price))];
  });
  return { scores: Object.fromEntries(scores), gaps };
}"""


def partly_priced(example):
    """Every seventh price of one configuration is lost."""
    third = example.configurations["configuration"][2]
    at = (pl.col("configuration") == third) & (pl.int_range(pl.len()) % 7 == 0)
    frame = example.frame.with_columns(pl.when(~at).then("cost_usd").alias("cost_usd"))
    return dataclasses.replace(example, frame=frame)


@pytest.mark.parametrize("price", [0.02, 0.3])
@pytest.mark.parametrize("target", ["equal:repo", "observed:repo"])
@pytest.mark.parametrize("make", [lambda t: t, partly_priced], ids=["priced", "partly"])
def test_utilities_at_any_price(open_page, example, price, target, make):
    trials, options = make(example), {"target": target, "missing": "drop"}
    page = open_page(report_html(trials, pictures=False, **options))
    model = "[PAIRS.model.stated, PAIRS.model.byTask]"
    found = page.evaluate(UTILITIES, [*page.evaluate(model), price])
    board = tb.board(trials, price=price, unpriced="drop", **options)
    for s in board.standings:
        near(found["scores"][s.configuration], s.score)
    gaps = {(a, b): gap for a, b, gap in found["gaps"]}
    assert len(board.comparisons) == 36  # one of the ten has no price at all
    for c in board.comparisons:
        near(gaps[c.a, c.b] if (c.a, c.b) in gaps else -gaps[c.b, c.a], c.gap)


def test_who_is_on_top_as_the_price_rises(page_of, example):
    found = page_of("example").evaluate(
        """() => {
          const { model } = PAIRS;
          const { winners, breaks } = priceLines(model, model.stated, model.byTask);
          return { winners: winners.map((i) => model.names[i]), breaks: breaks.slice(1, -1) };
        }"""
    )
    cost = tb.cost(example, target="equal:repo", missing="fail")
    assert found["winners"][0] == cost.switches.first
    assert found["winners"][1:] == [s.to_dict("lambda")["to"] for s in cost.switches.lines]
    assert found["breaks"] == pytest.approx([s.price for s in cost.switches.lines], rel=1e-9)


def test_the_sections_json_is_that_of_the_command(page_of, example, open_page, example_html):
    page = open_page(example_html)
    board = tb.board(example, target="equal:repo", missing="fail").to_dict()
    assert page.evaluate("sectionJson('board')") == board
    assert page.evaluate("sectionJson('pairs')") == board
    targets = tb.targets(example, top=10, target="equal:repo", missing="fail").to_dict()
    assert page.evaluate("sectionJson('targets')") == targets
