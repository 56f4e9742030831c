"""Rows divided among threads: numpy lets other threads run while it computes."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

# With fewer rows a thread, starting it takes longer than it saves.
MIN_ROWS = 50_000
# Threads take turns to call numpy, so more would wait for each other.
MAX_THREADS = 8


def run_in_threads(run: Callable[[slice], None], rows: int) -> None:
    """Call ``run`` with slices that make up all rows, side by side where there are many.

    ``OMP_NUM_THREADS`` bounds the number of threads, as it does elsewhere.

    >>> seen = []
    >>> run_in_threads(seen.append, rows=10)
    >>> seen
    [slice(0, 10, None)]
    """
    threads = max(1, min(rows // MIN_ROWS, available_cores(), MAX_THREADS))
    if threads == 1:
        run(slice(0, rows))
        return
    ends = [rows * number // threads for number in range(threads + 1)]
    parts = [slice(start, end) for start, end in pairwise(ends)]
    with ThreadPoolExecutor(threads) as executor:
        list(executor.map(run, parts))  # raises what any of them raises


def available_cores() -> int:
    """How many cores this process may use; ``OMP_NUM_THREADS`` bounds them."""
    can_tell = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if can_tell else os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, max(1, int(allowed))) if allowed.isdecimal() else cores
