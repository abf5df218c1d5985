"""Are the configurations of a board exchangeable within tasks? Labels permuted, gaps recomputed."""

from __future__ import annotations

from typing import Any, Literal, Unpack, get_args

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimand import Target
from tiebreak.estimate.contract import Array, Index, contrast
from tiebreak.estimate.pairs import fit_pairs
from tiebreak.kernels.moments import all_pairs, score_moments
from tiebreak.kernels.permutation import Exchange, exchange, plus_one_p
from tiebreak.options import Options, specs
from tiebreak.panel import Panel
from tiebreak.progress import track
from tiebreak.questions.judge import number
from tiebreak.questions.prepare import prepare
from tiebreak.questions.targets.setup import check_cells
from tiebreak.results.permute import PermuteResult
from tiebreak.sentences import permute_headline
from tiebreak.trials import Trials

Gap = Literal["matched", "standardized"]
GAPS: tuple[Gap, ...] = get_args(Gap)
IDLE = {"sampled", "interval", "family", "draws", "claim", "runs", "assume_run_sd", "estimator"}
"""Options about intervals and models: here there are none."""
REFERENCE = (0.05, 0.5, 0.9, 0.95, 0.99)


def permute(
    trials: Trials, *, permutations: int = 1000, gap: Gap = "matched", **options: Unpack[Options]
) -> PermuteResult:
    """Does the board differ from one whose configurations are exchangeable within tasks?

    Parameters
    ----------
    trials
        Checked item records.
    permutations
        How often the labels of every task are permuted; the runs of a task stay together.
    gap
        ``matched``: on the tasks that both of a pair have; ``standardized``: the difference of
        the two scores. They differ where configurations lack tasks.
    options
        Fields of the estimand and the design. ``cells`` without a target means equal weights
        over these cells.

    Returns
    -------
    PermuteResult
        The largest absolute gap of all pairs and the number of practical gaps, against their
        distributions over permuted boards, with plus-one p values.

    Raises
    ------
    SpecError, InputError
        Grouped records, or records without a task that two configurations share.
    """
    _check(permutations, gap, options)
    estimand, design = specs(_balanced(options))
    if estimand.target.column is not None:
        check_cells(trials, estimand.target)
    prepared = prepare(trials, estimand, design)
    panel = prepared.panel
    _check_panel(trials, panel)
    check = exchange(panel.values, *_weighted_cells(panel), design.margin, matched=gap == "matched")
    n_pairs = check.gaps(np.zeros((1, *panel.values.T.shape))).shape[1]
    _check_pairs(trials, panel, n_pairs)
    found = _statistics(check, permutations, design.seed)
    a, b = _largest_pair(panel, design, gap)
    return PermuteResult(
        n=permutations,
        gap=gap,
        n_pairs=n_pairs,
        max_gap_a=a,
        max_gap_b=b,
        **found,
        answer=permute_headline(found, gap, design.alpha),
        provenance=prepared.provenance,
    )


def _statistics(check: Exchange, permutations: int, seed: int) -> dict[str, Any]:
    """Both statistics of the board, their references and plus-one p values."""
    observed = check.observed()
    largest, counts = _permuted(check, permutations, seed)
    top, practical = float(observed.max_gap[0]), int(observed.practical_gaps[0])
    return {
        "max_gap": number(top),
        "max_gap_reference": _quantiles(largest),
        "max_gap_reference_95": number(np.quantile(largest, 0.95)),
        "max_gap_p": plus_one_p(largest, top),
        "practical_gaps": practical,
        "practical_gaps_reference": _quantiles(counts),
        "practical_gaps_p": plus_one_p(counts, practical),
    }


def _check(permutations: int, gap: str, options: Options) -> None:
    idle = sorted({name for name, value in options.items() if value is not None} & IDLE)
    if idle:
        raise SpecError(
            "an option that a permutation check has no use for",
            got=listed(idle),
            allowed=listed(sorted(set(Options.__annotations__) - IDLE), 20),
        )
    if not 20 <= permutations <= 10**7:
        raise SpecError(
            "too few or too many permutations", allowed="20 to 10,000,000", got=str(permutations)
        )
    if gap not in GAPS:
        raise SpecError("unknown gap", allowed=listed(GAPS), got=gap)


def _balanced(options: Options) -> Options:
    """``cells`` without a target: equal weights over them."""
    column = options.get("cells")
    if column is None or options.get("target") is not None:
        return options
    return {**options, "target": Target("equal", column)}


def _check_panel(trials: Trials, panel: Panel) -> None:
    if panel.counts is not None:
        raise InputError(
            "grouped records hold no tasks to permute within",
            where=trials.origin,
            allowed="one record per configuration, task and run",
        )
    if not ((~np.isnan(panel.values)).sum(axis=0) > 1).any():
        raise InputError(
            "no task is shared by two configurations, so no labels can be permuted",
            where=trials.origin,
            got=listed(panel.configurations),
        )


def _check_pairs(trials: Trials, panel: Panel, n_pairs: int) -> None:
    if not n_pairs:
        raise InputError(
            "the target puts weight where no two configurations have scores",
            where=trials.origin,
            got=str(panel.estimand.target),
            hint="restrict it to common support: --support common",
        )


def _weighted_cells(panel: Panel) -> tuple[Index, Array]:
    """An observed mix weighs tasks by themselves: for it all tasks are one cell."""
    if panel.by_task:
        return np.zeros_like(panel.cells), np.ones(1)
    return panel.cells, panel.weights


def _permuted(check: Exchange, permutations: int, seed: int) -> tuple[Array, Array]:
    """Largest gap and number of practical gaps of every permuted board."""
    blocks = check.permuted(permutations, np.random.default_rng(seed))
    boards = (
        board for part in blocks for board in zip(part.max_gap, part.practical_gaps, strict=True)
    )
    largest, counts = np.array(list(track(boards, permutations, "permutations"))).T
    return largest, counts


def _largest_pair(panel: Panel, design: Design, gap: Gap) -> tuple[str, str]:
    """Whose gap is the largest, the one ahead first."""
    left, right = all_pairs(len(panel.configurations))
    if gap == "matched":
        gaps = fit_pairs(panel, design, left, right).estimates(design).gap
    else:
        cells, weights = _weighted_cells(panel)
        moments = score_moments(panel.values, cells, weights.size)
        scores = contrast(moments, np.tile(weights, (len(panel.configurations), 1)))
        gaps = scores[left] - scores[right]
    at = int(np.nanargmax(np.abs(gaps)))
    names = panel.configurations[left[at]], panel.configurations[right[at]]
    return names if gaps[at] >= 0 else names[::-1]


def _quantiles(reference: Array) -> dict[str, float | None]:
    levels = np.quantile(reference, REFERENCE)
    return {f"{q:g}": number(v) for q, v in zip(REFERENCE, levels, strict=True)}
