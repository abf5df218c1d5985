"""One root error with two leaves. A message says what, where, what is allowed, what was got."""

from __future__ import annotations


class TiebreakError(Exception):
    """Root of every error that tiebreak raises on purpose.

    ``what`` is one sentence; ``where`` names the file, row or field; ``allowed`` and ``got``
    are put side by side; ``hint`` names the likely mend.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        allowed: str | None = None,
        got: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.what, self.where, self.allowed, self.got, self.hint = what, where, allowed, got, hint
        parts = [what if where is None else f"{where}: {what}"]
        parts += [f"{k}: {v}" for k, v in (("allowed", allowed), ("found", got)) if v is not None]
        parts += [hint] if hint else []
        super().__init__("; ".join(parts))


class InputError(TiebreakError):
    """Records that cannot be read, or that contradict each other."""


class SpecError(TiebreakError):
    """A target, protocol, design or option that means nothing here."""


def listed(names: object, limit: int = 8) -> str:
    """``a, b, c (+4 more)``: a bounded listing for messages."""
    items = [str(n) for n in names]  # type: ignore[attr-defined]
    more = f" (+{len(items) - limit} more)" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more
