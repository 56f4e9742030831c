"""Threads: one that reads ahead, and some that do the same with several batches at once."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar, cast

T = TypeVar("T")
U = TypeVar("U")

# So many items are kept ahead; each takes memory.
AHEAD = 2
_POLL = 0.1


def in_threads(
    function: Callable[[T], U], items: Iterable[T], threads: int | None = None
) -> Iterator[U]:
    """What a function makes of each item, in the order of the items.

    Only as many items are taken as there are ``threads``, by default one a core.

    >>> list(in_threads(abs, iter([-1, 2, -3])))
    [1, 2, 3]
    """
    threads = threads or cores()
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as executor:
        waiting: deque[Future[U]] = deque()
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def cores() -> int:
    """How many cores this process may use."""
    can_tell = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if can_tell else os.cpu_count() or 1


class _End:
    """The end of an iterator, and the error that it ended with."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def prefetch(items: Iterator[T], ahead: int = AHEAD) -> Iterator[T]:
    """The same items, read ahead by a thread. Errors come where they would have come.

    The thread ends when the iterator is closed or thrown away. With ``ahead`` 0 there is none.

    >>> list(prefetch(iter([1, 2, 3])))
    [1, 2, 3]
    """
    if not ahead:
        yield from items
        return
    ready: queue.Queue[T | _End] = queue.Queue(ahead)
    stopped = threading.Event()
    thread = threading.Thread(target=_read, args=(items, ready, stopped), daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        stopped.set()
        thread.join()


def _read(items: Iterator[T], ready: queue.Queue[T | _End], stopped: threading.Event) -> None:
    end = _End()
    try:
        for item in items:
            if not _put(item, ready, stopped):
                return
    except BaseException as error:
        end = _End(error)
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
    _put(cast(T, end), ready, stopped)


def _put(item: T, ready: queue.Queue[T | _End], stopped: threading.Event) -> bool:
    """Hand an item over; False if nobody wants any more."""
    while not stopped.is_set():
        try:
            ready.put(item, timeout=_POLL)
        except queue.Full:
            continue
        return True
    return False
