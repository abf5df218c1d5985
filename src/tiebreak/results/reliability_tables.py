"""Tables of a reliability result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tiebreak.display import Column, Table

if TYPE_CHECKING:
    from tiebreak.results.reliability import FitLines, Part, ReliabilityResult

COMPONENTS = [
    Column("facet"),
    Column("levels", kind="whole"),
    Column("variance"),
    Column("share", kind="score"),
    Column("se"),
    Column("low"),
    Column("high"),
    Column("note"),
]
COEFFICIENTS = [
    Column("object"),
    Column("equation", "eq."),
    Column("scale"),
    Column("value", "reliability", "score"),
    Column("low", kind="score"),
    Column("high", kind="score"),
    Column("snr", "SNR"),
    Column("unlimited_tasks", "∞ tasks", "score"),
    Column("limited_by", "limited by"),
]
SMALLEST = [
    Column("object"),
    Column("scale"),
    Column("vary"),
    Column("target"),
    Column("n"),
    Column("limit", kind="score"),
]
PLANS = [
    Column("object"),
    Column("scale"),
    Column("kind"),
    Column("spread"),
    Column("n_tasks", "tasks", "whole"),
    Column("n_scaffolds", "scaffolds", "whole"),
    Column("n_benchmarks", "benchmarks", "whole"),
    Column("n_runs", "runs", "whole"),
    Column("trials", kind="whole"),
    Column("cost"),
    Column("value", "reliability", "score"),
]
PRIORS = [
    Column("facet"),
    Column("levels", kind="whole"),
    Column("prior"),
    Column("variance"),
    Column("low"),
    Column("high"),
    Column("contraction", kind="score"),
]
PER_PART = ("model", "system", "model_in_scaffold", "inter_scaffold")
"""Estimands that a table of several parts shows; the rest are in rows and JSON."""
OF_PAIRS = ("M", "A", "MA", "BM", "BA")
"""Facets whose shares the table of refits follows; the rest are in rows and JSON."""
REFITS = [
    Column("facet", "one left out"),
    Column("quantity"),
    Column("least", kind="score"),
    Column("least_without", "without"),
    Column("most", kind="score"),
    Column("most_without", "without"),
]
SUBSAMPLES = [
    Column("k", "tasks", "whole"),
    Column("rho", "Spearman ρ", "score"),
    Column("rho_low", "low", "score"),
    Column("rho_high", "high", "score"),
    Column("tau", "Kendall τ", "score"),
    Column("top", "same top", "score"),
    Column("rank_change", "rank change"),
    Column("saving", kind="score"),
]
TRANSPORT = [
    Column("a"),
    Column("b"),
    Column("n_models", "models", "whole"),
    Column("tau", "Kendall τ", "score"),
]


def part_tables(result: ReliabilityResult) -> Iterator[Table]:
    """Of one part everything; of several one table of coefficients."""
    if result.per is not None:
        columns = [Column("part"), Column("tasks"), *COEFFICIENTS]
        yield Table(f"Reliability by part, {NO_TASKS}", columns, _all_rows(result))
    for part in result.parts:
        title = f"{part.name}: " if result.per else ""
        if result.per is None:
            for fit in part.fits:
                caption = f"Components, {fit.engine} on the {fit.scale} scale"
                yield Table(caption, COMPONENTS, _components(fit))
            yield Table(f"Reliability {_sizes(part)}", COEFFICIENTS, _part_rows(part))
            yield from _study_tables(part)
            yield from _sensitivity(part, title)
    if result.transport:
        rows = [
            {"a": t.a, "b": t.b, "n_models": t.n_models, "tau": t.tau} for t in result.transport
        ]
        yield Table("Do benchmarks rank models alike", TRANSPORT, rows)


def number(value: float | None, digits: int = 4) -> str | None:
    """A variance, SNR or cost in few significant digits; sizes whole."""
    if value is None:
        return None
    return f"{value:.{digits}g}"


def size(value: float | None) -> str:
    """A number of levels; a dash of the table stands for no such size, ∞ for a limit."""
    return "∞" if value is None else f"{value:.4g}"


def _components(fit: FitLines) -> list[dict[str, Any]]:
    rows = []
    for c in fit.components:
        note = "not distinguishable from zero here" if c.at_boundary else ""
        note = "fixed by the logit link" if c.fixed else note
        if c.expected_share is not None:
            note = f"by chance {c.expected_share:.3f}"
        shown = {k: number(getattr(c, k)) for k in ("variance", "se", "low", "high")}
        rows.append({"facet": c.facet, "levels": c.levels, "share": c.share, "note": note, **shown})
    return rows


def _all_rows(result: ReliabilityResult) -> list[dict[str, Any]]:
    return [
        {"part": part.name, **row} for part in result.parts for row in _part_rows(part, PER_PART)
    ]


def _part_rows(part: Part, names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Coefficients that have a value, of the names given if any are."""
    return [
        {
            "object": c.object,
            "equation": c.equation,
            "scale": c.scale,
            "tasks": size(c.n_tasks),
            "value": c.value,
            "low": c.low,
            "high": c.high,
            "snr": number(c.snr, 3),
            "unlimited_tasks": c.unlimited_tasks,
            "limited_by": c.limited_by or c.reason or "",
        }
        for fit in part.fits
        for c in fit.coefficients
        if c.value is not None and (not names or c.name in names)
    ]


NO_TASKS = "a score being the mean of its tasks under one scaffold unless stated"


def _sizes(part: Part) -> str:
    """``at 165 tasks, 1 scaffold, 1 benchmark, 1 run``: what a score is averaged over."""
    lines = [c for fit in part.fits for c in fit.coefficients if "one_task" not in c.name]
    if not lines:
        return "is not stated by this engine"
    named = {
        "task": lines[0].n_tasks,
        "scaffold": lines[0].n_scaffolds,
        "benchmark": lines[0].n_benchmarks,
        "run": lines[0].n_runs,
    }
    return "at " + ", ".join(f"{size(n)} {w}{'' if n == 1 else 's'}" for w, n in named.items())


def _study_tables(part: Part) -> Iterator[Table]:
    smallest, plans, priced = [], [], ""
    for fit in part.fits:
        if fit.study is None:
            continue
        price = fit.study.price
        priced = "in trials" if price is None else f"in USD at {price:.3g} ({fit.study.price_is})"
        for s in fit.study.smallest:
            n = "none" if s.n is None else f"{s.n:,}"
            row = {"object": s.object, "scale": fit.scale, "vary": s.vary, "n": n}
            smallest.append({**row, "target": f"{s.target:g}", "limit": s.limit})
        for p in fit.study.plans:
            shown = {c.key: getattr(p, c.key) for c in PLANS if c.key not in ("scale", "cost")}
            cost = number(p.cost, 5)
            plans.append({**shown, "scale": fit.scale, "cost": cost})
    if smallest:
        yield Table(
            "Smallest design that reaches the target, one size varied, at the point estimates",
            SMALLEST,
            smallest,
        )
    if plans:
        yield Table(f"Designs by cost per model, {priced}", PLANS, plans)


def _sensitivity(part: Part, title: str) -> Iterator[Table]:
    """Priors, refits and subsamples, where there are any."""
    priors = [
        {
            "facet": p.facet,
            "levels": p.levels,
            "prior": p.prior,
            "contraction": p.contraction,
            **{k: number(getattr(p, k)) for k in ("variance", "low", "high")},
        }
        for fit in part.fits
        for p in fit.priors
    ]
    if priors:
        yield Table(f"{title}Facets of few levels under two priors", PRIORS, priors)
    if part.refits:
        rows = list(_refit_rows(part))
        yield Table(f"{title}Refits with one level left out (reml): range", REFITS, rows)
    if part.subsampling:
        rows = [
            {c.key: getattr(s, c.key) for c in SUBSAMPLES}
            | {"rank_change": number(s.rank_change, 3)}
            for s in part.subsampling
        ]
        yield Table(f"{title}Ranks on fewer tasks", SUBSAMPLES, rows)


def _refit_rows(part: Part) -> Iterator[dict[str, Any]]:
    """Least and most of every coefficient and share, by the facet that lost a level."""
    for facet in dict.fromkeys(r.facet for r in part.refits):
        own = [r for r in part.refits if r.facet == facet]
        found: dict[str, list[tuple[float, str]]] = {}
        for r in own:
            shares = {f"share of {n}": v for n, v in r.shares.items() if n in OF_PAIRS}
            for name, value in {**r.coefficients, **shares}.items():
                if value is not None:
                    found.setdefault(name, []).append((value, r.level))
        for name, values in found.items():
            least, most = min(values), max(values)
            row = {"facet": f"{facet} ({len(own)})", "quantity": name.replace("_", " ")}
            ends = {"least": least[0], "least_without": least[1], "most": most[0]}
            yield {**row, **ends, "most_without": most[1]}
