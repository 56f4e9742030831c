"""The time of a whole fit beside that of an explainable boosting machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchmarks.measuring import Spread, ratios
from benchmarks.tables import Row, Table, stored, with_spread
from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load, names
from experiments.harness.command_line import progress
from experiments.rules_table.timing import MAKERS, Maker, alternate

TITLE = "A whole fit"
THREADS = 1
ABOUT = (
    "Seconds of `LogicClassifier().fit` on a whole table, by turns with interpret's"
    " `ExplainableBoostingClassifier(interactions=0, n_jobs=1)`: one job is what that chooses"
    " itself on a machine with two cores. Numpy and torch may use one thread a process, as"
    " under all targets of the Makefile. A ratio above 1: we take longer."
)


def measure(
    tables: Sequence[Dataset], repeats: int, makers: Mapping[str, Maker] = MAKERS
) -> list[Row]:
    """Fits of both on every table."""
    with progress("fit", len(tables) * repeats * len(makers)) as on_step:
        return [
            _row(each, alternate(each, makers, repeats, THREADS, on_step)) for each in tables
        ]


def quick() -> list[Row]:
    """Short fits on a part of a table, as a trial."""
    data = load("breast-cancer-wisconsin")
    few = replace(data, X=data.X[:100], y=data.y[:100])
    short = LogicClassifier(epochs=2, restarts=1, folds=0)
    return measure([few], 1, {**MAKERS, "LogicClassifier": lambda seed: short})


def available() -> list[Dataset]:
    """The tables that are installed: one may not be redistributed, and not all have it."""
    found = []
    for name in names():
        try:
            found.append(load(name))
        except FileNotFoundError:
            continue
    return found


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["table", "rows", "columns", "LogicClassifier, s", "EBM, s", "ratio"]
    return Table(head, [_line(row) for row in rows])


def _row(data: Dataset, seconds: dict[str, tuple[float, ...]]) -> Row:
    logic, boosting = seconds["LogicClassifier"], seconds["EBM"]
    return {
        "table": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "turns": len(logic),
        "logic": stored(Spread.of(logic)),
        "boosting": stored(Spread.of(boosting)),
        "ratio": stored(Spread.of(ratios(logic, boosting))),
    }


def _line(row: Row) -> list[str]:
    spreads = [with_spread(row[name]) for name in ("logic", "boosting", "ratio")]
    return [row["table"], str(row["rows"]), str(row["columns"]), *spreads]
