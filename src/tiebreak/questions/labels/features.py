"""What calibrations know of a trajectory: labels, cell, and on request scores and configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tiebreak.errors import SpecError, listed
from tiebreak.estimate.calibration import Rows
from tiebreak.estimate.logistic import indicators
from tiebreak.questions.labels.labelled import Array, Index, Labels

Given = Literal["configuration", "score"]
GIVENS: tuple[Given, ...] = get_args(Given)


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Rows of the paired trajectories of ``sources``, and the configuration of each row."""

    sources: tuple[str, ...]
    rows: Rows
    configuration: Index

    @property
    def name(self) -> str:
        """The sources, joined."""
        return " + ".join(self.sources)


def check_given(given: Sequence[str]) -> tuple[Given, ...]:
    """What was asked for, in order and once each.

    Raises
    ------
    SpecError
        Something that no calibration knows.
    """
    strange = [g for g in given if g not in GIVENS]
    if strange:
        what = "calibrations know no such thing of a trajectory"
        raise SpecError(what, allowed=listed(GIVENS), got=listed(strange))
    return tuple(g for g in GIVENS if g in given)


def prepared(labels: Labels, sources: tuple[str, ...], given: Sequence[Given]) -> Prepared:
    """Trajectories that the reference and all these sources labelled; features as patterns."""
    at = labels.paired(*sources)
    cell, configuration = labels.task_cell[labels.task[at]], labels.configuration[at]
    parts = [_codes(labels.labels[s][at]) for s in sources]
    if "score" in given:
        parts += [_codes(labels.scores[s][at]) for s in sources if labels.graded(s)]
    parts.append((cell, indicators(np.arange(len(labels.cells)), len(labels.cells))))
    if "configuration" in given:
        k = len(labels.configurations)
        parts.append((configuration, indicators(np.arange(k), k)))
    pattern, design = _patterns(parts)
    rows = Rows(
        outcome=labels.reference[at],
        raw=labels.labels[sources[0]][at] if len(sources) == 1 else np.full(int(at.sum()), np.nan),
        pattern=pattern,
        design=design,
        task=labels.task[at],
        cell=cell,
        task_cell=labels.task_cell,
    )
    return Prepared(sources, rows, configuration)


def _codes(values: Array) -> tuple[Index, Array]:
    """Codes of a number and, per code, the number as a column."""
    levels, code = np.unique(values, return_inverse=True)
    return code.astype(np.intp), levels[:, None]


def _patterns(parts: list[tuple[Index, Array]]) -> tuple[Index, Array]:
    """Distinct combinations of codes as one code, and their columns behind one of ones.

    A part of a single level tells nothing and has no column.
    """
    key = np.zeros(parts[0][0].size, dtype=np.int64)
    for code, columns in parts:
        _, key = np.unique(key * len(columns) + code, return_inverse=True)
    _, first, pattern = np.unique(key, return_index=True, return_inverse=True)
    blocks = [columns[code[first]] for code, columns in parts if len(columns) > 1]
    design = np.concatenate([np.ones((first.size, 1)), *blocks], axis=1)
    return pattern.astype(np.intp), design
