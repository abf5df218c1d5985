"""The sections of the report, in order: what each asks of the records, and when it cannot.

A section is a name, a title, one line about it, and the question it asks. A question that raises
one of tiebreak's own errors gives no section but its reason. To add a question to the report, add
its :class:`Section` to :data:`SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tiebreak.design import Design
from tiebreak.display import Rendered, Table
from tiebreak.errors import InputError
from tiebreak.estimand import Estimand
from tiebreak.options import Options, specs
from tiebreak.report.words import estimand_words
from tiebreak.results.board import BoardResult
from tiebreak.trials import Trials

NEAR = 10
"""Configurations, by raw score, that sections on few of them are about."""
MARGINS = "0:0.1:0.01"
"""Near-tie margins of the curve over all pairs."""
MOST_DECOMPOSED = 20_000
"""Components of more trials are estimated on the probability scale only: it takes seconds."""
MOST_PICTURED = 40
"""Longer boards are drawn to this many configurations."""


@dataclass(frozen=True)
class Asked:
    """The records and the options; the board, which several sections use, is asked for once."""

    trials: Trials
    options: Options

    @cached_property
    def board(self) -> BoardResult:
        """The board of all configurations."""
        from tiebreak.questions.board import board

        return board(self.trials, **self.options)

    @property
    def specs(self) -> tuple[Estimand, Design]:
        """What is estimated, its label source named, and how it is judged."""
        estimand, design = specs(self.options)
        source = estimand.label_source or self.trials.sources[0]
        return replace(estimand, label_source=source), design

    def without(self, *names: str) -> dict[str, Any]:
        """The options that a question takes."""
        return {k: v for k, v in self.options.items() if k not in names}


def _tables(result: Any) -> list[Table]:
    found: list[Table] = result.tables()
    return found


def _itself(_: Asked, result: Any) -> Any:
    return result


def _no_words(_: Asked) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report.

    Parameters
    ----------
    name, title, about
        Anchor, heading, and one line that says what the section shows.
    ask
        The question. Its :class:`tiebreak.errors.TiebreakError` is the section's reason.
    views
        Pictures to draw, by name; None draws all that the result has.
    tables
        Which of the result's tables are shown.
    pictured
        The result that is drawn: by default the section's own.
    words
        A paragraph under the headline.
    """

    name: str
    title: str
    about: str
    ask: Callable[[Asked], Rendered]
    views: tuple[str, ...] | None = None
    tables: Callable[[Any], list[Table]] = _tables
    pictured: Callable[[Asked, Any], Rendered] = _itself
    words: Callable[[Asked], str] = _no_words


def _answer(asked: Asked) -> Rendered:
    from tiebreak.questions.settle import settle

    return settle(asked.trials, asked.board, near=NEAR)


def _read(asked: Asked) -> Rendered:
    from tiebreak.questions.inspect import inspect

    target: Any = asked.options.get("target")
    return inspect(
        asked.trials, cells=asked.options.get("cells") or getattr(target, "column", None)
    )


def _estimand(asked: Asked) -> str:
    return estimand_words(*asked.specs)


def _board(asked: Asked) -> Rendered:
    return asked.board


def _targets(asked: Asked) -> Rendered:
    from tiebreak.questions.targets import targets

    return targets(asked.trials, top=NEAR, **asked.options)


def _runs(asked: Asked) -> Rendered:
    from tiebreak.questions.runs import runs

    trials = asked.trials
    if trials.kind == "item" and not _repeated(trials):
        raise InputError("every task has a single run, which shows no run-to-run noise")
    return runs(trials, **asked.without("claim", "protocol"))


def _labels(asked: Asked) -> Rendered:
    from tiebreak.questions.labels import labels
    from tiebreak.questions.labels.question import IDLE

    trials = asked.trials
    if len(trials.sources) < 2:
        raise InputError("one label source only: there is none to hold it against")
    reference = asked.options.get("label_source") or trials.sources[0]
    return labels(trials, reference, **asked.without(*IDLE))


def _cost(asked: Asked) -> Rendered:
    from tiebreak.questions.cost import cost

    return cost(asked.trials, **asked.without("claim", "protocol", "family", "margin"))


def _reliability(asked: Asked) -> Rendered:
    from tiebreak.questions.reliability import reliability

    trials = asked.trials
    engine = "reml" if trials.frame.height > MOST_DECOMPOSED else None
    kept = ("label_source", "missing", "level", "seed")
    options = {k: v for k, v in asked.options.items() if k in kept}
    return reliability(trials, engine=engine, leave_out=False, **options)  # type: ignore[arg-type]


def _all_pairs(asked: Asked) -> Rendered:
    from tiebreak.questions.pairs import pairs

    idle = ("margin", "interval", "family", "claim", "assume_run_sd", "sampled", "runs")
    return pairs(asked.trials, sampled="configurations", curve=MARGINS, **asked.without(*idle))


def _repeated(trials: Trials) -> bool:
    return trials.frame.select("configuration", "task").is_duplicated().any()


def _first_table(board: Any) -> list[Table]:
    found: list[Table] = board.tables()[:1]
    return found


def _no_table(_: Any) -> list[Table]:
    return []


def _top_of(board: BoardResult, most: int) -> BoardResult:
    """The same board with its first configurations, by score, and their pairs."""
    kept = board.standings[:most]
    names = {s.configuration for s in kept}
    pairs = tuple(c for c in board.comparisons if c.a in names and c.b in names)
    return replace(board, standings=kept, comparisons=pairs)


def _drawn_answer(asked: Asked, result: Any) -> Rendered:
    names = set(result.near)
    board = asked.board
    pairs = tuple(c for c in board.comparisons if c.a in names and c.b in names)
    kept = tuple(s for s in board.standings if s.configuration in names)
    return replace(board, standings=kept, comparisons=pairs)


def _drawn_board(_: Asked, board: BoardResult) -> Rendered:
    return _top_of(board, MOST_PICTURED)


def _drawn_pairs(_: Asked, board: BoardResult) -> Rendered:
    return _top_of(board, NEAR)


SECTIONS: tuple[Section, ...] = (
    Section(
        "answer",
        "The answer",
        "The pairs near the top.",
        _answer,
        views=("matrix",),
        pictured=_drawn_answer,
    ),
    Section(
        "records",
        "What was read",
        "What the scores estimate, and what became of every source record.",
        _read,
        words=_estimand,
    ),
    Section(
        "board",
        "Board",
        "Every configuration with its interval. Rank intervals and tiers hold for all pairs at "
        "once; the raw score is the leaderboard's own.",
        _board,
        views=("board",),
        tables=_first_table,
        pictured=_drawn_board,
    ),
    Section(
        "pairs",
        "Pairs",
        "Choose two configurations and see the whole comparison; move the weights, the margin "
        "and the price to see what the claim depends on.",
        _board,
        views=("forest",),
        tables=_no_table,
        pictured=_drawn_pairs,
    ),
    Section(
        "targets",
        "Targets",
        f"Which weighting makes whom win, for the first {NEAR} by raw score.",
        _targets,
    ),
    Section("runs", "Runs", "What repeated runs can claim, and how many it takes.", _runs),
    Section(
        "labels",
        "Labels",
        "How the other label sources err against the one that counts here, and whom they select.",
        _labels,
    ),
    Section("cost", "Cost", "Success against what it takes: who is best at which price.", _cost),
    Section(
        "all-pairs",
        "All pairs",
        "How often two entries of this board are as good as tied: exact for the board itself, an "
        "estimate for entries like them, whose sample is the configurations and not the pairs.",
        _all_pairs,
    ),
    Section(
        "reliability",
        "Reliability",
        "How much of a ranking would stand on other tasks and scaffolds, and what limits it.",
        _reliability,
    ),
)
"""What the report holds, in order."""
