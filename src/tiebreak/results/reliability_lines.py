"""Lines of a reliability result that no table holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiebreak.results.reliability import Part


def part_lines(part: Part, per: str | None) -> list[str]:
    """Sizes, what the design identifies, what was merged, warnings and diagnostics."""
    title = f"{part.name}: " if per else ""
    told = [*_lines(part), *(() if per else _fit_lines(part))]
    return [f"{line[:10]}{title}{line[10:]}" for line in told]


def _lines(part: Part) -> Iterator[str]:
    s = part.sizes
    over = f" over {s['benchmarks']} benchmarks" if s["benchmarks"] > 1 else ""
    yield (
        f"sizes     {s['models']} models × {s['scaffolds']} scaffolds in {s['pairs']} pairs, "
        f"{s['tasks']:,} tasks{over}, {s['trials']:,} trials"
    )
    for merged in part.merged:
        yield f"merged    {' + '.join(merged['facets'])}: {merged['reason']}"
    for line in part.identifiability.get("notes", ()):
        yield f"design    {line}"
    for fit in part.fits:
        for warning in fit.warnings:
            yield f"warning   {fit.engine}: {warning}"
    for engine, reason in part.left_out_fits.items():
        yield f"no fit    {engine}: {reason}"


def _fit_lines(part: Part) -> Iterator[str]:
    """Coefficients without a value, and diagnostics; of several parts they are in the JSON."""
    for fit in part.fits:
        reasons: dict[str, list[str]] = defaultdict(list)
        for c in fit.coefficients:
            if c.value is None:
                reasons[c.reason or ""].append(f"{c.object} ({c.equation})")
        for reason, names in reasons.items():
            yield f"no value  {fit.engine}: {', '.join(names)}: {reason}"
        told = ", ".join(f"{name} {value:.4g}" for name, value in fit.diagnostics.items())
        likelihood = (
            "" if fit.log_likelihood is None else f"log-likelihood {fit.log_likelihood:.3f}; "
        )
        yield f"engine    {fit.engine} ({fit.scale} scale): {likelihood}{told}"
