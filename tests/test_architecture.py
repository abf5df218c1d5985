"""The shape of the code (docs: one way through, no loops back), checked from its source."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tiebreak

PACKAGE = Path(tiebreak.__file__).parent
MODULES = sorted(p for p in PACKAGE.rglob("*.py"))
SPECS = {"errors", "design", "distance", "estimand"}
LOWER = {
    "errors": set(),
    "version": set(),
    "display": set(),
    "data": set(),
    "progress": set(),
    "decide": set(),
    "design": {"errors"},
    "distance": {"errors"},
    "estimand": {"errors"},
    "trials": {"errors"},
    "kernels": {"kernels"},
    "options": SPECS,
    "write": {"errors", "trials"},
    "readers": {"readers", "distance", "errors", "estimand", "trials"},
    "repeats": {"design", "errors"},
    "spending": {"errors", "estimand", "trials"},
    "panel": SPECS | {"kernels", "repeats", "spending", "trials"},
    "estimate": {"estimate", "kernels", "panel", "repeats", "design", "progress"},
    "results": {"results", "display", "version", "trials"} | SPECS,
    "plots": {"plots", "results", "display", "errors"},
    "sentences": {"results", "design"},
    "questions": {"questions", "estimate", "kernels", "panel", "trials", "decide", "options"}
    | {"repeats", "results", "sentences", "spending", "version", "progress"}
    | SPECS,
}
"""What each part may import of tiebreak. Parts not named here (cli, reproduce, simulate, …) stand
above: they may import all of these, and none of these may import them."""
HEAVY = (
    "polars",
    "scipy",
    "sklearn",
    "pandas",
    "pyarrow",
    "narwhals",
    "numpy",
    "altair",
    "vl_convert",
)


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """Every imported module, at any depth of the file; ``from tiebreak import x`` is tiebreak.x."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            base = node.module or ""
            found |= {f"{base}.{a.name}" for a in node.names} if base == "tiebreak" else {base}
    return found


def named(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", [p for p in MODULES if part(p) in LOWER], ids=named)
def test_imports_run_one_way(path):
    own = {name.split(".")[1] for name in imports(path) if name.startswith("tiebreak.")}
    assert own <= LOWER[part(path)]


@pytest.mark.parametrize("path", [p for p in MODULES if part(p) == "kernels"], ids=named)
def test_kernels_know_arrays_only(path):
    standard = set(sys.stdlib_module_names)
    roots = {name.split(".")[0] for name in imports(path)}
    assert roots <= standard | {"numpy", "scipy", "tiebreak"}


def test_every_part_named_here_exists():
    assert set(LOWER) <= {part(p) for p in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_no_assert_guards_what_users_give(path):
    assert not [n.lineno for n in ast.walk(tree(path)) if isinstance(n, ast.Assert)]


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_modules_can_be_read_in_one_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def code_lines(node: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    lines = node.end_lineno - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        lines -= first.end_lineno - first.lineno + 1
    return lines


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_functions_are_short(path):
    functions = (n for n in ast.walk(tree(path)) if isinstance(n, ast.FunctionDef))
    assert {n.name: code_lines(n) for n in functions if code_lines(n) > 35} == {}


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_every_module_says_what_it_is_for(path):
    assert ast.get_docstring(tree(path))


def loaded(statement: str) -> set[str]:
    """Top-level modules in memory after a statement, in a fresh interpreter."""
    code = f"{statement}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(run.stdout.splitlines()[-1])}


@pytest.mark.parametrize("statement", ["import tiebreak", "import tiebreak.cli"])
def test_heavy_parts_load_only_when_used(statement):
    assert loaded(statement).isdisjoint(HEAVY)


def test_every_public_name_loads():
    for name in tiebreak.__all__:
        assert getattr(tiebreak, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tiebreak.nothing
