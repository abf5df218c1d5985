"""Progress of long work on stderr: only on a terminal, only once a second has passed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = 1.0
_tracking: ContextVar[bool] = ContextVar("tracking", default=False)
"""Whether some outer work is tracked: a terminal holds one bar, and the outermost says most."""


def track(items: Iterable[T], total: int, label: str, each: int = 0, unit: str = "") -> Iterator[T]:
    """Walk the items; show how far along they are if that takes long enough to ask.

    Where an item stands for ``each`` units of work, their rate per second is shown too.
    """
    if _tracking.get() or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    start, bar = time.monotonic(), Progress(console=Console(stderr=True), transient=True)
    task, outer = bar.add_task(label, total=total), _tracking.set(True)
    try:
        for done, item in enumerate(items):
            if time.monotonic() - start > PATIENCE_S and not bar.live.is_started:
                bar.start()
            rate = each * done / max(time.monotonic() - start, 1e-9)
            shown = f"{label} ({rate:,.0f} {unit}/s)" if each else label
            bar.update(task, completed=done, description=shown)
            yield item
    finally:
        bar.stop()
        _tracking.reset(outer)
