"""Time and memory of several ways to do one thing."""

from __future__ import annotations

import math
import mmap
import multiprocessing
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch

Run = Callable[[], object]
Clock = Callable[[], float]

# A turn calls a run until it lasts so many seconds: less would measure the clock.
SHORTEST_TURN = 0.005
# A first call that takes so many seconds needs no second: set-up is a small part of it.
LONG = 0.2
# ru_maxrss is in KiB on Linux and in bytes on macOS.
MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Patience:
    """How long to measure: for so many ``seconds``, but ``least`` to ``most`` turns.

    A run whose first call takes more than ``longest`` seconds is given up.
    """

    seconds: float = 4.0
    least: int = 3
    most: int = 51
    longest: float = 20.0


IMPATIENT = Patience(seconds=0.0, least=2, most=2)


@dataclass(frozen=True)
class Spread:
    """The median of several measurements, the least and the greatest.

    >>> Spread.of([3.0, 1.0, 2.0])
    Spread(median=2.0, least=1.0, greatest=3.0)
    """

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of some values."""
        return cls(median(values), min(values), max(values))


def in_turns(
    runs: Mapping[str, Run], patience: Patience, clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds per call of each run, one number per turn; a busy minute then slows down all.

    Runs that are given up are left out. With ``time.process_time`` as the clock seconds are
    those of the processor, which other programs hardly change.

    >>> sorted(in_turns({"sum": lambda: sum(range(9)), "nothing": lambda: None}, IMPATIENT))
    ['nothing', 'sum']
    """
    longest = patience.longest
    calls = {name: _calls_per_turn(run, longest, clock) for name, run in runs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in runs if calls[name]}
    started = time.perf_counter()
    for turn in range(patience.most):
        if turn >= patience.least and time.perf_counter() - started > patience.seconds:
            break
        for name, known in seconds.items():
            known.append(_seconds_per_call(runs[name], calls[name], clock))
    return seconds


def ratios(longer: Sequence[float], shorter: Sequence[float]) -> list[float]:
    """How many times as long, turn by turn.

    >>> ratios([6.0, 4.0], [2.0, 2.0])
    [3.0, 2.0]
    """
    return [one / other for one, other in zip(longer, shorter, strict=True)]


def _calls_per_turn(run: Run, longest: float, clock: Clock) -> int:
    """How often to call a run in each turn; 0 if one call takes too long."""
    first = _seconds_per_call(run, 1, clock)  # set-up at the first use included
    if first > longest:
        return 0
    if first > LONG:
        return 1
    return max(1, math.ceil(SHORTEST_TURN / max(_seconds_per_call(run, 1, clock), 1e-6)))


def _seconds_per_call(run: Run, calls: int, clock: Clock) -> float:
    started = clock()
    for _ in range(calls):
        run()
    return (clock() - started) / calls


def peak_extra(make: Callable[..., Run], small: tuple[Any, ...], case: tuple[Any, ...]) -> int:
    """Bytes by which the memory of a process grows, at most, while ``make(*case)`` is run.

    ``make(*small)`` runs before that, so that what libraries load at their first use is not
    counted. What ``make`` itself allocates is not counted either. Each measurement gets a
    fresh process, because freed memory is used again.
    """
    context = multiprocessing.get_context("forkserver")
    # Processes are forked from one that has everything loaded, including what torch's
    # optimisers load at their first step: fast, and without threads.
    context.set_forkserver_preload(["benchmarks.page", "torch._dynamo"])
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as executor:
        return executor.submit(_growth, make, small, case).result()


def _growth(make: Callable[..., Run], small: tuple[Any, ...], case: tuple[Any, ...]) -> int:
    torch.set_num_threads(1)
    make(*small)()
    run = make(*case)
    _forget_peak()
    before = _peak()
    run()
    # Memory comes in pages: a run that fits into free memory takes one at most.
    return max(_peak() - before, mmap.PAGESIZE)


def _peak() -> int:
    import resource  # not there on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MEMORY_UNIT


def _forget_peak() -> None:
    """Reset the peak to what is in use. Only Linux can; elsewhere set-up may hide a part."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
