"""What runs add to the variance of every unit: crossed, nested, stated, paired or not."""

from __future__ import annotations

import numpy as np

from tiebreak.design import Design
from tiebreak.estimate.contract import Array, Index, Sample
from tiebreak.estimate.matched import unit_values
from tiebreak.kernels.components import RunSpread, add_spreads, crossed_spread, nested_spread
from tiebreak.kernels.moments import blocks
from tiebreak.repeats import Flags, Repeats


def run_spread(sample: Sample, weights: Array, design: Design) -> RunSpread | None:
    """The runs' part of the variance of cell weights (units, cells); None where none is seen.

    Where both of a pair have crossed runs of the same ids, it is that of the within-run paired
    differences; else that of either added up. Nested trials have a part of their own for the
    benchmark claim only: the variance of task means holds it already.
    """
    repeats, stated = sample.repeats, design.assume_run_sd
    if repeats is None and stated is None:
        return None
    tasks, ids = sample.cells.size, 1 if repeats is None else max(repeats.outcomes.shape[2], 1)
    parts = [
        _block(sample, weights, design, part) for part in blocks(sample.left.size, tasks * ids)
    ]
    return RunSpread(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def configuration_normals(sample: Sample, draws: int, rng: np.random.Generator) -> Array:
    """Standard normals, one row per configuration of the units."""
    last = max(int(i.max(initial=0)) for i in (sample.left, sample.right) if i is not None)
    return rng.standard_normal((last + 1, draws))


def unit_normals(own: Array, sample: Sample, part: slice) -> Array:
    """Standard normals (units, draws): pairs that share a configuration share half of them."""
    if sample.right is None:
        return own[sample.left[part]]
    both: Array = (own[sample.left[part]] - own[sample.right[part]]) / np.sqrt(2)
    return both


def _block(sample: Sample, weights: Array, design: Design, part: slice) -> RunSpread:
    w = _task_weights(sample, weights, part)
    left = sample.left[part]
    if sample.right is None:
        return _side(sample.repeats, left, w, design)
    right = sample.right[part]
    spread = add_spreads(
        _side(sample.repeats, left, w, design), _side(sample.repeats, right, w, design)
    )
    paired = _paired(sample.repeats, left, right)
    if sample.repeats is None or not paired.any():
        return spread
    moved = sample.repeats.deviations(left[paired]) - sample.repeats.deviations(right[paired])
    return _put(spread, paired, crossed_spread(moved, w[paired]))


def _task_weights(sample: Sample, weights: Array, part: slice) -> Array:
    """w_x/n_x on a unit's tasks, 0 elsewhere, (units, tasks)."""
    rows = np.broadcast_to(weights, sample.moments.n.shape)[part]
    each = np.nan_to_num(rows) / np.maximum(sample.moments.n[part], 1)
    known = ~np.isnan(unit_values(sample, part))
    return np.where(known, each[:, sample.cells], 0.0)


def _side(repeats: Repeats | None, rows: Index, w: Array, design: Design) -> RunSpread:
    """Spread of single configurations."""
    sd = design.assume_run_sd or 0.0
    n = rows.size
    total = w.sum(axis=1) ** 2  # a shock moves a score by all of it, a movement not at all
    spread = RunSpread(total * sd**2, np.zeros(n), np.full(n, np.inf))
    if repeats is None:
        return spread
    several = repeats.several[rows]
    spread = spread._replace(shared=np.where(several, 0.0, spread.shared))
    crossed = repeats.crossed[rows]
    if crossed.any():
        found = crossed_spread(repeats.deviations(rows[crossed]), w[crossed])
        spread = _put(spread, crossed, found)
    nested = several & ~crossed
    if nested.any() and design.claim == "benchmark":
        at = rows[nested]
        found = nested_spread(repeats.within[at], repeats.counts[at], w[nested])
        spread = _put(spread, nested, found)
    return spread


def _paired(repeats: Repeats | None, left: Index, right: Index) -> Flags:
    """Units whose two configurations have crossed runs of the same ids."""
    if repeats is None or not repeats.crossed.any():
        return np.zeros(left.size, dtype=bool)
    groups: dict[tuple[str, ...], int] = {(): -1}
    group = np.array(
        [groups.setdefault(repeats.ids(i), len(groups)) for i in range(repeats.crossed.size)]
    )
    same: Flags = (group[left] == group[right]) & (group[left] >= 0)
    return same


def _put(spread: RunSpread, at: Flags, found: RunSpread) -> RunSpread:
    """The spread with some units replaced."""
    out = [np.array(values, dtype=float) for values in spread]
    for values, new in zip(out, found, strict=True):
        values[at] = new
    return RunSpread(*out)
