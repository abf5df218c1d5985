"""What repeated runs can claim: one configuration, a pair, failures and costs beside them."""

from tiebreak.questions.runs.question import runs

__all__ = ["runs"]
