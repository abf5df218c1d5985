"""Groups of options that commands share: how records are read, judged, reweighted, printed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tiebreak.errors import SpecError

if TYPE_CHECKING:
    from tiebreak.display import Rendered
    from tiebreak.estimand import Target
    from tiebreak.options import Options
    from tiebreak.trials import Trials

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
class Reading:
    """How the records are read.

    Parameters
    ----------
    format
        Log format; by default it is recognised and printed by inspect.
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
    map: tuple[str, ...] = ()
    score: str | None = None
    where: tuple[str, ...] = ()
    duplicates: str = "error"

    def read(self, path: Path) -> Trials:
        """The records at a path."""
        return self._read(path, None)

    def _read(self, path: Path, tasks: Path | None) -> Trials:
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
            tasks=tasks,
            mapping=dict(mapped),
            score=self.score,
            where=[(c, v.replace("\0", ",")) for c, v in where],
            duplicates=self.duplicates,  # type: ignore[arg-type]
        )


@Flat
@dataclass(frozen=True, kw_only=True)
class Source(Reading):
    """The same, with the tasks that were asked for.

    Parameters
    ----------
    tasks
        File that lists the tasks every configuration was asked to do.
    """

    tasks: Path | None = None

    def read(self, path: Path) -> Trials:
        """The records at a path."""
        return self._read(path, self.tasks)


@Flat
@dataclass(frozen=True, kw_only=True)
class Judging:
    """What is estimated and how it is judged, but for the target weights.

    Parameters
    ----------
    cells
        Task column that forms the cells.
    label_source
        Which label source assigns the score.
    protocol
        pass@K or pass^K.
    missing
        How missing outcomes count: fail, drop or error.
    support
        full, or common: restrict the target to what every configuration covers.
    price
        λ of the utility success − λ·cost − μ·duration, in success per USD (Python: price).
    time_price
        μ of the utility, in success per second (Python: time_price).
    unpriced
        Trials whose cost is 0 or not stated, in a utility: zero (as free) or drop (left out).
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
        pointwise, simultaneous, studentized, holm or bh.
    sampled
        What is sampled: tasks or cells.
    claim
        population (of tasks), benchmark (exactly these tasks) or reliability (solved every time).
    runs
        crossed (a run spans all tasks), nested (each task's trials by themselves) or auto.
    assume_run_sd
        SD of a run shock on the score scale, stated for single-run records.
    estimator
        direct, or regression: a logistic model lends thin cells strength (board and compare).
    """

    cells: str | None = None
    label_source: str | None = None
    protocol: str | None = None
    missing: str | None = None
    support: str | None = None
    price: Annotated[float | None, Parameter(name="--lambda")] = None
    time_price: Annotated[float | None, Parameter(name="--mu")] = None
    unpriced: str | None = None
    margin: float | None = None
    level: float | None = None
    interval: str | None = None
    draws: int | None = None
    seed: int | None = None
    family: str | None = None
    sampled: str | None = None
    claim: str | None = None
    runs: str | None = None
    assume_run_sd: float | None = None
    estimator: str | None = None

    def options(self) -> Options:
        """The options that were given."""
        given: dict[str, Any] = {f: getattr(self, f) for f in Judging.__dataclass_fields__}
        return {k: v for k, v in given.items() if v is not None}  # type: ignore[return-value]


@Flat
@dataclass(frozen=True, kw_only=True)
class Settings(Judging):
    """The same with one target.

    Parameters
    ----------
    target
        Weights over cells: observed, equal:COLUMN, or a file that maps cells to weights.
    """

    target: str | None = None

    def options(self) -> Options:
        """The options that were given, the target read from its file where it names one."""
        given = Judging.options(self)
        if self.target is not None:
            given["target"] = _target(self.target)
        return given


@Flat
@dataclass(frozen=True, kw_only=True)
class Reweighting(Judging):
    """The same with several targets, and what is asked about their weights.

    Parameters
    ----------
    target
        Weights over cells: observed, equal:COLUMN, or a file; may be repeated.
    sweep
        Cell whose weight goes from 0 to 1.
    perturb
        Draws of weights around the target (try 1000).
    concentration
        Dirichlet concentration of these draws (default 100).
    ball
        Draw uniformly within this L1 distance of the target instead.
    distance
        Adds Wasserstein radii: a file of distances between cells, or gower:COLUMN,COLUMN.
    wide
        List cells whose own interval is wider than this (default 0.3).
    """

    target: tuple[str, ...] = ()
    sweep: str | None = None
    perturb: int | None = None
    concentration: float | None = None
    ball: float | None = None
    distance: str | None = None
    wide: float = 0.3

    def asked(self) -> dict[str, Any]:
        """Keywords of ``targets`` that no other question has."""
        distance: Any = self.distance
        if distance is not None and not distance.startswith("gower:"):
            from tiebreak.readers.distance import read_distance

            distance = read_distance(Path(distance))
        names = ("sweep", "perturb", "concentration", "ball", "wide")
        return {
            **{name: getattr(self, name) for name in names},
            "targets": [_target(t) for t in self.target],
            "distance": distance,
        }


@Flat
@dataclass(frozen=True, kw_only=True)
class PairCounting(Judging):
    """What is averaged over all pairs, and what is taken as sampled; the rest as it is judged.

    Parameters
    ----------
    rule
        near (ties within a margin), gap, unresolved, stable, reversed (between two targets) or
        discordance (task by task).
    near
        Near-tie margin, exactly as written: 0.05 or 1/20 (default 0.05).
    sampled
        none, or joined by +: configurations, tasks or cells, runs.
    target
        Weights over cells: observed, equal:COLUMN, or a file; two of them for reversed.
    blocks
        Configuration column for the mean that weighs pairs of blocks alike.
    unlabelled
        Configurations without a value there: alone (a block each) or out.
    curve
        Margins START:STOP:STEP at which fraction and widths are repeated.
    reference_width
        Width whose first crossing along the curve is sought (default 0.05).
    """

    rule: str = "near"
    near: str | None = None
    sampled: str = "none"
    target: tuple[str, ...] = ()
    blocks: str | None = None
    unlabelled: str | None = None
    curve: str | None = None
    reference_width: float | None = None

    def keywords(self) -> dict[str, Any]:
        """Keywords of ``pairs`` that were given, targets read from their files."""
        given: dict[str, Any] = {f: getattr(self, f) for f in PairCounting.__dataclass_fields__}
        given["target"] = [_target(t) for t in self.target]
        return {k: v for k, v in given.items() if v is not None}


@Flat
@dataclass(frozen=True, kw_only=True)
class Decomposing:
    """How variance components are estimated.

    Parameters
    ----------
    engine
        reml (probability scale), ep (logit scale), laplace, bayes, moments or disco.
    label_source
        Which label source assigns the score.
    missing
        How missing outcomes count: fail (default for trials that ran), drop or error.
    prior
        half-t(3, 2.5) (default) or half-normal(1), of standard deviations on the logit scale.
    level
        Confidence level (default 0.95).
    draws
        Draws of the engines that draw (default 1000).
    seed
        Seed of every draw (default 0).
    """

    engine: str | None = None
    label_source: str | None = None
    missing: str | None = None
    prior: str | None = None
    level: float | None = None
    draws: int | None = None
    seed: int | None = None

    def keywords(self) -> dict[str, Any]:
        """Keywords that were given."""
        given: dict[str, Any] = {f: getattr(self, f) for f in Decomposing.__dataclass_fields__}
        return {k: v for k, v in given.items() if v is not None}


def _target(text: str) -> str | Target:
    """A target's text, or what its file states."""
    if not Path(text).is_file():
        return text
    from tiebreak.readers.weights import read_target

    return read_target(Path(text))


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


SOURCE, READING, SETTINGS, OUTPUT = Source(), Reading(), Settings(), Output()
REWEIGHTING, PAIR_COUNTING, DECOMPOSING = Reweighting(), PairCounting(), Decomposing()
