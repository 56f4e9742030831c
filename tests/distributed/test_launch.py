"""Programs in several processes of this machine: all succeed, or all end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crisplogic.distributed.launch import LOST, launch
from crisplogic.errors import LostProcessError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")

START = """
import os, signal, sys, time
from pathlib import Path
rank, folder = int(os.environ["RANK"]), Path(sys.argv[1])
assert os.environ["WORLD_SIZE"] == "3" and os.environ["CRISPLOGIC_MEETING"].startswith("file:")
with open(folder / f"started-{rank}", "a") as file:
    file.write("x")
"""


def run(code: str, folder: Path, restarts: int = 2) -> int:
    return launch([sys.executable, "-S", "-c", START + code, str(folder)], 3, restarts)


def starts(folder: Path) -> list[int]:
    return [len((folder / f"started-{rank}").read_text()) for rank in range(3)]


def test_the_first_process_has_the_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("print(f'rank {rank}')", tmp_path) == 0
    assert capfd.readouterr().out == "rank 0\n"
    assert starts(tmp_path) == [1, 1, 1]


def test_all_start_again_where_one_is_killed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
if rank == 1 and (folder / "started-1").stat().st_size == 1:
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert run(code, tmp_path) == 0
    assert starts(tmp_path) == [2, 2, 2]
    assert capfd.readouterr().err == (
        "warning: process 1 of 3 was killed (signal 9, as when memory is short); "
        "all start again from the last checkpoint\n"
    )


def test_a_process_that_is_killed_again_and_again_ends_all(tmp_path: Path) -> None:
    code = "if rank == 2: os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(LostProcessError, match=r"process 2 of 3 was killed .* started 2 times"):
        run(code, tmp_path, restarts=1)


def test_a_process_that_fails_ends_all_with_its_message(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = f"""
if rank == 1:
    print("error: part-1.csv is damaged", file=sys.stderr)
    sys.exit(2)
sys.exit({LOST})
"""
    assert run(code, tmp_path) == 2
    assert starts(tmp_path) == [1, 1, 1]
    assert capfd.readouterr().err == "error: part-1.csv is damaged\n"


def test_processes_that_wait_for_a_failed_one_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisplogic.distributed.launch.GRACE", 0.3)
    assert run("sys.exit(3) if rank == 1 else time.sleep(600)", tmp_path) == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_launcher_that_is_ended_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    code = START + "(folder / f'pid-{rank}').write_text(str(os.getpid())); time.sleep(600)"
    program = (
        "import sys; from crisplogic.distributed.launch import launch; "
        f"launch([sys.executable, '-S', '-c', {code!r}, {str(tmp_path)!r}], 3)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    paths = [tmp_path / f"pid-{rank}" for rank in range(3)]
    until = time.monotonic() + 60
    while not all(path.exists() and path.read_text() for path in paths):
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(30) != 0
    for path in paths:
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.read_text()), 0)
