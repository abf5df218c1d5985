"""What a page needs to redo scores and gaps at other weights, margins and prices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class WhatIf:
    """Arrays of one estimand, configurations in the order of the board's pairs (raw score).

    Parameters
    ----------
    configurations, cells
        Names.
    weights
        The target, (cells,). ``by_task``: it weighs tasks by themselves, so a score needs every
        task to have been run.
    observed, observed_by_task
        The same of the observed mix.
    rates, mass
        Mean task value and number of tasks (grouped records: trials), (configurations, cells);
        a rate is NaN where the mass is 0.
    task_values, task_cells
        Task-level values, (configurations, tasks), and their cells, where some configuration
        lacks a task, so that matched gaps are not differences of rates; else None.
    ran
        Where a configuration has trials, (configurations, tasks), with ``task_values``.
    all_ran
        Configurations that ran every task, (configurations,).
    disagree_below
        Per judged pair the largest margin at which label sources select opposite practical
        winners; NaN where they do at none.
    costs
        Mean cost of a trial in USD, (configurations, cells); NaN where some trial is unpriced.
    unit
        What the mass counts.
    """

    configurations: tuple[str, ...]
    cells: tuple[str, ...]
    weights: Array
    by_task: bool
    observed: Array
    observed_by_task: bool
    rates: Array
    mass: Array
    task_values: Array | None
    task_cells: NDArray[np.intp] | None
    ran: NDArray[np.bool_] | None
    all_ran: NDArray[np.bool_]
    disagree_below: Array
    costs: Array
    unit: str
