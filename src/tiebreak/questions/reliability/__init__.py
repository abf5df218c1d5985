"""What a ranking is about, and which source of noise limits it."""

from tiebreak.questions.reliability.question import reliability
from tiebreak.questions.reliability.ranks import ranks

__all__ = ["ranks", "reliability"]
