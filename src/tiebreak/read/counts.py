"""Successes in a number of trials → one row per trial."""

from __future__ import annotations

import polars as pl

from tiebreak.errors import InputError

TOLERANCE = 1e-6
"""How far rate × count may be from a whole number (rates are printed with about 7 digits)."""


def expand_counts(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Expand (successes | score, count) per configuration and task into 0/1 trials.

    The runs are numbered 1 to count, successes first: their order carries no information.

    Raises
    ------
    InputError
        A count that is not a positive whole number, or successes that are not whole or exceed it.
    """
    successes = pl.col("successes") if "successes" in frame.columns else pl.col("score") * pl.col("count")
    counted = frame.with_columns(
        pl.col("count").cast(pl.Float64), successes.cast(pl.Float64).alias("successes")
    )
    whole = (pl.col("successes") - pl.col("successes").round()).abs() <= TOLERANCE
    in_range = pl.col("successes").is_between(-TOLERANCE, pl.col("count") + TOLERANCE)
    sane = (pl.col("count") >= 1) & (pl.col("count") == pl.col("count").round())
    bad = counted.filter(~(whole & in_range & sane).fill_null(value=False))
    if bad.height:
        row = bad.row(0, named=True)
        raise InputError(
            f"{bad.height} records whose successes and count do not make trials",
            where=f"{where}, configuration '{row['configuration']}', task '{row['task']}'",
            allowed="whole successes between 0 and a whole count of at least 1",
            got=f"{row['successes']} of {row['count']}",
        )
    runs = counted.with_columns(run=pl.int_ranges(1, pl.col("count").cast(pl.Int64) + 1)).explode("run")
    scored = runs.with_columns(score=(pl.col("run") <= pl.col("successes").round()).cast(pl.Float64))
    return scored.with_columns(pl.col("run").cast(pl.String)).drop("successes", "count")
