"""Worker processes that never outlive their parent, and threads that do not disturb them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import torch
from threadpoolctl import threadpool_limits


@contextmanager
def worker_processes(count: int) -> Iterator[Executor]:
    """Processes to submit tasks to; after an error they end at once."""
    executor = ProcessPoolExecutor(
        count, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker
    )
    try:
        yield executor
    except BaseException:
        # Their tasks would take up to minutes, and nobody would read the results.
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def limited_threads(number: int) -> Iterator[None]:
    """Limit numpy and torch to so many threads, whatever the environment says.

    >>> with limited_threads(2):
    ...     torch.get_num_threads()
    2
    """
    before = torch.get_num_threads()
    try:
        with threadpool_limits(number):
            torch.set_num_threads(number)
            yield
    finally:
        torch.set_num_threads(before)


def one_thread() -> AbstractContextManager[None]:
    """Limit numpy and torch to a single thread: seconds can then be compared.

    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    return limited_threads(1)


def _start_worker() -> None:
    # At Ctrl-C a worker ends at once and silently; the main process prints the message.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker with its parent; it would wait for tasks for ever if that is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
