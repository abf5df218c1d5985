"""How label sources agree with a reference, what they turn round, and how they can help it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from tiebreak.design import Design
from tiebreak.errors import SpecError, listed
from tiebreak.estimand import Estimand, Target
from tiebreak.options import Options, specs
from tiebreak.questions.labels.annotators import annotators
from tiebreak.questions.labels.calibrate import FOLDS, calibrate
from tiebreak.questions.labels.errors import by_cell, by_configuration, equality, overall
from tiebreak.questions.labels.features import check_given
from tiebreak.questions.labels.labelled import Labels, ask, label
from tiebreak.questions.labels.powered import powered
from tiebreak.questions.labels.selection import selection
from tiebreak.questions.labels.words import headline
from tiebreak.results.label_lines import Powered, SourceLine
from tiebreak.results.labels import LabelsResult
from tiebreak.results.provenance import Data, Provenance
from tiebreak.trials import Trials

IDLE = {"label_source", "protocol", "claim", "runs", "assume_run_sd", "sampled", "interval"}
IDLE |= {"estimator", "price", "time_price", "unpriced"}
"""Options that mean nothing here: labels are compared trial by trial, tasks are the clusters."""


def labels(
    trials: Trials,
    reference: str,
    *,
    against: Sequence[str] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    given: Sequence[str] = (),
    **options: Unpack[Options],
) -> LabelsResult:
    """How do label sources err against a reference, and whom do they select?

    Parameters
    ----------
    trials
        Checked item records with a column per label source.
    reference
        The source that counts as the truth.
    against
        The sources to compare with it; by default all others.
    threshold
        The score from which a graded source says success: one for all, or by source.
    given
        What calibrations know beside labels and cell: ``configuration``, graded ``score``.
    options
        Fields of the estimand and the design. ``cells`` without a target means equal weights over
        these cells, and the support is ``common`` unless stated: both are about who is on top, the
        configurations left out and the powered scores. Error rates and cross-fitted calibrations
        count every paired trajectory once. ``missing="fail"`` counts trials without a reference
        label (Unsure) as failures; otherwise they are no pair.

    Returns
    -------
    LabelsResult
        Error rates with intervals that take tasks as clusters, selections, calibrations,
        prediction-powered estimates, agreement of annotators.

    Raises
    ------
    SpecError, InputError
        Sources, thresholds or options that are not there or mean nothing; a reference of one
        class; no labels of the same trials.
    """
    _check(options)
    estimand, design = specs(_balanced(options))
    known = check_given(given)
    unlabelled_fail = estimand.missing == "fail"
    asked = ask(trials, reference, against, threshold)
    found = label(trials, asked, estimand.target, unlabelled_fail=unlabelled_fail)
    estimand = replace(estimand, label_source=reference)
    sources = tuple(_source(found, s, estimand, design) for s in asked.against)
    calibration, draws = calibrate(found, known, estimand, design)
    ppi, notes = _powered(found, estimand, design)
    return LabelsResult(
        reference=reference,
        sources=sources,
        calibration=calibration,
        ppi=ppi,
        annotators=annotators(trials.repeated, reference, design.level),
        given=("cell", *known) if len(found.cells) > 1 else known,
        folds=FOLDS,
        bootstrap_draws=draws,
        answer=headline(sources, reference),
        notes=(*_unlabelled(found, unlabelled_fail=unlabelled_fail), *notes),
        provenance=Provenance(estimand, design, Data.of(trials)),
    )


def _check(options: Options) -> None:
    idle = sorted({name for name, value in options.items() if value is not None} & IDLE)
    if idle:
        raise SpecError(
            "an option that comparing labels has no use for",
            got=listed(idle),
            allowed=listed(sorted(set(Options.__annotations__) - IDLE), 20),
        )
    if options.get("missing") == "error":
        what = "a rule for missing outcomes that labels have no use for"
        raise SpecError(what, got="error", allowed="drop (no pair) or fail")


def _balanced(options: Options) -> Options:
    """Equal weights over ``cells`` unless a target is stated, common support unless stated."""
    column = options.get("cells")
    stated: Options = {"support": "common", "missing": "drop", **options}
    if column is None or options.get("target") is not None:
        return stated
    return {**stated, "target": Target("equal", column)}


def _source(found: Labels, source: str, estimand: Estimand, design: Design) -> SourceLine:
    own = found.trials.frame.height - int(_absent(found, source))
    return SourceLine(
        source=source,
        threshold=found.asked.thresholds.get(source) if found.graded(source) else None,
        unpaired=own - int(found.paired(source).sum()),
        overall=overall(found, source, design.level),
        configurations=by_configuration(found, source, design.level),
        cells=by_cell(found, source, design.level),
        differs=equality(found, source),
        selection=selection(found, source, estimand, design),
    )


def _absent(found: Labels, source: str) -> int:
    return int((found.labels[source] != found.labels[source]).sum())  # NaN is no number


def _powered(
    found: Labels, estimand: Estimand, design: Design
) -> tuple[tuple[Powered, ...], list[str]]:
    """Powered estimates of the sources that allow them, and what to say of them."""
    ppi, notes, idle = [], [], []
    for source in found.asked.against:
        own = powered(found, source, estimand, design)
        if isinstance(own, str):
            notes.append(f"no powered estimates with {source}: {own}")
            continue
        ppi.append(own)
        if not own.helps:
            idle.append(source)
    if idle:
        notes.append(
            f"{listed(idle)}: no label where {found.asked.reference} has none, so none is saved; "
            "'explained' in --json says how much of the variance more labels would take away"
        )
    if any(p.helps for p in ppi):
        notes.append(
            "powered estimates take which tasks have a reference label as independent of the "
            "outcome within cells"
        )
    return tuple(ppi), notes


def _unlabelled(found: Labels, *, unlabelled_fail: bool) -> list[str]:
    """How trials without a reference label count."""
    name = found.asked.reference
    if unlabelled_fail:
        return [f"trials without a '{name}' label count as its failures"]
    n = _absent(found, name)
    if not n:
        return []
    plural = "trial has" if n == 1 else "trials have"
    return [f"{n:,} {plural} no '{name}' label (Unsure is none): no pair; --missing fail counts it"]
