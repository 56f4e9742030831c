"""The wheel and the source distribution: what is in them, and that they work where nothing
else of the project is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from crisplogic import __version__
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Rule, Step

ROOT = Path(__file__).parent.parent
NAME = f"crisplogic-{__version__}"
BINARIES = {".so", ".pyd"}


def run(*command: str | Path, cwd: Path) -> str:
    """What a program prints; what the running tests' Python is told does not reach it."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**environment, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# --- contents ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both distributions. The wheel is built from the unpacked source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    run(*build, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (built,) = dist.glob(f"{NAME}-cp311-abi3-*.whl")
    return built


def source_files(folder: str) -> set[str]:
    """All files below src/ in a folder, their names beginning with it, but what was built."""
    source = ROOT / "src"
    files = (path for path in (source / folder).rglob("*") if path.is_file())
    return {
        path.relative_to(source).as_posix()
        for path in files
        if "__pycache__" not in path.parts and path.suffix not in BINARIES
    }


def under(folder: str, names: Iterable[str]) -> set[str]:
    """The names in a folder, without it."""
    return {name.removeprefix(folder) for name in names if name.startswith(folder)}


def test_the_wheel_holds_the_package_its_licences_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    about = under(f"{NAME}.dist-info/", names)
    package = names - {f"{NAME}.dist-info/{name}" for name in about}
    binaries = {name for name in package if Path(name).suffix in BINARIES}
    assert package - binaries == source_files("crisplogic")
    assert {Path(name).parent.as_posix() for name in binaries} <= {"crisplogic"}
    assert "crisplogic/py.typed" in names
    tables = "crisplogic/datasets/data"
    assert {f"{tables}/README.md", f"{tables}/yeast.csv"} <= names
    assert under("licenses/", about) == {"LICENSE", f"src/{tables}/README.md"}


def test_the_source_distribution_holds_the_project(dist: Path) -> None:
    with tarfile.open(dist / f"{NAME}.tar.gz") as archive:
        files = [member.name for member in archive.getmembers() if member.isfile()]
        names = under(f"{NAME}/", files)
    sources = {name for name in under("src/", names) if ".egg-info/" not in name}
    assert sources == source_files("crisplogic") | source_files("kernels")
    assert {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} <= names
    assert {"Makefile", "setup.py", "constraints.txt", "tests/test_packaging.py"} <= names
    left_out = {"__pycache__", ".venv", ".git", "dist"}
    assert not any(left_out & set(name.split("/")) for name in names)


# --- installed --------------------------------------------------------------------------------


class Environment(NamedTuple):
    """A virtual environment."""

    python: Path
    command: Path
    site_packages: Path


def new_environment(folder: Path) -> Environment:
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    paths = sysconfig.get_paths("venv", {"base": str(folder), "platbase": str(folder)})
    scripts, suffix = Path(paths["scripts"]), sysconfig.get_config_var("EXE")
    return Environment(
        scripts / f"python{suffix}", scripts / f"crisplogic{suffix}", Path(paths["purelib"])
    )


def install(environment: Environment, *arguments: str | Path) -> None:
    pip = (sys.executable, "-m", "pip", "--python", environment.python, "install", "--quiet")
    run(*pip, "--disable-pip-version-check", *arguments, cwd=environment.site_packages)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel in an environment that sees the dependencies of the one that runs the tests."""
    environment = new_environment(tmp_path_factory.mktemp("environment"))
    install(environment, "--no-index", "--no-deps", wheel)
    # A path that a .pth file names is searched last, and .pth files there are not read: the
    # package is the wheel's, not the one that is installed for development.
    ours = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    (environment.site_packages / "dependencies.pth").write_text("\n".join(ours), "utf-8")
    return environment


def check_version(environment: Environment, folder: Path) -> None:
    printed = run(environment.command, "--version", cwd=folder)
    assert printed.split()[-1] == __version__


def check_readme(environment: Environment, folder: Path) -> None:
    """Run the README's Python in an empty folder, with the package that is installed."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    assert blocks
    where = "import crisplogic\nprint(crisplogic.__file__)\n"
    printed = run(environment.python, "-c", where + "\n".join(blocks), cwd=folder)
    first, *others = printed.splitlines()
    assert Path(first).is_relative_to(environment.site_packages.resolve())
    assert others


def test_an_installed_wheel_says_its_version(installed: Environment, tmp_path: Path) -> None:
    check_version(installed, tmp_path)


def test_the_readme_runs_with_an_installed_wheel(
    installed: Environment, tmp_path: Path
) -> None:
    check_readme(installed, tmp_path)


@pytest.mark.slow
def test_the_readme_runs_where_nothing_but_the_wheel_and_its_dependencies_is_installed(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    # This needs the network, or another place where pip finds packages.
    environment = new_environment(tmp_path_factory.mktemp("clean"))
    install(environment, "--constraint", ROOT / "constraints.txt", f"{wheel}[pandas]")
    check_version(environment, tmp_path)
    check_readme(environment, tmp_path)


# --- rules alone ------------------------------------------------------------------------------

PREDICT = """
from importlib.util import find_spec
assert not any(map(find_spec, ("torch", "sklearn", "scipy", "pandas", "joblib")))
import sys
from crisplogic import RuleSet
rules = RuleSet.load(sys.argv[1])
print(rules.predict([{"age": 41}])[0], rules.explain({"age": 41}).predicted)
"""


def image_packages() -> list[str]:
    """What the Dockerfile installs beside the package itself."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    [names] = re.findall(r"--constraint /constraints.txt ([\w ]+)", text)
    return str(names).split()


def some_rules(folder: Path) -> Path:
    both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    path = folder / "rules.json"
    ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True).save(path)
    return path


def test_the_image_copies_files_that_exist_and_installs_what_is_needed() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE)
    sources = [name for line in copied for name in line.split()]
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert {"src", "pyproject.toml", "constraints.txt"} <= set(sources)
    for name in sources:
        assert (ROOT / name).exists()
        assert f"!{name}" in ignored
    assert image_packages() == ["numpy", "fastapi", "uvicorn", "typer"]
    assert re.search(r"^USER [1-9]\d*$", text, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("served", [False, True])
def test_rules_are_used_where_nothing_else_is_installed(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, served: bool
) -> None:
    # This needs the network, or another place where pip finds packages.
    environment = new_environment(tmp_path_factory.mktemp("small"))
    packages = image_packages() if served else ["numpy"]
    install(environment, "--constraint", ROOT / "constraints.txt", *packages)
    install(environment, "--no-index", "--no-deps", wheel)
    rules = some_rules(tmp_path)
    assert run(environment.python, "-c", PREDICT, rules, cwd=tmp_path) == "ill ill\n"
    if served:
        asked = run(environment.python, "-c", ASK, environment.command, rules, cwd=tmp_path)
        assert asked.startswith('b\'{"prediction":"ill"')


ASK = """
import subprocess, sys, urllib.request
program = [sys.argv[1], "serve", sys.argv[2], "--port", "0"]
with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
    address = process.stdout.readline().split()[-1]
    print(urllib.request.urlopen(address + "/predict", b'{"age": 41}').read())
    process.terminate()
"""
