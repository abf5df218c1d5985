"""Speed and memory of reading 5 million trials, beside Polars' own scan and group-by.

    python benchmarks/reading.py [ROWS]

Prints, for Parquet and CSV: rows per second, peak memory, and the ratio to a streaming
``scan → group_by(configuration, task) → mean`` by Polars over the same file. Every measurement
is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from tiebreak.readers import read

CONFIGURATIONS, RUNS, REPOSITORIES = 50, 5, 40
ROWS = 5_000_000
LIMIT_GIB = 1.5
REPEATS = 3


def trials(rows: int) -> pl.DataFrame:
    """Shuffled trials of 50 configurations × tasks × 5 runs, with text ids and a repository."""
    rng = np.random.default_rng(20260601)
    tasks = max(rows // (CONFIGURATIONS * RUNS), 1)
    total = CONFIGURATIONS * tasks * RUNS
    index = rng.permutation(total)
    configuration, rest = np.divmod(index, tasks * RUNS)
    task, run = np.divmod(rest, RUNS)
    repository = rng.integers(0, REPOSITORIES, tasks)
    names = pl.Series([f"model-{i:03d} | scaffold-{i % 7}" for i in range(CONFIGURATIONS)])
    repos = pl.Series([f"owner-{i}/project-{i}" for i in range(REPOSITORIES)])
    ids = pl.Series([f"owner-{r}__project-{r}-{i}" for i, r in enumerate(repository)])
    return pl.DataFrame(
        {
            "configuration": names.gather(configuration),
            "task": ids.gather(task),
            "run": run,
            "score": (rng.random(total) < 0.4).astype(np.int8),
            "repo": repos.gather(repository[task]),
        }
    )


def by_polars(path: Path) -> int:
    """Polars alone: the mean score of every configuration on every task."""
    lazy = pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path)
    means = lazy.group_by("configuration", "task").agg(pl.col("score").mean())
    return means.collect(engine="streaming").height


def by_tiebreak(path: Path) -> int:
    """Checked trials."""
    return read(path).frame.height


WAYS: dict[str, Callable[[Path], int]] = {"polars": by_polars, "tiebreak": by_tiebreak}


def measure(way: str, path: Path) -> tuple[float, float]:
    """Least seconds of some processes, and the largest peak memory (GiB) among them."""
    command = [sys.executable, __file__, "--one", way, str(path)]
    outputs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        for _ in range(REPEATS)
    ]
    return min(float(o[0]) for o in outputs), max(float(o[1]) for o in outputs)


def one(way: str, path: Path) -> None:
    """One measurement, in this process: seconds and peak memory in GiB."""
    started = time.perf_counter()
    WAYS[way](path)
    seconds = time.perf_counter() - started
    unit = 2**30 if sys.platform == "darwin" else 2**20
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)


def main(rows: int) -> int:
    """Print the table; 1 where memory goes beyond the limit."""
    worst = 0.0
    print(
        f"{'file':8} {'size':>9} {'way':9} {'seconds':>8} {'rows/s':>12} {'peak':>9} {'ratio':>6}"
    )
    with tempfile.TemporaryDirectory() as folder:
        parquet, csv = Path(folder) / "t.parquet", Path(folder) / "t.csv"
        table = trials(rows)
        table.write_parquet(parquet)
        table.write_csv(csv)
        count = table.height
        del table
        for path in (parquet, csv):
            size = f"{path.stat().st_size / 2**20:.0f} MiB"
            found = {way: measure(way, path) for way in WAYS}
            base = found["polars"][0]
            for way, (seconds, peak) in found.items():
                worst = max(worst, peak)
                print(
                    f"{path.suffix[1:]:8} {size:>9} {way:9} {seconds:8.2f} "
                    f"{count / seconds:12,.0f} {peak:5.2f} GiB {seconds / base:6.2f}"
                )
    print(f"peak memory {worst:.2f} GiB, allowed {LIMIT_GIB} GiB")
    return int(worst > LIMIT_GIB)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], Path(sys.argv[3]))
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS))
