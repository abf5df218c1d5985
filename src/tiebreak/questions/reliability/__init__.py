"""What a ranking is about, and which source of noise limits it."""

from tiebreak.questions.reliability.question import reliability

__all__ = ["reliability"]
