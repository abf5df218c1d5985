"""Do standardization and calibration come nearer to a known target? Section IV-B, rank comparison.

Four configurations on assistant, web, visual and work tasks. The number of tasks of each kind is
drawn from the mixture .45 : .30 : .05 : .20, the target weighs the kinds equally. Expert labels are
Bernoulli with the rates below; weak labels are right with a probability of the kind of task and the
expert's label alone, the same for every configuration.

The paper states the mixture and the target, and neither rates nor sizes nor error rates: these
truths are ours, round numbers set so that each of its six errors comes out near the published one.
The number of tasks sets that of direct standardization, the slope of the rates over kinds that of
the raw score, the false positives those of the weak labels, the visual tasks (on which the
configurations differ most) that of the regression, and the spread of the configurations, which a
calibration that does not know them shrinks, that of the calibration. So agreement shows that the
pattern is possible, not that the paper's settings were these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.design import Design
from tiebreak.estimand import Estimand, Target
from tiebreak.estimate.calibration import Rows, held_out, task_folds
from tiebreak.estimate.logistic import indicators
from tiebreak.estimate.scores import estimate_scores
from tiebreak.kernels.moments import score_moments
from tiebreak.panel import Panel, common_support, target_weights

Array = NDArray[np.float64]
Index = NDArray[np.intp]

KINDS = ("assistant", "web", "visual", "work")
MIXTURE = (0.45, 0.30, 0.05, 0.20)
TASKS = 1400
CONFIGURATIONS = ("a", "b", "c", "d")
RATES = (
    (0.36, 0.33, 0.35, 0.30),
    (0.35, 0.32, 0.24, 0.30),
    (0.33, 0.30, 0.30, 0.25),
    (0.31, 0.28, 0.19, 0.28),
)
"""Expert success by configuration and kind."""
FALSE_POSITIVE = (0.22, 0.18, 0.05, 0.03)
FALSE_NEGATIVE = 0.14
"""Errors of the weak labels: by kind, and the same for all."""
ESTIMATORS = ("raw", "direct", "regression", "calibrated", "weak_direct", "weak_raw")
FOLDS = 5
TARGET = Target("equal", "kind")


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One replicate: expert and weak labels (configurations, tasks), tasks ordered by kind."""

    expert: Array
    weak: Array
    kind: Index

    def panel(self, values: Array) -> Panel:
        """Labels under the equal target."""
        return Panel(
            estimand=Estimand(target=TARGET),
            configurations=CONFIGURATIONS,
            tasks=tuple(map(str, range(self.kind.size))),
            values=values,
            ran=~np.isnan(values),
            cells=self.kind,
            cell_names=KINDS,
            weights=target_weights(TARGET, self.kind, KINDS),
            by_task=False,
            max_runs=1,
        )


def truth() -> Array:
    """Expert success of every configuration under the equal target."""
    mean: Array = np.array(RATES).mean(axis=1)
    return mean


def draw(rng: np.random.Generator, *, missing: bool = False) -> Drawn:
    """One replicate; ``missing``: the last configuration has no visual task."""
    counts = np.maximum(rng.multinomial(TASKS, MIXTURE), 1)
    kind = np.repeat(np.arange(len(KINDS)), counts)
    rates = np.array(RATES)[:, kind]
    expert = (rng.random(rates.shape) < rates).astype(float)
    says = np.where(expert == 1, 1 - FALSE_NEGATIVE, np.array(FALSE_POSITIVE)[kind])
    weak = (rng.random(rates.shape) < says).astype(float)
    if missing:
        expert[-1, kind == KINDS.index("visual")] = np.nan
    return Drawn(expert, weak, kind)


def errors(drawn: Drawn, rng: np.random.Generator) -> dict[str, float]:
    """Mean absolute error of every estimator over the configurations."""
    panel, design, true = drawn.panel(drawn.expert), Design(), truth()
    regression = estimate_scores(panel, replace(design, estimator="regression")).score
    found = {
        "raw": drawn.expert.mean(axis=1),
        "direct": _standardized(drawn.expert, drawn.kind),
        "regression": regression,
        "calibrated": _standardized(calibrated(drawn, rng), drawn.kind),
        "weak_direct": _standardized(drawn.weak, drawn.kind),
        "weak_raw": drawn.weak.mean(axis=1),
    }
    return {name: float(np.abs(found[name] - true).mean()) for name in ESTIMATORS}


def _standardized(values: Array, kind: Index) -> Array:
    """Direct standardization to equal weights."""
    means: Array = score_moments(values, kind, len(KINDS)).mean
    score: Array = means.mean(axis=1)
    return score


def calibrated(drawn: Drawn, rng: np.random.Generator) -> Array:
    """Cross-fitted P(expert | weak label, kind) of every trajectory, folds of tasks."""
    (k, n), kinds = drawn.expert.shape, len(KINDS)
    task, kind = np.tile(np.arange(n), k), np.tile(drawn.kind, k)
    weak = drawn.weak.ravel().astype(np.intp)
    label, where = np.divmod(np.arange(2 * kinds), kinds)
    parts = [np.ones((label.size, 1)), label[:, None].astype(float), indicators(where, kinds)]
    rows = Rows(
        outcome=drawn.expert.ravel(),
        raw=drawn.weak.ravel(),
        pattern=weak * kinds + kind,
        design=np.concatenate(parts, axis=1),
        task=task,
        cell=kind,
        task_cell=drawn.kind,
    )
    fold = task_folds(drawn.kind, FOLDS, rng)[task]
    held = held_out(rows, fold, FOLDS, np.full(task.size, 1 / task.size))
    return held.predicted.reshape(k, n)


def replicate(seed: int, times: int) -> Iterator[dict[str, float]]:
    """Errors of many replicates."""
    rng = np.random.default_rng([seed, 4])
    for _ in range(times):
        yield errors(draw(rng), rng)


def missing_support(seed: int, times: int) -> tuple[int, float]:
    """Replicates in which the full target is unsupported, and the common target's mean error.

    The last configuration has no visual task, so it has no score under the full target; under the
    target of the three other kinds everybody has one.
    """
    rng = np.random.default_rng([seed, 5])
    rates = np.delete(np.array(RATES), KINDS.index("visual"), axis=1).mean(axis=1)
    unsupported, off = 0, []
    for _ in range(times):
        panel = (drawn := draw(rng, missing=True)).panel(drawn.expert)
        unsupported += bool(np.isnan(estimate_scores(panel, Design()).score[-1]))
        common = estimate_scores(common_support(panel), Design()).score
        off.append(float(np.abs(common - rates).mean()))
    return unsupported, float(np.mean(off))
