"""The one direction of imports, and what is not loaded until it is needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
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
    "folders": {"files"},
    "archive": {"files"},
    "kernels": set(),
    "messages": set(),
    "parameters": set(),
    "threads": set(),
    "datasets": {"errors", "messages", "parameters"},
    "expr": {"algebra", "errors", "messages"},
    "tables": {"errors", "messages"},
    "weights": {"errors", "parameters"},
    "group": {"errors", "messages"},
    "constraints": {"errors", "messages", "parameters", "expr"},
    "io": {"errors", "files", "messages", "tables"},
    "streaming": {"errors", "io", "messages", "tables"},
    "rules": {
        "algebra",
        "errors",
        "files",
        "kernels",
        "messages",
        "parameters",
        "expr",
        "tables",
        "threads",
        "weights",
    },
    "export": {"algebra", "errors", "expr", "messages", "rules", "tables"},
    "report": {"algebra", "errors", "export", "expr", "files", "rules", "tables"},
    "serve": {"errors", "messages", "rules", "tables"},
    "nn": {"algebra", "constraints"},
    "plot": {"errors", "files", "expr", "messages", "rules", "tables"},
    "search": {"expr", "group", "kernels", "threads", "weights", "constraints", "rules"},
    "snap": {"algebra", "expr", "rules", "nn"},
    "training": {
        "algebra",
        "archive",
        "errors",
        "files",
        "group",
        "kernels",
        "parameters",
        "threads",
        "weights",
        "constraints",
        "nn",
    },
    "estimators": {
        "archive",
        "errors",
        "group",
        "messages",
        "parameters",
        "expr",
        "tables",
        "weights",
        "constraints",
        "rules",
        "export",
        "io",
        "nn",
        "report",
        "search",
        "snap",
        "streaming",
        "training",
    },
    "distributed": {"errors", "group"},
    "dask": {
        "constraints",
        "errors",
        "estimators",
        "parameters",
        "rules",
        "streaming",
        "tables",
        "weights",
    },
    "workbench": {"errors", "expr", "messages", "report", "rules", "search", "tables"},
    "cli": {
        "distributed",
        "errors",
        "group",
        "files",
        "folders",
        "messages",
        "datasets",
        "expr",
        "tables",
        "io",
        "rules",
        "export",
        "plot",
        "report",
        "serve",
        "workbench",
        "estimators",
        "streaming",
    },
    "__main__": {"cli"},
}
WITHOUT_TORCH = [
    "crisplogic",
    "crisplogic.constraints",
    "crisplogic.rules",
    "crisplogic.export",
    "crisplogic.report",
    "crisplogic.serve.server",
    "crisplogic.workbench.server",
    "crisplogic.search",
    "crisplogic.io",
    "crisplogic.streaming",
    "crisplogic.cli",
]


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def modules_imported(path: Path) -> Iterator[str]:
    """Every module of crisplogic that a file imports, anywhere in it, TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == PACKAGE.name:
            names = {alias.name for alias in node.names} & set(IMPORTS)
            yield from (f"{PACKAGE.name}.{name}" for name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
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


PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
# Packages of which the page tells what they are for, but not what is in them.
SUMMARISED = ("plot", "datasets", "cli", "rules/analysis", "rules/editing")


def test_the_page_shows_every_module() -> None:
    drawn = set(re.findall(r"\w+", PAGE.split("```")[1]))
    names = [path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.py")]
    modules = [
        name
        for name in names
        if not name.name.startswith("__") and not str(name.as_posix()).startswith(SUMMARISED)
    ]
    assert len(modules) > 80
    assert {str(name) for name in modules if name.name not in drawn} == set()


def test_a_row_becomes_a_rule_in_at_most_fifteen_steps_that_exist() -> None:
    steps = re.findall(r"^(\d+)\. \*\*`", PAGE, re.MULTILINE)
    assert [int(step) for step in steps] == list(range(1, len(steps) + 1))
    assert 10 <= len(steps) <= 15
    section = PAGE.partition("## From a CSV file to a rule")[2].partition("\n## ")[0]
    for name in re.findall(r"\*\*`([\w.]+)`\*\*", section):
        assert resolves(name), name


def resolves(name: str) -> bool:
    """Whether a dotted name below the package stands for something."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(["crisplogic", *parts[:split]]))
        except ImportError:
            continue
        for part in parts[split:]:
            found = getattr(found, part, None)
        return found is not None
    return False
