"""The answer in plain language. Words only: every number comes from the sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiebreak.results.target_lines import PairVerdicts, TargetLine, TargetVerdict
from tiebreak.results.weight_lines import Crossover, PathLine, Perturbation, Regions


def percent(share: float) -> str:
    """``78 %``: three digits, none of them an idle zero."""
    return f"{100 * share:.3g} %"


def half_space_sentence(a: str, b: str, gaps: Mapping[str, float]) -> str:
    """Where a leads b, in points per cell."""
    if all(g == 0 for g in gaps.values()):
        return f"{a} and {b} tie in every cell, so under all weights."
    for leader, other, sign in ((a, b, 1), (b, a, -1)):
        if all(sign * g > 0 for g in gaps.values()):
            return f"{leader} leads {other} under all weights: in every cell."
        if all(sign * g >= 0 for g in gaps.values()):
            return f"{leader} is behind {other} under no weights: in no cell."
    terms = " ".join(f"{100 * g:+.1f}·{cell}" for cell, g in gaps.items() if g)
    return f"{a} leads {b} where the weights make {terms} positive (points of gap in each cell)."


def threshold_sentence(leader: str, cell: str, weight: float) -> str:
    """One cell's weight decides, the rest split equally."""
    return (
        f"{leader} wins only when {cell} is more than {percent(weight)} of the work "
        "(the rest split equally)."
    )


def headline(
    verdicts: Sequence[PairVerdicts], crossings: Sequence[Crossover], regions: Regions | None
) -> str:
    """What the weights decide: for one pair who leads under which target, else the board."""
    if len(verdicts) == 1:
        return _pair_headline(verdicts[0], crossings)
    kept = sum(v.survives is not None for v in verdicts)
    n = len(verdicts[0].verdicts)
    under = {1: "the one target", 2: "both targets"}.get(n, f"all {n} targets")
    verb = "has" if kept == 1 else "have"
    head = f"{kept:,} of {len(verdicts):,} pairs {verb} the same practical winner under {under}."
    if all(t.gap_low is None for v in verdicts for t in v.verdicts):
        head = f"Grouped records allow no interval and resolve none of {len(verdicts):,} pairs."
    return head + (_region_words(regions) if regions else "")


def _pair_headline(pair: PairVerdicts, crossings: Sequence[Crossover]) -> str:
    leaders = [_leader(pair, t) for t in pair.verdicts]
    named = {who for who in leaders if who is not None}
    if len(named) > 1:
        parts = ", ".join(
            f"{who or 'nobody'} under {t.target} (by {_points(t.gap)} points)"
            for who, t in zip(leaders, pair.verdicts, strict=True)
        )
        head = f"Who leads depends on the weights: {parts}."
    elif named:
        head = f"{named.pop()} leads under every target shown."
    else:
        head = f"{pair.a} and {pair.b} lead each other under no target shown."
    return head + _survival(pair) + "".join(_crossing(c) for c in crossings[:1])


def _leader(pair: PairVerdicts, t: TargetVerdict) -> str | None:
    if not t.gap:
        return None
    return pair.a if t.gap > 0 else pair.b


def _points(gap: float | None) -> str:
    return f"{abs(100 * (gap or 0.0)):.1f}"


def _survival(pair: PairVerdicts) -> str:
    if pair.survives is not None:
        return f" The claim that {pair.survives} is better survives them all."
    return " No claim that one of them is better survives all of them."


def _crossing(c: Crossover) -> str:
    if c.weight is None:
        return f" Along '{c.path}' there is no crossover: {c.reasons['weight']}."
    exact = f", exactly {c.weight_exact}" if c.weight_exact else ""
    return f" Along '{c.path}' they change places at {c.weight:.4f}{exact}."


def _region_words(regions: Regions) -> str:
    best = max(regions.shares, key=lambda s: s.share)
    never = sum(s.never for s in regions.shares)
    tail = f"; {never} of {len(regions.shares)} are on top under none" if never else ""
    return f" {best.configuration} is on top for {percent(best.share)} of all weights{tail}."


def notes(
    lines: Sequence[TargetLine],
    regions: Regions | None,
    perturbation: Perturbation | None,
    paths: Sequence[PathLine],
    said: Sequence[str],
) -> tuple[str, ...]:
    """What a reader must know beside the tables: what is left out, and how weights were drawn."""
    outside = (
        f"{percent(t.outside)} of the weight of {t.target} lies outside common support"
        for t in lines
        if t.outside > 1e-9
    )
    along = (f"the weight along '{p.path}' is the {p.weight}" for p in paths)
    return (
        *said,
        *outside,
        *along,
        *(_drawn(perturbation) if perturbation else ()),
        *(_regions(regions) if regions else ()),
    )


def _drawn(p: Perturbation) -> tuple[str, ...]:
    law = (
        f"uniform within an L1 distance of {p.ball:g}"
        if p.ball is not None
        else f"Dirichlet of concentration {p.concentration:g}"
    )
    gaps = ", ".join(f"{100 * float(q):g} %: {100 * g:.2f}" for q, g in p.top_gap.items())
    return (
        f"{p.n:,} draws of weights around {p.target}, {law}",
        f"lead of the best over the second, quantiles in points: {gaps}",
        *(() if p.pairs else ("too many pairs to judge under every draw: use --top",)),
    )


def _regions(r: Regions) -> tuple[str, ...]:
    error = max(s.share_se for s in r.shares)
    how = (
        f"all weights over {len(r.cells)} cells alike, exact"
        if r.draws is None
        else f"all weights over {len(r.cells)} cells alike, {r.draws:,} draws, "
        f"standard error up to {percent(error)}"
    )
    pair = r.half_space
    return (how, *(() if pair is None else (pair.sentence, *(t.sentence for t in pair.thresholds))))
