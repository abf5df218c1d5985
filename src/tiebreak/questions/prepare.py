"""What every question does first: options → specs, trials → panels, and the provenance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tiebreak.design import Design
from tiebreak.errors import InputError
from tiebreak.estimand import Estimand
from tiebreak.panel import Array, Panel, build_panel, common_support
from tiebreak.results.provenance import Data, Provenance
from tiebreak.trials import Trials


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
        Fewer than two configurations, or no common support where that is the target.
    """
    if trials.configurations.height < 2:
        raise InputError(
            "one configuration only: there is nothing to compare",
            where=trials.origin,
            got=trials.configurations["configuration"][0],
            allowed="two or more configurations",
        )
    panel = build_panel(trials, replace(estimand, support="full"))
    others = tuple(
        _other(trials, panel, source)
        for source in trials.sources
        if source != panel.estimand.label_source
    )
    effect = _missing_effect(trials, panel)
    if estimand.support == "common":
        panel = common_support(panel)
        others = tuple(common_support(other) for other in others)
    cells = _support_cells(panel) if estimand.support == "common" else ()
    stated = replace(panel.estimand, support=estimand.support)
    provenance = Provenance(stated, design, Data.of(trials), cells, effect)
    return Prepared(replace(panel, estimand=stated), others, provenance)


def _other(trials: Trials, panel: Panel, source: str) -> Panel:
    """A further source under the same estimand; trials it did not label are left out."""
    return build_panel(trials, replace(panel.estimand, label_source=source, missing="drop"))


def _support_cells(panel: Panel) -> tuple[str, ...]:
    if panel.by_task:
        return (f"{len(panel.tasks):,} tasks that all ran",)
    return tuple(n for n, w in zip(panel.cell_names, panel.weights, strict=True) if w > 0)


def _missing_effect(trials: Trials, panel: Panel) -> str | None:
    """How much the rule for missing outcomes moves a raw score, against the other rule."""
    rule = panel.estimand.missing
    if not trials.missing or rule not in ("fail", "drop"):
        return None
    other = build_panel(
        trials, replace(panel.estimand, missing="drop" if rule == "fail" else "fail")
    )
    with np.errstate(invalid="ignore"):
        shift = _means(panel) - _means(other)
    if np.isnan(shift).all():
        return None
    at = int(np.nanargmax(np.abs(shift)))
    moved = f"{100 * shift[at]:+.2f} points ({panel.configurations[at]})"
    return f"'{rule}' moves raw scores by up to {moved} against '{other.estimand.missing}'"


def _means(panel: Panel) -> Array:
    scored = ~np.isnan(panel.values)
    total: Array = np.where(scored, panel.values, 0.0).sum(axis=1)
    n = scored.sum(axis=1)
    means: Array = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return means
