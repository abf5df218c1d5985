"""Units as rows of task values: a configuration, or a pair on its matched tasks."""

from __future__ import annotations

from tiebreak.estimate.contract import Array, Sample


def unit_values(sample: Sample, part: slice) -> Array:
    """Values (or paired differences) of a block of units, (units, tasks), NaN where unmatched."""
    first = sample.values[sample.left[part]]
    return first if sample.right is None else first - sample.values[sample.right[part]]
