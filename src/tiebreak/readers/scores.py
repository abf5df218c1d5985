"""Scores as people write them → numbers in [0, 1]."""

from __future__ import annotations

import polars as pl

from tiebreak.errors import InputError, listed

YES = (
    "true", "yes", "y", "resolved", "success", "successful", "pass", "passed", "correct", "c",
    "solved", "1", "1.0",
)  # fmt: skip
NO = (
    "false", "no", "n", "unresolved", "failure", "failed", "fail", "unsuccessful", "incorrect",
    "i", "unsolved", "wrong", "0", "0.0",
)  # fmt: skip
UNKNOWN = ("", "unsure", "none", "null", "na", "n/a", "missing", "unknown", "-", "?")
LEAST_PERCENT = 10.0
"""A column that exceeds 1 but not this may be on a 5- or 10-point scale: no percentages."""


def to_unit(
    values: pl.Series, groups: pl.Series | None, where: str
) -> tuple[pl.Series, str | None]:
    """Turn a score column into floats in [0, 1] or null.

    Booleans, words (resolved, Successful, C/I …), fractions and percentages are recognised.
    ``groups`` (the configuration of each row) is used to tell a percentage column from one that
    mixes scales. Returns the column and a note on what was converted.

    Raises
    ------
    InputError
        NaN or infinite, negative or above 100, a mix of scales, a scale that could be another
        than percent, or words that mean nothing.
    """
    dtype = values.dtype
    if dtype in (pl.Boolean, pl.Null):
        return values.cast(pl.Float64), None
    if dtype == pl.String or dtype == pl.Categorical or isinstance(dtype, pl.Enum):
        return _words(values.cast(pl.String), groups, where)
    if not dtype.is_numeric():
        raise InputError(
            f"column '{values.name}' holds no scores",
            where=where,
            allowed="numbers, booleans or words",
            got=f"values of type {dtype}",
        )
    return _numbers(values.cast(pl.Float64), groups, where)


def _numbers(
    numbers: pl.Series, groups: pl.Series | None, where: str
) -> tuple[pl.Series, str | None]:
    _check_finite(numbers, where)
    if _top(numbers) <= 1.0:
        return numbers, None
    _check_one_scale(numbers, groups, where)
    return numbers / 100.0, _percent_note(numbers.name)


def _words(text: pl.Series, groups: pl.Series | None, where: str) -> tuple[pl.Series, str | None]:
    """Distinct texts are few, so they are understood once and looked up for every row."""
    raw = text.drop_nulls().unique()
    table = raw.str.strip_chars().str.to_lowercase().to_frame("word").with_columns(raw.alias("raw"))
    if table["word"].is_in([*YES, *NO, *UNKNOWN]).all():
        table = table.with_columns(number=_lookup(table["word"]))
        return _looked_up(text, table), None
    said = table.filter(~pl.col("word").is_in(UNKNOWN)).with_columns(
        percent=pl.col("word").str.ends_with("%"),
        number=pl.col("word").str.strip_suffix("%").cast(pl.Float64, strict=False),
    )
    _check_numbers(said, text.name, where)
    numbers = _looked_up(text, said)
    if not said["percent"].any():
        return _numbers(numbers, groups, where)
    _check_finite(numbers, where)
    return numbers / 100.0, _percent_note(text.name)


def _lookup(words: pl.Series) -> pl.Series:
    table = dict.fromkeys(YES, 1.0) | dict.fromkeys(NO, 0.0)
    return words.replace_strict(table, default=None, return_dtype=pl.Float64)


def _looked_up(text: pl.Series, table: pl.DataFrame) -> pl.Series:
    return text.replace_strict(
        table["raw"], table["number"], default=None, return_dtype=pl.Float64
    ).alias(text.name)


def _check_numbers(said: pl.DataFrame, name: str, where: str) -> None:
    unread = said.filter(pl.col("number").is_null())["raw"]
    if unread.len():
        raise InputError(
            f"column '{name}' holds values that are no scores",
            where=where,
            allowed="numbers in [0, 1], percentages, booleans, or words: resolved/unresolved …",
            got=listed(unread.sort()),
        )
    if said["percent"].any() and not said["percent"].all():
        raise InputError(
            f"column '{name}' has a percent sign in some rows only",
            where=where,
            allowed="one scale for all rows",
            got=listed(said.sort("percent", "raw").group_by("percent").first()["raw"].sort()),
        )


def _check_finite(numbers: pl.Series, where: str) -> None:
    bad = (~numbers.is_finite() | (numbers < 0) | (numbers > 100)).fill_null(value=False)
    if bad.any():
        row = int(bad.arg_max() or 0)
        raise InputError(
            f"{int(bad.sum())} values of column '{numbers.name}' are no scores",
            where=f"{where}, record {row + 1}",
            allowed="[0, 1], percentages up to 100, or empty for a missing outcome",
            got=str(numbers[row]),
        )


def _check_one_scale(numbers: pl.Series, groups: pl.Series | None, where: str) -> None:
    """Refuse a column above 1 where some configuration looks like fractions, or all is small.

    A configuration looks like fractions where most of its values other than 0 are at most 1.
    """
    if _top(numbers) <= LEAST_PERCENT:
        raise InputError(
            f"column '{numbers.name}' exceeds 1 but is no percentage",
            where=where,
            allowed=f"fractions in [0, 1], or percentages that reach above {LEAST_PERCENT:g}",
            got=f"at most {_top(numbers):g}",
            hint="divide by the largest possible score first",
        )
    group = groups if groups is not None else pl.repeat("all", numbers.len(), eager=True)
    values = pl.DataFrame({"g": group, "v": numbers}).filter(pl.col("v") > 0)
    shape = values.group_by("g").agg(
        (pl.col("v") <= 1).mean().alias("small"), pl.col("v").max().alias("top")
    )
    shape = shape.with_columns(pl.col("g").cast(pl.String)).sort("g")
    fractions, percents = shape.filter(pl.col("small") > 0.5), shape.filter(pl.col("small") <= 0.5)
    if fractions.height:
        raise InputError(
            f"column '{numbers.name}' mixes fractions and percentages",
            where=where,
            allowed="one scale for all configurations",
            got=f"{listed(percents['g'], 3) or 'none'} up to {_top(numbers):g}, most values of "
            f"{listed(fractions['g'], 3)} at most 1",
        )


def _top(numbers: pl.Series) -> float:
    top = numbers.max()
    return float(top) if isinstance(top, float) else 0.0


def _percent_note(name: str) -> str:
    return f"'{name}' is in percent: divided by 100"
