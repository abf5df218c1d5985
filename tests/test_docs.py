"""Prose is executed: snippets of README and docs run, and say what the page says they say."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from tiebreak.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(page: Path) -> list[tuple[str, str]]:
    return [(m[1], m[2]) for m in FENCE.finditer(page.read_text(encoding="utf-8"))]


def run_console(block: str) -> None:
    """Lines after ``$`` are commands; their output follows, ``…`` standing for any lines."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, expected = part.partition("\n")
        shown = without_marks(output_of(line))
        pattern = ".*".join(re.escape(piece) for piece in without_marks(expected).split("…"))
        assert re.fullmatch(pattern, shown, re.DOTALL), f"$ {line}\n{shown}"


def output_of(line: str) -> str:
    """Standard output of one documented command, run in process."""
    example = str(ROOT / "src/tiebreak/data/example.csv.gz")
    words = shlex.split(line.replace("$(tiebreak example)", example))
    assert words[0] == "tiebreak", f"only tiebreak's own commands are documented, not {line}"
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words[1:])
    assert code == 0, err.getvalue()
    return out.getvalue()


def without_marks(text: str) -> str:
    """Trailing blanks do not count."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for kind, block in snippets(page):
        if kind == "console":
            run_console(block)
        else:
            exec(compile(block, str(page), "exec"), names)


def test_the_pages_hold_snippets() -> None:
    assert sum(len(snippets(page)) for page in PAGES) >= 5


def test_links_between_pages_resolve() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
