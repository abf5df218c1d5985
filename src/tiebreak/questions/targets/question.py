"""Which weighting makes whom win: scores, crossovers, radii, perturbed weights, regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from tiebreak.distance import Distance
from tiebreak.errors import SpecError
from tiebreak.estimand import Target
from tiebreak.options import Options
from tiebreak.questions.targets.asked import WIDE, Asked
from tiebreak.questions.targets.crossovers import crossovers, envelopes, path_scores
from tiebreak.questions.targets.exact import Exact, exact_cells
from tiebreak.questions.targets.hidden import cell_counts, hidden, target_lines
from tiebreak.questions.targets.paths import make_paths, path_lines
from tiebreak.questions.targets.perturbation import perturb as perturbed
from tiebreak.questions.targets.radii import Ground, ground_of, radii
from tiebreak.questions.targets.regions import regions
from tiebreak.questions.targets.scores import pair_verdicts, target_scores
from tiebreak.questions.targets.setup import Setup, set_up
from tiebreak.questions.targets.words import headline, notes
from tiebreak.results.targets import TargetsResult
from tiebreak.trials import Trials


def targets(
    trials: Trials,
    a: str | None = None,
    b: str | None = None,
    *,
    targets: Sequence[str | Target] = (),
    sweep: str | None = None,
    perturb: int | None = None,
    concentration: float | None = None,
    ball: float | None = None,
    distance: str | Distance | None = None,
    wide: float = WIDE,
    top: int | None = None,
    **options: Unpack[Options],
) -> TargetsResult:
    """How does the ranking depend on the target weights?

    Parameters
    ----------
    trials
        Checked records.
    a, b
        Names of configurations or fragments of them: both for one pair, one for its pairs with
        all others, none for every pair.
    targets
        Targets over one task column; the observed mix is always the first of them. By default,
        with ``cells``, the observed mix and equal weights. ``target`` states a single one.
    sweep
        Cell whose weight goes from 0 to 1, the rest split equally, then as observed. Without it
        paths go from the observed mix to every other target.
    perturb
        Number of draws of weights around the first target that is not the observed mix.
    concentration, ball
        Law of these draws: Dirichlet of this concentration (default 100) or uniform within this
        L1 distance.
    distance
        ``gower:COLUMN,…`` between tasks, or a stated :class:`Distance` between cells: adds
        Wasserstein radii.
    wide
        Cells whose own interval is wider are listed as hidden.
    top
        Show the best N by raw score; by default all (of over 200, the top 50).
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`); ``cells``
        names the task column.

    Returns
    -------
    TargetsResult
        Paths and regions use the cells in which all shown configurations have scores. Intervals
        of crossovers invert the t engine's contrast (Fieller); grouped records have none.

    Raises
    ------
    SpecError, InputError
        Options or records that allow no answer.
    """
    if options.get("price") or options.get("time_price"):
        what = "targets reweighs success; a utility under a target is for board and compare"
        raise SpecError(what, allowed="--target with --lambda and --mu there")
    ground = Distance.parse(distance) if isinstance(distance, str) else distance
    asked = Asked(sweep, perturb, concentration, ball, ground, wide)
    setup = set_up(trials, (a, b), top, _stated(targets, options), options)
    return _answer(setup, trials, asked)


def _stated(targets: Sequence[str | Target], options: Options) -> Sequence[str | Target]:
    single = options.get("target")
    if single is None:
        return targets
    if targets:
        raise SpecError("targets are stated twice", allowed="target or targets", got=str(single))
    return (single,)


def _answer(setup: Setup, trials: Trials, asked: Asked) -> TargetsResult:
    paths, exact = make_paths(setup, asked.sweep), exact_cells(setup.panel)
    crossings, verdicts = crossovers(setup, paths, exact), pair_verdicts(setup)
    lines_of_paths = path_lines(setup, paths)
    ground = ground_of(setup, trials, asked.distance)
    found, drawn, lines = regions(setup), perturbed(setup, asked), target_lines(setup)
    return TargetsResult(
        targets=lines,
        cells=cell_counts(setup),
        scores=target_scores(setup),
        verdicts=verdicts,
        paths=lines_of_paths,
        path_scores=path_scores(setup, paths),
        crossovers=crossings,
        envelopes=envelopes(setup, paths, exact),
        radii=radii(setup, ground),
        distance=None if asked.distance is None else str(asked.distance),
        perturbation=drawn,
        regions=found,
        hidden=hidden(setup, asked.wide),
        unit="trials" if setup.grouped else "tasks",
        answer=headline(verdicts, crossings, found),
        notes=notes(lines, found, drawn, lines_of_paths, _said(setup, trials, exact, ground)),
        provenance=setup.prepared[setup.main].provenance,
    )


def _said(
    setup: Setup, trials: Trials, exact: Exact | str, ground: Ground | None
) -> tuple[str, ...]:
    """What the sections have to say for themselves."""
    shown, everyone = len(setup.names), trials.configurations.height
    common, every = len(setup.cells), len(setup.panel.cell_names)
    kept = f"paths and regions use the {common} of {every} cells that all shown configurations have"
    said = (
        f"{shown} of {everyone} configurations are shown" if shown < everyone else None,
        kept if common < every else None,
        exact if isinstance(exact, str) else None,
        None if ground is None else ground.note,
    )
    return tuple(s for s in said if s is not None)
