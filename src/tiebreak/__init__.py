"""tiebreak: does the evidence support "A is better than B"?

Names load when first used, so that ``import tiebreak`` and ``tiebreak --help`` stay fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiebreak.errors import InputError, SpecError, TiebreakError
from tiebreak.version import __version__

if TYPE_CHECKING:
    from tiebreak.design import Design
    from tiebreak.distance import Distance
    from tiebreak.estimand import Estimand, Protocol, Target
    from tiebreak.questions.board import board
    from tiebreak.questions.compare import compare
    from tiebreak.questions.concord import concord
    from tiebreak.questions.cost import cost
    from tiebreak.questions.inspect import inspect
    from tiebreak.questions.labels import labels
    from tiebreak.questions.pairs import pairs
    from tiebreak.questions.permute import permute
    from tiebreak.questions.reliability import ranks, reliability
    from tiebreak.questions.runs import runs
    from tiebreak.questions.targets import targets
    from tiebreak.readers import read
    from tiebreak.report.page import write_report
    from tiebreak.trials import Trials

_HOMES = {
    "Design": "tiebreak.design",
    "Distance": "tiebreak.distance",
    "Estimand": "tiebreak.estimand",
    "Protocol": "tiebreak.estimand",
    "Target": "tiebreak.estimand",
    "Trials": "tiebreak.trials",
    "board": "tiebreak.questions.board",
    "compare": "tiebreak.questions.compare",
    "concord": "tiebreak.questions.concord",
    "cost": "tiebreak.questions.cost",
    "inspect": "tiebreak.questions.inspect",
    "labels": "tiebreak.questions.labels",
    "pairs": "tiebreak.questions.pairs",
    "permute": "tiebreak.questions.permute",
    "ranks": "tiebreak.questions.reliability",
    "read": "tiebreak.readers",
    "reliability": "tiebreak.questions.reliability",
    "runs": "tiebreak.questions.runs",
    "targets": "tiebreak.questions.targets",
    "write_report": "tiebreak.report.page",
}

__all__ = [
    "Design",
    "Distance",
    "Estimand",
    "InputError",
    "Protocol",
    "SpecError",
    "Target",
    "TiebreakError",
    "Trials",
    "__version__",
    "board",
    "compare",
    "concord",
    "cost",
    "inspect",
    "labels",
    "pairs",
    "permute",
    "ranks",
    "read",
    "reliability",
    "runs",
    "targets",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak' has no attribute '{name}'")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
