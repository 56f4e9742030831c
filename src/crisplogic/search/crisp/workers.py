"""Several tables searched side by side: in threads, or in processes where that pays.

Compiled kernels let other threads run, so threads are enough, and cost nothing to start.
Without kernels a search holds Python's lock, and needs a process of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import parent_process
from typing import TypeVar

from threadpoolctl import threadpool_limits

from crisplogic import kernels
from crisplogic.threads import available_cores

T = TypeVar("T")

# So many seconds of work are worth starting processes for, and so many cells take that long.
LONG, MANY_CELLS = 2.0, 2_500


def workers_for(n_jobs: int | None, cells: int) -> int | None:
    """How many workers search tables of so many cells: -1 is one per core, 1 is none.

    Without ``n_jobs``, there is one per core, but none within a process that has others beside
    it. None: workers would be processes, and the first table has to tell whether they pay.

    >>> workers_for(3, cells=10)
    3
    """
    if n_jobs is not None:
        return n_jobs
    if parent_process() is not None:
        return 1
    return -1 if kernels.compiled is not None or cells >= MANY_CELLS else None


def in_workers(
    workers: int, function: Callable[..., T], tasks: Iterable[tuple[object, ...]]
) -> Iterator[T]:
    """What a function returns for each of the tasks, in order. Few tasks are made in advance.

    >>> list(in_workers(1, pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    if workers == 1:
        return (function(*task) for task in tasks)
    if kernels.compiled is not None:
        return _in_threads(_count_threads(workers), function, tasks)
    while _starting:
        deque(_starting.pop(), maxlen=0)
    return _in_processes(workers, function, tasks)


def start_processes(n_jobs: int | None, cells: int) -> None:
    """Let processes start and load what they need, while there is other work to do."""
    workers = workers_for(n_jobs, cells)
    if workers in (None, 1) or kernels.compiled is not None or _starting:
        return
    from joblib import effective_n_jobs

    _starting.append(_in_processes(workers, _load, [()] * effective_n_jobs(workers)))


# Processes that have not told yet that they are ready.
_starting: list[Iterator[None]] = []


def _count_threads(workers: int) -> int:
    """As in joblib: -1 is one per core, -2 one less.

    >>> _count_threads(3)
    3
    """
    return workers if workers > 0 else max(1, available_cores() + 1 + workers)


def _in_threads(
    threads: int, function: Callable[..., T], tasks: Iterable[tuple[object, ...]]
) -> Iterator[T]:
    waiting: deque[Future[T]] = deque()
    # The limit is the whole process's: it holds until the last thread is done.
    with threadpool_limits(1), ThreadPoolExecutor(threads) as executor:
        try:
            for task in tasks:
                waiting.append(executor.submit(function, *task))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for each in waiting:
                each.cancel()


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
