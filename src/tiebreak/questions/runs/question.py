"""Run noise and task sampling kept apart: three claims, components, pass@k and pass^k."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from tiebreak.errors import SpecError
from tiebreak.estimand import Estimand
from tiebreak.options import Options, find_configuration, specs
from tiebreak.questions.runs.configuration import configuration_line
from tiebreak.questions.runs.difference import difference_line
from tiebreak.questions.runs.estimates import population_panel
from tiebreak.results.provenance import Data, Provenance
from tiebreak.results.runs import RunsResult
from tiebreak.sentences import runs_headline
from tiebreak.trials import Trials


def runs(
    trials: Trials, a: str | None = None, b: str | None = None, **options: Unpack[Options]
) -> RunsResult:
    """What the runs of a configuration, or of a pair, can claim.

    Parameters
    ----------
    trials
        Checked item-level records.
    a, b
        Names or unique fragments: one configuration, or a pair; by default everybody.
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`). ``claim``
        and ``protocol`` are not among them: every claim is answered, for every k.

    Returns
    -------
    RunsResult
        Where no rule for missing outcomes is stated they count as failures, as leaderboards
        count them; the effect of the rule stands beside every rate.

    Raises
    ------
    SpecError, InputError
        Names that match nothing or several, grouped records, options that allow no answer.
    """
    estimand, design = specs(options)
    _check(trials, options)
    names = _names(trials, a, b)
    trials = trials.only(names) if a else trials
    lost = sum(trials.missing.values())
    rule = "fail" if estimand.missing == "unset" and lost else estimand.missing
    estimand = replace(estimand, missing=rule)
    population_panel(trials, estimand, design)  # refuses options that fit nobody
    lines = tuple(configuration_line(trials, name, estimand, design) for name in names)
    difference = None
    if b is not None:
        difference = difference_line(trials, (names[0], names[1]), estimand, design)
    source = estimand.label_source or trials.sources[0]
    stated = replace(estimand, label_source=source)
    return RunsResult(
        lines_by_configuration=lines,
        difference=difference,
        pair=a is not None,
        answer=runs_headline(lines, difference, design.level),
        provenance=Provenance(stated, design, Data.of(trials), (), _effect(estimand, lost)),
    )


def _check(trials: Trials, options: Options) -> None:
    if trials.kind != "item":
        raise SpecError(
            "runs are about trials of tasks", where=trials.origin, got=f"{trials.kind} records"
        )
    if options.get("price") or options.get("time_price"):
        raise SpecError("runs are about success", allowed="--lambda and --mu in board and compare")
    if options.get("estimator", "direct") not in (None, "direct"):
        raise SpecError(
            "runs takes rates as they are: --estimator is for board and compare",
            got=str(options.get("estimator")),
        )
    asked = [o for o in ("claim", "protocol") if options.get(o) is not None]
    if asked:
        raise SpecError(
            f"runs answers every claim for every k: --{asked[0]} is for board and compare",
            got=str(options.get(asked[0])),
        )


def _names(trials: Trials, a: str | None, b: str | None) -> list[str]:
    """Everybody, or the configurations asked for."""
    names = trials.configurations["configuration"].to_list()
    if a is None:
        if b is not None:
            raise SpecError("a second configuration without a first", got=b)
        return list(names)
    found = [find_configuration(names, n) for n in (a, b) if n is not None]
    if len(set(found)) < len(found):
        raise SpecError(
            "a configuration cannot be compared with itself", got=found[0], allowed="two names"
        )
    return found


def _effect(estimand: Estimand, lost: int) -> str | None:
    if not lost:
        return None
    return f"'{estimand.missing}' for {lost:,} trials without an outcome; its effect is tabled"
