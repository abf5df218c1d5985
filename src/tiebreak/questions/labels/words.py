"""The answer to ``labels`` in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.results.label_lines import SourceLine

MOST_NAMED = 3


def headline(sources: Sequence[SourceLine], reference: str) -> str:
    """How far each source is off, and whether it selects another winner."""
    said = [_source(s, reference) for s in sources[:MOST_NAMED]]
    more = len(sources) - len(said)
    return " ".join(said) + (f" {more} more sources below." if more else "")


def _source(line: SourceLine, reference: str) -> str:
    bias = line.overall.rates["bias"].value
    if bias is None:
        return (
            f"{line.source} labels no trial that {reference} labels: only comparisons between "
            "sources remain."
        )
    size = f"{abs(100 * bias):.1f} points"
    off = f"{size} {'above' if bias > 0 else 'below'}" if bias else "level with"
    return f"{line.source} is {off} {reference}{_misses(line)}{_top(line, reference)}."


def _misses(line: SourceLine) -> str:
    fnr, fpr = (line.overall.rates[n].value for n in ("fnr", "fpr"))
    parts = []
    if fnr is not None:
        parts.append(f"misses {100 * fnr:.1f} % of its successes")
    if fpr is not None:
        parts.append(f"passes {100 * fpr:.1f} % of its failures")
    return f" ({', '.join(parts)})" if parts else ""


def _top(line: SourceLine, reference: str) -> str:
    chosen = line.selection
    if chosen.top is None or chosen.top_reference is None:
        return ""
    if chosen.top == chosen.top_reference:
        return f" and has the same on top, {chosen.top}"
    return f" and puts {chosen.top} on top, not {reference}'s {chosen.top_reference}"
