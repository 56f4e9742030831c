"""Networks trained side by side, compared with training one after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks.measuring import Patience, Run, Spread, in_turns, ratios
from benchmarks.tables import Row, Table, milliseconds, stored, with_spread
from benchmarks.training import Training, training
from crisplogic import LogicClassifier
from experiments.harness.processes import one_thread

TITLE = "Many networks at once"
ABOUT = (
    "Milliseconds of training networks side by side (`nn.LogicNetwork(copies=...)`) and one"
    " after the other: one epoch of 12 soft steps on a random table of vehicle's shape"
    " (846 rows, 18 columns, 4 classes), default network, one core."
)
COUNTS = (1, 2, 4, 8, 16, 40, 80)
TABLE = (846, 18, 4)


def measure(counts: Sequence[int], patience: Patience) -> list[Row]:
    """Both ways with every number of networks."""
    with one_thread():
        return [_measured(count, patience) for count in counts]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["networks", "side by side, ms", "one after the other, ms", "ratio"]
    return Table(head, [_line(row) for row in rows])


def _measured(count: int, patience: Patience) -> Row:
    classifier = LogicClassifier()
    together = training(Training(*TABLE, classifier, copies=count))
    one = training(Training(*TABLE, classifier))
    seconds = in_turns(
        {"together": together, "separate": _repeated(one, count)}, patience, time.process_time
    )
    return {
        "networks": count,
        "turns": len(seconds["together"]),
        "together": stored(Spread.of(seconds["together"])),
        "separate": stored(Spread.of(seconds["separate"])),
        "ratio": stored(Spread.of(ratios(seconds["separate"], seconds["together"]))),
    }


def _repeated(run: Run, times: int) -> Run:
    """One training after the other; that it is the same network does not change the time."""

    def all_of_them() -> None:
        for _ in range(times):
            run()

    return all_of_them


def _line(row: Row) -> list[str]:
    both = [milliseconds(row[name]) for name in ("together", "separate")]
    return [str(row["networks"]), *both, with_spread(row["ratio"])]
