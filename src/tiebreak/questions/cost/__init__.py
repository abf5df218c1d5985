"""Success against cost and time: who is on top at which price, and what a resolved task costs."""

from tiebreak.questions.cost.question import cost

__all__ = ["cost"]
