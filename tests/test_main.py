"""The entry point: Ctrl-C ends the command line cleanly, even while it is being imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.platforms import posix

INTERRUPT = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
WAIT = "import time\ntime.sleep(20)\n"

# An interrupt in code that is executed from text, as dataclasses are made.
IN_EXEC = f"exec({INTERRUPT + WAIT!r})\n"

# An interrupt in a callback, where Python can only report it.
IN_CALLBACK = f"""
import weakref
class Thing: pass
def callback(_): exec({INTERRUPT + "for _ in range(1000): pass"!r})
thing = Thing()
reference = weakref.ref(thing, callback)
del thing
{WAIT}
"""

IDS = ["plain", "exec", "callback"]


def run_with(module: str, code: str, folder: Path, *arguments: str) -> tuple[int, bytes, bytes]:
    """Run the command line where a module it imports is replaced by ``code``."""
    (folder / f"{module}.py").write_text(code)
    paths = [str(folder), *sys.path]
    ran = subprocess.run(
        [sys.executable, "-m", "crisplogic", *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        timeout=60,
        # Where tests run in the background the signal is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    return ran.returncode, ran.stdout, ran.stderr


@posix
@pytest.mark.parametrize("code", [INTERRUPT + WAIT, IN_EXEC, IN_CALLBACK], ids=IDS)
def test_control_c_while_the_commands_are_imported_is_no_traceback(
    tmp_path: Path, code: str
) -> None:
    assert run_with("typer", code, tmp_path, "--help") == (130, b"", b"interrupted\n")


@posix
@pytest.mark.parametrize("code", [INTERRUPT + WAIT, IN_EXEC, IN_CALLBACK], ids=IDS)
def test_control_c_while_a_command_imports_what_it_needs_is_no_traceback(
    tmp_path: Path, code: str
) -> None:
    assert run_with("sklearn", code, tmp_path, "demo") == (130, b"", b"interrupted\n")


def test_the_script_starts_where_the_module_does() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    scripts = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts == {"crisplogic": "crisplogic.__main__:main"}
