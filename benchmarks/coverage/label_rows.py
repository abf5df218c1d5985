"""Label sources: coverage of error rates, powered estimates and calibration differences.

Four configurations on tasks in cells. Outcomes of a task share a difficulty (latent correlation
½), and so do the judge's errors; the judge passes failures of the last configuration twice as
often as those of the others. The truth of a calibration is what models fitted to samples of this
size are worth on average over the population, their loss summed over outcomes and labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sections import Scale, progress
from simulated import Array, cell_sizes, generator, target_weights

from tiebreak.design import Design
from tiebreak.estimate.calibration import (
    Rows,
    bootstrap_bounds,
    held_out,
    loss_by_task,
    task_folds,
)
from tiebreak.estimate.logistic import fit_logistic, indicators
from tiebreak.estimate.powered import Labelled, powered_estimates
from tiebreak.kernels.agreement import confusion, equal_rates, rates
from tiebreak.kernels.calibration import Linear

LIMITS = (93.5, 96.5)
K, FOLDS, BLOCK, DRAWS = 4, 5, 100, 1000
JUDGES = {"good": (0.05, 0.15), "fair": (0.15, 0.3)}
"""False positive and false negative rate (of the last configuration twice the first)."""
SHAPES = (
    ("4 unequal", "observed", 200),
    ("4 unequal", "observed", 500),
    ("4 unequal", "equal", 500),
)
REFERENCE = 1 / 3
"""Share of the tasks of a cell with a reference label, where labels are few."""
NAMED = {
    "fpr": "false positive rate over all trajectories",
    "fnr": "false negative rate",
    "bias": "judge − reference, mean",
    "one fpr": "false positive rate of one configuration",
    "level": "rejections of equal false negative rates, which are equal (nominal 5)",
    "ppi score": "score from a third of the reference labels and all of the judge's",
    "ppi gap": "the same for a gap",
    "left out": "Brier score, calibrated − raw, of a configuration left out",
    "cross-fitted": "the same over all trajectories, folds of tasks",
}

WHY = """Why they miss: of 200 tasks a good judge gets some 90 trajectories wrong, on few tasks, so
a difference of losses is skewed. Under the equal target a quarter of the weight rests on ten tasks
whose variance is mostly that of the others, here the larger one."""


@dataclass(frozen=True)
class LabelRow:
    """Coverage in percent by column; ``widest`` is the largest width of a powered interval in
    percent of that of the reference alone, ``width`` the mean one."""

    labels: tuple[str, ...]
    found: dict[str, float]
    width: float
    widest: float


@dataclass(frozen=True)
class World:
    """Rates (configurations, cells) and the judge's errors (configurations,)."""

    sizes: Array
    weights: Array
    rates: Array
    false_positive: Array
    false_negative: float

    @property
    def cells(self) -> NDArray[np.intp]:
        """Cell of every task."""
        return np.repeat(np.arange(self.sizes.size), self.sizes.astype(int))


def world(layout: str, kind: str, tasks: int, judge: str) -> World:
    """The truth of a row."""
    sizes = cell_sizes(layout, tasks)
    fp, fn = JUDGES[judge]
    rates = np.array([[0.5], [0.42], [0.36], [0.3]]) + np.array([0.0, 0.1, -0.1, 0.05])
    false_positive = np.full(K, fp)
    false_positive[-1] *= 2
    return World(sizes, target_weights(kind, sizes), rates, false_positive, fn)


def draw(w: World, rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Reference and judge labels, (configurations, replicates, tasks)."""
    shape = (K, n, w.cells.size)

    def latent() -> Array:
        shared = rng.standard_normal(shape[1:])
        mixed: Array = np.sqrt(0.5) * (shared + rng.standard_normal(shape))
        return mixed

    y = (latent() < ndtri(w.rates)[:, w.cells][:, None]).astype(float)
    wrong = latent()
    passed = wrong < ndtri(w.false_positive)[:, None, None]
    z = np.where(y == 1, wrong >= ndtri(w.false_negative), passed).astype(float)
    return y, z


def agreement(w: World, y: Array, z: Array) -> dict[str, list[bool]]:
    """Whether the intervals of error rates hold the truth."""
    share = w.sizes / w.sizes.sum()
    rate = w.rates @ share
    fail = (1 - rate) / (1 - rate).sum()
    true = {"fpr": float(fail @ w.false_positive), "fnr": w.false_negative}
    true["bias"] = float(np.mean((1 - rate) * w.false_positive - rate * w.false_negative))
    n = w.cells.size
    task, who = np.tile(np.arange(n), K), np.repeat(np.arange(K), n)
    hits: dict[str, list[bool]] = {name: [] for name in (*true, "one fpr", "level")}
    for own, judged in zip(y.transpose(1, 0, 2), z.transpose(1, 0, 2), strict=True):
        found = rates(confusion(own.ravel(), judged.ravel(), task), 0.95)
        for name, truth in true.items():
            hits[name].append(found[name].low <= truth <= found[name].high)
        one = rates(confusion(own[0], judged[0], np.arange(n)), 0.95)["fpr"]
        hits["one fpr"].append(one.low <= w.false_positive[0] <= one.high)
        won = own.ravel() == 1
        hits["level"].append(equal_rates(1 - judged.ravel()[won], who[won], task[won]).p < 0.05)
    return hits


def powered(
    w: World, y: Array, z: Array, rng: np.random.Generator
) -> tuple[dict[str, NDArray[np.bool_]], Array]:
    """Whether powered intervals hold the truth, and their widths beside the reference's."""
    n = y.shape[1]
    known = np.concatenate(
        [
            np.argsort(rng.random((n, int(s))), axis=1) < max(2, round(REFERENCE * s))
            for s in w.sizes
        ],
        axis=1,
    )
    reference = np.where(known, y[:2], np.nan).reshape(2 * n, -1)
    labels = Labelled(reference, z[:2].reshape(2 * n, -1), w.cells, w.weights)
    left, true = np.arange(n), w.rates @ w.weights
    score = powered_estimates(labels, left, None, Design())
    gap = powered_estimates(labels, left, left + n, Design())
    truths = {"ppi score": true[0], "ppi gap": true[0] - true[1]}
    held = {
        name: (found.powered.low <= truth) & (truth <= found.powered.high)
        for (name, truth), found in zip(truths.items(), (score, gap), strict=True)
    }
    widths = [
        (f.powered.high - f.powered.low) / (f.reference.high - f.reference.low)
        for f in (score, gap)
    ]
    return held, np.concatenate(widths)


def patterns(n_cells: int) -> Array:
    """One row per label and cell: ones, the label, the cells."""
    label, cell = np.divmod(np.arange(2 * n_cells), n_cells)
    return np.concatenate(
        [np.ones((label.size, 1)), label[:, None].astype(float), indicators(cell, n_cells)], axis=1
    )


@dataclass(frozen=True)
class Differences:
    """Loss differences of one replicate, of a configuration left out and of all: their interval
    bounds (2,), and what the fitted models are worth over the population (2,)."""

    low: Array
    high: Array
    worth: Array


def worth(w: World, p: Array, who: list[int], weights: Array) -> float:
    """Calibrated − raw Brier score over the population, p (labels, cells) predicted."""
    wrong = np.array([w.false_negative, 1 - w.false_negative])[:, None]
    passes = np.stack([1 - w.false_positive, w.false_positive], axis=1)[:, :, None]
    won, lost = w.rates[:, None, :] * wrong, (1 - w.rates)[:, None, :] * passes
    raw = np.array([0.0, 1.0])[:, None]
    loss = won[who] * ((p - 1) ** 2 - (raw - 1) ** 2) + lost[who] * (p**2 - raw**2)
    return float((loss.sum(axis=1) @ weights).mean())


def calibrated(w: World, y: Array, z: Array, seed: int) -> Differences:
    """Intervals of one replicate and the worth of its models."""
    n, n_cells = w.cells.size, w.sizes.size
    task, who, cell = np.tile(np.arange(n), K), np.repeat(np.arange(K), n), np.tile(w.cells, K)
    outcome, raw = y.ravel(), z.ravel()
    pattern = raw.astype(np.intp) * n_cells + cell
    rows = Rows(outcome, raw, pattern, patterns(n_cells), task, cell, w.cells)
    share = w.sizes / w.sizes.sum()
    out = held_out(rows, who, K, (w.weights / w.sizes)[cell])
    fold = task_folds(w.cells, FOLDS, np.random.default_rng(seed))[task]
    inside = held_out(rows, fold, FOLDS, np.full(task.size, 1 / task.size))
    before = (raw - outcome) ** 2
    losses = [
        np.where(who == 0, (out.predicted - outcome) ** 2 - before, np.nan),
        (inside.predicted - outcome) ** 2 - before,
    ]
    total, counts = (
        np.stack(v) for v in zip(*(loss_by_task(rows, v) for v in losses), strict=True)
    )
    steps = np.stack([out.steps[0], inside.steps.sum(axis=0)])
    linear = Linear(total, counts, steps, np.stack([w.weights, share]))
    low, high = bootstrap_bounds(linear, np.zeros((0, 2)), w.cells, DRAWS, 0.05, seed)
    models = [(predictions(rows, who != 0), [0], w.weights)]
    models += [(predictions(rows, fold != f), list(range(K)), share) for f in range(FOLDS)]
    values = [worth(w, *m) for m in models]
    return Differences(low, high, np.array([values[0], np.mean(values[1:])]))


def predictions(rows: Rows, train: NDArray[np.bool_]) -> Array:
    """What a model fitted to some rows says, (labels, cells)."""
    pattern, outcome, k = rows.pattern[train], rows.outcome[train], len(rows.design)
    counts = [np.bincount(pattern, weights=v, minlength=k) for v in (outcome, 1 - outcome)]
    return fit_logistic(rows.design, *counts).probabilities.reshape(2, -1)


def one_row(shape: tuple[str, str, int], judge: str, scale: Scale) -> LabelRow:
    """A row of the study."""
    w, rng = world(*shape, judge), generator(scale.seed, "labels", shape, judge)
    hits: dict[str, list[bool]] = {name: [] for name in NAMED}
    widths = []
    for start in range(0, scale.labelled, BLOCK):
        y, z = draw(w, rng, min(BLOCK, scale.labelled - start))
        held, width = powered(w, y, z, rng)
        widths.append(width)
        for name, own in (*held.items(), *agreement(w, y, z).items()):
            hits[name] += list(own)
    found_differences = []
    for seed in range(scale.calibrated):
        y, z = draw(w, rng, 1)
        found_differences.append(calibrated(w, y[:, 0], z[:, 0], seed))
    true = np.mean([d.worth for d in found_differences], axis=0)
    inside = np.array([(d.low <= true) & (true <= d.high) for d in found_differences])
    hits |= {"left out": list(inside[:, 0]), "cross-fitted": list(inside[:, 1])}
    found = {name: 100 * float(np.mean(v)) for name, v in hits.items()}
    ratio = np.concatenate(widths)
    labels = (shape[0], shape[1], str(shape[2]), judge)
    return LabelRow(labels, found, 100 * float(ratio.mean()), 100 * float(ratio.max()))


def label_rows(scale: Scale, started: float) -> list[LabelRow]:
    """The grid over cells, targets, tasks and judges."""
    rows = []
    for shape in SHAPES:
        for judge in JUDGES:
            rows.append(one_row(shape, judge, scale))
            progress(f"labels {shape} {judge}", started)
    return rows


def label_text(rows: list[LabelRow], scale: Scale) -> str:
    """The section."""
    head = ["cells", "target", "tasks", "judge", *NAMED, "ppi width", "ppi widest"]
    lines = [head, ["---"] * len(head)]
    for r in rows:
        cells = [_cell(name, r.found[name]) for name in NAMED]
        lines.append([*r.labels, *cells, f"{r.width:.0f}", f"{r.widest:.0f}"])
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    listed = "\n".join(f"- *{name}*: {what}" for name, what in NAMED.items())
    return (
        "## Label sources\n\nFour configurations; a judge with false positive and negative rates "
        "of .05 and .15 (good) or .15 and .30 (fair), twice the former for the last configuration. "
        f"{scale.labelled:,} replicates, {scale.calibrated:,} of {DRAWS:,} draws for calibrations. "
        f"Bounds: {LIMITS[0]:g} to {LIMITS[1]:g}; a test may reject less than 5. *ppi width* is "
        "the mean width of powered intervals in percent of the reference's alone, *ppi widest* the "
        f"largest.\n\n{listed}\n\n{table}\n\n{WHY}"
    )


def _cell(name: str, value: float) -> str:
    inside = value <= 6 if name == "level" else LIMITS[0] <= value <= LIMITS[1]
    return f"{value:.1f}" if inside else f"**{value:.1f}**"
