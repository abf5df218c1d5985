"""``tiebreak example``."""

from __future__ import annotations

import sys


def example() -> None:
    """Print the path of the bundled example records."""
    from tiebreak.data import EXAMPLE

    sys.stdout.write(f"{EXAMPLE}\n")
