"""argv → library call → exit code. 0 done, 1 a paper is contradicted, 2 usage or input error."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclopts import App, CycloptsError

from tiebreak.arguments import (
    OUTPUT,
    REWEIGHTING,
    SETTINGS,
    SOURCE,
    Output,
    Reweighting,
    Settings,
    Source,
)
from tiebreak.errors import TiebreakError
from tiebreak.version import __version__

app = App(
    name="tiebreak",
    help='Does the evidence support "A is better than B"? And if not, what is missing?',
    version=__version__,
    result_action="return_value",
    suppress_keyboard_interrupt=False,  # said by main
)

simulate = App(name="simulate", help="Write records whose truth is known.")
app.command(simulate)


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
def targets(
    path: Path,
    a: str | None = None,
    b: str | None = None,
    *,
    top: int | None = None,
    source: Source = SOURCE,
    settings: Reweighting = REWEIGHTING,
    output: Output = OUTPUT,
) -> None:
    """Which weighting makes whom win: scores by target, crossovers, radii, who wins where.

    Parameters
    ----------
    path
        Records in any readable layout.
    a
        A configuration, or a fragment of its name: its pairs with all others.
    b
        Another one: this pair alone.
    top
        Show the best N by raw score.
    """
    from tiebreak.questions.targets import targets as question

    options = settings.options()
    output.show(question(source.read(path), a, b, top=top, **settings.asked(), **options))


@app.command
def permute(
    path: Path,
    *,
    permutations: int = 1000,
    gap: str = "matched",
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """Could the configurations of the board be exchanged within tasks?

    Parameters
    ----------
    path
        Records in any readable layout.
    permutations
        How often the labels of every task are permuted.
    gap
        matched (on shared tasks) or standardized (difference of the two scores).
    """
    from tiebreak.questions.permute import permute as question

    options = settings.options()
    found = question(source.read(path), permutations=permutations, gap=gap, **options)  # type: ignore[arg-type]
    output.show(found)


@app.command
def runs(
    path: Path,
    a: str | None = None,
    b: str | None = None,
    *,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """What repeated runs can claim: components, three claims, pass@k and pass^k, failures, cost.

    Parameters
    ----------
    path
        Records in any readable layout.
    a
        A configuration, or a fragment that matches one name; by default everybody.
    b
        Another one: adds the difference under each claim.
    """
    from tiebreak.questions.runs import runs as question

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
        rank-comparison, ranking-reversal or one-run.
    data
        Folder of the public records; by default TIEBREAK_DATA, else ../shared/data.
    seed
        Seed of every draw.
    """
    from tiebreak.reproduce.run import reproduce as run_paper

    result = run_paper(paper, data=data, seed=seed)
    output.show(result)
    return 0 if result.reproduced else 1


@simulate.command(name="ranking-reversal")
def simulate_ranking_reversal(out: Path) -> None:
    """Four task families in which 83 % overall loses to 80 % by family.

    Parameters
    ----------
    out
        Table to write: .parquet, .csv, .tsv, .jsonl or .arrow.
    """
    from tiebreak.simulate.ranking_reversal import trials
    from tiebreak.write import write_table

    made = trials()
    write_table(made, out)
    sys.stdout.write(f"{made.frame.height:,} trials → {out}\n")


@simulate.command(name="one-run")
def simulate_one_run(
    out: Path,
    *,
    runs: int = 5,
    seed: int = 0,
    tasks: int = 500,
    shock_sd: float = 0.15,
    nested: bool = False,
) -> None:
    """Four agents whose runs carry a shock of their own: A < B < C = D in the population.

    Parameters
    ----------
    out
        Table to write: .parquet, .csv, .tsv, .jsonl or .arrow.
    runs
        Runs of each agent.
    seed
        Seed of every draw.
    tasks
        Tasks, the same for all.
    shock_sd
        SD of a run's shock on the logit scale.
    nested
        Draw the shock anew for every trial instead of once per run.
    """
    from tiebreak.simulate.one_run import trials
    from tiebreak.write import write_table

    made = trials(runs, seed, tasks=tasks, shock_sd=shock_sd, nested=nested)
    write_table(made, out)
    sys.stdout.write(f"{made.frame.height:,} trials → {out}\n")


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
