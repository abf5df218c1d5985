"""Two ways to average over pairs: every pair alike, or every pair of blocks alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.pair_counts.rules import PairRule

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class BlockMeans(NamedTuple):
    """Σ h over pairs with one end in each block, (B, B), and the number of such pairs.

    The diagonal counts the pairs within a block once.
    """

    totals: Array
    pairs: Array

    @property
    def between(self) -> list[tuple[float, int]]:
        """Total and number of pairs of every pair of distinct blocks."""
        rows, columns = np.triu_indices(len(self.totals), 1)
        return [
            (float(self.totals[i, j]), int(self.pairs[i, j]))
            for i, j in zip(rows, columns, strict=True)
        ]


def block_means(rule: PairRule, blocks: Index, n_blocks: int) -> BlockMeans:
    """Totals by pair of blocks, from M × B products.

    Parameters
    ----------
    blocks
        Block of every configuration, (M,), 0 to B − 1.
    """
    hot = (blocks[:, None] == np.arange(n_blocks)).astype(float)
    totals, sizes = hot.T @ rule.apply(hot), hot.sum(axis=0)
    pairs = np.outer(sizes, sizes)
    within = np.arange(n_blocks)
    totals[within, within] /= 2
    pairs[within, within] = sizes * (sizes - 1) / 2
    return BlockMeans(totals, pairs)
