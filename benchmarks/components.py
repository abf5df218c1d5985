"""Components on the logit scale: known truth, and speed beside R on the same data.

    OMP_NUM_THREADS=1 python benchmarks/components.py [truth] [speed] [exact] [pooled]

``truth``: 12 boards of 4,070 trials (110 items, 37 of 20 models × 4 scaffolds, 1.7 trials a level
of IM); mean of the estimated standard deviations by EP (maximum without prior, and posterior mean)
and Laplace beside the truth, with Monte Carlo standard errors. ``speed``: EP and Laplace beside
glmmTMB (timed inside R; left out where Rscript or glmmTMB is not there). ``exact``: effective
draws a second of the Gibbs sampler on one board. ``pooled``: eight benchmarks, 30,000 trials.
Processor seconds on one core.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.kernels.decomposition.latent_boards import TRUTH, board, write_csv
from tiebreak.estimate.exact import fit_exact
from tiebreak.kernels.decomposition.ep import fit_ep
from tiebreak.kernels.decomposition.laplace import fit_laplace

REPLICATES = 12
FACETS = tuple(TRUTH)
POOLED = {"B": 1.5, "BA": 0.5, "BM": 0.5, "BMA": 0.4, "I": 1.5, "IM": 0.6, "IA": 0.6}
POOLED |= {"M": 0.6, "A": 0.6, "MA": 0.3}
GIB = 2**30 if sys.platform == "darwin" else 2**20
GLMMTMB = """
suppressMessages(library(glmmTMB)); d <- read.csv("{path}"); t <- proc.time()
f <- glmmTMB(cbind(k, n - k) ~ 1 + {terms}, data = d, family = binomial)
t <- proc.time() - t; cat(t[["user.self"]] + t[["sys.self"]], sprintf("%.8f", logLik(f)))
"""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds, and the result."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def glmmtmb(layout: Any, facets: tuple[str, ...]) -> tuple[float, float] | None:
    """Seconds inside R and log-likelihood; None where it cannot run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.csv"
        write_csv(layout, facets, path)
        terms = " + ".join(f"(1 | {facet})" for facet in facets)
        script = GLMMTMB.format(path=path, terms=terms)
        try:
            run = subprocess.run(["Rscript", "-e", script], capture_output=True, check=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            return None
    seconds, value = run.stdout.split()
    return float(seconds), float(value)


def truth() -> None:
    """Bias over replicates."""
    rows: dict[str, list[np.ndarray]] = {"EP, maximum": [], "EP, posterior mean": [], "Laplace": []}
    for seed in range(REPLICATES):
        layout = board(100 + seed)
        rows["EP, maximum"].append(np.sqrt(fit_ep(layout, FACETS, prior="none").variance))
        fit = fit_ep(layout, FACETS, seed=seed)
        rows["EP, posterior mean"].append(fit.weights @ np.sqrt(fit.draws))
        rows["Laplace"].append(np.sqrt(fit_laplace(layout, FACETS).variance))
    print("sd".ljust(20), *(f"{facet:>12}" for facet in FACETS))
    print("truth".ljust(20), *(f"{sd:12.3f}" for sd in TRUTH.values()))
    for name, sds in rows.items():
        mean, error = np.mean(sds, axis=0), np.std(sds, axis=0, ddof=1) / np.sqrt(REPLICATES)
        cells = (f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True))
        print(name.ljust(20), *(f"{cell:>12}" for cell in cells))


def beside_r(layout: Any, facets: tuple[str, ...]) -> None:
    """One layout by EP, Laplace and glmmTMB."""
    ep, fit = timed(lambda: fit_ep(layout, facets))
    point, _ = timed(lambda: fit_ep(layout, facets, draws=0))
    laplace, ours = timed(lambda: fit_laplace(layout, facets))
    print(f"{layout.item.size} trials: EP point {point:.2f} s, EP with draws {ep:.2f} s,", end=" ")
    print(f"{fit.diagnostics['effective_draws']:.0f} effective; Laplace {laplace:.2f} s")
    theirs = glmmtmb(layout, facets)
    if theirs:
        print(f"  glmmTMB {theirs[0]:.2f} s: {theirs[0] / point:.1f} × EP's point,", end=" ")
        print(
            f"{theirs[0] / ep:.1f} × EP with draws, {theirs[0] / laplace:.1f} × Laplace;", end=" "
        )
        print(f"log-likelihoods apart by {abs(theirs[1] - ours.log_likelihood):.1e}")


def speed() -> None:
    """One benchmark."""
    for seed in (1, 2):
        beside_r(board(seed), FACETS)


def pooled() -> None:
    """Eight benchmarks of 100 items and 37 pairs."""
    beside_r(board(1, POOLED, items=(101,) * 8, grid=(20, 3)), tuple(POOLED))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / GIB
    print(f"  peak memory {peak:.2f} GiB")


def exact() -> None:
    """Effective draws a second of the worst component."""
    seconds, fit = timed(lambda: fit_exact(board(1), FACETS))
    found = fit.components.diagnostics
    print(
        f"exact: {found['sweeps']:.0f} sweeps in {seconds:.1f} s, R-hat {found['worst_rhat']:.4f},"
    )
    print(f"  {found['least_bulk']:.0f} effective, {found['least_bulk'] / seconds:.1f} a second")


if __name__ == "__main__":
    parts = {"truth": truth, "speed": speed, "exact": exact, "pooled": pooled}
    for name in sys.argv[1:] or parts:
        parts[name]()
