"""Do two rankings agree: a board and another list of the same configurations, models, …?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Unpack

import numpy as np

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimate.contract import Array
from tiebreak.kernels.concordance import (
    Agreement,
    distance_agreement,
    kendall_agreement,
    mid_ranks,
    spearman_agreement,
)
from tiebreak.options import Options
from tiebreak.questions.board import board
from tiebreak.questions.judge import number
from tiebreak.results.board import BoardResult
from tiebreak.results.concord import AgreementLine, ConcordResult, RankedObject
from tiebreak.sentences import concord_headline
from tiebreak.trials import Trials

FEWEST = 3
STATISTICS: Mapping[str, tuple[Callable[[Array, Array, float], Agreement], int]] = {
    "Kendall tau-b": (kendall_agreement, 5),
    "Spearman rho": (spearman_agreement, 4),
    "distance correlation": (distance_agreement, 5),
}
"""Each statistic and the fewest objects that give it an interval."""


def concord(
    trials: Trials,
    other: Mapping[str, float] | Trials,
    *,
    by: str | None = None,
    named: str = "the other ranking",
    **options: Unpack[Options],
) -> ConcordResult:
    """Agreement of the board's scores with another ranking.

    Parameters
    ----------
    trials
        Checked records.
    other
        Values by name, larger is better, or other records, whose scores are taken under the same
        options.
    by
        ``configuration``, or a column of the configurations (model, scaffold, …): the score of
        one of its values is the mean over its configurations. By default whichever shares most
        names.
    named
        What the other ranking is called in words.
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`).

    Returns
    -------
    ConcordResult
        Kendall's τ_b, Spearman's ρ and the bias-corrected distance correlation over the names
        that both hold, with intervals (:mod:`tiebreak.kernels.concordance`).

    Raises
    ------
    SpecError
        No such column.
    InputError
        Fewer than three shared names, or a ranking in which all are tied.
    """
    found = board(trials, top=2, **options)
    by = by or _most_shared(trials, other)
    here = _values(trials, found, by)
    if isinstance(other, Trials):
        other = _values(other, board(other, top=2, **options), by)
    shared = sorted(here.keys() & other.keys(), key=lambda name: (-here[name], name))
    x, y = (np.array([values[name] for name in shared]) for values in (here, other))
    _check(trials, here, other, x, y)
    level = found.provenance.design.level
    lines = tuple(_line(name, x, y, level) for name in STATISTICS)
    ranks, theirs = mid_ranks(-x), mid_ranks(-y)
    rows = zip(shared, x, ranks, y, theirs, strict=True)
    return ConcordResult(
        by=by,
        other=named,
        agreements=lines,
        objects=tuple(
            RankedObject(n, float(a), float(r), float(b), float(s)) for n, a, r, b, s in rows
        ),
        only_here=tuple(sorted(here.keys() - other.keys())),
        only_there=tuple(sorted(other.keys() - here.keys())),
        answer=concord_headline(lines[0], len(shared), by, named, level),
        provenance=found.provenance,
    )


def _most_shared(trials: Trials, other: Mapping[str, float] | Trials) -> str:
    """The column with most names in both; the configuration where no other has more."""
    shared: dict[str, int] = {}
    for column in trials.configurations.columns:
        there = _named(other, column) if isinstance(other, Trials) else set(other)
        shared[column] = len(_named(trials, column) & there)
    return max(shared, key=lambda c: (shared[c], c == "configuration"))


def _named(trials: Trials, column: str) -> set[str]:
    table = trials.configurations
    return {str(v) for v in table[column].drop_nulls()} if column in table.columns else set()


def _values(trials: Trials, found: BoardResult, by: str) -> dict[str, float]:
    """Scores by configuration, or their means by a column."""
    scores = {s.configuration: s.score for s in found.standings if s.score is not None}
    if by == "configuration":
        return scores
    columns = [c for c in trials.configurations.columns if c != "configuration"]
    if by not in columns:
        raise SpecError(
            f"no configuration column '{by}'",
            where=trials.origin,
            allowed=listed(["configuration", *columns]),
        )
    groups: dict[str, list[float]] = defaultdict(list)
    for name, value in trials.configurations.select("configuration", by).iter_rows():
        if name in scores and value is not None:
            groups[str(value)].append(scores[name])
    return {value: sum(group) / len(group) for value, group in groups.items()}


def _check(
    trials: Trials, here: Mapping[str, float], other: Mapping[str, float], x: Array, y: Array
) -> None:
    if x.size < FEWEST:
        raise InputError(
            f"the two rankings share {x.size} names",
            where=trials.origin,
            allowed=f"{FEWEST} or more",
            got=f"here {listed(sorted(here), 3)}; there {listed(sorted(other), 3)}",
            hint="--by COLUMN matches by model or another column of the configurations",
        )
    for values, where in ((x, "here"), (y, "there")):
        if (values == values[0]).all():
            raise InputError(f"all shared names are tied {where}", got=f"{values[0]:g}")


def _line(name: str, x: Array, y: Array, level: float) -> AgreementLine:
    statistic, fewest = STATISTICS[name]
    found = statistic(x, y, level)
    values = {field: number(getattr(found, field)) for field in Agreement._fields}
    why = f"fewer than {fewest} names" if x.size < fewest else "agreement is perfect"
    reasons = {field: why for field, value in values.items() if value is None}
    return AgreementLine(name, **values, reasons=reasons)
