"""argv → library call → exit code. 0 done, 1 a paper is contradicted, 2 usage or input error."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from tiebreak.errors import SpecError, TiebreakError
from tiebreak.version import __version__

if TYPE_CHECKING:
    from tiebreak.display import Rendered
    from tiebreak.options import Options
    from tiebreak.trials import Trials

app = App(
    name="tiebreak",
    help='Does the evidence support "A is better than B"? And if not, what is missing?',
    version=__version__,
    result_action="return_value",
)

Flat = Parameter(name="*")


def _pairs(values: tuple[str, ...], option: str) -> list[tuple[str, str]]:
    """``role=column,role=column`` words as pairs."""
    parts = [part for value in values for part in value.split(",") if part]
    bad = [part for part in parts if "=" not in part]
    if bad:
        raise SpecError(
            f"{option} takes NAME=VALUE", got=bad[0], allowed="NAME=VALUE[,NAME=VALUE…]"
        )
    return [(name, value) for name, _, value in (part.partition("=") for part in parts)]


@Flat
@dataclass(frozen=True, kw_only=True)
class Source:
    """How the records are read.

    Parameters
    ----------
    format
        Log format; by default it is recognised and printed by inspect.
    tasks
        File that lists the tasks every configuration was asked to do.
    map
        Roles of columns: configuration=COL,task=COL,score=COL,…
    score
        Which of several score columns to use.
    where
        Keep only records with COLUMN=VALUE; may be repeated.
    duplicates
        How rows of one (configuration, task, run) merge: error, first, last, any, mean, majority.
    """

    format: str | None = None
    tasks: Path | None = None
    map: tuple[str, ...] = ()
    score: str | None = None
    where: tuple[str, ...] = ()
    duplicates: str = "error"

    def read(self, path: Path) -> Trials:
        """The records at a path."""
        from tiebreak.readers import read

        where = [
            pair for value in self.where for pair in _pairs((value.replace(",", "\0"),), "--where")
        ]
        mapped = _pairs(self.map, "--map")
        if len(dict(mapped)) < len(mapped):
            raise SpecError("--map names a role twice", got=", ".join(self.map))
        return read(
            path,
            format=self.format,
            tasks=self.tasks,
            mapping=dict(mapped),
            score=self.score,
            where=[(c, v.replace("\0", ",")) for c, v in where],
            duplicates=self.duplicates,  # type: ignore[arg-type]
        )


@Flat
@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is estimated and how it is judged.

    Parameters
    ----------
    target
        Weights over cells: observed, equal:COLUMN, or a file that maps cells to weights.
    cells
        Task column that forms the cells of an observed target.
    label_source
        Which label source assigns the score.
    protocol
        pass@K or pass^K.
    missing
        How missing outcomes count: fail, drop or error.
    support
        full, or common: restrict the target to what every configuration covers.
    margin
        Smallest gap that matters, on the score scale (default 0.02).
    level
        Confidence level (default 0.95).
    interval
        t or percentile where tasks are sampled; wild or percentile where cells are.
    draws
        Resampling draws (default 10000).
    seed
        Seed of every draw (default 0).
    family
        pointwise, simultaneous, max-deviation, holm or bh.
    sampled
        What is sampled: tasks or cells.
    """

    target: str | None = None
    cells: str | None = None
    label_source: str | None = None
    protocol: str | None = None
    missing: str | None = None
    support: str | None = None
    margin: float | None = None
    level: float | None = None
    interval: str | None = None
    draws: int | None = None
    seed: int | None = None
    family: str | None = None
    sampled: str | None = None

    def options(self) -> Options:
        """The options that were given, the target read from its file where it names one."""
        given: dict[str, Any] = {k: v for k, v in vars(self).items() if v is not None}
        if self.target is not None and Path(self.target).is_file():
            from tiebreak.readers.weights import read_target

            given["target"] = read_target(Path(self.target))
        return given  # type: ignore[return-value]


@Flat
@dataclass(frozen=True, kw_only=True)
class Output:
    """How the result is printed.

    Parameters
    ----------
    json
        Strict JSON.
    markdown
        Markdown.
    """

    json: Annotated[bool, Parameter(negative="")] = False
    markdown: Annotated[bool, Parameter(negative="")] = False

    def show(self, result: Rendered) -> None:
        """Print a result in the chosen form."""
        text = (
            result.to_json()
            if self.json
            else result.to_markdown()
            if self.markdown
            else f"{result}\n"
        )
        sys.stdout.write(text)


SOURCE, SETTINGS, OUTPUT = Source(), Settings(), Output()


@app.command
def inspect(
    path: Path, *, cells: str | None = None, source: Source = SOURCE, output: Output = OUTPUT
) -> None:
    """What was read: columns, mapping, accounting, support table, missing outcomes.

    Parameters
    ----------
    path
        Records in any readable layout.
    cells
        Task column for the support table.
    """
    from tiebreak.questions.inspect import inspect as question

    output.show(question(source.read(path), cells=cells))


@app.command
def board(
    path: Path,
    *,
    top: int | None = None,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """Every configuration: score, interval, rank interval, tier; how many pairs are resolved.

    Parameters
    ----------
    path
        Records in any readable layout.
    top
        Judge the pairs among the best N by raw score.
    """
    from tiebreak.questions.board import board as question

    output.show(question(source.read(path), top=top, **settings.options()))


@app.command
def compare(
    path: Path,
    a: str,
    b: str,
    *,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """One pair in full: estimand, support, scores, gap, interval, radius, flags, verdict.

    Parameters
    ----------
    path
        Records in any readable layout.
    a
        A configuration, or a fragment that matches one name.
    b
        The other configuration.
    """
    from tiebreak.questions.compare import compare as question

    output.show(question(source.read(path), a, b, **settings.options()))


@app.command
def convert(path: Path, out: Path, *, source: Source = SOURCE) -> None:
    """Write any readable log as the canonical trial table.

    Parameters
    ----------
    path
        Records in any readable layout.
    out
        Table to write: .parquet, .csv, .tsv, .jsonl or .arrow.
    """
    from tiebreak.write import write_table

    trials = source.read(path)
    write_table(trials, out)
    sys.stdout.write(f"{trials.frame.height:,} trials → {out}\n")


@app.command
def reproduce(
    paper: str, *, data: Path | None = None, seed: int = 0, output: Output = OUTPUT
) -> int:
    """Every published figure of a paper beside ours, and the ledger of what differs and why.

    Parameters
    ----------
    paper
        rank-comparison.
    data
        Folder of the public records; by default TIEBREAK_DATA, else ../shared/data.
    seed
        Seed of every draw.
    """
    from tiebreak.reproduce.run import reproduce as run_paper

    result = run_paper(paper, data=data, seed=seed)
    output.show(result)
    return 0 if result.reproduced else 1


@app.command
def example() -> None:
    """Print the path of the bundled example records."""
    from tiebreak.data import EXAMPLE

    sys.stdout.write(f"{EXAMPLE}\n")


def main(argv: list[str] | None = None) -> int:
    """Run a command; one message and exit code 2 for anything the user can mend."""
    try:
        code = app(argv, exit_on_error=False, print_error=False)
    except (TiebreakError, CycloptsError) as fault:
        from tiebreak.display import printable

        sys.stderr.write(f"tiebreak: {printable(' '.join(str(fault).split()))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("tiebreak: interrupted\n")
        return 130
    except BrokenPipeError:
        return 0
    return code if isinstance(code, int) else 0


def run() -> None:
    """Console entry point."""
    sys.exit(main())


if __name__ == "__main__":
    run()
