"""Which views each question's result has: the first is drawn unless another is named."""

from __future__ import annotations

from tiebreak.plots import board, compare, inspect, permute, runs, targets
from tiebreak.plots.parts import View
from tiebreak.results.board import BoardResult
from tiebreak.results.compare import CompareResult
from tiebreak.results.inspect import InspectResult
from tiebreak.results.permute import PermuteResult
from tiebreak.results.runs import RunsResult
from tiebreak.results.targets import TargetsResult

QUESTIONS: dict[str, tuple[type, tuple[View, ...]]] = {
    "inspect": (InspectResult, inspect.VIEWS),
    "board": (BoardResult, board.VIEWS),
    "compare": (CompareResult, compare.VIEWS),
    "targets": (TargetsResult, targets.VIEWS),
    "permute": (PermuteResult, permute.VIEWS),
    "runs": (RunsResult, runs.VIEWS),
}
