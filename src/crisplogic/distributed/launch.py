"""Start the same program in several processes on this machine, again if one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from crisplogic.distributed.environment import LOOPBACK, MEETING, RANK, SIZE
from crisplogic.errors import LostProcessError

# The exit code of a process that lost another one: there is nothing wrong with itself.
LOST = 75
# Seconds that processes have to end by themselves once one has failed, and between two looks.
GRACE, PAUSE = 5.0, 0.05


@dataclass
class _Worker:
    """A process, and where its complaints are; those of the first one are shown at once."""

    rank: int
    process: subprocess.Popen[bytes]
    complaints: IO[bytes] | None

    @property
    def code(self) -> int | None:
        return self.process.poll()

    def last_words(self) -> str:
        if self.complaints is None:
            return ""
        self.complaints.seek(0)
        return self.complaints.read().decode(errors="replace").strip()


def launch(command: Sequence[str], workers: int, restarts: int = 3) -> int:
    """Run a command in so many processes, as one group. Return the exit code.

    The first process has this one's output. Where a process is killed, all are started again,
    at most ``restarts`` times; what they do should go on from a checkpoint. A process that
    fails by itself ends all.

    >>> launch([sys.executable, "-c", "import os; assert os.environ['WORLD_SIZE'] == '2'"], 2)
    0
    """
    what = ""
    for attempt in range(restarts + 1):
        with _ended_by_signals(), _started(command, workers) as started:
            failed = _first_failure(started)
            if failed is None:
                return 0
            killed = next((each for each in started if (each.code or 0) < 0), None)
            if killed is None:
                return _report(failed, started[0])
            what = f"process {killed.rank} of {workers} was killed ({_reason(killed.code)})"
        if attempt < restarts:
            print(f"warning: {what}; all start again from the last checkpoint", file=sys.stderr)
    raise LostProcessError(
        f"{what}, after processes had been started {restarts + 1} times; if memory was short, "
        "try fewer of them"
    )


def _reason(code: int | None) -> str:
    assert code is not None
    return f"signal {-code}" + (", as when memory is short" if code == -9 else "")


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A request to end ends the context, too, and not just this process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(signum: int, frame: FrameType | None) -> None:
        sys.exit(128 + signum)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _started(command: Sequence[str], workers: int) -> Iterator[list[_Worker]]:
    """Processes that are started with the context, and none of which survives it."""
    with tempfile.TemporaryDirectory(prefix="crisplogic-") as folder:
        started: list[_Worker] = []
        try:
            for rank in range(workers):  # one by one: those that run are ended, come what may
                started += [_start(command, rank, workers, Path(folder))]
            yield started
        finally:
            _end(started)


def _start(command: Sequence[str], rank: int, workers: int, folder: Path) -> _Worker:
    threads = max(1, (os.cpu_count() or 1) // workers)
    environment = {
        "OMP_NUM_THREADS": str(threads),
        "GLOO_SOCKET_IFNAME": LOOPBACK,
        **os.environ,
        RANK: str(rank),
        "LOCAL_RANK": str(rank),
        SIZE: str(workers),
        MEETING: (folder / "meeting").as_uri(),
    }
    if rank == 0:
        return _Worker(rank, subprocess.Popen(command, env=environment), None)
    complaints = (folder / f"stderr-{rank}").open("w+b")
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=complaints,
    )
    return _Worker(rank, process, complaints)


def _first_failure(started: Sequence[_Worker]) -> _Worker | None:
    """Wait for all. Return the one that failed first and did not just miss another."""
    failed: list[_Worker] = []
    until = float("inf")
    while any(each.code is None for each in started) and time.monotonic() < until:
        time.sleep(PAUSE)
        failed += [each for each in started if each.code and each not in failed]
        if failed:
            until = min(until, time.monotonic() + GRACE)
    failed += [each for each in started if each.code and each not in failed]
    reasons = [each for each in failed if each.code != LOST]
    return next(iter([*reasons, *failed]), None)


def _report(failed: _Worker, first: _Worker) -> int:
    """Show why a process failed, unless the first one has said why it failed itself."""
    if first.code in (0, None, LOST) and (words := failed.last_words()):
        print(words, file=sys.stderr)
    code = failed.code
    assert code is not None
    return code


def _end(started: Sequence[_Worker]) -> None:
    for each in started:
        if each.code is None:
            each.process.terminate()
    for each in started:
        try:
            each.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            each.process.kill()
            each.process.wait()
        if each.complaints is not None:
            each.complaints.close()
