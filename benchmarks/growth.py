"""How the time of a step and its memory grow with rows, columns, units and networks."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from benchmarks.measuring import Patience, Run, Spread, in_turns, peak_extra
from benchmarks.tables import Row, Table, mebibytes, milliseconds, stored
from benchmarks.training import PHASES, Training, training
from crisplogic import LogicClassifier
from experiments.harness.processes import one_thread

TITLE = "How a step grows"


@dataclass(frozen=True)
class Size:
    """What a training step depends on; ``units`` are the outputs of the first level."""

    rows: int = 256
    columns: int = 32
    units: int = 8
    networks: int = 4


MIDDLE = Size()
SMALL = Size(rows=2, columns=2, units=2, networks=1)
ABOUT = (
    "One step of training (forward, backward, Adam), one core: a network of depth 2 with linear"
    f" memberships and 3 classes; {MIDDLE.rows} rows a batch, {MIDDLE.columns} columns,"
    f" {MIDDLE.units} units in the first level and {MIDDLE.networks} networks side by side,"
    " with one of them changed at a time. Memory is the peak of a step in a separate process:"
    " gradients and Adam's state included, parameters and table not. Dotted lines in the"
    " pictures are proportional."
)
AXES: dict[str, tuple[int, ...]] = {
    "rows": (16, 64, 256, 1024, 4096, 16384),
    "columns": (4, 8, 16, 32, 64, 128, 256, 512),
    "units": (2, 4, 8, 16, 32, 64, 128),
    "networks": (1, 2, 4, 8, 16, 32, 64, 128),
}
QUICK_AXES: dict[str, tuple[int, ...]] = {name: values[:2] for name, values in AXES.items()}
CLASSES = 3


def measure(axes: Mapping[str, Sequence[int]], patience: Patience) -> list[Row]:
    """One axis at a time; the others stay at the middle."""
    return [
        row
        for axis, values in axes.items()
        for value in values
        for row in _measured(axis, replace(MIDDLE, **{axis: value}), patience)
    ]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["what grows", "to", "phase", "a step, ms", "memory, MiB"]
    return Table(head, [_line(row) for row in rows])


def step(size: Size, phase: str) -> Run:
    """One step: an epoch of a table that is one batch."""
    classifier = LogicClassifier(
        literals="graded",  # whose networks train in both phases
        depth=2,
        width=size.units,
        memberships="linear",
        batch_size=size.rows,
    )
    task = Training(size.rows, size.columns, CLASSES, classifier, size.networks, phase)
    return training(task)


def _measured(axis: str, size: Size, patience: Patience) -> list[Row]:
    with one_thread():
        seconds = in_turns(
            {phase: step(size, phase) for phase in PHASES}, patience, time.process_time
        )
    return [
        {
            "axis": axis,
            **asdict(size),
            "phase": phase,
            "turns": len(known),
            "step": stored(Spread.of(known)),
            "bytes": peak_extra(step, (SMALL, phase), (size, phase)),
        }
        for phase, known in seconds.items()
    ]


def _line(row: Row) -> list[str]:
    to, memory = str(row[row["axis"]]), mebibytes(row["bytes"])
    return [row["axis"], to, row["phase"], milliseconds(row["step"]), memory]
