"""Seconds of several ways to do one thing, measured by turns: a busy minute slows down all."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

Run = Callable[[], object]

# A turn calls a run as often as it takes to last so long: less would measure the clock.
SHORTEST_TURN = 0.005
# A first call that takes so long is set-up to a small part only, and tells enough.
LONG = 0.2


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
        """What the values come to."""
        return cls(median(values), min(values), max(values))


def in_turns(runs: Mapping[str, Run], patience: Patience) -> dict[str, list[float]]:
    """Seconds of a call of each run, one number a turn; those given up are left out.

    >>> sorted(in_turns({"sum": lambda: sum(range(9)), "nothing": lambda: None}, IMPATIENT))
    ['nothing', 'sum']
    """
    calls = {name: _calls_a_turn(run, patience.longest) for name, run in runs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in runs if calls[name]}
    started = time.perf_counter()
    for turn in range(patience.most):
        if turn >= patience.least and time.perf_counter() - started > patience.seconds:
            break
        for name, known in seconds.items():
            known.append(_seconds_a_call(runs[name], calls[name]))
    return seconds


def ratios(longer: Sequence[float], shorter: Sequence[float]) -> list[float]:
    """How many times as long, turn by turn.

    >>> ratios([6.0, 4.0], [2.0, 2.0])
    [3.0, 2.0]
    """
    return [one / other for one, other in zip(longer, shorter, strict=True)]


def _calls_a_turn(run: Run, longest: float) -> int:
    """How often to call a run in each turn; 0 if even one call takes too long."""
    first = _seconds_a_call(run, 1)  # with whatever is made ready at the first use
    if first > longest:
        return 0
    if first > LONG:
        return 1
    return max(1, math.ceil(SHORTEST_TURN / _seconds_a_call(run, 1)))


def _seconds_a_call(run: Run, calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - started) / calls
