"""Speed and memory of the statistics, beside plain NumPy and beside loops, in one run.

    python benchmarks/speed.py [CASE …]

Cases: ``pairs`` (all 8,911 pairs of a board of 134 × 500 with 12 repositories), ``wild`` (the same
with repositories sampled), ``large`` (2,000 configurations × 10,000 tasks), ``commands`` (whole
processes). The board is that of the SWE-bench Verified records where they are (TIEBREAK_DATA, or
../shared/data beside the repository), else a simulated one of the same shape. Each case is a
process of its own, so that its peak memory is its own. *Sketch* is the bare arithmetic in NumPy
without checks, flags or errors; *loop* is one pair after another, timed on a sample of the pairs
and multiplied up. Both are timed in the same process as the product, in processor seconds on one
core; whole processes by the clock.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import tiebreak as tb
from tiebreak.design import Design
from tiebreak.estimand import Estimand, Target
from tiebreak.estimate.contract import Sample
from tiebreak.estimate.engines import make_engine
from tiebreak.estimate.pairs import fit_pairs, pair_weights
from tiebreak.estimate.scores import estimate_scores
from tiebreak.kernels.clusters import sign_subsets, wild_interval
from tiebreak.kernels.moderation import moderation
from tiebreak.kernels.moments import all_pairs, pair_moments
from tiebreak.panel import Panel, build_panel
from tiebreak.questions.judge import judge_fit

SEED = 20260601
SIZES = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)
CONFIGURATIONS = 134
DRAWS = 10_000
LARGE = (2_000, 10_000)
ONE_CORE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
GIB = 2**30 if sys.platform == "darwin" else 2**20
EQUAL = Estimand(target=Target("equal", "repo"), missing="fail")


def best(work: Callable[[], Any], repeats: int = 3) -> float:
    """Least processor seconds of some runs: unlike the clock, they bear a busy machine."""
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return min(seconds)


def line(what: str, product: float, sketch: float, loop: float = 0.0) -> None:
    """One line of the table."""
    beside = f"{loop:9.1f} {loop / product:7.0f}×" if loop else ""
    print(f"{what:48} {product:8.3f} {sketch:8.3f} {product / sketch:6.2f}  {beside}", flush=True)


def heads() -> None:
    """The table's head."""
    names = f"{'product s':>10}{'sketch s':>9}{'ratio':>7}{'loop s':>11}{'faster':>9}"
    print(f"{'':47}{names}")


# ---- records --------------------------------------------------------------------------------


def records() -> tuple[Path, Path] | None:
    """The SWE-bench Verified tree and its list of tasks, where they are."""
    root = Path(os.environ.get("TIEBREAK_DATA", Path(__file__).parents[2] / "shared" / "data"))
    tree, tasks = root / "swebench-verified" / "raw", root / "swebench-verified" / "tasks.csv"
    return (tree, tasks) if tree.is_dir() and tasks.is_file() else None


def write_simulated(folder: Path) -> tuple[Path, Path]:
    """A tree of the same shape, with a shared difficulty of tasks."""
    rng = np.random.default_rng(SEED)
    ids = [f"o{x}__repo{x}-{i}" for x, size in enumerate(SIZES) for i in range(size)]
    tasks = folder / "tasks.csv"
    lines = [f"{task},{task.split('-')[0].replace('__', '/')}" for task in ids]
    tasks.write_text("\n".join(["instance_id,repo", *lines]) + "\n", encoding="utf-8")
    hard, skill = rng.normal(0, 1.5, len(ids)), rng.normal(0.3, 0.8, CONFIGURATIONS)
    passed = hard < skill[:, None] + rng.normal(0, 1, (CONFIGURATIONS, len(ids)))
    for number, row in enumerate(passed):
        results = folder / "raw" / f"entry-{number:03d}" / "results"
        results.mkdir(parents=True)
        resolved = [task for task, on in zip(ids, row, strict=True) if on]
        (results / "results.json").write_text(json.dumps({"resolved": resolved}), encoding="utf-8")
        (results.parent / "metadata.yaml").write_text(f"name: Entry {number}\n", encoding="utf-8")
    return folder / "raw", tasks


def board(tree: Path, tasks: Path) -> Panel:
    """The panel under equal repository weights."""
    return build_panel(tb.read(tree, tasks=tasks), EQUAL)


# ---- sketches and loops -----------------------------------------------------------------------


def sketch_variances(panel: Panel) -> np.ndarray:
    """Σ a_x SS_x of every pair, cell by cell through Y_x Y_xᵀ; cell gaps come with it."""
    left, right = all_pairs(len(panel.values))
    n = np.bincount(panel.cells).astype(float)
    a = moderation(n[None], panel.weights[None]).a[0]
    total = np.zeros(left.size)
    for x, size in enumerate(n):
        y = panel.values[:, panel.cells == x]
        sums, squares, cross = y.sum(axis=1), (y * y).sum(axis=1), y @ y.T
        d = sums[left] - sums[right]
        total += a[x] * (squares[left] + squares[right] - 2 * cross[left, right] - d * d / size)
    return total


def product_alone(panel: Panel) -> np.ndarray:
    """The covariance of all configurations: no more than one product of centred values."""
    w = panel.values - panel.values.mean(axis=1, keepdims=True)
    return w @ w.T


def sketch_draws(panel: Panel) -> np.ndarray:
    """Draws of all scores: multinomial counts of tasks times weighted outcomes."""
    rng, parts = np.random.default_rng(SEED), []
    for size in np.bincount(panel.cells):
        flat = rng.integers(0, size, (size, DRAWS)) * DRAWS + np.arange(DRAWS)
        parts.append(np.bincount(flat.ravel(), minlength=size * DRAWS).reshape(size, DRAWS))
    return weighted(panel) @ np.concatenate(parts).astype(float)


def weighted(panel: Panel) -> np.ndarray:
    """Outcomes times π_x/n_x."""
    return panel.values * (panel.weights / np.bincount(panel.cells))[panel.cells]


def sketch_quantiles(scores: np.ndarray) -> None:
    """Both percentile bounds of every pair: differences, sorted, read at two places."""
    ranks = [int(0.025 * DRAWS), int(0.975 * DRAWS)]
    for i in range(len(scores) - 1):
        draws = scores[i] - scores[i + 1 :]
        draws.sort(axis=1)
        draws[:, ranks].copy()


def loop_variances(panel: Panel, pairs: list[tuple[int, int]]) -> None:
    """One pair, one cell after the other, as one would write it first."""
    for i, j in pairs:
        d = panel.values[i] - panel.values[j]
        for x in range(panel.weights.size):
            part = d[panel.cells == x]
            panel.weights[x] ** 2 * (part.var(ddof=1) if part.size > 1 else 0.0) / part.size


def loop_bootstrap(panel: Panel, pairs: list[tuple[int, int]]) -> None:
    """Resample the tasks of each cell for one pair after the other."""
    rng = np.random.default_rng(SEED)
    for i, j in pairs:
        d, total = panel.values[i] - panel.values[j], np.zeros(DRAWS)
        for x in range(panel.weights.size):
            part = d[panel.cells == x]
            picks = rng.integers(0, part.size, (DRAWS, part.size))
            total += panel.weights[x] * part[picks].mean(axis=1)
        np.quantile(total, [0.025, 0.975])


def extrapolated(work: Callable[..., None], panel: Panel, sample: int) -> float:
    """Seconds of a loop over all pairs, from evenly spread ones."""
    left, right = all_pairs(len(panel.values))
    at = np.linspace(0, left.size - 1, sample).astype(int)
    pairs = [(int(left[p]), int(right[p])) for p in at]
    return best(lambda: work(panel, pairs), 2) * left.size / sample


# ---- cases ------------------------------------------------------------------------------------


def pairs_case(tree: Path, tasks: Path) -> None:
    """All pairs of the board, both engines."""
    panel = board(tree, tasks)
    left, right = all_pairs(len(panel.values))
    default, percentile = Design(seed=SEED), Design(interval="percentile", draws=DRAWS, seed=SEED)
    heads()
    variances = best(lambda: sketch_variances(panel), 10)
    fitted = best(lambda: fit_pairs(panel, default, left, right).fit.se, 10)
    line(
        "default variances of all pairs",
        fitted,
        variances,
        extrapolated(loop_variances, panel, 200),
    )
    line("  beside one matrix product alone", fitted, best(lambda: product_alone(panel), 10))
    scores = sketch_draws(panel)
    draws, quantiles = best(lambda: sketch_draws(panel)), best(lambda: sketch_quantiles(scores))
    bootstrap = extrapolated(loop_bootstrap, panel, 4)
    counts = np.random.default_rng(SEED).integers(0, 3, (panel.cells.size, DRAWS)).astype(float)
    product = best(lambda: weighted(panel) @ counts)
    fit = fit_pairs(panel, percentile, left, right)
    line("10,000 draws of all scores", best(lambda: _draw_scores(panel, percentile)), draws)
    line(
        "  beside the matrix product alone", best(lambda: _draw_scores(panel, percentile)), product
    )
    line("quantiles of all pairs", best(lambda: fit.bounds(percentile)), quantiles)
    whole = variances + draws + 2 * quantiles
    for name, design in (("t", default), ("percentile", percentile)):
        steps = best(lambda d=design: whole_procedure(panel, d), 2)
        line(f"whole procedure, {name}", steps, whole, bootstrap)
    print("whole: gaps and movements with intervals, verdicts, radii, simultaneous bands;")
    print("its sketch: variances, draws, and the quantiles of gaps and of movements. Allowed: 2.")


def _draw_scores(panel: Panel, design: Design) -> None:
    """What the engine does once: counts and the product."""
    left, right = all_pairs(2)
    n_cells = panel.weights.size
    moments = pair_moments(panel.values, panel.cells, n_cells, left, right)
    sample = Sample(panel.values, panel.cells, n_cells, left, right, moments)
    make_engine(sample, design).fit(pair_weights(panel, moments.n, left, right)[0])


def whole_procedure(panel: Panel, design: Design) -> None:
    """Everything the board says of all pairs."""
    fit = fit_pairs(panel, design, *all_pairs(len(panel.values)))
    judged = judge_fit(fit, design, estimate_scores(panel, design))
    judged.estimates.radius(0.0), judged.estimates.radius(design.margin)
    fit.bounds(replace(design, family="studentized"))


def wild_case(tree: Path, tasks: Path) -> None:
    """All pairs with repositories sampled."""
    panel = board(tree, tasks)
    left, right = all_pairs(len(panel.values))
    design = Design(sampled="cells", seed=SEED)
    fit = fit_pairs(panel, design, left, right)
    q, pi = fit.moments.mean * panel.weights, panel.weights
    subsets = sign_subsets(pi.size, DRAWS, np.random.default_rng(SEED))
    at = np.linspace(0, left.size - 1, 50).astype(int)

    def loop() -> None:
        for p in at:
            wild_interval(q[p : p + 1], pi, 0.05, subsets)

    heads()
    line(
        f"wild intervals of all pairs ({len(subsets) + 1:,} patterns)",
        best(lambda: fit_pairs(panel, design, left, right).bounds(design), 1),
        best(lambda: q @ subsets.T, 1),
        best(loop, 1) * left.size / at.size,
    )
    print("sketch: the product of contributions and patterns alone. Allowed: 20 s.")


def large_case(tree: Path, tasks: Path) -> None:
    """Scores and standard errors of all pairs of a large board."""
    del tree, tasks
    k, n = LARGE
    share = np.array(SIZES) / sum(SIZES)
    cells = np.sort(np.random.default_rng(SEED).choice(len(SIZES), n, p=share))
    values = (np.random.default_rng(SEED).random((k, n)) < 0.5).astype(float)
    panel = Panel(
        estimand=EQUAL,
        configurations=tuple(f"c{i}" for i in range(k)),
        tasks=tuple(f"t{i}" for i in range(n)),
        values=values,
        ran=np.ones((k, n), dtype=bool),
        cells=cells,
        cell_names=tuple(f"repo{x}" for x in range(len(SIZES))),
        weights=np.full(len(SIZES), 1 / len(SIZES)),
        by_task=False,
        max_runs=1,
    )

    def product() -> None:
        estimate_scores(panel, Design())
        fit_pairs(panel, Design(), *all_pairs(k)).fit.se  # noqa: B018

    heads()
    sketch = best(lambda: product_alone(panel), 1)
    what = f"{k:,} × {n:,}: scores, errors of {k * (k - 1) // 2:,} pairs"
    line(what, best(product, 1), sketch, extrapolated(loop_variances, panel, 50))
    print("sketch: one product of centred values. Allowed: 30 s.")


def commands_case(tree: Path, tasks: Path) -> None:
    """Whole processes, median of five."""
    start = [sys.executable, "-c", "from tiebreak.cli import run; run()"]
    heads = f"{'clock s':>10}{'processor s':>13}{'allowed':>9}"
    print(f"{'':40}{heads}")
    for what, command, allowed in (
        ("tiebreak --help", [*start, "--help"], "0.3"),
        (
            "tiebreak board on the raw tree",
            [*start, "board", str(tree), "--tasks", str(tasks)],
            "3",
        ),
        ("python that imports numpy alone", [sys.executable, "-c", "import numpy"], ""),
    ):
        clock, processor = median_seconds(command)
        print(f"{what:40}{clock:10.2f}{processor:13.2f}{allowed:>9}", flush=True)


def median_seconds(command: list[str]) -> tuple[float, float]:
    """Median clock and processor seconds of five processes."""
    clock, processor = [], []
    for _ in range(5):
        started, before = time.perf_counter(), _children()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        clock.append(time.perf_counter() - started)
        processor.append(_children() - before)
    return statistics.median(clock), statistics.median(processor)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


CASES: dict[str, Callable[[Path, Path], None]] = {
    "pairs": pairs_case,
    "wild": wild_case,
    "large": large_case,
    "commands": commands_case,
}


def main(names: list[str]) -> None:
    """Run cases, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        found = records()
        tree, tasks = found or write_simulated(Path(folder))
        print(f"board: {'SWE-bench Verified records' if found else 'simulated'}")
        for name in names or CASES:
            print(f"\n{name}", flush=True)
            here = [sys.executable, __file__, "--case", name, str(tree), str(tasks)]
            subprocess.run(here, check=True, env=ONE_CORE if name != "commands" else None)


def one(name: str, tree: Path, tasks: Path) -> None:
    """One case in this process."""
    CASES[name](tree, tasks)
    who = resource.RUSAGE_CHILDREN if name == "commands" else resource.RUSAGE_SELF
    print(f"peak memory {resource.getrusage(who).ru_maxrss / GIB:.2f} GiB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--case"]:
        one(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main(sys.argv[1:])
