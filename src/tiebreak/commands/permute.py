"""``tiebreak permute``."""

from __future__ import annotations

from pathlib import Path

from tiebreak.arguments import OUTPUT, SETTINGS, SOURCE, Output, Settings, Source


def permute(
    path: Path,
    *,
    permutations: int = 1000,
    gap: str = "matched",
    source: Source = SOURCE,
    settings: Settings = SETTINGS,
    output: Output = OUTPUT,
) -> None:
    """Could the configurations of the board be exchanged within tasks?

    Parameters
    ----------
    path
        Records in any readable layout.
    permutations
        How often the labels of every task are permuted.
    gap
        matched (on shared tasks) or standardized (difference of the two scores).
    """
    from tiebreak.questions.permute import permute as question

    options = settings.options()
    found = question(source.read(path), permutations=permutations, gap=gap, **options)  # type: ignore[arg-type]
    output.show(found)
