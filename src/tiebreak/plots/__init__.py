"""Pictures of results: ``plot`` draws what a result holds and computes nothing.

Altair and vl-convert are the optional extra ``plots``; they load when a picture is asked for.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from tiebreak.errors import InputError

if TYPE_CHECKING:
    from altair.typing import ChartType

    from tiebreak.display import Rendered

NEEDED = ("altair", "vl_convert")


def plot(result: Rendered, view: str | None = None, *, titled: bool = True) -> ChartType:
    """A result as an Altair chart.

    Parameters
    ----------
    result
        What a question returned.
    view
        Name of one of its views (:func:`views`); by default the first.
    titled
        Whether title, answer and estimand stand above the chart.

    Raises
    ------
    SpecError
        A result without pictures, or no such view.
    InputError
        The result holds nothing for this view (the reason is given), or the extra ``plots`` is
        not installed.
    """
    need_altair()
    from tiebreak.plots.drawing import draw

    return draw(result, view, titled)


def views(result: Rendered) -> tuple[str, ...]:
    """Names of a result's views, the default first."""
    need_altair()
    from tiebreak.plots.drawing import views_of

    return tuple(view.name for view in views_of(result))


def need_altair() -> None:
    """Refuse, with the way to mend it, where the optional packages are missing."""
    missing = [name.replace("_", "-") for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            f"pictures need {' and '.join(missing)}, not installed here",
            hint="install tiebreak with its extra: pip install 'tiebreak[plots]'",
        )
