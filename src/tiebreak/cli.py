"""argv → library call → exit code. 0 done, 1 a paper is contradicted, 2 usage or input error."""

from __future__ import annotations

import sys

from cyclopts import App, CycloptsError

from tiebreak.commands.board import board
from tiebreak.commands.compare import compare
from tiebreak.commands.concord import concord
from tiebreak.commands.convert import convert
from tiebreak.commands.cost import cost
from tiebreak.commands.example import example
from tiebreak.commands.inspect import inspect
from tiebreak.commands.labels import labels
from tiebreak.commands.pairs import pairs
from tiebreak.commands.permute import permute
from tiebreak.commands.plot import plot_command
from tiebreak.commands.ranks import ranks
from tiebreak.commands.reliability import reliability
from tiebreak.commands.report import report
from tiebreak.commands.reproduce import reproduce
from tiebreak.commands.runs import runs
from tiebreak.commands.simulate import simulate
from tiebreak.commands.targets import targets
from tiebreak.errors import TiebreakError
from tiebreak.version import __version__

app = App(
    name="tiebreak",
    help='Does the evidence support "A is better than B"? And if not, what is missing?',
    version=__version__,
    result_action="return_value",
    suppress_keyboard_interrupt=False,  # said by main
)
COMMANDS = (
    inspect,
    board,
    compare,
    targets,
    pairs,
    permute,
    runs,
    labels,
    cost,
    reliability,
    ranks,
    concord,
    report,
    simulate,
    convert,
    reproduce,
    example,
)
for command in COMMANDS:
    app.command(command)
app.command(plot_command(app))


def main(argv: list[str] | None = None) -> int:
    """Run a command; one message and exit code 2 for anything the user can mend."""
    try:
        code = app(argv, exit_on_error=False, print_error=False)
    except (TiebreakError, CycloptsError) as fault:
        from tiebreak.display import printable

        sys.stderr.write(f"tiebreak: {printable(' '.join(str(fault).split()))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("tiebreak: interrupted\n")
        return 130
    except BrokenPipeError:
        return 0
    return code if isinstance(code, int) else 0


def run() -> None:
    """Console entry point."""
    sys.exit(main())


if __name__ == "__main__":
    run()
