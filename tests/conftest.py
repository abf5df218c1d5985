"""Shared fixtures: the hand-made logs of this folder, and the real records where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """Small invented logs, one folder per format."""
    return ROOT / "tests" / "fixtures"


@pytest.fixture(scope="session")
def data() -> Path:
    """The real public records: never committed, so skipped where absent, except in CI."""
    place = Path(os.environ.get("TIEBREAK_DATA", ROOT.parent / "shared" / "data"))
    if place.is_dir():
        return place
    reason = f"the real records are not at {place} (set TIEBREAK_DATA)"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
