"""A reliability answer in one sentence."""

from __future__ import annotations

from tiebreak.results.reliability import CoefficientLine, FitLines, Part

HIGH, LOW = 0.8, 0.5
MAIN = {
    False: (("system", "systems as deployed"), ("model", "models over scaffolds like these")),
    True: (
        ("leaderboard_system", "systems as deployed"),
        ("leaderboard", "models over benchmarks and scaffolds like these"),
    ),
}


def sentence(parts: tuple[Part, ...]) -> str:
    """Of one part its objects; of several how many are ranked how reliably."""
    if len(parts) == 1:
        return _one(parts[0])
    return _several(parts)


def _one(part: Part) -> str:
    pooled = part.sizes["benchmarks"] > 1
    lines = [(words, _line(part.fits[0], name)) for name, words in MAIN[pooled]]
    shown = [_said(part, words, c) for words, c in lines if c is not None and c.value is not None]
    if not shown:
        return _without(part)
    best = next(c for _, c in reversed(lines) if c is not None and c.value is not None)
    ends = _limit(best, "the latter" if len(shown) > 1 else "that")
    return f"{_caution(part)}{_capital('; '.join(shown))}.{ends}"


def _said(part: Part, words: str, first: CoefficientLine) -> str:
    """``models …: .27 on the probability scale (reml), .31 on the logit scale (ep)``."""
    every = [c for fit in part.fits if (c := _line(fit, first.name)) is not None]
    known = [(c.value, c.scale) for c in every if c.value is not None]
    values = ", ".join(f"{value:.2f} on the {scale} scale" for value, scale in known)
    return f"{words} are ranked {_how([value for value, _ in known])} ({values})"


def _how(values: list[float]) -> str:
    if min(values) >= HIGH:
        return "reliably"
    if max(values) < LOW:
        return "hardly at all"
    return "in part" if min(values) >= LOW or max(values) < HIGH else "reliably or not by the scale"


def _limit(line: CoefficientLine, what: str) -> str:
    if line.unlimited_tasks is None or line.value is None:
        return ""
    gain = line.unlimited_tasks - line.value
    limited = f"; what limits it most is {line.limited_by}" if line.limited_by else ""
    return f" Unlimited tasks would add {gain:.2f} to {what}{limited}."


def _without(part: Part) -> str:
    line = _line(part.fits[0], "model_in_scaffold")
    if line is not None and line.value is not None:
        return (
            f"With one scaffold models and scaffolds cannot be told apart; the order of models "
            f"under it has reliability {line.value:.2f} on the {line.scale} scale."
        )
    return "Components only: this design identifies no reliability that was asked for."


def _several(parts: tuple[Part, ...]) -> str:
    found = []
    for name, words in MAIN[False]:
        values = [
            c.value
            for part in parts
            if (c := _line(part.fits[0], name)) is not None and c.value is not None
        ]
        if values:
            found.append(f"{words} {min(values):.2f} to {max(values):.2f}")
    scale = parts[0].fits[0].scale
    if not found:
        return f"{len(parts)} parts; none identifies a reliability of models or systems."
    return f"Reliability over {len(parts)} parts, {scale} scale: {'; '.join(found)}."


def _line(fit: FitLines, name: str) -> CoefficientLine | None:
    return next((c for c in fit.coefficients if c.name == name), None)


def _caution(part: Part) -> str:
    bad = [f.engine for f in part.fits if f.diagnostics.get("passed", 1.0) != 1.0]
    return f"Not to be relied on ({', '.join(bad)} has not converged): " if bad else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
