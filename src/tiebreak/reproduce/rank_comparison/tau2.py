"""Section V-D: what tau2-bench's public records cover, and its equal-domain target."""

from __future__ import annotations

import polars as pl

from tiebreak.questions.board import board
from tiebreak.readers import read
from tiebreak.reproduce.boards import largest_shift
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.reproduce import Value
from tiebreak.trials import Trials


def run(setting: Setting) -> Found:
    """Domain entries of the submissions; rates of the four primary systems from pass counts.

    The primary systems are those with a default-mode run on airline, retail and telecom. Their
    trial files are not public, but the released figures give the number of tasks solved 0 to 4
    times, so the rates, and no pairing of tasks.
    """
    p = setting.parameters
    submissions = read(setting.records["submissions"])
    primary = read(setting.records["pass_counts"], where=p["primary"])
    result = board(primary, target=p["target"], margin=p["margin"])
    figures: dict[str, Value] = {
        "submissions": submissions.configurations.height,
        "domains": _entries(submissions, p["domains"]),
        "primary": primary.configurations.height,
        "largest_shift": largest_shift(result),
    }
    return Found(figures, (result.provenance,))


def _entries(submissions: Trials, domains: list[str]) -> Value:
    """Domain entries that are not null, also where they state no pass rate."""
    stated = submissions.frame.filter(pl.col("status") != "not_run")["task"].cast(pl.String)
    return [int((stated == domain).sum()) for domain in domains]
