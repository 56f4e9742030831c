"""Some rows of the table, so that a page can show the rows of a statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.export.running.rows import decode_column
from crisplogic.report.columns import ColumnSummary, Value
from crisplogic.rules import RuleSet
from crisplogic.rules.targets import Targets
from crisplogic.tables import Levels

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Rows drawn at random: their numbers in the table, what is true, and their values.

    ``truth`` is the place of a class among all, or a number; it is empty if it is not known.
    ``columns`` has the values of each column of the report; None is missing.
    """

    rows: tuple[int, ...] = ()
    truth: tuple[float, ...] = ()
    columns: tuple[tuple[Value | None, ...], ...] = ()


def draw_sample(
    rules: RuleSet,
    columns: Sequence[ColumnSummary],
    levels: Sequence[Levels | None],
    matrix: Floats,
    targets: Targets[np.float64],
    numbers: NDArray[np.intp],
    most: int,
) -> Sample:
    """At most so many rows, always the same. Shape: ``matrix`` (rows, features)."""
    every = np.arange(len(matrix))
    if len(matrix) > most:
        every = np.sort(np.random.default_rng(0).choice(every, most, replace=False))
    values = []
    for column in columns:
        at = rules.features.index(column.name)
        values.append(decode_cells(matrix[every, at], levels[at]))
    return Sample(
        tuple((numbers[every] + 1).tolist()),
        () if targets.values is None else tuple(map(float, targets.values[every])),
        tuple(values),
    )


def decode_cells(column: Floats, levels: Levels | None) -> tuple[Value | None, ...]:
    """The values of a column as a table has them; None is missing. Shape: (rows,)."""
    return tuple(map(_value, decode_column(column, levels, "never seen")))


def _value(cell: object) -> Value | None:
    if cell is None or isinstance(cell, str):
        return cell
    number = float(cell)  # type: ignore[arg-type]
    return None if np.isnan(number) else number
