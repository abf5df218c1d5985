"""How every source errs against the reference: overall, per configuration, per cell."""

from __future__ import annotations

import numpy as np

from tiebreak.kernels.agreement import STATISTICS, EqualRates, Rate, confusion, equal_rates, rates
from tiebreak.questions.judge import number
from tiebreak.questions.labels.labelled import Array, Flags, Index, Labels
from tiebreak.results.label_lines import Equality, ErrorLine, RateValue

EMPTY = {
    "bias": "no paired label",
    "agreement": "no paired label",
    "fpr": "the reference says failure nowhere here",
    "fnr": "the reference says success nowhere here",
    "recall": "the reference says success nowhere here",
    "precision": "the source says success nowhere here",
    "f1": "neither says success here",
    "kappa": "both give one label to all: chance alone agrees",
}
ALL_LINES = "all"


def overall(labels: Labels, source: str, level: float) -> ErrorLine:
    """Errors on all paired trajectories."""
    return _line(ALL_LINES, labels, source, labels.paired(source), level)


def by_configuration(labels: Labels, source: str, level: float) -> tuple[ErrorLine, ...]:
    """Errors on the trajectories of each configuration."""
    return _by_group(labels, source, labels.configuration, labels.configurations, level)


def by_cell(labels: Labels, source: str, level: float) -> tuple[ErrorLine, ...]:
    """Errors on the trajectories of each cell; none where there is one cell."""
    if len(labels.cells) < 2:
        return ()
    return _by_group(labels, source, labels.task_cell[labels.task], labels.cells, level)


def _by_group(
    labels: Labels, source: str, groups: Index, names: tuple[str, ...], level: float
) -> tuple[ErrorLine, ...]:
    paired = labels.paired(source)
    return tuple(
        _line(name, labels, source, paired & (groups == g), level) for g, name in enumerate(names)
    )


def _line(name: str, labels: Labels, source: str, rows: Flags, level: float) -> ErrorLine:
    reference, own = labels.reference[rows], labels.labels[source][rows]
    tasks, cluster = np.unique(labels.task[rows], return_inverse=True)
    found = rates(confusion(reference, own, cluster), level)
    values = {s: _value(found[s]) for s in STATISTICS}
    return ErrorLine(
        name=name,
        n=int(rows.sum()),
        n_tasks=tasks.size,
        n_successes=int(reference.sum()),
        rates=values,
        reasons={s: EMPTY[s] for s, v in values.items() if v.value is None},
    )


def _value(rate: Rate) -> RateValue:
    return RateValue(number(rate.value), number(rate.low), number(rate.high))


def equality(labels: Labels, source: str) -> dict[str, Equality]:
    """Whether bias and error rates are the same for all configurations."""
    paired = labels.paired(source)
    reference, own = labels.reference, labels.labels[source]
    parts: dict[str, tuple[Flags, Array]] = {
        "bias": (paired, own - reference),
        "fpr": (paired & (reference == 0), own),
        "fnr": (paired & (reference == 1), 1 - own),
    }
    return {
        name: _equality(equal_rates(error[rows], labels.configuration[rows], labels.task[rows]))
        for name, (rows, error) in parts.items()
    }


def _equality(test: EqualRates) -> Equality:
    statistic, df1, df2, p = (number(v) for v in test)
    reason = "no error, or fewer than two configurations to compare" if p is None else None
    return Equality(statistic, df1, df2, p, reason)
