"""Which views each question's result has: the first is drawn unless another is named."""

from __future__ import annotations

from tiebreak.plots import (
    board,
    compare,
    cost,
    inspect,
    labels,
    pair_counts,
    permute,
    ranks,
    reliability,
    runs,
    targets,
)
from tiebreak.plots.parts import View
from tiebreak.results.board import BoardResult
from tiebreak.results.compare import CompareResult
from tiebreak.results.cost import CostResult
from tiebreak.results.inspect import InspectResult
from tiebreak.results.labels import LabelsResult
from tiebreak.results.pair_counts import PairCountResult
from tiebreak.results.permute import PermuteResult
from tiebreak.results.ranks import RanksResult
from tiebreak.results.reliability import ReliabilityResult
from tiebreak.results.runs import RunsResult
from tiebreak.results.targets import TargetsResult

QUESTIONS: dict[str, tuple[type, tuple[View, ...]]] = {
    "inspect": (InspectResult, inspect.VIEWS),
    "board": (BoardResult, board.VIEWS),
    "compare": (CompareResult, compare.VIEWS),
    "targets": (TargetsResult, targets.VIEWS),
    "permute": (PermuteResult, permute.VIEWS),
    "runs": (RunsResult, runs.VIEWS),
    "labels": (LabelsResult, labels.VIEWS),
    "cost": (CostResult, cost.VIEWS),
    "pairs": (PairCountResult, pair_counts.VIEWS),
    "reliability": (ReliabilityResult, reliability.VIEWS),
    "ranks": (RanksResult, ranks.VIEWS),
}
