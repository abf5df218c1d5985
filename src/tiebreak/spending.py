"""What trials spend: dollars and seconds per trial, and which configurations have a price.

A cost of 0 or null is unpriced, not free (a time of 0 or null is not measured). Trials are left out
of a utility where they are unpriced; under the rule ``zero`` they count as free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.errors import InputError, listed
from tiebreak.estimand import Estimand
from tiebreak.trials import Accounting, Trials

Array = NDArray[np.float64]

USD, SECONDS = "cost_usd", "duration_s"
UNITS = {USD: "price", SECONDS: "duration"}
MOST = {USD: 1e5, SECONDS: 1e8}
"""A trial of more dollars or seconds than this (3 years) is a unit gone wrong."""
UNPRICED_CONFIGURATION = "unpriced configuration"


@dataclass(frozen=True, slots=True)
class Coverage:
    """Trials of a configuration that have a price (or a duration), of those that ran."""

    configuration: str
    trials: int
    priced: int

    @property
    def share(self) -> float:
        """Share of the trials with a price."""
        return self.priced / self.trials if self.trials else 0.0


def spent(trials: Trials, column: str, *, free: bool = False) -> Array:
    """Dollars or seconds of every trial, NaN where unknown (0 where ``free``).

    Raises
    ------
    InputError
        A negative, infinite or absurd value.
    """
    if column not in trials.frame.columns:
        return np.full(trials.frame.height, 0.0 if free else np.nan)
    stated: Array = trials.frame[column].cast(pl.Float64).to_numpy()
    _check_values(trials, column, stated)
    known = np.nan_to_num(stated) > 0
    return np.where(known, stated, 0.0 if free else np.nan)


def _check_values(trials: Trials, column: str, stated: Array) -> None:
    """A null is fine, also one that is NaN; what is below 0 or beyond reason is not."""
    with np.errstate(invalid="ignore"):
        bad = (stated < 0) | (stated > MOST[column])
    if not bad.any():
        return
    row = trials.frame.row(int(np.argmax(bad)), named=True)
    raise InputError(
        f"{int(bad.sum())} values of {column} are negative or absurd",
        where=f"configuration '{row['configuration']}', task '{row['task']}'",
        allowed=f"0 to {MOST[column]:,.0f} per trial, or empty where unknown",
        got=f"{row[column]:g}",
    )


def penalties(trials: Trials, estimand: Estimand) -> Array | None:
    """λ·cost + μ·duration of every trial, NaN where unknown; None where success is all."""
    utility, free = estimand.utility, estimand.unpriced == "zero"
    if not utility:
        return None
    total = np.zeros(trials.frame.height)
    for column in _needed(estimand):
        price = utility.price if column == USD else utility.time_price
        total += price * spent(trials, column, free=free)
    return total


def coverage(trials: Trials, column: str) -> tuple[Coverage, ...]:
    """How many trials of each configuration have a price, or a duration."""
    ran = (trials.frame["status"] != "not_run").to_numpy()
    known = ~np.isnan(spent(trials, column)) & ran
    rows = trials.frame["configuration"].to_physical().to_numpy()
    names = trials.configurations["configuration"].to_list()
    all_, priced = (np.bincount(rows[kept], minlength=len(names)) for kept in (ran, known))
    counts = zip(names, all_, priced, strict=True)
    return tuple(Coverage(name, int(n), int(k)) for name, n, k in counts)


def with_prices(trials: Trials, estimand: Estimand) -> Trials:
    """The trials that a utility can be about.

    Configurations without any price block it, unless the rule for them says how they enter.

    Raises
    ------
    InputError
        A configuration without any price under no rule, or too few that have one.
    """
    if not estimand.utility or estimand.unpriced == "zero":
        return trials
    without = {
        c.configuration: column
        for column in _needed(estimand)
        for c in coverage(trials, column)
        if not c.priced
    }
    if not without:
        return trials
    kept = [n for n in trials.configurations["configuration"] if n not in without]
    if estimand.unpriced == "drop" and len(kept) > 1:
        return left_out(trials, kept)
    _refuse(trials, without)
    return trials


def _needed(estimand: Estimand) -> list[str]:
    """The columns that a utility is about."""
    prices = zip(UNITS, (estimand.utility.price, estimand.utility.time_price), strict=True)
    return [column for column, price in prices if price]


def priced_shares(trials: Trials, estimand: Estimand) -> dict[str, float]:
    """Share of the trials of every configuration that have all that the utility needs."""
    shares: dict[str, float] = {}
    for column in _needed(estimand):
        for c in coverage(trials, column):
            shares[c.configuration] = min(shares.get(c.configuration, 1.0), round(c.share, 12))
    return shares


def left_out(trials: Trials, kept: list[str]) -> Trials:
    """Without the unpriced configurations, whose trials are accounted for under that name."""
    only = trials.only(kept)
    excluded = dict(trials.accounting.excluded)
    excluded[UNPRICED_CONFIGURATION] = trials.frame.height - only.frame.height
    return replace(only, accounting=Accounting(trials.accounting.read, only.frame.height, excluded))


def _refuse(trials: Trials, without: dict[str, str]) -> None:
    column = next(iter(without.values()))
    noun = UNITS[column]
    several = trials.configurations.height - len(without) > 1
    leave = ", --unpriced drop leaves such out" if several else ""
    raise InputError(
        f"no trial of {listed(without, 4)} has a {noun}: a {column} of 0 or nothing is not free",
        where=trials.origin,
        allowed=f"a {noun} in some trial of every compared configuration",
        hint=f"--unpriced zero counts it as 0{leave}",
    )
