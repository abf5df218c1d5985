"""How long label sources take: simulated trajectories with several sources, the whole question.

OMP_NUM_THREADS=1 python benchmarks/labels.py [TRAJECTORIES [SOURCES]]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
import polars as pl

import tiebreak as tb

CONFIGURATIONS, CELLS = 20, 8


def table(trajectories: int, sources: int) -> pl.DataFrame:
    """An expert and judges that err at rates of their own, twenty configurations, eight cells."""
    rng = np.random.default_rng(0)
    tasks = trajectories // CONFIGURATIONS
    who, task = np.divmod(np.arange(CONFIGURATIONS * tasks), tasks)
    truth = rng.random(who.size) < 0.3 + 0.02 * who
    judges = {}
    for j in range(sources):
        says = np.where(truth, 0.95 - 0.05 * j, 0.03 + 0.03 * j)
        judges[f"label:judge{j}"] = (rng.random(who.size) < says).astype(float)
    names = [f"c{w}" for w in range(CONFIGURATIONS)]
    return pl.DataFrame(
        {
            "configuration": [names[w] for w in who],
            "task": [f"t{t}" for t in task],
            "cell": [f"x{t % CELLS}" for t in task],
            "label:expert": truth.astype(float),
            **judges,
        }
    )


def main(arguments: list[str]) -> None:
    """Seconds of reading and of the question, and the peak memory."""
    trajectories, sources = [*map(int, arguments), *(100_000, 5)[len(arguments) :]]
    started = time.perf_counter()
    trials = tb.read(table(trajectories, sources))
    read = time.perf_counter()
    found = tb.labels(trials, "expert", cells="cell")
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{trajectories:,} trajectories × {len(found.sources)} sources: read "
        f"{read - started:.1f} s, labels {done - read:.1f} s, {peak:.2f} GiB"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
