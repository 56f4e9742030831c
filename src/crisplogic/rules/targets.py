"""Targets: the true class or number of every row, and the weights of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.weights import weights_of_rows

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label

Floats = NDArray[np.float64]
Value = TypeVar("Value", np.intp, np.float64)


@dataclass(frozen=True, eq=False)
class Targets(Generic[Value]):
    """What rows are known to be: positions of classes, or numbers. None if it is unknown.

    ``weights`` is None if all rows count the same. Shape: ``values`` and ``weights`` (rows,).
    """

    rows: int
    values: NDArray[Value] | None
    weights: Floats | None

    def total(self, chunk: slice, holds: NDArray[np.bool_] | Floats) -> float:
        """The weight of the rows where something holds, or the weighted sum of their values.

        Shape: ``holds`` (rows of the chunk,).
        """
        if self.weights is None:
            return float(np.count_nonzero(holds) if holds.dtype == bool else holds.sum())
        return float(holds @ self.weights[chunk])

    def some(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Targets[Value]:
        """Those of some rows, given by position or by a mask."""
        values = None if self.values is None else self.values[rows]
        weights = None if self.weights is None else self.weights[rows]
        count = np.count_nonzero(rows) if rows.dtype == bool else len(rows)
        return Targets(int(count), values, weights)

    @property
    def sum_of_weights(self) -> float:
        """The weight of all rows together."""
        return float(self.rows if self.weights is None else self.weights.sum())


def class_targets(
    rows: int, labels: Sequence[Label], y: Any, sample_weight: Any
) -> Targets[np.intp]:
    """From ``y`` in the classes of the rules, or None, and weights.

    >>> class_targets(3, ("no", "yes"), ["yes", "no", "yes"], None).values.tolist()
    [1, 0, 1]
    """
    values = None if y is None else class_positions(y, labels)
    return _targets(rows, values, sample_weight, "class")


def number_targets(rows: int, y: Any, sample_weight: Any) -> Targets[np.float64]:
    """From a number for every row, or None, and weights.

    >>> number_targets(2, [21, 34.5], None).values.tolist()
    [21.0, 34.5]
    """
    values = None if y is None else finite_numbers(y)
    return _targets(rows, values, sample_weight, "number")


def _targets(
    rows: int, values: NDArray[Value] | None, sample_weight: Any, what: str
) -> Targets[Value]:
    if values is not None and len(values) != rows:
        raise TableError(f"y must have one {what} a row, {rows} in all, got {len(values)}")
    return Targets(rows, values, weights_of_rows(sample_weight, None, np.empty(rows)))


def finite_numbers(y: Any) -> Floats:
    """A finite number for every row. Shape: (rows,) to (rows,).

    >>> finite_numbers([1, 2.5]).tolist()
    [1.0, 2.5]
    """
    try:
        values = np.asarray(y)
    except ValueError as reason:  # rows of different lengths
        raise TableError(f"y must have one number a row, got {shortened(y)}") from reason
    if values.ndim != 1:
        raise TableError(f"y must have one number a row, got an array of {values.shape}")
    if values.dtype.kind not in "fiub":
        values = np.array([_number(value) for value in np.asarray(y, dtype=object)])
    numbers = values.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise TableError(
            f"y must have a finite number in every row, got {numbers[wrong[0]]} in row "
            f"{wrong[0]} (counted from 0); leave out the rows whose number is not known"
        )
    return numbers


def _number(value: Any) -> float:
    """A number. Text is refused even if it reads like one."""
    try:
        if not isinstance(value, str | bytes):
            return math.nan if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise TableError(f"y must have one number a row, got {shortened(value)}")


def class_positions(y: Any, labels: Sequence[Label]) -> NDArray[np.intp]:
    """The position of the class of every row. Shape: (rows,) to (rows,).

    >>> class_positions(np.array([3, 7, 3]), [7, 3]).tolist()
    [1, 0, 1]
    """
    values = np.asarray(y)
    if values.dtype.kind in "US" and not isinstance(y, np.ndarray):
        values = np.array(y, dtype=object)  # among texts, numpy makes texts of numbers
    if values.ndim != 1:
        raise TableError(f"y must have one class a row, got an array of {values.shape}")
    known = {label: position for position, label in enumerate(labels)}
    # Rows are many and classes are few: each distinct value is looked up once.
    distinct, places = _distinct(values)
    unknown = [value for value in distinct if value not in known]
    if unknown:
        raise TableError(
            f"y must hold the classes of the rules, {list(labels)}, got "
            f"{', '.join(map(repr, unknown[:5]))}"
        )
    positions = np.array([known[value] for value in distinct], dtype=np.intp)
    return positions[places]


def _distinct(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct values, and each row's place among them. Objects may have no order."""
    if values.dtype != object:
        distinct, places = np.unique(values, return_inverse=True)
        return distinct.tolist(), places
    positions: dict[Any, int] = {}
    found = [positions.setdefault(value, len(positions)) for value in values.tolist()]
    return list(positions), np.array(found, dtype=np.intp)
