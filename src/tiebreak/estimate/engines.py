"""Which engine a design asks for."""

from __future__ import annotations

from tiebreak.design import Design
from tiebreak.estimate.benchmark import BenchmarkEngine
from tiebreak.estimate.bootstrap import BootstrapEngine
from tiebreak.estimate.contract import Engine, Sample
from tiebreak.estimate.moderated import ModeratedEngine
from tiebreak.estimate.wild import WildEngine


def make_engine(sample: Sample, design: Design) -> Engine:
    """``t``: moderated variances; ``percentile``: bootstrap; ``wild``: restricted wild cluster.

    The benchmark claim has an engine of its own: tasks are not sampled.
    """
    if design.claim == "benchmark":
        return BenchmarkEngine(sample, design)
    if design.interval == "percentile":
        return BootstrapEngine(sample, design)
    return (
        WildEngine(sample, design) if design.interval == "wild" else ModeratedEngine(sample, design)
    )
