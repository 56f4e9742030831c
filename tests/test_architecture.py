"""The one direction of imports, and what is not loaded until it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import crisplogic

PACKAGE = Path(str(crisplogic.__file__)).parent

# Each part of the package and the parts it imports: what docs/architecture.md draws.
# `crisplogic` itself only names things, and the command line may use everything.
IMPORTS: dict[str, set[str]] = {
    "algebra": set(),
    "errors": set(),
    "files": set(),
    "messages": set(),
    "parameters": set(),
    "datasets": {"errors", "messages"},
    "expr": {"algebra", "errors", "messages"},
    "tables": {"errors", "messages"},
    "weights": {"errors", "parameters"},
    "constraints": {"errors", "messages", "parameters", "expr"},
    "io": {"errors", "messages", "tables"},
    "rules": {
        "algebra",
        "errors",
        "files",
        "messages",
        "parameters",
        "expr",
        "tables",
        "weights",
    },
    "nn": {"algebra", "constraints"},
    "plot": {"errors", "files", "expr", "rules"},
    "search": {"expr", "constraints", "rules"},
    "snap": {"algebra", "expr", "rules", "nn"},
    "training": {"algebra", "errors", "files", "parameters", "constraints", "nn"},
    "estimators": {
        "errors",
        "parameters",
        "expr",
        "tables",
        "weights",
        "constraints",
        "rules",
        "nn",
        "search",
        "snap",
        "training",
    },
    "cli": {
        "errors",
        "files",
        "messages",
        "datasets",
        "expr",
        "tables",
        "io",
        "rules",
        "plot",
        "estimators",
    },
    "__main__": {"cli"},
}
WITHOUT_TORCH = [
    "crisplogic",
    "crisplogic.constraints",
    "crisplogic.rules",
    "crisplogic.search",
    "crisplogic.io",
    "crisplogic.cli",
]


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def modules_imported(path: Path) -> Iterator[str]:
    """Every module of crisplogic that a file imports, anywhere in it, TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def parts_imported(part: str) -> set[str]:
    files = [path for path in PACKAGE.rglob("*.py") if part_of(path) == part]
    modules = [name.split(".") for path in files for name in modules_imported(path)]
    inside = {names[1] for names in modules if names[0] == "crisplogic" and len(names) > 1}
    return inside - {part}


def test_every_part_of_the_package_has_its_place_in_the_order() -> None:
    parts = {part_of(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert parts == set(IMPORTS)


@pytest.mark.parametrize("part", IMPORTS)
def test_a_part_imports_what_the_architecture_says_and_no_more(part: str) -> None:
    assert parts_imported(part) == IMPORTS[part]


def test_imports_go_in_one_direction() -> None:
    done: set[str] = set()
    while ready := {part for part in IMPORTS if part not in done and IMPORTS[part] <= done}:
        done |= ready
    assert done == set(IMPORTS), f"these import each other: {set(IMPORTS) - done}"


@pytest.mark.parametrize("module", WITHOUT_TORCH)
def test_importing_it_loads_no_torch(module: str) -> None:
    code = f"import sys, {module}; print('torch' in sys.modules, 'sklearn' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]
