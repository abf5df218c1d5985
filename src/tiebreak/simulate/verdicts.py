"""Does the procedure recover known states? Controlled scenarios for the verdicts.

The check of section IV-A of the rank-comparison paper: two configurations a and b, four cells,
one true state per scenario. Bernoulli outcomes are drawn and the procedure is run blind: the
library's own panels, percentile bootstrap (matched tasks, within cells) and decisions.

The paper states neither its rates nor its sizes, so these truths are ours. One design serves all
scenarios: 720 tasks, observed mix 4 : 3 : 2 : 1, equal target. The rates are round numbers that
make each state plainly true:

================== ================= ==================================================
state              true gap a − b    how
================== ================= ==================================================
stable             +.150 / +.150     a leads by .150 in every cell
target-sensitive   +.030 / −.125     a leads where most tasks are, b in the small cells
unsupported        +.150 / +.150     as stable, but b has no trial in the fourth cell
verifier-sensitive +.150 / +.150     as stable; by the weak labels b leads by .151
underpowered       .000 / .000       the same rates, but for sampling a tie
================== ================= ==================================================

(observed mix / equal target). One number was fitted to the paper, the 720 tasks. Where the gap is
the same in every cell, the estimated movement has mean 0 and standard deviation
√Σ (π_x − n_x/n)² s_x²/n_x with s_x² = Var(Y_a) + Var(Y_b); for the stable rates that is .0141, so
that movement by point estimate exceeds the 2-point margin in 16 % of replicates (the paper: 47 of
300). What follows from it for the other rates was taken as it came; that of the tie is about the
coverage of the interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiebreak.decide import VERDICTS
from tiebreak.design import Design
from tiebreak.estimand import Estimand, Target
from tiebreak.panel import Panel, target_weights
from tiebreak.questions.judge import judge

Array = NDArray[np.float64]

SIZES = (288, 216, 144, 72)
"""Tasks per cell: the observed mix."""
CELLS = ("w", "x", "y", "z")
OFFICIAL, WEAK = "official", "weak"
"""Label sources; only the verifier-sensitive scenario has the second."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A known state.

    ``rates``: true success probabilities of a and of b by cell. ``weak``: for a and for b, the
    probability that the weak labels say success given an official success, and given a failure.
    ``missing_cell``: the cell in which b has no trial.
    """

    state: str
    rates: tuple[tuple[float, ...], tuple[float, ...]]
    weak: tuple[tuple[float, float], tuple[float, float]] | None = None
    missing_cell: int | None = None

    def gap(self, weights: Array) -> float:
        """True gap a − b under cell weights."""
        a, b = np.array(self.rates)
        return float(weights @ (a - b))


LEADING = ((0.75, 0.70, 0.65, 0.60), (0.60, 0.55, 0.50, 0.45))
SCENARIOS = (
    Scenario("stable", LEADING),
    Scenario("target-sensitive", ((0.75, 0.60, 0.35, 0.15), (0.40, 0.55, 0.70, 0.70))),
    Scenario("unsupported", LEADING, missing_cell=3),
    Scenario("verifier-sensitive", LEADING, weak=((0.80, 0.00), (1.00, 0.35))),
    Scenario("underpowered", ((0.65, 0.60, 0.55, 0.50), (0.65, 0.60, 0.55, 0.50))),
)


@dataclass(frozen=True, slots=True)
class Recovery:
    """How often each verdict was given in a scenario, over replicates.

    ``by_point`` counts the verdicts where target sensitivity is read off the point estimate,
    |movement| > margin, instead of the movement's interval.
    """

    state: str
    verdicts: dict[str, int]
    by_point: dict[str, int]

    @property
    def recovered(self) -> int:
        """Replicates whose verdict is the known state."""
        return self.verdicts[self.state]

    @property
    def modal(self) -> str:
        """The verdict given most often."""
        return max(self.verdicts, key=self.verdicts.__getitem__)


def replicate(scenario: Scenario, design: Design, times: int) -> Iterator[tuple[int, int]]:
    """Draw and judge a scenario many times.

    Parameters
    ----------
    scenario
        The known state.
    design
        How each replicate is judged; its seed, with the state, seeds everything that is drawn.
    times
        Number of replicates.

    Yields
    ------
    Per replicate the index of the verdict (in ``VERDICTS``), and of the one that follows where
    target sensitivity is read off the movement's point estimate.
    """
    rng = np.random.default_rng([design.seed, VERDICTS.index(scenario.state)])
    for _ in range(times):
        seeded = replace(design, seed=int(rng.integers(2**32)))
        yield _verdicts(draw_panels(scenario, rng), seeded)


def tally(state: str, replicates: Iterable[tuple[int, int]]) -> Recovery:
    """Count the verdicts of the replicates of a state."""
    counts = np.zeros((2, len(VERDICTS)), dtype=int)
    for verdicts in replicates:
        counts[(0, 1), verdicts] += 1
    by_rule = ({v: int(n) for v, n in zip(VERDICTS, row, strict=True)} for row in counts)
    return Recovery(state, *by_rule)


def _verdicts(panels: list[Panel], design: Design) -> tuple[int, int]:
    """Index of the verdict, and of the one with movement read off its point estimate."""
    judged = judge(panels[0], design, np.array([0]), np.array([1]), panels[1:])
    flags = {name: bool(judged.decisions.flags[name][0]) for name in VERDICTS}
    moved = bool(np.abs(judged.estimates.movement[0]) > design.margin)
    # A bound beyond the margin has its estimate beyond it, so the point rule only adds flags.
    point = {**flags, "target-sensitive": flags["target-sensitive"] or moved}
    first, by_point = (next(i for i, v in enumerate(VERDICTS) if f[v]) for f in (flags, point))
    return first, by_point


def draw_panels(scenario: Scenario, rng: np.random.Generator) -> list[Panel]:
    """Official outcomes of one replicate, and its weak labels where the scenario has them."""
    cells = np.repeat(np.arange(len(SIZES)), SIZES)
    rates = np.array(scenario.rates)[:, cells]
    official = (rng.random(rates.shape) < rates).astype(float)
    if scenario.missing_cell is not None:
        official[1, cells == scenario.missing_cell] = np.nan
    panels = [_panel(OFFICIAL, official, cells)]
    if scenario.weak is not None:
        given_success, given_failure = np.array(scenario.weak).T[:, :, None]
        chance = np.where(official == 1, given_success, given_failure)
        weak = (rng.random(chance.shape) < chance).astype(float)
        panels.append(_panel(WEAK, weak, cells))
    return panels


def _panel(source: str, values: Array, cells: NDArray[np.intp]) -> Panel:
    target = Target("equal", "cell")
    return Panel(
        estimand=Estimand(label_source=source, target=target),
        configurations=("a", "b"),
        tasks=tuple(map(str, range(cells.size))),
        values=values,
        ran=~np.isnan(values),
        cells=cells,
        cell_names=CELLS,
        weights=target_weights(target, cells, CELLS),
        by_task=False,
        max_runs=1,
    )
