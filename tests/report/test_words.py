"""The estimand and the design in words."""

from __future__ import annotations

import pytest

from tiebreak.design import Design
from tiebreak.estimand import Estimand
from tiebreak.report.words import estimand_words


@pytest.mark.parametrize(
    ("estimand", "design", "said"),
    [
        ("label_source=official", Design(), "the mean outcome of one attempt at a task, as judged"),
        ("label_source=official", Design(), "by 'official', each task weighing the same."),
        ("target=equal:repo", Design(), "each repo weighing the same."),
        ("target=stated:d(x=0.5;y=0.5)", Design(), "with stated weights over d."),
        ("protocol=pass@3", Design(), "the chance that one of 3 attempts at a task succeeds"),
        ("protocol=pass^4", Design(), "the chance that all of 4 attempts at a task succeed"),
        ("missing=fail", Design(), "A missing outcome counts as a failure."),
        ("support=common", Design(), "on what all configurations ran."),
        ("utility=success-0.05*usd", Design(), "less 0.05 per USD spent"),
        ("utility=success-0.05*usd-0.001*s", Design(), "less 0.05 per USD and 0.001 per second"),
        ("missing=drop", Design(level=0.9), "about tasks like these, at 90 %."),
        ("target=equal:repo", Design(sampled="cells"), "about cells of repo like these"),
        ("", Design(claim="benchmark"), "exactly these tasks, run anew"),
        ("", Design(margin=0.05), "A gap below 5.0 points does not matter."),
    ],
)
def test_every_field_is_said(estimand, design, said):
    assert said in estimand_words(Estimand.parse(estimand), design)


def test_no_margin_and_no_missing_outcome_need_no_words():
    assert "matter" not in estimand_words(Estimand(), Design(margin=0.0))
    assert "issing" not in estimand_words(Estimand(), Design())
