"""Ranks of models by adjusted effects: what is left once tasks and scaffolds are allowed for."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from tiebreak.errors import InputError, listed
from tiebreak.kernels.concordance import kendall, mid_ranks, spearman
from tiebreak.kernels.decomposition.contract import Components
from tiebreak.kernels.decomposition.identifiability import graph_components
from tiebreak.kernels.decomposition.layout import Array, Index
from tiebreak.kernels.decomposition.rank_draws import RankDraws, rank_draws
from tiebreak.questions.judge import number, rounded
from tiebreak.questions.reliability.asked import DecompositionOptions, question
from tiebreak.questions.reliability.fits import Cells, cells_of, fit
from tiebreak.questions.reliability.observations import Observations, observe
from tiebreak.questions.reliability.question import provenance
from tiebreak.questions.reliability.subsampling import model_means
from tiebreak.results.ranks import RankLine, RanksResult
from tiebreak.trials import Trials

ENGINES = ("ep", "reml", "laplace", "bayes")
DRAWS = 10_000


def ranks(
    trials: Trials, *, engine: str | None = None, **options: Unpack[DecompositionOptions]
) -> RanksResult:
    """Latent (adjusted) model effects and the distribution of their ranks.

    Effects are u_M given the records: a posterior mean and covariance (``ep``, ``bayes``) or best
    linear unbiased predictions with their error covariance (``reml``, ``laplace``). Ranks,
    pairwise P(θ_a > θ_b) and global dominance (its mean over b) come from normal draws of them.

    Parameters
    ----------
    trials
        Checked records whose configurations state a model and a scaffold.
    engine
        ``ep`` (default; ``reml`` where scores are graded), ``reml``, ``laplace`` or ``bayes``.
    options
        ``label_source``, ``missing``, ``prior``, ``level``, ``draws`` (default 10000), ``seed``.

    Raises
    ------
    SpecError, InputError
        Options without meaning, one model only, or models that this design does not separate from
        scaffolds.
    """
    options.setdefault("draws", DRAWS)
    found, notes = observe(trials, question(None, None, {}, options).estimand)
    chosen = engine or ("reml" if found.graded else "ep")
    asked = question(chosen, None, {}, options)
    if chosen not in ENGINES:
        what = f"{chosen} predicts no model effects"
        raise InputError(what, allowed=", ".join(ENGINES), got=chosen)
    cells = cells_of(found, asked)
    facet = _model_facet(cells, trials.origin)
    made = fit(cells, chosen, asked)
    rng = np.random.default_rng([asked.design.seed, *map(ord, "ranks")])
    drawn = rank_draws(
        made.model_mean, made.model_covariance, asked.design.draws, asked.design.level, rng
    )
    order = np.lexsort((np.array(found.models), -made.model_mean, -drawn.dominance))
    lines = _lines(found, cells, made, drawn)
    raw = _raw(found)
    return RanksResult(
        engine=chosen,
        scale=made.scale,
        facet=facet,
        models=tuple(lines[i] for i in order),
        pairwise=tuple(tuple(rounded(v) for v in drawn.above[i, order]) for i in order),
        agreement={
            "kendall": number(kendall(raw, made.model_mean)),
            "spearman": number(spearman(raw, made.model_mean)),
        },
        notes=(*notes, *_notes(made)),
        answer=_sentence(lines, order, made, facet),
        design=asked.design,
        provenance=provenance(trials, asked),
    )


def _model_facet(cells: Cells, origin: str) -> str:
    """Name of the fitted facet that holds the models' effects."""
    if len(cells.found.models) < 2:
        what = "one model only: there is nothing to rank"
        raise InputError(what, where=origin, got=cells.found.models[0])
    _check_connected(cells, origin)
    sets = {names[0]: names for names in cells.merging.merged}
    if "M" not in cells.merging.kept:
        what = "models are not told apart from other facets here"
        held = next((s for s in cells.merging.merged if "M" in s), ("M",))
        raise InputError(what, where=origin, got=" + ".join(held))
    return "+".join(sets.get("M", ("M",)))


def _check_connected(cells: Cells, origin: str) -> None:
    """Groups of models that share no scaffold cannot be held against each other.

    Raises
    ------
    InputError
        The model–scaffold graph falls into parts.
    """
    parts, _ = graph_components(cells.layout)
    names = np.array(cells.found.models)
    if np.unique(parts).size == 1:
        return
    first = names[parts == parts[0]].tolist()
    raise InputError(
        f"{np.unique(parts).size} groups of models share no scaffold: they have no common ranking",
        where=origin,
        got=f"the first group: {listed(first, 4)}",
        hint="--where scaffold=NAME ranks one group",
    )


def _raw(found: Observations) -> Array:
    """Mean over benchmarks of a model's mean over scaffolds."""
    means: Array = np.nanmean(model_means(found), axis=1)
    return means


def _lines(found: Observations, cells: Cells, made: Components, drawn: RankDraws) -> list[RankLine]:
    raw = _raw(found)
    raw_rank = mid_ranks(-raw)
    tried: Index = np.bincount(cells.layout.model)
    return [
        RankLine(
            model=name,
            effect=number(made.model_mean[i]),
            effect_low=number(drawn.low[i]),
            effect_high=number(drawn.high[i]),
            median_rank=float(drawn.median_rank[i]),
            rank_low=int(drawn.rank_low[i]),
            rank_high=int(drawn.rank_high[i]),
            dominance=rounded(drawn.dominance[i]),
            first=rounded(drawn.probabilities[i, 0]),
            probabilities=tuple(rounded(p) for p in drawn.probabilities[i]),
            raw_mean=number(raw[i]),
            raw_rank=float(raw_rank[i]),
            pairs=int(tried[i]),
        )
        for i, name in enumerate(found.models)
    ]


def _notes(made: Components) -> list[str]:
    if "M" in made.facets and made.at_boundary[made.facets.index("M")]:
        return ["the model component is at zero: models are not distinguishable here"]
    if made.diagnostics.get("passed", 1.0) != 1.0:
        return ["NOT CONVERGED, not to be relied on: see tiebreak reliability --engine bayes"]
    return []


def _sentence(lines: list[RankLine], order: Index, made: Components, facet: str) -> str:
    at_zero = "M" in made.facets and made.at_boundary[made.facets.index("M")]
    if at_zero or not (made.model_mean != made.model_mean[0]).any():
        return "Models are not distinguishable here: their component is estimated at zero."
    best = lines[order[0]]
    rivals = sum(line.rank_low == 1 for line in lines) - (best.rank_low == 1)
    others = (
        f"{rivals} other{'s' * (rivals != 1)} may be first too" if rivals else "no other may be"
    )
    allowed = "tasks and scaffolds are" if facet == "M" else "tasks are"
    return (
        f"{best.model} is likely the best model once {allowed} allowed for "
        f"(first with probability {best.first:.2f}, rank {best.rank_low} to {best.rank_high}); "
        f"by their rank intervals {others}."
    )
