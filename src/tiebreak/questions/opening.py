"""The answer in sentences: words only, every number comes from results."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from tiebreak.results.board import BoardResult
from tiebreak.results.pairs import Comparison
from tiebreak.results.settle import OpenPair, Said

DEPENDS = {
    "unsupported": "on tasks that one of the two never ran",
    "verifier-sensitive": "on who judges: label sources select opposite winners",
    "target-sensitive": "on the weights of the cells",
    "underpowered": "on more evidence than there is",
}
NAMED = 3
"""Names in a sentence before the rest is counted."""


def opening(
    board: BoardResult,
    pairs: Sequence[Comparison],
    better: Mapping[str, Sequence[str]],
    planned: Sequence[OpenPair],
    power: float,
) -> tuple[Said, ...]:
    """How much is resolved, who is told from whom, what it depends on, what would settle it."""
    if all(s.tier is None for s in board.standings):
        return (Said("Resolved", board.answer), Said("It depends", _depends(pairs)))
    said = (
        Said("Resolved", _resolved(board, pairs, len(better))),
        Said("Told apart", _told_apart(better)),
        Said("It depends", _depends(pairs)),
        Said("Not in the intervals", _unseen(pairs)),
        Said("Missing outcomes", _missing(board.provenance.missing_effect)),
        Said("What would settle the rest", _settled(planned, power, board.provenance.design.level)),
    )
    return tuple(s for s in said if s.sentence)


def _resolved(board: BoardResult, pairs: Sequence[Comparison], near: int) -> str:
    done, n = sum(c.winner is not None for c in pairs), len(pairs)
    level = f"{100 * board.provenance.design.level:g} %"
    whole = len(board.comparisons)
    of_all = sum(c.winner is not None for c in board.comparisons)
    among = f" (of all {whole:,} judged pairs, {of_all:,})" if whole > n else ""
    first = f"{done:,} of {n:,} {'pair is' if n == 1 else 'pairs are'}"
    return f"{first} resolved at {level} among the top {near} by raw score{among}."


def _told_apart(better: Mapping[str, Sequence[str]]) -> str:
    winners = sorted((n for n in better if better[n]), key=lambda n: -len(better[n]))
    if not winners:
        return "None of them can be told apart from another."
    lost = {n for others in better.values() for n in others}
    apart = [n for n in better if not better[n] and n not in lost]
    shown = [f"{n} is shown better than {named(better[n])}" for n in winners[:NAMED]]
    rest = len(winners) - NAMED
    more = f"; {_many(rest, 'more is', 'more are')} shown better than somebody" if rest > 0 else ""
    tail = f" Told apart from nobody near the top: {named(apart)}." if apart else ""
    return f"{'; '.join(shown)}{more}.{tail}"


def _depends(pairs: Sequence[Comparison]) -> str:
    counts = Counter(c.verdict for c in pairs)
    found = [f"{counts[v]:,} {why} ({v})" for v, why in DEPENDS.items() if counts[v]]
    stable = counts["stable"]
    if not found:
        return f"{_many(stable, 'verdict holds', 'verdicts hold')} under every check (stable)."
    first, *rest = found
    depend = first.replace(" on ", " depend on " if counts.total() > 1 else " depends on ", 1)
    kept = f"; {stable:,} hold under every check (stable)" if stable else ""
    return f"Of the {len(pairs):,} verdicts, {', '.join([depend, *rest])}{kept}."


def _unseen(pairs: Sequence[Comparison]) -> str:
    single = sum("single_run" in c.flags for c in pairs)
    if not single:
        return ""
    some = "every pair" if single == len(pairs) else f"{single:,} of the {len(pairs):,} pairs"
    return f"In {some} one of the two has a single run: its run-to-run noise is not measured."


def _missing(effect: str | None) -> str:
    return f"The rule {effect}." if effect else ""


def _settled(planned: Sequence[OpenPair], power: float, level: float) -> str:
    if not planned:
        return ""
    head = f"To find the gaps seen (at least the margin) with power {power:g} at {100 * level:g} %"
    finite = sorted((p for p in planned if p.tasks is not None), key=lambda p: p.tasks or 0)
    if not finite:
        return f"{head}, no number of tasks is enough with these runs.{_by_runs(planned)}"
    first, never = finite[0], len(planned) - len(finite)
    parts = [f"{first.a} against {first.b} takes {first.tasks:,} tasks (now {first.n_tasks:,})"]
    if len(finite) > 1:
        middle = statistics.median_low([p.tasks or 0 for p in finite])
        parts.append(f"the median of {len(finite):,} such open pairs takes {middle:,}")
    if never:
        parts.append(f"for {never:,} no number of tasks is enough with these runs")
    return f"{head}, {'; '.join(parts)}.{_by_runs(planned)}"


def _by_runs(planned: Sequence[OpenPair]) -> str:
    enough = [p for p in planned if p.runs is not None and p.runs > p.n_runs]
    several = any(p.n_runs > 1 for p in planned)
    if not enough:
        return " No number of further runs on these tasks would do it." if several else ""
    most = max(p.runs or 0 for p in enough)
    return f" More runs on these tasks would settle {len(enough):,} of them, with up to {most:,}."


def named(names: Sequence[str]) -> str:
    """A, B, C and 4 more."""
    if len(names) <= NAMED:
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED:,} more"


def _many(n: int, one: str, more: str) -> str:
    return f"{n:,} {one if n == 1 else more}"
