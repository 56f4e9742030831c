"""Work divided among threads: numpy and kernels let other threads run while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

# Threads take turns to call numpy, so more would wait for each other.
MAX_THREADS = 8


def run_in_threads(run: Callable[[slice], None], total: int, least: int = 1) -> None:
    """Call ``run`` with slices that make up all items, side by side where there are many.

    A thread takes at least so many items: with less to do, starting it takes longer than it
    saves. ``OMP_NUM_THREADS`` bounds the number of threads, as it does elsewhere.

    >>> seen = []
    >>> run_in_threads(seen.append, total=10, least=6)
    >>> seen
    [slice(0, 10, None)]
    """
    threads = max(1, min(total // least, available_cores(), MAX_THREADS))
    if threads == 1:
        run(slice(0, total))
        return
    ends = [total * number // threads for number in range(threads + 1)]
    parts = [slice(start, end) for start, end in pairwise(ends)]
    with ThreadPoolExecutor(threads) as executor:
        list(executor.map(run, parts))  # raises what any of them raises


def available_cores() -> int:
    """How many cores this process may use; ``OMP_NUM_THREADS`` bounds them."""
    can_tell = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if can_tell else os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, max(1, int(allowed))) if allowed.isdecimal() else cores
