"""Which weighting makes whom win: one module per section, ``question`` puts them together."""

from tiebreak.questions.targets.question import targets

__all__ = ["targets"]
