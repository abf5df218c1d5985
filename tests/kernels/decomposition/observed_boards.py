"""Seeded boards with known components on the probability scale, and their dense likelihood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.kernels.decomposition.latent_boards import board, dense
from tiebreak.kernels.decomposition.layout import POOLED, RESIDUAL

ONE = {"I": 0.25, "M": 0.1, "A": 0.08, "IM": 0.15, "IA": 0.1, "MA": 0.06, RESIDUAL: 0.3}
"""Standard deviations."""
REPEATED = {"IMA": 0.12, **ONE}
OVER_BENCHMARKS = dict(
    zip(POOLED, (0.2, 0.08, 0.1, 0.05, 0.3, 0.1, 0.1, 0.12, 0.1, 0.08, 0.3), strict=True)
)
BOUNDARY = {**ONE, "M": 0.0, "A": 0.0, "IA": 0.0, "MA": 0.0}


def observed(seed, truth, trials=(1,), **options):
    """A layout of normal scores about 0.5, the scores of its trials and the cell of each."""
    design = _met(board(seed, {}, **options))
    rng = np.random.default_rng(seed)
    counts = rng.choice(trials, design.item.size)
    expected = np.full(design.item.size, 0.5)
    for facet in sorted(set(truth) - {RESIDUAL}):
        levels = design.levels(facet)
        expected += truth[facet] * rng.normal(size=int(levels.max()) + 1)[levels]
    cell = np.repeat(np.arange(counts.size), counts)
    score = expected[cell] + truth[RESIDUAL] * rng.normal(size=cell.size)
    mean = np.bincount(cell, score) / counts
    within = np.bincount(cell, (score - mean[cell]) ** 2)
    return replace(design, mean=mean, trials=counts.astype(float), within=within), score, cell


def _met(design):
    """The design without pairs that met no item."""
    pairs, pair = np.unique(design.pair, return_inverse=True)
    levels = (design.model, design.scaffold, design.benchmark)
    model, scaffold, benchmark = (dense(level[pairs]) for level in levels)
    return replace(design, model=model, scaffold=scaffold, benchmark=benchmark, pair=pair)


def golden_boards():
    """The boards of tests/goldens/lme4.json by name, each with its facets."""
    small = {"items": (40,), "grid": (10, 3), "pairs": 18}
    pooled = {"items": (30, 25, 20, 30), "grid": (9, 3), "pairs": 12}
    order = ("I", "M", "A", "IM", "IA", "MA", "IMA", RESIDUAL)
    return {
        "one": (observed(21, ONE, **small, keep=0.9), tuple(ONE)),
        "boundary": (observed(12, BOUNDARY, **small), tuple(BOUNDARY)),
        "repeated": (observed(13, REPEATED, (1, 2, 4), **small, keep=0.8), order),
        "pooled": (observed(14, OVER_BENCHMARKS, **pooled), tuple(OVER_BENCHMARKS)),
    }


def write_trials(drawn, facets, path):
    """Score y to the last bit and the level of every facet, one row a trial: what R reads."""
    layout, score, cell = drawn
    named = [facet for facet in facets if facet != RESIDUAL]
    columns = [score, *(layout.levels(facet)[cell] for facet in named)]
    form = ["%.17g", *(["%d"] * len(named))]
    np.savetxt(
        path, np.column_stack(columns), form, ",", header=",".join(["y", *named]), comments=""
    )


def parts(layout, facets, cell):
    """V_f of the trials written out, (F, N, N)."""
    out = []
    for facet in facets:
        levels = np.arange(cell.size) if facet == RESIDUAL else layout.levels(facet)[cell]
        out.append((levels[:, None] == levels).astype(float))
    return np.array(out)


def dense_projection(v):
    """log|V| + log 1ᵀV⁻¹1 and P."""
    inverse = np.linalg.inv(v)
    row = inverse.sum(axis=1)
    logs = np.linalg.slogdet(v)[1] + np.log(row.sum())
    return logs, inverse - np.outer(row, row) / row.sum()


def dense_likelihood(variances, v_parts, score):
    """ℓ, its gradient, the average and the expected information, by trials."""
    logs, p = dense_projection(np.tensordot(variances, v_parts, 1))
    py = p @ score
    value = -((score.size - 1) * np.log(2 * np.pi) + logs + score @ py) / 2
    pv = [p @ part for part in v_parts]
    traces = np.array([np.trace(x) for x in pv])
    pulled = [part @ py for part in v_parts]
    gradient = (np.array([py @ q for q in pulled]) - traces) / 2
    average = np.array([[a @ p @ b for b in pulled] for a in pulled]) / 2
    expected = np.array([[np.vdot(a, b.T) for b in pv] for a in pv]) / 2
    return value, gradient, average, expected
