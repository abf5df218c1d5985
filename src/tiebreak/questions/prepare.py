"""What every question does first: options → specs, trials → panels, and the provenance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tiebreak.design import Design
from tiebreak.errors import InputError, SpecError, TiebreakError, listed
from tiebreak.estimand import Estimand, Protocol, Utility
from tiebreak.panel import Array, Panel, build_panel, common_support
from tiebreak.results.provenance import Data, Provenance
from tiebreak.spending import penalties, priced_shares, with_prices
from tiebreak.trials import Trials, label_column


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The panel of the primary label source, those of the others, and what to state."""

    panel: Panel
    others: tuple[Panel, ...]
    provenance: Provenance


def prepare(trials: Trials, estimand: Estimand, design: Design) -> Prepared:
    """Panels of all label sources under one estimand.

    Raises
    ------
    InputError
        Fewer than two configurations, no common support where that is the target, or a single
        run where the claim is about runs.
    SpecError
        A claim, a design of runs or an assumed run SD that the records do not allow.
    """
    if trials.configurations.height < 2:
        raise InputError(
            "one configuration only: there is nothing to compare",
            where=trials.origin,
            got=trials.configurations["configuration"][0],
            allowed="two or more configurations",
        )
    trials = with_prices(trials, estimand)
    panel = claimed_panel(trials, replace(estimand, support="full"), design)
    others, left_out = _others(trials, panel, design)
    effect = missing_effect(trials, panel)
    if estimand.support == "common":
        panel = common_support(panel)
        others = tuple(common_support(other) for other in others)
    if design.estimator == "regression":
        _check_regression(panel, trials.origin)
    cells = _support_cells(panel) if estimand.support == "common" else ()
    stated = replace(panel.estimand, support=estimand.support)
    priced = priced_shares(trials, estimand)
    shift = price_effect(trials, panel, penalties(trials, estimand))
    data = Data.of(trials)
    provenance = Provenance(stated, design, data, cells, effect, left_out, priced, shift)
    return Prepared(replace(panel, estimand=stated), others, provenance)


def claimed_panel(trials: Trials, estimand: Estimand, design: Design) -> Panel:
    """The panel under the claim's protocol, with its runs as the design states them.

    The reliability claim without a stated k is about the smallest number of runs of a task.
    """
    panel = build_panel(trials, estimand)
    if trials.kind != "item":
        _check_grouped(trials, design)
        return panel
    if design.claim == "reliability" and estimand.protocol == Protocol():
        fewest = 1 if panel.repeats is None else int(panel.repeats.fewest.min())
        panel = build_panel(trials, replace(estimand, protocol=Protocol("pass^", max(fewest, 1))))
    _check_claim(panel, design, trials.origin)
    if panel.repeats is None:
        return panel
    return replace(panel, repeats=panel.repeats.designed(design.runs, panel.configurations))


def _check_claim(panel: Panel, design: Design, origin: str) -> None:
    protocol = panel.estimand.protocol
    if design.claim == "reliability" and protocol.kind != "pass^":
        what = "the reliability claim is about pass^K"
        raise SpecError(what, where=origin, allowed="--protocol pass^K", got=str(protocol))
    if design.claim == "benchmark" and protocol.k > 1:
        what = "the benchmark claim has an interval for pass@1 only"
        raise SpecError(what, where=origin, got=str(protocol), hint="--claim population has all")
    names = [c for c, s in zip(panel.configurations, panel.single_runs, strict=True) if s]
    if design.claim == "benchmark" and names:
        what = "the benchmark claim needs several runs: one shows no run noise"
        raise InputError(what, where=origin, got=f"a single run of {listed(names, 4)}")
    if design.assume_run_sd is not None and not names:
        what = "an assumed run SD is for single-run records; these show their own run noise"
        raise SpecError(what, where=origin, allowed="no --assume-run-sd")


def _check_grouped(trials: Trials, design: Design) -> None:
    if design.estimator != "direct":
        what = "regression standardization needs trials, not rates of groups"
        raise SpecError(what, where=trials.origin, got=f"{trials.kind} records")


def _check_regression(panel: Panel, origin: str) -> None:
    """Cells to regress on, each with trials of everybody, and no shock that runs share."""
    if panel.estimand.target.column is None:
        what = "regression standardization needs cells"
        raise SpecError(what, where=origin, allowed="--cells COLUMN or --target equal:COLUMN")
    if panel.scale != "unit":
        what = "regression standardization is of success in [0, 1], not of a utility"
        raise SpecError(what, where=origin, allowed="no --lambda, no --mu")
    lacking = (panel.support == 0) & (panel.weights > 0)
    if lacking.any():
        row, cell = (int(i[0]) for i in np.nonzero(lacking))
        raise SpecError(
            "regression standardization lends thin cells strength, not empty ones",
            where=origin,
            got=f"no trial of {panel.configurations[row]} in {panel.cell_names[cell]}",
            hint="restrict the target to common support: --support common",
        )
    if panel.repeats is not None and panel.repeats.crossed.any():
        what = "regression standardization has no interval for a shock that a run's tasks share"
        raise SpecError(what, where=origin, allowed="--runs nested, or --estimator direct")


def _others(
    trials: Trials, panel: Panel, design: Design
) -> tuple[tuple[Panel, ...], tuple[str, ...]]:
    """Panels of the further sources, and why a source allows none under this estimand."""
    panels, left_out = [], []
    for source in trials.sources:
        if source != panel.estimand.label_source:
            try:
                panels.append(_other(trials, panel, source, design))
            except TiebreakError as fault:
                left_out.append(f"{source}: {fault.what}")
    return tuple(panels), tuple(left_out)


def _other(trials: Trials, panel: Panel, source: str, design: Design) -> Panel:
    """A further source under the same estimand.

    Trials it did not label are left out, and tasks with fewer labels than the protocol's k.
    """
    estimand = replace(panel.estimand, label_source=source, missing="drop")
    label = pl.col(label_column(source))
    enough = label.count().over("configuration", "task") >= estimand.protocol.k
    frame = trials.frame.with_columns(pl.when(enough).then(label))
    return claimed_panel(replace(trials, frame=frame), estimand, design)


def _support_cells(panel: Panel) -> tuple[str, ...]:
    if panel.by_task:
        return (f"{len(panel.tasks):,} tasks that all ran",)
    return tuple(n for n, w in zip(panel.cell_names, panel.weights, strict=True) if w > 0)


def missing_effect(trials: Trials, panel: Panel) -> str | None:
    """How much the rule for missing outcomes moves a raw score, against the other rule.

    Of pass@1, whatever the protocol: tasks that lose an outcome may have too few for a larger k.
    """
    rule = panel.estimand.missing
    if not trials.missing or rule not in ("fail", "drop"):
        return None
    plain = replace(panel.estimand, protocol=Protocol())
    own = panel if plain == panel.estimand else build_panel(trials, plain)
    other = build_panel(trials, replace(plain, missing="drop" if rule == "fail" else "fail"))
    with np.errstate(invalid="ignore"):
        shift = _means(own) - _means(other)
    if np.isnan(shift).all():
        return None
    at = int(np.nanargmax(np.abs(shift)))
    moved = f"{100 * shift[at]:+.2f} points ({panel.configurations[at]})"
    return f"'{rule}' moves raw scores by up to {moved} against '{other.estimand.missing}'"


def price_effect(trials: Trials, panel: Panel, lost: Array | None) -> str | None:
    """How much a success rate moves when trials without a price are left out; None if not at all.

    ``lost`` is NaN for these.
    """
    if lost is None or not np.isnan(lost).any():
        return None
    plain = replace(panel.estimand, utility=Utility(), protocol=Protocol(), support="full")
    kept, every = build_panel(trials, plain, lost * 0.0), build_panel(trials, plain)
    shift = np.nan_to_num(_means(kept) - _means(every))
    at = int(np.argmax(np.abs(shift)))
    if abs(shift[at]) < 1e-12:
        return None
    return f"moves success by up to {100 * shift[at]:+.2f} points ({kept.configurations[at]})"


def _means(panel: Panel) -> Array:
    scored = ~np.isnan(panel.values)
    total: Array = np.where(scored, panel.values, 0.0).sum(axis=1)
    n = scored.sum(axis=1)
    means: Array = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return means
