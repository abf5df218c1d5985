"""The bundled example: simulated records with a known truth (see ``tiebreak.simulate.example``)."""

from __future__ import annotations

from pathlib import Path

EXAMPLE = Path(__file__).parent / "example.csv.gz"
"""Ten configurations, 240 tasks in eight repositories, three runs, two label sources."""
