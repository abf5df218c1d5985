"""The ground distance of a Wasserstein radius: by task columns, or stated between cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.errors import SpecError, listed

PREFIX = "gower:"
SAME = 1e-9
"""Two entries of a stated matrix that are this close are equal."""


@dataclass(frozen=True, slots=True)
class Distance:
    """Either ``columns`` (Gower's distance between tasks) or a ``matrix`` between ``cells``.

    Raises
    ------
    SpecError
        Neither or both; a matrix that is not square, symmetric and non-negative with a zero
        diagonal; a cell named twice.
    """

    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    matrix: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        if bool(self.columns) == bool(self.cells):
            raise _unknown("nothing" if not self.columns else "both columns and a matrix")
        if self.cells:
            _check(self.cells, self.matrix)

    def __str__(self) -> str:
        return PREFIX + ",".join(self.columns) if self.columns else f"{len(self.cells)} cells"

    @classmethod
    def parse(cls, text: str) -> Distance:
        """Read ``gower:COLUMN,COLUMN``."""
        columns = tuple(c.strip() for c in text.removeprefix(PREFIX).split(","))
        if not text.startswith(PREFIX) or not all(columns):
            raise _unknown(text)
        if len(set(columns)) < len(columns):
            raise SpecError("a distance names a column twice", got=text)
        return cls(columns=columns)

    @classmethod
    def stated(cls, cells: Sequence[str], matrix: Sequence[Sequence[float]]) -> Distance:
        """A matrix of distances between cells, rows and columns in the order of ``cells``."""
        rows = tuple(tuple(float(v) for v in row) for row in matrix)
        return cls(cells=tuple(str(c) for c in cells), matrix=rows)


def _unknown(got: str) -> SpecError:
    return SpecError(
        "unknown distance", allowed="gower:COLUMN,COLUMN,… or a file with a matrix", got=got
    )


def _check(cells: tuple[str, ...], matrix: tuple[tuple[float, ...], ...]) -> None:
    twice = sorted({c for c in cells if cells.count(c) > 1})
    if twice:
        raise SpecError("a distance matrix names a cell twice", got=listed(twice))
    if len(matrix) != len(cells) or any(len(row) != len(cells) for row in matrix):
        widths = listed(sorted({len(row) for row in matrix}))
        raise SpecError(
            "a distance matrix is not square",
            allowed=f"{len(cells)} rows of {len(cells)} numbers",
            got=f"{len(matrix)} rows of {widths}",
        )
    for i, a in enumerate(cells):
        for j, b in enumerate(cells):
            _check_entry(f"{a} to {b}", matrix[i][j], matrix[j][i], same=i == j)


def _check_entry(where: str, there: float, back: float, *, same: bool) -> None:
    fault = (
        (not (math.isfinite(there) and there >= 0), "negative or not finite", "numbers ≥ 0"),
        (same and there != 0, "not 0 on its diagonal", "0 from a cell to itself"),
        (abs(there - back) > SAME, "not symmetric", f"{back:g}, as on the way back"),
    )
    for found, what, allowed in fault:
        if found:
            raise SpecError(
                f"a distance matrix is {what}", where=where, allowed=allowed, got=f"{there:g}"
            )
