"""How much memory a run takes on top of what stands ready: measured in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from benchmarks.turns import Run

# Linux counts in KiB, macOS in bytes.
UNIT = 1 if sys.platform == "darwin" else 1024


def peak_extra(make: Callable[..., Run], small: tuple[Any, ...], case: tuple[Any, ...]) -> int:
    """Bytes by which the memory of a process grows, at most, while ``make(*case)`` is run.

    Before that it runs ``make(*small)``: the parts of the libraries that are loaded at the
    first use are not counted. What ``make`` itself lays out is not counted either.
    Each measurement gets a fresh process, for memory that was freed before is used again.
    """
    context = multiprocessing.get_context("forkserver")
    # Processes split off from one that has all of it loaded, what torch's optimisers load at
    # their first step included: quick, and without threads.
    context.set_forkserver_preload(["benchmarks.parts", "torch._dynamo"])
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as executor:
        return executor.submit(_grown, make, small, case).result()


def _grown(make: Callable[..., Run], small: tuple[Any, ...], case: tuple[Any, ...]) -> int:
    torch.set_num_threads(1)
    make(*small)()
    run = make(*case)
    _forget_peak()
    before = _peak()
    run()
    # Memory comes in pages: a run that fits into what is there already takes one at most.
    return max(_peak() - before, resource.getpagesize())


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT


def _forget_peak() -> None:
    """Let the peak be what is in use now. Only Linux can; elsewhere set-up may hide a part."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
