"""Seconds and memory of all-pairs counts: product beside the naive M × M way, and whole questions.

    OMP_NUM_THREADS=1 python benchmarks/pairs.py

Exits with 1 where anything takes longer, or more memory, than allowed. The records of SWE-bench
Verified are used where they are (``TIEBREAK_DATA``, else ``../shared/data``), else a board of the
same shape is drawn.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

import tiebreak as tb
from tiebreak.kernels.pair_counts.rules import NearTies, pair_sums
from tiebreak.kernels.pair_counts.variances import METHODS
from tiebreak.reproduce.records import data_folder
from tiebreak.simulate.pairs import pair_coverage
from tiebreak.trials import Trials

LARGE, TASKS, LIMIT = 5000, 500, 25
GIB = 2**30


def timed(work: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def closed_forms(counts: NDArray[np.int64]) -> dict[str, float]:
    """Fraction and the four variances, as the product computes them."""
    rule = NearTies(counts, LIMIT)
    sums = pair_sums(rule)
    return {"total": float(rule.total)} | {m: sums.variance(m) for m in METHODS}


def matrix_way(counts: NDArray[np.int64]) -> float:
    """The matrix of all pairs, its row sums, and the dyadic sum over it."""
    h = (np.abs(counts[:, None] - counts) <= LIMIT).astype(float)
    np.fill_diagonal(h, 0.0)
    n = h.shape[0] * (h.shape[0] - 1) / 2
    u = h.sum() / (2 * n)
    e = h - u
    np.fill_diagonal(e, 0.0)
    return float(((e.sum(axis=1) ** 2).sum() - (e**2).sum() / 2) / n**2)


def loop_way(counts: NDArray[np.int64]) -> int:
    """One pair after another."""
    return sum(abs(a - b) <= LIMIT for a, b in combinations(counts.tolist(), 2))


def peak() -> float:
    """Peak resident memory so far, GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIB


def verified() -> Trials:
    """SWE-bench Verified, or a drawn board of its shape."""
    folder = data_folder()
    if folder is not None and (folder / "swebench-verified").is_dir():
        place = folder / "swebench-verified"
        return tb.read(place / "raw", tasks=place / "tasks.csv")
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(-rng.normal(0, 1, (134, 1)) - rng.normal(0, 1.5, TASKS)))
    names, tasks = np.meshgrid(np.arange(134), np.arange(TASKS), indexing="ij")
    frame = pl.DataFrame(
        {
            "configuration": [f"c{i}" for i in names.ravel()],
            "task": [f"t{i}" for i in tasks.ravel()],
            "score": (rng.random(p.shape) < p).astype(float).ravel(),
            "repo": [f"r{i % 12}" for i in tasks.ravel()],
        }
    )
    return tb.read(frame)


def everything(trials: Trials) -> None:
    """All widths and sensitivities, 2,000 draws each."""
    tb.pairs(trials, sampled="configurations+cells", cells="repo", draws=2000)
    tb.pairs(trials, sampled="configurations+tasks", draws=2000, curve="0:0.10:0.01")


def grid() -> None:
    """The published exact grid."""
    pair_coverage("equality", Fraction(4, 5), (40, 80, 160))


def main() -> int:
    """Print the table; 1 where a limit is broken."""
    counts = np.random.default_rng(0).integers(0, TASKS + 1, LARGE)
    own, before = timed(lambda: closed_forms(counts)), peak()
    trials = verified()
    cases = [
        ("5,000 configurations: fraction and four variances", own, 5.0),
        ("exact grid, shared and independent, M = 40, 80, 160", timed(grid), 1.5),
        (
            "SWE-bench Verified: widths, curve, sensitivities",
            timed(lambda: everything(trials)),
            10.0,
        ),
    ]
    for what, seconds, allowed in cases:
        print(f"{what:55} {seconds:8.3f} s  (allowed {allowed:g})")
    print(f"{'peak memory of the closed forms':55} {before:8.3f} GiB (allowed 1)")
    matrix = timed(lambda: matrix_way(counts))
    loop = timed(lambda: loop_way(counts[:1000])) * (LARGE / 1000) ** 2
    print(
        f"{'the same by the M × M matrix (dyadic alone)':55} {matrix:8.3f} s  × {matrix / own:.0f}"
    )
    print(f"{'counting by a loop over pairs (from 1,000)':55} {loop:8.3f} s  × {loop / own:.0f}")
    return int(before > 1 or any(seconds > allowed for _, seconds, allowed in cases))


if __name__ == "__main__":
    sys.exit(main())
