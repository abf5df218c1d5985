"""What a fraction of all pairs says, and about whom."""

from tiebreak.questions.pairs.question import pairs

__all__ = ["pairs"]
