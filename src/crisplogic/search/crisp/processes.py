"""Processes that search several tables side by side, where that pays."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import parent_process
from typing import TypeVar

T = TypeVar("T")

# So many seconds of work are worth starting processes for, and so many cells take that long.
LONG, MANY_CELLS = 2.0, 2_500


def processes_for(n_jobs: int | None, cells: int) -> int | None:
    """How many processes search tables of so many cells: -1 is one per core, 1 is none.

    Without ``n_jobs``, large tables have processes, but not within one. None: the first table
    has to tell how long the others take.

    >>> processes_for(3, cells=10)
    3
    """
    if n_jobs is not None:
        return n_jobs
    if parent_process() is not None:
        return 1
    return -1 if cells >= MANY_CELLS else None


def in_processes(
    processes: int, function: Callable[..., T], tasks: Iterable[tuple[object, ...]]
) -> Iterator[T]:
    """What a function returns for each of the tasks, in order.

    >>> list(in_processes(1, pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    if processes == 1:
        return (function(*task) for task in tasks)
    while _starting:
        deque(_starting.pop(), maxlen=0)
    return _in_processes(processes, function, tasks)


def start_processes(n_jobs: int | None, cells: int) -> None:
    """Let processes start and load what they need, while there is other work to do."""
    processes = processes_for(n_jobs, cells)
    if processes in (None, 1) or _starting:
        return
    from joblib import effective_n_jobs

    _starting.append(_in_processes(processes, _load, [()] * effective_n_jobs(processes)))


# Processes that have not told yet that they are ready.
_starting: list[Iterator[None]] = []


def _in_processes(
    processes: int, function: Callable[..., T], tasks: Iterable[tuple[object, ...]]
) -> Iterator[T]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=processes, return_as="generator", pre_dispatch="n_jobs")
    found: Iterator[T] = parallel(delayed(function)(*task) for task in tasks)
    return found


def _load() -> None:
    """Load what a search needs: to be called in a new process."""
    from crisplogic.search.crisp import search  # noqa: F401
