"""The Holistic Agent Leaderboard as its records are public: our figures beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tiebreak.errors import InputError
from tiebreak.questions.reliability import reliability
from tiebreak.readers import read
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reliability import FitLines, ReliabilityResult
from tiebreak.results.reproduce import Value


def _asked(folder: Path, name: str, engine: str) -> ReliabilityResult:
    return reliability(read(folder / f"{name}.db"), engine=engine, leave_out=False)


def _values(fit: FitLines) -> list[float]:
    """Equations 8, 3 and 4, medians over draws on the logit scale."""
    lines = {c.name: c for c in fit.coefficients}
    found = (lines["model"].unlimited_tasks, lines["model"].value, lines["system"].value)
    return [float(v) if v is not None else float("nan") for v in found]


def coefficients(setting: Setting) -> Found:
    """Table 16 by expectation propagation, one benchmark at a time."""
    results = {
        name: _asked(setting.records["folder"], name, "ep")
        for name in setting.parameters["benchmarks"]
    }
    figures: dict[str, Value] = {n: _values(r.parts[0].fits[0]) for n, r in results.items()}
    rows = np.array([figures[n] for n in results])
    figures["systems"] = [float(rows[:, 2].min()), float(rows[:, 2].max())]
    figures["models"] = [float(rows[:, 1].min()), float(rows[:, 1].max())]
    figures["largest_gain"] = float((rows[:, 0] - rows[:, 1]).max())
    return Found(figures, tuple(r.provenance for r in results.values()))


def shares(setting: Setting) -> Found:
    """SciCode: item, scaffold, model, item × scaffold, item × model, model × scaffold.

    The paper's distance components add up to one, so ours are divided by their sum here.
    """
    order = setting.parameters["facets"]
    figures: dict[str, Value] = {}
    results = [_asked(setting.records["folder"], "scicode", e) for e in ("reml", "disco")]
    for result in results:
        fit = result.parts[0].fits[0]
        found = {c.facet: c.share or 0.0 for c in fit.components}
        total = sum(found[facet] for facet in order) if fit.engine == "disco" else 1.0
        figures[fit.engine] = [found[facet] / total for facet in order]
    return Found(figures, tuple(r.provenance for r in results))


def transported(setting: Setting) -> Found:
    """τ_b of models' means, one row for each benchmark against those that come after it."""
    names = setting.parameters["benchmarks"]
    trials = read(setting.records["folder"])
    result = reliability(trials, engine="disco", leave_out=False)
    taus = {frozenset((row.a, row.b)): row.tau for row in result.transport}
    figures: dict[str, Value] = {
        name: [_shared(taus, name, other) for other in names[i + 1 :]]
        for i, name in enumerate(names[:-1])
    }
    return Found(figures, (result.provenance,))


def _shared(taus: Mapping[frozenset[str], float | None], a: str, b: str) -> float:
    """τ_b of two benchmarks.

    Raises
    ------
    InputError
        Too few models ran on both.
    """
    tau = taus.get(frozenset((a, b)))
    if tau is None:
        raise InputError("two benchmarks share too few models to rank", got=f"{a} and {b}")
    return tau


def subsampled(setting: Setting) -> Found:
    """Means over benchmarks of ρ, τ and agreement on the top, at each number of tasks kept."""
    p = setting.parameters
    results = [_asked(setting.records["folder"], name, "disco") for name in p["benchmarks"]]
    rows = [{row.k: row for row in r.parts[0].subsampling} for r in results]
    figures: dict[str, Value] = {}
    for field in ("rho", "tau", "top"):
        figures[field] = [
            float(np.mean([getattr(row[k], field) for row in rows if k in row])) for k in p["kept"]
        ]
    return Found(figures, tuple(r.provenance for r in results))
