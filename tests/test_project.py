"""The files that describe the project agree with each other, and with what the code imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# What users may install beside the dependencies; the other extras are for contributors.
USER_EXTRAS = ("dask", "export", "pandas", "parquet", "plot", "report", "serve", "widget")
# What check-export runs if it is there. Two need Java, and one is half a gigabyte.
RUNNERS = {"jpmml_evaluator", "jpype", "pyspark"}
# Packages that are not imported by the name that they are installed by.
DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def requirements(*extras: str) -> dict[str, Requirement]:
    """The dependencies and those of some extras, by name."""
    optional = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *(text for extra in extras for text in optional[extra])]
    found = {canonicalize_name(Requirement(text).name): Requirement(text) for text in texts}
    return {name: each for name, each in found.items() if name != PROJECT["name"]}


def pins() -> dict[str, str]:
    """Names and versions in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def recipe(target: str) -> list[str]:
    """The commands of a target of the Makefile, as they are where everything is on the path."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert found, f"the Makefile has no target {target}"
    return [line.strip().replace("$(BIN)/", "") for line in found[1].splitlines()]


def workflow_commands() -> Iterator[str]:
    for job in read_yaml(".github/workflows/test.yml")["jobs"].values():
        for step in job["steps"]:
            yield from step.get("run", "").splitlines()


# --- dependencies -----------------------------------------------------------------------------


def imported_packages() -> set[str]:
    """What the package imports, at its beginning or later, that Python does not bring along."""
    names: set[str] = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
    tops = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    return {DISTRIBUTIONS.get(top, top) for top in tops - {"crisplogic"}}


def test_what_is_imported_is_a_dependency_and_the_other_way_round() -> None:
    assert imported_packages() - RUNNERS == set(requirements(*USER_EXTRAS))


def test_every_dependency_has_a_tested_version_in_its_range() -> None:
    for name, requirement in requirements(*PROJECT["optional-dependencies"]).items():
        assert requirement.specifier.contains(pins()[name]), requirement


def test_the_build_backend_of_the_tests_is_that_of_the_package() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (backend,) = document["build-system"]["requires"]
    assert requirements("dev")["setuptools"] == Requirement(backend)


# --- pre-commit, workflow, citation -----------------------------------------------------------


def test_pre_commit_runs_the_tested_versions() -> None:
    repos = {each["repo"]: each for each in read_yaml(".pre-commit-config.yaml")["repos"]}
    ruff = repos["https://github.com/astral-sh/ruff-pre-commit"]
    assert ruff["rev"] == f"v{pins()['ruff']}"
    # mypy has no version of its own: it is the one of the project's environment.
    assert [(hook["id"], hook["language"]) for hook in repos["local"]["hooks"]] == [
        ("mypy", "system")
    ]


def test_the_workflow_runs_the_pythons_that_are_promised() -> None:
    pattern = re.compile(r"Programming Language :: Python :: (3\.\d+)")
    promised = [found[1] for text in PROJECT["classifiers"] if (found := pattern.match(text))]
    matrix = read_yaml(".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


@pytest.mark.parametrize("target", ["demo", "check", "test"])
def test_the_workflow_does_without_make_what_make_does(target: str) -> None:
    commands = list(workflow_commands())
    for line in recipe(target):
        assert any(command.startswith(line) for command in commands), line


def test_the_make_targets_of_the_workflow_exist() -> None:
    targets = re.findall(r"^make (\S+)$", "\n".join(workflow_commands()), re.MULTILINE)
    assert {"demo", "test", "dist", "docs"} <= set(targets)
    assert all(recipe(target) for target in targets)


def test_the_citation_says_what_the_project_says() -> None:
    citation = read_yaml("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # the format's own
    assert citation["cff-version"] == "1.2.0"
    assert (citation["title"], citation["version"]) == (PROJECT["name"], PROJECT["version"])
    assert citation["abstract"] == PROJECT["description"]
    assert citation["keywords"] == PROJECT["keywords"]
    assert citation["authors"] == PROJECT["authors"]
    assert citation["license"] in PROJECT["license"].split(" AND ")
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
