"""tiebreak: does the evidence support "A is better than B"?"""

from __future__ import annotations

from tiebreak.errors import InputError, SpecError, TiebreakError
from tiebreak.read import read
from tiebreak.trials import Trials

__version__ = "0.1.0"

__all__ = ["InputError", "SpecError", "TiebreakError", "Trials", "__version__", "read"]
