"""Who says it was solved: label sources against a reference."""

from tiebreak.questions.labels.question import labels

__all__ = ["labels"]
