"""A summary as one HTML file: template, style, script and data, and nothing from anywhere else."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Unpack

from tiebreak.errors import InputError
from tiebreak.options import Options
from tiebreak.trials import Trials

SCRIPTS = ("codec.js", "compute.js", "clipboard.js", "tables.js", "chart.js", "pairs.js", "page.js")
NEEDED = ("jinja2", "altair", "vl_convert")


def need_extra() -> None:
    """Refuse, with the way to mend it, where the optional packages are missing.

    Raises
    ------
    InputError
        The extra ``report`` is not installed.
    """
    missing = [name.replace("_", "-") for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            f"the report needs {' and '.join(missing)}, not installed here",
            hint="install tiebreak with its extra: pip install 'tiebreak[report]'",
        )


def report_html(trials: Trials, *, pictures: bool = True, **options: Unpack[Options]) -> str:
    """Everything the records support, as the text of one HTML file.

    Parameters
    ----------
    trials
        Checked records.
    pictures
        Draw the results (needs Altair and vl-convert).
    options
        Fields of the estimand and the design (see :class:`tiebreak.options.Options`).

    Returns
    -------
    str
        The same for the same records, options and version. It holds no address: style and script
        are inside and allowed by their hashes, everything else is refused by its policy.

    Raises
    ------
    SpecError, InputError
        Options that mean nothing, missing outcomes without a rule, or the extra ``report`` is
        not installed. What the records cannot support is said in the section's place.
    """
    need_extra()
    from tiebreak.report.summary import summarize

    return render(summarize(trials, options, pictures=pictures))


def write_report(trials: Trials, path: str | Path, **options: Unpack[Options]) -> Path:
    """Write :func:`report_html` to a file.

    Raises
    ------
    SpecError, InputError
        As :func:`report_html`, or the file cannot be written.
    """
    place = Path(path)
    check_place(place)
    text = report_html(trials, **options)
    try:
        place.write_text(text, encoding="utf-8", newline="\n")
    except OSError as fault:
        raise InputError("the report cannot be written", where=str(place), got=str(fault)) from None
    return place


def check_place(path: Path) -> None:
    """Refuse a place that no file can be written to, before the work.

    Raises
    ------
    InputError
        A folder, or a file in a folder that does not exist.
    """
    if path.is_dir():
        raise InputError("a folder stands where the report would go", where=str(path))
    if not path.parent.is_dir():
        raise InputError("no such folder for the report", where=str(path.parent))


def render(summary: dict[str, Any]) -> str:
    """The page of a summary; all text is escaped by the template."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    from tiebreak.report.payload import script_json

    style, script = _static("page.css"), "\n".join(_static(name) for name in SCRIPTS)
    environment = Environment(
        loader=PackageLoader("tiebreak.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["words"] = lambda text: text.replace(" %", "\u00a0%")
    environment.filters["svg"] = Markup  # rebuilt by figures.clean_svg
    return environment.get_template("page.html").render(
        **{k: v for k, v in summary.items() if k != "payload"},
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(script_json(summary["payload"])),
    )


def _static(name: str) -> str:
    return (files("tiebreak.report") / "static" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing but this style and this script, by their hashes."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
