"""Successes in a number of trials → one row per trial."""

from __future__ import annotations

import polars as pl

from tiebreak.errors import InputError

TOLERANCE = 1e-6
"""How far rate × count may be from a whole number (rates are printed with about 7 digits)."""


MOST_TRIALS = 100_000_000
"""Expanded trials beyond this do not fit memory, and speak of a wrong column."""


def with_rates(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Grouped records: ``score`` from ``successes`` where they are given, counts checked.

    Raises
    ------
    InputError
        A count that is not a positive whole number, or successes that exceed it.
    """
    _refuse(frame.filter(~_sane().fill_null(value=False)), where, "count")
    if "successes" not in frame.columns:
        return frame
    in_range = pl.col("successes").is_between(0, pl.col("count"))
    _refuse(frame.filter(~in_range.fill_null(value=False)), where, "successes")
    return frame.with_columns(score=pl.col("successes") / pl.col("count")).drop("successes")


def expand_counts(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Expand (successes | score, count) per configuration and task into 0/1 trials.

    The runs are numbered 1 to count, successes first: their order carries no information.

    Raises
    ------
    InputError
        A count that is not a positive whole number, or successes that are not whole or exceed it.
    """
    successes = (
        pl.col("successes") if "successes" in frame.columns else pl.col("score") * pl.col("count")
    )
    counted = frame.with_columns(
        pl.col("count").cast(pl.Float64), successes.cast(pl.Float64).alias("successes")
    )
    whole = (pl.col("successes") - pl.col("successes").round()).abs() <= TOLERANCE
    in_range = pl.col("successes").is_between(-TOLERANCE, pl.col("count") + TOLERANCE)
    _refuse(
        counted.filter(~(whole & in_range & _sane()).fill_null(value=False)), where, "successes"
    )
    total = counted["count"].sum()
    if total > MOST_TRIALS:
        allowed = f"at most {MOST_TRIALS:,} trials"
        raise InputError("too many trials", where=where, allowed=allowed, got=f"{total:,.0f}")
    runs = counted.with_columns(run=pl.int_ranges(1, pl.col("count").cast(pl.Int64) + 1))
    runs = runs.explode("run")
    scored = runs.with_columns(
        score=(pl.col("run") <= pl.col("successes").round()).cast(pl.Float64)
    )
    return scored.with_columns(pl.col("run").cast(pl.String)).drop("successes", "count")


def _sane() -> pl.Expr:
    count = pl.col("count").cast(pl.Float64)
    return count.is_finite() & (count >= 1) & (count == count.round())


def _refuse(bad: pl.DataFrame, where: str, what: str) -> None:
    if not bad.height:
        return
    row = bad.row(0, named=True)
    task = row.get("task") or "?"
    raise InputError(
        f"{bad.height} records whose {what} cannot be a count of trials",
        where=f"{where}, configuration '{row['configuration']}', task '{task}'",
        allowed="whole successes between 0 and a whole count of at least 1",
        got=f"{row.get('successes', row.get('score'))} of {row['count']}",
    )
