"""Fits that are killed with SIGKILL, at a given moment or at any, and started again.

This runs by itself (``python -m estimators.killing FOLDER``): it forks all fits, so that torch
is loaded only once, and prints as JSON what each of them came to.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from crisplogic.training import Checkpoint
from crisplogic.training import checkpoint as checkpoint_module
from tests.estimators.samples import X, Y, digest_of, quick
from tests.short_paths import shorten_paths

EPOCHS = 3
KILLS_AT_RANDOM = 4


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(place: Any, name: str, number: int, after: bool = False) -> Callable[[], None]:
    """Have this process killed by the call of a function of that number."""

    def arrange() -> None:
        function, calls = getattr(place, name), iter(range(1, sys.maxsize))

        def deadly(*arguments: Any) -> Any:
            last = next(calls) == number
            if last and not after:
                kill()
            result = function(*arguments)
            if last:
                kill()
            return result

        setattr(place, name, deadly)

    return arrange


MOMENTS: dict[str, Callable[[], None]] = {
    "soft": kill_at(checkpoint_module, "_write", 2, after=True),
    "end of soft": kill_at(checkpoint_module, "_write", EPOCHS, after=True),
    "snapped": kill_at(checkpoint_module, "_write", EPOCHS + 2, after=True),
    "half written": kill_at(os, "replace", EPOCHS + 2),
    "search": kill_at(import_module("crisplogic.search.search"), "follow_path", 3),
    "before the end": kill_at(Checkpoint, "remove", 1),
}


def fit(checkpoint: Path | None, out: Path) -> None:
    checkpoint_module.SECONDS_BETWEEN = 0.0
    clf = quick(literals="graded", epochs=EPOCHS, restarts=2, folds=2)
    out.write_text(digest_of(clf.fit(X[:, :2], Y, checkpoint=checkpoint)))


def forked(action: Callable[[], None]) -> int:
    """The process that does it."""
    process = os.fork()
    if process == 0:
        try:
            action()
            os._exit(0)
        finally:
            os._exit(1)
    return process


def signal_of(process: int) -> int:
    """What ended it, 0 if it came to its end."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def killed_and_resumed(folder: Path, moment: Callable[[], None]) -> dict[str, Any]:
    folder.mkdir()
    checkpoint, out = folder / "c.npz", folder / "out"

    def first() -> None:
        moment()
        fit(checkpoint, out)

    ends = [signal_of(forked(first))]
    kept = checkpoint.exists()
    ends.append(signal_of(forked(lambda: fit(checkpoint, out))))
    left = sorted(path.name for path in folder.iterdir())
    return {"ends": ends, "kept": kept, "digest": out.read_text(), "left": left}


def killed_at_random(folder: Path, seconds: float) -> dict[str, Any]:
    """Again and again, until nothing kills it any more."""
    folder.mkdir()
    checkpoint, out, ends = folder / "c.npz", folder / "out", []
    for number in range(KILLS_AT_RANDOM):
        process = forked(lambda: fit(checkpoint, out))
        time.sleep(random.Random(number).uniform(0.0, seconds))
        os.kill(process, signal.SIGKILL)
        ends.append(signal_of(process))
    ends.append(signal_of(forked(lambda: fit(checkpoint, out))))
    left = sorted(path.name for path in folder.iterdir())
    return {"ends": ends, "digest": out.read_text(), "left": left}


def main(folder: Path) -> None:
    shorten_paths(pytest.MonkeyPatch())
    begun = time.monotonic()
    plain = folder / "undisturbed"
    signal_of(forked(lambda: fit(None, plain)))
    seconds = time.monotonic() - begun
    results: dict[str, Any] = {"undisturbed": {"digest": plain.read_text()}}
    for number, (name, moment) in enumerate(MOMENTS.items()):
        results[name] = killed_and_resumed(folder / str(number), moment)
    results["at random"] = killed_at_random(folder / "random", seconds / 2)
    print(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
