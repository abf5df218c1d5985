"""Who and what is shown: targets over one column, configurations, pairs, common support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import InputError, SpecError, listed
from tiebreak.estimand import Estimand, Target
from tiebreak.estimate.contract import Array, Index
from tiebreak.estimate.grouped import cell_rates, grouped_scores
from tiebreak.estimate.pairs import observed_weights
from tiebreak.kernels.moments import all_pairs, pair_moments, score_moments
from tiebreak.options import Options, find_configuration, specs
from tiebreak.panel import Panel, build_panel
from tiebreak.questions.board import ALL_PAIRS_LIMIT, DEFAULT_TOP
from tiebreak.questions.judge import Judged, judge
from tiebreak.questions.prepare import Prepared, prepare
from tiebreak.trials import Trials


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What every section works with. Configurations are in the displayed order.

    ``rates`` and ``sizes`` (configurations, cells), ``gaps`` (pairs, cells) on matched tasks;
    ``common`` indexes the cells in which every shown configuration has scores. ``main`` indexes
    the target that perturbations and shares of weight refer to.
    """

    prepared: tuple[Prepared, ...]
    judged: tuple[Judged, ...]
    design: Design
    left: Index
    right: Index
    rates: Array
    sizes: Array
    gaps: Array
    common: Index
    main: int

    @property
    def panel(self) -> Panel:
        """Task values; they are the same under every target of full support."""
        return self.prepared[self.main].panel

    @property
    def names(self) -> tuple[str, ...]:
        """The configurations shown."""
        return self.panel.configurations

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of the cells in common support."""
        return tuple(self.panel.cell_names[x] for x in self.common)

    @property
    def grouped(self) -> bool:
        """Rates of groups, not trials: no interval anywhere."""
        return self.panel.counts is not None

    def weights(self, at: int) -> Array:
        """A target's weights on common support, (cells of it,), rescaled; NaN if it has none."""
        kept = self.prepared[at].panel.weights[self.common]
        scaled: Array = np.divide(
            kept, kept.sum(), out=np.full_like(kept, np.nan), where=kept.any()
        )
        return scaled


def set_up(
    trials: Trials,
    pair: tuple[str | None, str | None],
    top: int | None,
    stated: Sequence[str | Target],
    options: Options,
) -> Setup:
    """Resolve the targets, choose the configurations, estimate every pair under every target.

    Raises
    ------
    SpecError, InputError
        No cells, several columns, unknown or ambiguous names, no common support.
    """
    targets, main = _targets(stated, options)
    plans = [_plan(target, options) for target in targets]
    for target in targets:
        check_cells(trials, target)
    names, first = _shown(trials, pair, top, plans[main][0])
    shown = trials.only(names)
    prepared = tuple(_ordered(prepare(shown, *plan), names) for plan in plans)
    left, right = all_pairs(len(names))
    if first is not None:
        left, right = (side[(left == first) | (right == first)] for side in (left, right))
    design = plans[main][1]
    judged = tuple(judge(p.panel, design, left, right, p.others) for p in prepared)
    rates, sizes, gaps = _cell_values(prepared[main].panel, left, right)
    common: Index = np.flatnonzero(~np.isnan(rates).any(axis=0))
    if not common.size:
        raise InputError(
            "the compared configurations have no common support: no cell that all have scores in",
            where=trials.origin,
            got=listed(names),
            hint="name fewer configurations",
        )
    return Setup(prepared, judged, design, left, right, rates, sizes, gaps, common, main)


def _plan(target: Target, options: Options) -> tuple[Estimand, Design]:
    rest: Options = {**options, "target": target, "cells": None}
    estimand, design = specs(rest)
    if design.estimator != "direct":
        raise SpecError(
            "targets weighs the rates of cells as they are: --estimator is for board and compare",
            got=design.estimator,
        )
    return estimand, design


def _targets(stated: Sequence[str | Target], options: Options) -> tuple[tuple[Target, ...], int]:
    """All targets over one column, the observed mix first, and the index of the main one."""
    given = [Target.parse(t) if isinstance(t, str) else t for t in stated]
    columns = [t.column for t in given if t.column] + [options.get("cells")]
    named = sorted({c for c in columns if c})
    if not named:
        raise SpecError(
            "no cells, so no weights to move", allowed="--cells COLUMN or --target equal:COLUMN"
        )
    if len(named) > 1:
        raise SpecError("two columns for the cells", allowed="one", got=listed(named))
    observed, column = Target("observed", named[0]), named[0]
    given = [replace(t, column=column) for t in given] or [observed, Target("equal", column)]
    if len(set(given)) < len(given):
        raise SpecError("a target is stated twice", got=listed(given))
    ordered = (observed, *(t for t in given if t != observed))
    return ordered, next((i for i, t in enumerate(ordered) if t != observed), 0)


def check_cells(trials: Trials, target: Target) -> None:
    """Refuse a column that forms no cells, and stated weights that leave a cell open.

    Raises
    ------
    SpecError, InputError
        One value, a missing value, as many cells as tasks, or a cell without a weight.
    """
    values = trials.cells(str(target.column))
    found = values.unique().sort().to_list()
    if len(found) < 2:
        raise InputError(
            f"task column '{target.column}' has one value: there are no weights to move",
            where=trials.origin,
            got=listed(found),
            allowed="two cells or more",
        )
    if trials.kind == "item" and len(found) >= values.len():
        raise InputError(
            f"task column '{target.column}' has as many cells as there are tasks",
            where=trials.origin,
            got=f"{len(found)} cells",
            allowed="a column that groups tasks",
        )
    lacking = [c for c in found if c not in dict(target.weights)]
    if target.kind == "stated" and lacking:
        raise SpecError(
            "the target's weights miss a cell",
            allowed="a weight for every cell (0 is one)",
            got=f"none for {listed(lacking)}",
        )


def _shown(
    trials: Trials, pair: tuple[str | None, str | None], top: int | None, estimand: Estimand
) -> tuple[list[str], int | None]:
    """Names in the displayed order, and the index of the one whose pairs alone are asked for."""
    everyone = trials.configurations["configuration"].to_list()
    asked = [find_configuration(everyone, name) for name in pair if name is not None]
    if len(set(asked)) < len(asked):
        raise SpecError(
            "a configuration cannot be compared with itself", got=asked[0], allowed="two names"
        )
    if top is not None and (top < 2 or len(asked) == 2):
        allowed = "2 or more" if top < 2 else "--top, or two names"
        raise SpecError("--top names too few configurations", allowed=allowed, got=str(top))
    if len(asked) == 2:
        return asked, None
    best = _by_raw_score(build_panel(trials, replace(estimand, support="full")))
    limit = top or (len(best) if len(best) <= ALL_PAIRS_LIMIT else DEFAULT_TOP)
    names = [n for i, n in enumerate(best) if i < limit or n in asked]
    return names, names.index(asked[0]) if asked else None


def _by_raw_score(panel: Panel) -> list[str]:
    """Names from the best raw score down, ties by name."""
    if panel.counts is not None:
        raw = grouped_scores(panel).observed
    else:
        moments = score_moments(panel.values, panel.cells, len(panel.cell_names))
        raw = np.nansum(moments.mean * observed_weights(moments.n), axis=1)
    rounded, names = np.round(np.nan_to_num(raw, nan=-1.0), 12), panel.configurations
    return [names[i] for i in sorted(range(len(names)), key=lambda i: (-rounded[i], names[i]))]


def _ordered(prepared: Prepared, names: list[str]) -> Prepared:
    at = [prepared.panel.configurations.index(n) for n in names]
    others = tuple(p.take(at) for p in prepared.others)
    return replace(prepared, panel=prepared.panel.take(at), others=others)


def _cell_values(panel: Panel, left: Index, right: Index) -> tuple[Array, Array, Array]:
    """Rates and numbers of tasks (of trials) per configuration, matched gaps per pair."""
    if panel.counts is not None:
        rates, sizes = cell_rates(panel)
        return rates, sizes, rates[left] - rates[right]
    n_cells = len(panel.cell_names)
    moments = score_moments(panel.values, panel.cells, n_cells)
    pairs = pair_moments(panel.values, panel.cells, n_cells, left, right)
    return moments.mean, moments.n, pairs.mean
