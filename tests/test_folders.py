"""atomic_folder: a complete folder under its name, or the one before, even after a kill."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crisplogic import folders
from crisplogic.folders import atomic_folder, recover_folder
from tests.platforms import linux, posix

OLD, NEW = {"a.txt": "before", "b.txt": "before"}, {"a.txt": "after", "c.txt": "after"}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    write(path, OLD)
    return path


@pytest.fixture(params=["one step", "two steps"])
def steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "two steps":
        monkeypatch.setattr(folders, "_exchange", lambda *_: False)


def write(path: Path, files: dict[str, str]) -> None:
    with atomic_folder(path) as folder:
        for name, text in files.items():
            (folder / name).write_text(text)


def content(path: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in path.iterdir()}


@pytest.mark.usefixtures("steps")
def test_a_folder_is_replaced_as_a_whole(old: Path) -> None:
    write(old, NEW)
    assert content(old) == NEW
    assert os.listdir(old.parent) == ["model"]


@pytest.mark.usefixtures("steps")
def test_a_failure_leaves_the_old_folder_and_nothing_else(old: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write(old, {"a.txt": "after", "nosuch/b.txt": "after"})
    assert content(old) == OLD
    assert os.listdir(old.parent) == ["model"]


@pytest.mark.parametrize("fails_at", [1, 2])
@pytest.mark.parametrize("problem", [OSError(errno.EIO, "no"), KeyboardInterrupt()])
def test_a_step_that_fails_leaves_the_old_folder(
    old: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, problem: BaseException
) -> None:
    rename, calls = os.rename, []

    def fail(*paths: Path) -> None:
        calls.append(paths)
        if len(calls) == fails_at:
            raise problem
        rename(*paths)

    monkeypatch.setattr(folders, "_exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(type(problem)):
        write(old, NEW)
    assert content(old) == OLD
    assert os.listdir(old.parent) == ["model"]


@linux
def test_where_the_system_can_it_is_one_step(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "rename", lambda *_: pytest.fail("a second step"))
    write(old, NEW)
    assert content(old) == NEW


KILLED = """
import os, signal, sys
from pathlib import Path
from crisplogic import folders
rename, calls, kill_after = os.rename, [], int(sys.argv[2])
def kill(*paths):
    rename(*paths)
    calls.append(paths)
    if len(calls) == kill_after:
        os.kill(os.getpid(), signal.SIGKILL)
folders._exchange = lambda *_: False
os.rename = kill
with folders.atomic_folder(sys.argv[1]) as folder:
    (folder / "a.txt").write_text("after")
    (folder / "c.txt").write_text("after")
"""


@posix
@pytest.mark.parametrize("steps", [1, 2])
def test_a_folder_is_there_after_a_kill_between_its_steps(old: Path, steps: int) -> None:
    ran = subprocess.run([sys.executable, "-c", KILLED, str(old), str(steps)], check=False)
    assert ran.returncode == -signal.SIGKILL
    assert old.exists() == (steps == 2)
    recover_folder(old)
    assert content(old) == NEW
    write(old, OLD)
    assert content(old) == OLD


def test_nothing_is_recovered_where_a_folder_is_or_never_was(old: Path) -> None:
    aside = old.with_name(".model.ab12cd34")
    (aside / "old").mkdir(parents=True)
    recover_folder(old)
    assert content(old) == OLD
    recover_folder(old.with_name("other"))
    recover_folder(old / "nosuch" / "model")
    assert sorted(os.listdir(old.parent)) == [aside.name, "model"]


def test_errors_name_the_folder_and_not_a_temporary_one(old: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        write(old, {"nosuch/b.txt": "after"})
    assert error.value.filename == str(old)
