"""Run a paper: every section whose records are here, every figure judged."""

from __future__ import annotations

from pathlib import Path

from tiebreak.errors import SpecError
from tiebreak.reproduce.contract import Figure, Found, Paper, Section, Setting
from tiebreak.reproduce.records import data_folder, locate
from tiebreak.reproduce.registry import choose
from tiebreak.results.reproduce import FigureLine, ReproduceResult, SectionLines, Value

NO_LEDGER = "no difference is expected here"


def reproduce(name: str, *, data: Path | None = None, seed: int = 0) -> ReproduceResult:
    """Compute the published figures of a paper.

    Parameters
    ----------
    name
        Name of the paper.
    data
        Folder of the public records; by default ``TIEBREAK_DATA``, else ``../shared/data``.
    seed
        Seed of every draw.

    Raises
    ------
    SpecError
        An unknown paper, or a negative seed.
    InputError
        Records that are there but cannot be read.
    """
    paper = choose(name)
    if seed < 0:
        raise SpecError("a seed out of range", allowed="a whole number ≥ 0", got=str(seed))
    folder = data_folder(data)
    sections = tuple(run_section(paper, section, folder, seed) for section in paper.sections)
    return ReproduceResult(paper.name, paper.title, seed, sections)


def run_section(paper: Paper, section: Section, folder: Path | None, seed: int) -> SectionLines:
    """One section of a paper: its figures beside ours, or why they are skipped."""
    parameters = paper.parameters().get(section.name, {})
    published = [f for f in paper.figures() if f.section == section.name]
    records = locate(parameters.get("records", {}), folder)
    if isinstance(records, str):
        lines = tuple(_line(f, None, records) for f in published)
        return SectionLines(section.name, section.title, lines, skipped=records)
    found = section.run(Setting(parameters, records, seed))
    lines = tuple(_line(f, _ours(f, found)) for f in published)
    return SectionLines(section.name, section.title, lines, found.provenances)


def _ours(figure: Figure, found: Found) -> Value | None:
    """Our value without the last bits, which depend on the machine's linear algebra."""
    value = found.figures.get(figure.id.partition(".")[2])
    if isinstance(value, list):
        return [round(v, 9) for v in value]
    return round(value, 9) if isinstance(value, float) else value


def _line(figure: Figure, ours: Value | None, skipped: str | None = None) -> FigureLine:
    status = "skipped" if skipped else figure.status(ours)
    known = figure.ledger.reason if figure.ledger else NO_LEDGER
    return FigureLine(
        id=figure.id,
        what=figure.what,
        place=figure.place,
        published=figure.published,
        ours=ours,
        tolerance=figure.tolerance,
        digits=figure.digits,
        status=status,
        reason=skipped or (figure.because if status == "agrees" else known),
    )
