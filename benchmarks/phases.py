"""Where the time of a fit goes: reading, training, searching; by rows and by columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from benchmarks.made import COLUMNS, all_cores, made_table
from benchmarks.tables import Row, Table, number
from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.estimators import base, extract

TITLE = "Where the time of a fit goes"
ABOUT = (
    "Seconds of one default fit on made tables, once each, with all cores. *Reading* checks"
    " the table; *training* makes the networks; the *search* finds the rules; the *rest*"
    " compares network and rules. Time should grow in proportion to rows, or less."
)
LEARNERS: dict[str, Callable[..., Any]] = {
    "crisp": lambda **settings: LogicClassifier(random_state=0, **settings),
    "graded": lambda **settings: LogicClassifier(literals="graded", random_state=0, **settings),
    "a number": lambda **settings: LogicRegressor(random_state=0, **settings),
}
PHASES = ("reading", "training", "search", "rest")


@dataclass(frozen=True)
class Size:
    """A learner, and a table for it."""

    learner: str
    rows: int
    columns: int = COLUMNS


ROWS = (200, 2_000, 20_000, 200_000, 1_000_000)
WIDTHS = (5, 10, 20, 40, 80)
SIZES = (
    *(Size(learner, rows) for learner in LEARNERS for rows in ROWS),
    *(Size("crisp", 2_000, columns) for columns in WIDTHS if columns != COLUMNS),
)
QUICK_SIZES = (Size("crisp", 60, 6), Size("crisp", 120, 6))


def measure(sizes: Sequence[Size], **settings: Any) -> list[Row]:
    """A fit of every size. ``settings`` are those of the learners."""
    with all_cores():
        return [_measured(size, settings) for size in sizes]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["rules", "rows", "columns", *(f"{phase}, s" for phase in PHASES), "in all, s"]
    return Table(head, [_line(row) for row in rows])


def _measured(size: Size, settings: dict[str, Any]) -> Row:
    data = made_table(size.rows, size.columns, numbers=size.learner == "a number")
    learner = LEARNERS[size.learner](**settings)
    seconds: dict[str, float] = dict.fromkeys(PHASES, 0.0)
    with _watched(seconds):
        started = time.perf_counter()
        learner.fit(data.X, data.y)
        whole = time.perf_counter() - started
    seconds["rest"] = max(whole - sum(seconds.values()), 1e-6)
    return {
        "learner": size.learner,
        "rows": size.rows,
        "columns": size.columns,
        **seconds,
        "seconds": whole,
    }


@contextmanager
def _watched(seconds: dict[str, float]) -> Iterator[None]:
    """Add up the seconds of each phase of fits."""

    def timed(phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*given, **options)
            finally:
                seconds[phase] += time.perf_counter() - started

        return call

    read = timed("reading", base.LogicEstimator._read)
    calls = (
        (base, "train_networks", "training"),
        (base, "search_rules", "search"),
        (extract, "search_crisp", "search"),
    )
    with ExitStack() as stack:
        stack.enter_context(patch.object(base.LogicEstimator, "_read", read))
        for module, name, phase in calls:
            function = timed(phase, getattr(module, name))
            stack.enter_context(patch.object(module, name, function))
        yield


def _line(row: Row) -> list[str]:
    seconds = [number(row[name], 2) for name in (*PHASES, "seconds")]
    return [row["learner"], f"{row['rows']:,}", str(row["columns"]), *seconds]
