"""Lines of targets over the cells of common support, in rational weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tiebreak.errors import SpecError, listed
from tiebreak.estimate.contract import Array
from tiebreak.kernels.crossovers import exact_sweep_ends
from tiebreak.questions.targets.setup import Setup
from tiebreak.results.weight_lines import PathLine

MOST_TASKS = 10**7
"""Observed and equal weights have denominators below this, so their floats name one ratio."""
Weights = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """From ``start`` at weight 0 to ``end`` at weight 1; ``axis`` says what the weight is of."""

    name: str
    axis: str
    start: Weights
    end: Weights

    def ends(self) -> tuple[Array, Array]:
        """Both ends as floats."""
        return np.array(self.start, dtype=float), np.array(self.end, dtype=float)


def make_paths(setup: Setup, sweep: str | None) -> tuple[Path, ...]:
    """The sweep of a cell (rest equal, then rest observed), or lines from the observed mix.

    Raises
    ------
    SpecError
        A swept cell that does not exist, or lies outside common support.
    """
    if sweep is None:
        return _lines(setup)
    if len(setup.cells) < 2:
        raise SpecError("one cell in common support: nothing to sweep", got=listed(setup.cells))
    if sweep not in setup.cells:
        outside = sweep in setup.panel.cell_names
        raise SpecError(
            "the swept cell lies outside common support" if outside else "no such cell to sweep",
            allowed=listed(setup.cells, 20),
            got=sweep,
        )
    at, even = setup.cells.index(sweep), Fraction(1, len(setup.cells))
    equal = exact_sweep_ends([even] * len(setup.cells), at)
    observed = target_ratios(setup, 0)
    axis, paths = f"weight of {sweep}", [Path(f"{sweep}, rest equal", f"weight of {sweep}", *equal)]
    if observed is not None and observed[at] != 1:
        mixed = exact_sweep_ends(observed, at)
        paths += [Path(f"{sweep}, rest observed", axis, *mixed)] * (mixed != equal)
    return tuple(paths)


def _lines(setup: Setup) -> tuple[Path, ...]:
    """From the observed mix to every other target that has weight on common support."""
    mixes = [target_ratios(setup, i) for i in range(len(setup.prepared))]
    names = [target_name(setup, i) for i in range(len(setup.prepared))]
    start = mixes[0]
    if start is None:
        return ()
    return tuple(
        Path(f"{names[0]} to {name}", f"share of {name}", start, end)
        for name, end in zip(names[1:], mixes[1:], strict=True)
        if end is not None and end != start
    )


def target_name(setup: Setup, at: int) -> str:
    """Canonical text of a target; stated weights are long, so they are numbered."""
    target = setup.prepared[at].panel.estimand.target
    if target.kind != "stated":
        return str(target)
    stated = [
        i for i, p in enumerate(setup.prepared) if p.panel.estimand.target.kind == target.kind
    ]
    number = f" {stated.index(at) + 1}" if len(stated) > 1 else ""
    return f"stated:{target.column}{number}"


def target_ratios(setup: Setup, at: int) -> Weights | None:
    """A target's weights on common support as ratios; None where it has none there."""
    panel = setup.prepared[at].panel
    stated = dict(panel.estimand.target.weights)
    weights = [
        Fraction(repr(stated[panel.cell_names[x]]))
        if stated
        else Fraction(float(panel.weights[x])).limit_denominator(MOST_TASKS)
        for x in setup.common
    ]
    total = sum(weights)
    return tuple(w / total for w in weights) if total else None


def path_lines(setup: Setup, paths: tuple[Path, ...]) -> tuple[PathLine, ...]:
    """The paths as results."""
    return tuple(
        PathLine(path.name, path.axis, _mix(setup, path.start), _mix(setup, path.end))
        for path in paths
    )


def _mix(setup: Setup, weights: Weights) -> dict[str, float]:
    return {c: float(w) for c, w in zip(setup.cells, weights, strict=True)}
