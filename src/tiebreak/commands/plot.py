"""``tiebreak plot``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from tiebreak.arguments import OUTPUT, Output
from tiebreak.errors import SpecError, listed

if TYPE_CHECKING:
    from tiebreak.display import Rendered


@dataclass(frozen=True, kw_only=True)
class Drawing(Output):
    """Draws a result where a command would print it."""

    path: Path
    view: str | None = None

    def show(self, result: Rendered) -> None:
        """Write the picture."""
        from tiebreak.plots import plot, views
        from tiebreak.plots.files import save

        save(plot(result, self.view), self.path)
        sys.stdout.write(f"{self.view or views(result)[0]} → {self.path}\n")


def plot_command(app: App) -> Callable[..., Any]:
    """The command, for an application whose other commands are the questions.

    Its words are parsed as those of the question, and the question's own command runs with its
    output replaced: every option of every question means here what it means there.
    """

    def plot(
        question: str,
        /,
        *words: Annotated[str, Parameter(allow_leading_hyphen=True)],
        output: Annotated[Path, Parameter(name=["--output", "-o"])],
        view: str | None = None,
    ) -> Any:
        """Draw a question's answer: FILE.svg, .png, .html (offline) or .json (Vega-Lite).

        Parameters
        ----------
        question
            board, compare, or any other that has pictures (a wrong one lists them).
        words
            Its PATH, names and options, as the question itself takes them.
        output
            Picture to write.
        view
            Which of the question's pictures; by default the first.
        """
        _check(question, view, output)
        command, bound, _ = app.parse_args(
            [question, *words], exit_on_error=False, print_error=False
        )
        if bound.arguments.get("output", OUTPUT) != OUTPUT:
            raise SpecError("a picture is drawn, not printed", got="--json or --markdown")
        bound.arguments["output"] = Drawing(path=output, view=view)
        return command(*bound.args, **bound.kwargs)

    return plot


def _check(question: str, view: str | None, path: Path) -> None:
    """Refuse what can be refused before the records are read."""
    from tiebreak.plots import need_altair

    need_altair()
    from tiebreak.plots.drawing import find_view
    from tiebreak.plots.files import check_place
    from tiebreak.plots.registry import QUESTIONS

    if question not in QUESTIONS:
        raise SpecError("no such question to draw", allowed=listed(QUESTIONS, 20), got=question)
    find_view(QUESTIONS[question][1], view)
    check_place(path)
