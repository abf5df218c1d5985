"""Blocks of configurations: the mean over all pairs beside the one that weighs blocks alike."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tiebreak.errors import InputError, SpecError, listed
from tiebreak.kernels.pair_counts.blocks import block_means
from tiebreak.kernels.pair_counts.rules import PairRule
from tiebreak.questions.pairs.asked import Unlabelled
from tiebreak.questions.pairs.exact import SAFE, Board
from tiebreak.results.pair_counts import BlockMeans, PairFraction
from tiebreak.trials import Trials

DECIMALS = 10**12


def block_line(
    rule: PairRule, board: Board, trials: Trials, column: str, unlabelled: Unlabelled
) -> BlockMeans:
    """A and E over the same configurations, as ratios where totals are exact in floats."""
    labels, kept = _labels(board, trials, column, unlabelled)
    names = [labels[i] or f"(unlabelled) {board.names[i]}" for i in kept]
    ids = sorted(set(names))
    index = np.full(board.size, len(ids), dtype=np.intp)  # one more block: those left out
    index[kept] = [ids.index(n) for n in names]
    a, e = _means(rule, index, len(ids))
    exact = rule.scale * board.size**2 < SAFE
    n = len(ids)
    return BlockMeans(
        column=column,
        a=a.value,
        e=float(e),
        difference=float(Fraction(a.numerator, a.denominator) - e),
        a_exact=f"{a.numerator}/{a.denominator}" if exact else None,
        e_exact=str(e) if exact else None,
        n_blocks=n,
        n_block_pairs=n * (n - 1) // 2,
        unlabelled=sum(b is None for b in labels),
        unlabelled_are=unlabelled,
        members={b: names.count(b) for b in ids},
    )


def _means(rule: PairRule, index: np.ndarray, n: int) -> tuple[PairFraction, Fraction]:
    """A over all pairs of the first n blocks, E over the pairs of distinct ones."""
    found = block_means(rule, index, n + 1)
    unit = rule.scale if rule.scale * rule.size**2 < SAFE else DECIMALS
    totals = [[Fraction(round(t * unit), unit) for t in row] for row in found.totals.tolist()]
    pairs = found.pairs.astype(int).tolist()
    between = [(i, j) for i in range(n) for j in range(i)]
    e = sum((totals[i][j] / pairs[i][j] for i, j in between), Fraction(0)) / len(between)
    everything = [*between, *((i, i) for i in range(n))]
    total = sum((totals[i][j] for i, j in everything), Fraction(0))
    return PairFraction.of(total, sum(pairs[i][j] for i, j in everything)), e


def _labels(
    board: Board, trials: Trials, column: str, unlabelled: Unlabelled
) -> tuple[list[str | None], list[int]]:
    """Label of every configuration and the rows that take part.

    Raises
    ------
    SpecError
        No such column of the configurations.
    InputError
        No label at all, or a single block.
    """
    columns = [c for c in trials.configurations.columns if c != "configuration"]
    if column not in columns:
        raise SpecError(
            f"no configuration column '{column}' to form blocks from",
            where=trials.origin,
            allowed=listed(columns) or "none: the records hold no configuration column",
            hint="a column that is blank or the same for everybody forms no blocks",
        )
    named = dict(trials.configurations.select("configuration", column).iter_rows())
    labels = [_label(named[name]) for name in board.names]
    if not any(labels):
        what = f"column '{column}' labels no configuration"
        raise InputError(what, where=trials.origin, got=f"{board.size} blank values")
    kept = [i for i, b in enumerate(labels) if b is not None or unlabelled == "alone"]
    alone = sum(b is None for b in labels) if unlabelled == "alone" else 0
    if len({b for b in labels if b is not None}) + alone < 2:
        raise InputError(
            f"column '{column}' forms one block: there are no pairs between blocks",
            where=trials.origin,
            got=next(b for b in labels if b is not None),
            allowed="two blocks or more",
        )
    return labels, kept


def _label(value: object) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None
