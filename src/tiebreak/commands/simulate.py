"""``tiebreak simulate``: records whose truth is known, one command a world."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclopts import App

from tiebreak.arguments import OUTPUT, Output
from tiebreak.errors import SpecError

simulate = App(name="simulate", help="Write records whose truth is known, or enumerate a model.")


@simulate.command(name="ranking-reversal")
def ranking_reversal(out: Path) -> None:
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
def one_run(
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


@simulate.command(name="pairs")
def pairs(
    *,
    kernel: str = "equality",
    p: str | None = None,
    m: str = "40,80,160",
    level: float = 0.95,
    output: Output = OUTPUT,
) -> None:
    """Exact coverage of the all-pairs intervals where pairs share configurations, and do not.

    Parameters
    ----------
    kernel
        equality (configurations are iid 0 or 1, a pair asks whether both are alike) or constant.
    p
        Probability of a 1, exactly: 4/5.
    m
        Numbers of configurations, separated by commas.
    level
        Nominal level of the intervals.
    """
    from tiebreak.questions.pairs.asked import exact_number
    from tiebreak.simulate.pairs import pair_coverage

    sizes = [_size(part) for part in m.split(",")]
    stated = None if p is None else exact_number(p, "--p")
    output.show(pair_coverage(kernel, stated, sizes, level))  # type: ignore[arg-type]


def _size(text: str) -> int:
    """A number of configurations."""
    if not text.strip().isdecimal():
        raise SpecError("--m takes whole numbers", allowed="40,80,160", got=text)
    return int(text)


@simulate.command(name="leaderboard")
def leaderboard(
    out: Path,
    *,
    seed: int = 0,
    models: int = 20,
    scaffolds: int = 3,
    tasks: int = 100,
    benchmarks: int = 1,
    runs: int = 1,
    coverage: float = 0.7,
) -> None:
    """Sparse models × scaffolds × tasks whose variance components are known on the logit scale.

    Parameters
    ----------
    out
        Table to write: .parquet, .csv, .tsv, .jsonl or .arrow.
    seed
        Seed of every draw.
    models
        Models in all.
    scaffolds
        Scaffolds on each benchmark; one of them is on every benchmark.
    tasks
        Tasks of each benchmark.
    benchmarks
        Benchmarks.
    runs
        Runs of every cell.
    coverage
        Share of the models that each scaffold is tried with.
    """
    from tiebreak.simulate.leaderboard import World, trials
    from tiebreak.write import write_table

    world = World(models, scaffolds, tasks, benchmarks, runs, coverage)
    made = trials(seed, world)
    write_table(made, out)
    truth = ", ".join(f"{facet} {variance:g}" for facet, variance in world.components.items())
    sys.stdout.write(
        f"{made.frame.height:,} trials → {out}\nvariances on the logit scale: {truth}\n"
    )
