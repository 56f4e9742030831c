"""Ranks in processes of their own that exchange messages by gloo."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Seconds after which ranks have failed.
PATIENCE = 120.0


def _run(
    function: Callable[..., Any], rank: int, size: int, meeting: str, given: Any, back: Any
) -> None:
    from crisplogic.distributed import open_group
    from crisplogic.distributed.environment import LOOPBACK

    os.environ.setdefault("GLOO_SOCKET_IFNAME", LOOPBACK)
    try:
        with open_group(rank, size, meeting) as group:
            found = function(group, *given)
    except Exception as error:  # any: the test looks at it
        found = error
    back.send_bytes(pickle.dumps(found))


def run_ranks(
    function: Callable[..., Any], folder: Path, *given: Any, size: int = 2
) -> list[Any]:
    """What a function returns, or raises, in each rank; the exit code of one that is killed."""
    context: Any = multiprocessing.get_context()
    if "forkserver" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["crisplogic.estimators", "crisplogic.distributed"])
    meeting = (folder / "meeting").as_uri()
    started = []
    for rank in range(size):
        ours, theirs = context.Pipe(duplex=False)
        arguments = (function, rank, size, meeting, given, theirs)
        process = context.Process(target=_run, args=arguments)
        process.start()
        theirs.close()
        started.append((process, ours))
    return [_result(process, ours) for process, ours in started]


def _result(process: Any, ours: Any) -> Any:
    try:
        return pickle.loads(ours.recv_bytes()) if ours.poll(PATIENCE) else TimeoutError()
    except EOFError:
        process.join()
        return process.exitcode
    finally:
        process.join(PATIENCE)


def same_for_all(found: Sequence[Any]) -> Any:
    """What all ranks returned alike."""
    errors = [each for each in found if isinstance(each, BaseException)]
    assert not errors, errors
    assert all(each == found[0] for each in found[1:])
    return found[0]
