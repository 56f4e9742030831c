"""A few threads a process: seconds can be compared, and workers do not disturb each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import torch
from threadpoolctl import threadpool_limits


@contextmanager
def limited_threads(number: int) -> Iterator[None]:
    """Within it numpy and torch use so many threads, whatever the environment says.

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
    """Within it numpy and torch use a single thread.

    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    return limited_threads(1)
