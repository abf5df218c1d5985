"""The observed cells of a sparse model × scaffold × item design, and the facets it may identify."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]

RESIDUAL: Final = "residual"
ONE_BENCHMARK: Final = ("I", "M", "A", "IM", "IA", "MA", RESIDUAL)
"""Facets of one benchmark; ``IMA`` joins where cells hold repeated runs."""
POOLED: Final = ("B", "BA", "BM", "BMA", "I", "IM", "IA", "M", "A", "MA", RESIDUAL)
"""Facets over benchmarks; items are nested in benchmarks, so I, IM, IA are I[B], IM[B], IA[B]."""
ITEM_FACETS: Final = ("I", "IM", "IA", "IMA")
PAIR_FACETS: Final = ("B", "BA", "BM", "BMA", "M", "A", "MA")
"""Facets constant over items given the pair: the pair's own effects."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Cells sorted by item, then pair; a pair is one (model, scaffold, benchmark).

    Attributes
    ----------
    model, scaffold, benchmark : (P,) level of each pair, counted from 0 without holes
    item, pair : (N,) of each observed cell; every cell occurs once
    mean : (N,) mean score of the cell's trials, in [0, 1]
    trials : (N,) how many trials that mean holds, ≥ 1
    within : (N,) Σ (score − mean)² over the cell's trials
    """

    model: Index
    scaffold: Index
    benchmark: Index
    item: Index
    pair: Index
    mean: Array
    trials: Array
    within: Array

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.item.max()) + 1

    @property
    def repeated(self) -> bool:
        """Whether any cell holds more than one trial."""
        return bool((self.trials > 1).any())

    def levels(self, facet: str) -> Index:
        """Level of every cell under a facet, counted from 0 without holes.

        ``IMA`` has one level a cell; so has the residual where no cell is repeated.
        """
        columns = {
            "I": self.item,
            "M": self.model[self.pair],
            "A": self.scaffold[self.pair],
            "B": self.benchmark[self.pair],
        }
        letters = "IMA" if facet == RESIDUAL else facet
        levels = np.zeros(self.item.size, dtype=np.intp)
        for letter in letters:
            joint = levels * (int(columns[letter].max()) + 1) + columns[letter]
            levels = np.unique(joint, return_inverse=True)[1].astype(np.intp)
        return levels
