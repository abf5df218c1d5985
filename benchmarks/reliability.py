"""REML components beside lmer in one run, and pooled memory.

    OMP_NUM_THREADS=1 python benchmarks/reliability.py [one] [pooled] [bounds]

``one``: boards of 4,070 trials (37 pairs of 20 models and 4 scaffolds, 110 items); ``pooled``:
eight benchmarks, 29,896 trials, ten facets and the residual; ``bounds``: how often intervals of
the likelihood ratio hold small components. lmer is timed inside R, on the same scores, as it comes
and without the derivatives it checks afterwards; left out where Rscript or lme4 is not there.
Processor seconds on one core.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.kernels.decomposition.observed_boards import (
    ONE,
    OVER_BENCHMARKS,
    observed,
    write_trials,
)
from tiebreak.kernels.decomposition.layout import RESIDUAL
from tiebreak.kernels.decomposition.likelihood import outcomes_of, structure
from tiebreak.kernels.decomposition.moments import moments
from tiebreak.kernels.decomposition.profile import boundary_upper, profile
from tiebreak.kernels.decomposition.reml import fit_reml

GIB = 2**30 if sys.platform == "darwin" else 2**20
REPLICATES = 400
LMER = """
suppressMessages(library(lme4)); d <- read.csv("{path}")
for (derivatives in c(TRUE, FALSE)) {{
  t <- proc.time()
  f <- lmer(y ~ 1 + {terms}, data = d, control = lmerControl(calc.derivs = derivatives))
  t <- proc.time() - t
  cat(t[["user.self"]] + t[["sys.self"]], sprintf("%.8f", logLik(f)), "")
}}
"""


def lmer(drawn: Any, facets: tuple[str, ...]) -> list[float] | None:
    """Seconds inside R and log-likelihood, as it comes and without derivatives; None if absent."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trials.csv"
        write_trials(drawn, facets, path)
        terms = " + ".join(f"(1 | {facet})" for facet in facets if facet != RESIDUAL)
        script = LMER.format(path=path, terms=terms)
        try:
            run = subprocess.run(["Rscript", "-e", script], capture_output=True, check=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            return None
    return [float(word) for word in run.stdout.split()]


def beside_r(drawn: Any, facets: tuple[str, ...]) -> None:
    """One board by REML, moments and lmer."""
    layout = drawn[0]
    began = time.process_time()
    fit = fit_reml(layout, facets)
    ours = time.process_time() - began
    began = time.process_time()
    bounds = boundary_upper(layout, fit)
    bounding = time.process_time() - began
    began = time.process_time()
    moments(layout, facets)
    print(f"{drawn[1].size} trials: REML {ours:.3f} s,", end=" ")
    print(f"{int(np.isfinite(bounds).sum())} bounds at zero {bounding:.3f} s,", end=" ")
    print(f"Henderson {time.process_time() - began:.3f} s")
    theirs = lmer(drawn, facets)
    if theirs:
        seconds, value, plain, _ = theirs
        print(f"  lmer {seconds:.2f} s: {seconds / ours:.0f} × REML;", end=" ")
        print(f"without derivatives {plain:.2f} s: {plain / ours:.0f} ×;", end=" ")
        print(f"its log-likelihood is {value - fit.log_likelihood:+.1e} from ours")


def one() -> None:
    """One benchmark, the first fit not counted: it loads SciPy."""
    size: dict[str, Any] = {"items": (110,), "grid": (20, 4), "pairs": 37}
    fit_reml(observed(0, ONE, items=(8,), grid=(4, 3), pairs=6)[0], tuple(ONE))
    for seed in (1, 2, 3):
        beside_r(observed(seed, ONE, **size), tuple(ONE))


def pooled() -> None:
    """Eight benchmarks of 101 items and 37 pairs."""
    size: dict[str, Any] = {"items": (101,) * 8, "grid": (20, 3), "pairs": 37}
    beside_r(observed(1, OVER_BENCHMARKS, **size), tuple(OVER_BENCHMARKS))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / GIB
    print(f"  peak memory {peak:.2f} GiB")


def bounds() -> None:
    """Boards of 14 pairs and 15 items with a small component of models."""
    facets = ("I", "M", "IM", RESIDUAL)
    for sd in (0.03, 0.06, 0.12):
        truth = {facet: ONE[facet] for facet in facets} | {"M": sd}
        held, zeros = [], 0
        for seed in range(REPLICATES):
            layout = observed(seed, truth, items=(15,), grid=(8, 3), pairs=14)[0]
            fit = fit_reml(layout, facets)
            made, seen = structure(layout, facets), outcomes_of(layout)
            held.append(profile(made, seen, fit, 1, sd**2, fit.variance).drop < 3.8415)
            zeros += int(fit.at_boundary[1])
        mean, error = np.mean(held), np.std(held) / REPLICATES**0.5
        print(f"σ_M {sd}: {100 * mean:.1f} ± {100 * error:.1f} % held, {zeros} fits at zero")


if __name__ == "__main__":
    parts = {"one": one, "pooled": pooled, "bounds": bounds}
    for name in sys.argv[1:] or parts:
        parts[name]()
