"""Progress of long work on stderr: only on a terminal, only once a second has passed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = 1.0


def track(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Walk the items; show how far along they are if that takes long enough to ask."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    start, bar = time.monotonic(), Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=total)
    try:
        for done, item in enumerate(items):
            if time.monotonic() - start > PATIENCE_S and not bar.live.is_started:
                bar.start()
            bar.update(task, completed=done)
            yield item
    finally:
        bar.stop()
