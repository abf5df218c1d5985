"""Scores as people write them → numbers in [0, 1]."""

from __future__ import annotations

import polars as pl

from tiebreak.errors import InputError, listed

YES = ("true", "yes", "y", "resolved", "success", "successful", "pass", "passed", "correct", "c", "solved", "1", "1.0")
NO = ("false", "no", "n", "unresolved", "failure", "failed", "fail", "unsuccessful", "incorrect", "i", "unsolved", "wrong", "0", "0.0")
UNKNOWN = ("", "unsure", "none", "null", "na", "n/a", "missing", "unknown", "-", "?")


def to_unit(values: pl.Series, groups: pl.Series | None, where: str) -> tuple[pl.Series, str | None]:
    """Turn a score column into floats in [0, 1] or null.

    Booleans, words (resolved, Successful, C/I …), fractions and percentages are recognised.
    ``groups`` (the configuration of each row) is used to tell a percentage column from one that
    mixes scales. Returns the column and a note on what was converted.

    Raises
    ------
    InputError
        NaN or infinite, negative or above 100, a mix of scales, or words that mean nothing.
    """
    if values.dtype == pl.Boolean:
        return values.cast(pl.Float64), None
    if values.dtype == pl.Null:
        return values.cast(pl.Float64), None
    if not values.dtype.is_numeric():
        return _words(values.cast(pl.String), groups, where)
    numbers = values.cast(pl.Float64)
    _check_finite(numbers, where)
    if (numbers.max() or 0.0) <= 1.0:
        return numbers, None
    _check_one_scale(numbers, groups, where)
    return numbers / 100.0, f"'{values.name}' is in percent: divided by 100"


def _words(text: pl.Series, groups: pl.Series | None, where: str) -> tuple[pl.Series, str | None]:
    lowered = text.str.strip_chars().str.to_lowercase()
    distinct = set(lowered.drop_nulls().unique())
    meaningless = distinct - {*YES, *NO, *UNKNOWN}
    if not meaningless:
        table = dict.fromkeys(YES, 1.0) | dict.fromkeys(NO, 0.0)
        return lowered.replace_strict(table, default=None, return_dtype=pl.Float64).alias(text.name), None
    blank = pl.when(pl.col("t").is_in(UNKNOWN)).then(None).otherwise(pl.col("t").str.strip_suffix("%"))
    numbers = lowered.to_frame("t").select(blank.cast(pl.Float64, strict=False))["t"].alias(text.name)
    unread = lowered.filter(numbers.is_null() & ~lowered.is_in(UNKNOWN) & lowered.is_not_null())
    if unread.len():
        raise InputError(
            f"column '{text.name}' holds values that are no scores",
            where=where,
            allowed="numbers in [0, 1], percentages, booleans, or words such as resolved/unresolved",
            got=listed(unread.unique().sort()),
        )
    return to_unit(numbers, groups, where)


def _check_finite(numbers: pl.Series, where: str) -> None:
    bad = (~numbers.is_finite() | (numbers < 0) | (numbers > 100)).fill_null(value=False)
    if bad.any():
        row = int(bad.arg_true()[0])
        raise InputError(
            f"{int(bad.sum())} values of column '{numbers.name}' are no scores",
            where=f"{where}, record {row + 1}",
            allowed="[0, 1], percentages up to 100, or empty for a missing outcome",
            got=str(numbers[row]),
        )


def _check_one_scale(numbers: pl.Series, groups: pl.Series | None, where: str) -> None:
    """A percentage column where some configuration never exceeds 1 (but is not all 0) mixes scales."""
    table = pl.DataFrame({"g": groups if groups is not None else pl.repeat("all", numbers.len(), eager=True), "v": numbers})
    top = table.group_by("g").agg(pl.col("v").max()).filter(pl.col("v") > 0).sort("g")
    fractions, percents = top.filter(pl.col("v") <= 1), top.filter(pl.col("v") > 1)
    if fractions.height:
        raise InputError(
            f"column '{numbers.name}' mixes fractions and percentages",
            where=where,
            allowed="one scale for all configurations",
            got=f"{listed(percents['g'], 3)} up to {percents['v'].max()}, "
            f"{listed(fractions['g'], 3)} up to {fractions['v'].max()}",
        )
