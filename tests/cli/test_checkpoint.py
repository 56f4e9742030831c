"""``crisplogic fit --checkpoint``: killed, started again, refused."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Run, assert_refused
from tests.platforms import posix

# The command line in a process that is killed when it has written a checkpoint.
KILLED = """
import os, signal
from crisplogic.cli import main
from crisplogic.training import checkpoint as checkpoint_module
write = checkpoint_module._write
def deadly(*arguments):
    write(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
checkpoint_module._write = deadly
checkpoint_module.SECONDS_BETWEEN = 0.0
main()
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    lines = [
        f"{p},{q},{'yes' if p + q > 10 else 'no'}" for p, q in random.integers(11, size=(40, 2))
    ]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["p,q,y", *lines]) + "\n")
    return path


def options(folder: Path, name: str, *more: str) -> list[str]:
    out = str(folder / f"{name}.json")
    given = [str(folder / "table.csv"), "--target", "y", "--epochs", "2", "--out", out]
    return ["fit", *given, "--max-literals", "2", *more]


@posix
def test_a_fit_that_was_killed_goes_on_and_writes_the_same_rules(
    run: Run, table: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "c.npz"
    arguments = options(tmp_path, "resumed", "--checkpoint", str(kept))
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert kept.exists()
    assert not (tmp_path / "resumed.json").exists()
    assert run(*arguments).code == 0
    assert run(*options(tmp_path, "undisturbed")).code == 0
    resumed, undisturbed = tmp_path / "resumed.json", tmp_path / "undisturbed.json"
    assert resumed.read_text() == undisturbed.read_text()
    names = {"table.csv", "resumed.json", "undisturbed.json"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_what_is_no_checkpoint_is_refused_and_stays(
    run: Run, table: Path, tmp_path: Path
) -> None:
    before = table.read_bytes()
    ran = run(*options(tmp_path, "rules", "--checkpoint", str(table)))
    assert_refused(ran, "table.csv is no checkpoint", "remove it to start anew")
    assert table.read_bytes() == before


def test_a_folder_that_is_not_there_is_refused(run: Run, table: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none" / "c.npz"
    ran = run(*options(tmp_path, "rules", "--checkpoint", str(missing)))
    assert_refused(ran, "the folder of the checkpoint does not exist")
