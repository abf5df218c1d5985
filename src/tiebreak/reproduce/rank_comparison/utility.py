"""Section V-D: at which price another of the four primary tau2-bench systems comes out on top."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import polars as pl

from tiebreak.errors import InputError
from tiebreak.questions.cost import cost
from tiebreak.readers import read
from tiebreak.reproduce.contract import Found, Setting
from tiebreak.results.cost import CostResult
from tiebreak.results.reproduce import Value

LINE = re.compile(r"^(\S+)\s+([0-9.]+)\s+[0-9.]+\s*$", re.MULTILINE)
"""A model, its agent's mean cost, its user's."""


def run(setting: Setting) -> Found:
    """Success from the counts of tasks solved 0 to 4 times, cost from the released table of means.

    That table has one mean per model over all of its trials (of all domains and modes), so a
    domain of many trials weighs more in it; costs per domain are not public.
    """
    p = setting.parameters
    trials = read(setting.records["pass_counts"], where=p["primary"])
    dollars = mean_costs(setting.records["costs"])
    name = pl.col("configuration").cast(pl.String)
    prices = name.replace_strict(dollars, default=None, return_dtype=pl.Float64)
    priced = replace(trials, frame=trials.frame.with_columns(cost_usd=prices))
    equal, mix = cost(priced, target=p["target"]), cost(priced)
    figures: dict[str, Value] = {
        "first": equal.switches.first or "nobody",
        "second": equal.switches.lines[0].after,
        "switch": _switch(equal),
        "switch_mix": _switch(mix),
    }
    return Found(figures, (equal.provenance,))


def _switch(result: CostResult) -> float:
    return result.switches.lines[0].price


def mean_costs(path: Path) -> dict[str, float]:
    """Mean cost of the agent per trajectory, USD, by model: the first of the two tables.

    Raises
    ------
    InputError
        No such table.
    """
    first = path.read_text(encoding="utf-8").partition("Sum cost")[0]
    found = {model: float(dollars) for model, dollars in LINE.findall(first)}
    if not found:
        raise InputError("no table of mean costs", where=str(path), allowed="model, cost, cost")
    return found
