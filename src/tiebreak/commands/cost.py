"""``tiebreak cost``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, SETTINGS, SOURCE, Output, Settings, Source


def cost(
    path: Path,
    *configurations: str,
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """Who is best at which price: switch points, frontier, cost per resolved task, budgets.

    Parameters
    ----------
    path
        Records in any readable layout.
    configurations
        Names or fragments that match one name each; by default everybody.
    """
    from tiebreak.questions.cost import cost as question

    output.show(question(source.read(path), *configurations, **settings.options()))
