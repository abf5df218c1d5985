"""Agreement of several labels of one trajectory by the same source."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tiebreak.kernels.agreement import confusion, rates, scott_pi
from tiebreak.questions.judge import number
from tiebreak.results.label_lines import Annotators
from tiebreak.trials import KEYS, Repeated, label_column


def annotators(repeated: Repeated | None, source: str, level: float) -> tuple[Annotators, ...]:
    """Pairs of labels under one key; none where no record was repeated.

    Rows that repeat a label because another source had several say nothing about this one, so a
    source whose rows agree under every key is still reported: they may be one label, copied.
    """
    if repeated is None:
        return ()
    rows = repeated.rows.sort(KEYS, maintain_order=True)
    groups = rows.group_by(KEYS, maintain_order=True).agg(label_column(source))
    pairs = [
        (str(task), first, second)
        for task, labels in zip(groups["task"], groups[label_column(source)], strict=True)
        for first, second in combinations([v for v in labels if v is not None], 2)
    ]
    missing = int(rows[label_column(source)].null_count())
    if not pairs:
        empty = None, None, None, None
        return (Annotators(source, repeated.rule, groups.height, 0, 0, *empty, missing),)
    tasks, first, second = zip(*pairs, strict=True)
    x, y = np.array(first), np.array(second)
    _, cluster = np.unique(tasks, return_inverse=True)
    same = (x == y).astype(float)
    agreement = rates(confusion(np.ones_like(same), same, cluster), level)["agreement"]
    return (
        Annotators(
            source=source,
            rule=repeated.rule,
            n=groups.height,
            n_pairs=len(pairs),
            disagree=int((same == 0).sum()),
            agreement=number(agreement.value),
            agreement_low=number(agreement.low),
            agreement_high=number(agreement.high),
            pi=number(scott_pi(x, y)),
            missing=missing,
        ),
    )
