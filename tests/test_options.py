"""Keywords of every question become specs; none is accepted and then ignored."""

from __future__ import annotations

import pytest

from tiebreak.design import Design
from tiebreak.errors import SpecError
from tiebreak.estimand import Estimand, Protocol, Target
from tiebreak.options import Options, find_configuration, specs

CHANGED = {
    "target": "equal:repo",
    "cells": "repo",
    "label_source": "judge",
    "protocol": "pass^2",
    "missing": "drop",
    "support": "common",
    "price": 0.05,
    "time_price": 0.001,
    "unpriced": "drop",
    "sampled": "cells",
    "interval": "percentile",
    "level": 0.9,
    "family": "holm",
    "margin": 0.05,
    "draws": 500,
    "seed": 7,
    "claim": "reliability",
    "runs": "nested",
    "assume_run_sd": 0.01,
    "estimator": "regression",
}


def test_the_list_of_options_here_is_whole():
    assert set(CHANGED) == set(Options.__annotations__)


@pytest.mark.parametrize("name", sorted(CHANGED))
def test_every_option_changes_a_spec(name):
    cells = {"cells": "repo"} if name == "sampled" else {}
    assert specs({name: CHANGED[name], **cells}) != specs(cells)


def test_nothing_given_is_the_default():
    assert specs({}) == (Estimand(), Design())
    assert specs({"level": None, "target": None}) == (Estimand(), Design())


def test_texts_and_values_are_the_same_thing():
    stated = Target.stated("repo", {"a": 1.0})
    assert specs({"target": stated, "protocol": Protocol("pass@", 2)}) == specs(
        {"target": str(stated), "protocol": "pass@2"}
    )


@pytest.mark.parametrize("unknown", ["margn", "levels", "bootstrap", "top"])
def test_an_unknown_keyword_is_refused_with_all_that_are_known(unknown):
    with pytest.raises(SpecError, match=f"unknown option; allowed: .*margin.*found: {unknown}"):
        specs({unknown: 1})


def test_cells_name_the_column_of_an_observed_target():
    assert specs({"cells": "repo"})[0].target == Target("observed", "repo")
    assert specs({"cells": "repo", "target": "equal:repo"})[0].target == Target("equal", "repo")


def test_two_columns_for_the_cells_are_refused():
    with pytest.raises(SpecError, match=r"two columns.*found: repo and domain"):
        specs({"target": "equal:repo", "cells": "domain"})


def test_sampled_cells_need_a_column():
    with pytest.raises(SpecError, match=r"--cells COLUMN or --target equal:COLUMN"):
        specs({"sampled": "cells"})


NAMES = ["gpt-4", "gpt-4-turbo", "Claude Opus", "qwen"]


@pytest.mark.parametrize(
    ("fragment", "name"),
    [("gpt-4", "gpt-4"), ("turbo", "gpt-4-turbo"), ("OPUS", "Claude Opus"), ("wen", "qwen")],
)
def test_a_name_or_a_fragment_of_one_name_finds_it(fragment, name):
    assert find_configuration(NAMES, fragment) == name


def test_an_ambiguous_fragment_lists_its_candidates():
    with pytest.raises(SpecError, match=r"'gpt' matches 2 .*found: gpt-4, gpt-4-turbo"):
        find_configuration(NAMES, "gpt")


@pytest.mark.parametrize(("fragment", "near"), [("gtp-4", "gpt-4"), ("zzzz", "Claude Opus, qwen")])
def test_a_name_that_matches_nothing_shows_what_there_is(fragment, near):
    with pytest.raises(SpecError, match=f"no configuration matches '{fragment}'.*{near}"):
        find_configuration(NAMES, fragment)
