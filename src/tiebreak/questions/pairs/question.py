"""What a fraction of all pairs says: exactly of this board, and of what is declared sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from tiebreak.design import Rule
from tiebreak.estimand import Target
from tiebreak.kernels.pair_counts.rules import PairRule
from tiebreak.options import JudgedOptions
from tiebreak.questions.pairs.asked import Asked, Near, asked
from tiebreak.questions.pairs.blocks import block_line
from tiebreak.questions.pairs.exact import Board, make_board
from tiebreak.questions.pairs.intervals import check_sources, diagnostic, intervals
from tiebreak.questions.pairs.rules import near_rule, pair_rule
from tiebreak.questions.pairs.sensitivity import leave_one_out, thinning
from tiebreak.questions.prepare import Prepared, prepare
from tiebreak.results.pair_counts import (
    Crossing,
    Curve,
    CurvePoint,
    Diagnostic,
    PairCountResult,
    PairFraction,
    PairInterval,
)
from tiebreak.sentences import pairs_headline
from tiebreak.trials import Trials


def pairs(
    trials: Trials,
    *,
    rule: Rule = "near",
    near: Near | None = None,
    sampled: str = "none",
    target: str | Target | Sequence[str | Target] | None = None,
    blocks: str | None = None,
    unlabelled: str | None = None,
    curve: str | None = None,
    reference_width: float | None = None,
    **options: Unpack[JudgedOptions],
) -> PairCountResult:
    """The mean of a pair rule over all pairs of a board.

    Parameters
    ----------
    trials
        Checked records.
    rule
        ``near`` (ties within a margin), ``gap`` (absolute), ``unresolved`` or ``stable`` (by the
        procedure's verdicts), ``reversed`` (between two targets) or ``discordance`` (task by task).
    near
        The near-tie margin, 0 to 1, exactly as written: 0.05 or "1/20" (default 0.05).
    sampled
        ``none`` (the board is fixed: its mean is exact and has no interval), or what is taken as
        drawn, joined by +: ``configurations``, ``tasks`` or ``cells``, ``runs``.
    target
        Weights over cells; two of them for ``reversed`` (or one, against the observed mix).
    blocks, unlabelled
        Configuration column for the equal-block mean, and whether configurations without a value
        there are blocks of their own (``alone``, the default) or left ``out``.
    curve, reference_width
        Margins ``START:STOP:STEP`` at which to repeat fraction and widths, and the width whose
        first crossing is sought (default 0.05).
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`).

    Returns
    -------
    PairCountResult
        Configurations without a score under the target are left out with the reason.

    Raises
    ------
    SpecError, InputError
        Options without meaning or use, or records that allow no answer.
    """
    extras = {
        "blocks": blocks,
        "unlabelled": unlabelled,
        "curve": curve,
        "reference_width": reference_width,
    }
    wanted = asked(rule, near, sampled, target, extras, options)
    prepared = [prepare(trials, e, wanted.judged) for e in wanted.estimands]
    board = make_board(tuple(p.panel for p in prepared), trials.origin)
    check_sources(wanted.design, board)
    return _result(trials, wanted, prepared, board)


def _result(
    trials: Trials, wanted: Asked, prepared: list[Prepared], board: Board
) -> PairCountResult:
    made = pair_rule(wanted, board, prepared[-1])
    tables = _interval_tables(wanted, board, made)
    fraction, stated = _fraction(made), tables[0]
    parts, reasons = _parts(trials, wanted, board, made)
    return PairCountResult(
        design=wanted.design,
        against=str(wanted.estimands[0].target) if len(prepared) > 1 else None,
        n_configurations=board.size,
        n_pairs=made.size * (made.size - 1) // 2,
        left_out=board.left_out,
        fraction=fraction,
        intervals=stated,
        diagnostic=parts.pop("diagnostic"),
        curve=_curve(wanted, board, tables[1:]),
        reasons=reasons,
        notes=_notes(board),
        answer=pairs_headline(wanted.design, fraction, stated, parts.pop("passes")),
        provenance=prepared[-1].provenance,
        **parts,
    )


def _fraction(rule: PairRule) -> PairFraction:
    return PairFraction.of(rule.total, rule.size * (rule.size - 1) // 2)


def _interval_tables(wanted: Asked, board: Board, rule: PairRule) -> list[tuple[PairInterval, ...]]:
    """Intervals at the stated margin, then at those of the curve, all from the same draws."""
    nears = [wanted.design.near, *wanted.curve]
    rules = [rule, *(near_rule(board, near) for near in wanted.curve)]
    return intervals(rules, nears, board, wanted.design)


def _parts(
    trials: Trials, wanted: Asked, board: Board, rule: PairRule
) -> tuple[dict[str, Any], dict[str, str]]:
    """What may be absent, and why it is."""
    found: dict[str, Any] = {
        "diagnostic": "no configurations are sampled",
        "blocks": "no column was named (--blocks COLUMN)",
        "leave_one_out": leave_one_out(rule, board.names),
        "thinning": thinning(board, wanted.design),
    }
    if "configurations" in wanted.design.sampled:
        found["diagnostic"] = diagnostic(rule)
    if wanted.blocks is not None:
        found["blocks"] = block_line(rule, board, trials, wanted.blocks, wanted.unlabelled)
    reasons = {name: part for name, part in found.items() if isinstance(part, str)}
    if not wanted.curve:
        reasons["curve"] = "no margins were named (--curve START:STOP:STEP)"
    parts = {name: None if name in reasons else part for name, part in found.items()}
    stated = parts["diagnostic"]
    parts["passes"] = stated.passes if isinstance(stated, Diagnostic) else None
    return parts, reasons


def _curve(wanted: Asked, board: Board, tables: list[tuple[PairInterval, ...]]) -> Curve | None:
    if not wanted.curve:
        return None
    points = tuple(
        CurvePoint(float(near), str(near), _fraction(near_rule(board, near)), widths)
        for near, widths in zip(wanted.curve, tables, strict=True)
    )
    crossings = tuple(
        Crossing(line.method, line.sampled, _first_wider(points, k, wanted.reference_width))
        for k, line in enumerate(tables[0])
    )
    return Curve(wanted.reference_width, points, crossings)


def _first_wider(points: tuple[CurvePoint, ...], k: int, reference: float) -> float | None:
    wider = (p.near for p in points if p.widths[k].width > reference)
    return next(wider, None)


def _notes(board: Board) -> tuple[str, ...]:
    panel = board.panels[0]
    if panel.counts is not None:
        return ("grouped records: scores are taken as their decimals are printed",)
    return ()
