"""What more runs and tasks would buy, from the components found."""

from __future__ import annotations

import numpy as np

from tiebreak.design import Design
from tiebreak.kernels.planning import (
    Components,
    detectable_gap,
    enough_runs,
    planned_sd,
    sd_floor,
)
from tiebreak.panel import Array, Panel
from tiebreak.results.runs import ComponentLine, Plan, PlanStep

RUNS = (1, 2, 3, 5, 8, 10, 15)
GAIN = 0.001
"""A run that lowers the standard deviation by less than a tenth of a point buys little."""


def plan_lines(components: ComponentLine, panel: Panel, design: Design) -> Plan | None:
    """SD and detectable gap by number of runs, with this panel's number of tasks."""
    if components.task is None or components.task_run is None:
        return None
    found = Components(components.task, components.run or 0.0, components.task_run)
    n = int((~np.isnan(panel.values)).all(axis=0).sum())
    if not n:
        return None
    tasks = np.array(float(n))
    steps = tuple(
        PlanStep(
            runs=runs,
            sd_benchmark=_sd(found, tasks, runs, population=False),
            sd_population=(sd := _sd(found, tasks, runs, population=True)),
            detectable=round(float(detectable_gap(np.array(sd), level=design.level)), 12),
        )
        for runs in RUNS
    )
    return Plan(
        n_tasks=n,
        steps=steps,
        floor=round(sd_floor(found, n, population=True), 12),
        enough=enough_runs(found, n, gain=GAIN, population=True),
        gain=GAIN,
    )


def _sd(components: Components, tasks: Array, runs: int, *, population: bool) -> float:
    sd = planned_sd(components, tasks, np.array(float(runs)), population=population)
    return round(float(sd), 12)
