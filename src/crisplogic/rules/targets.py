"""Answers and NumberAnswers: what rows are known to be, and how much each of them counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.weights import weights_of_rows

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weighed:
    """Rows and what each of them counts; None if all count the same. Shape: (rows,)."""

    rows: int
    weights: Floats | None

    def total(self, chunk: slice, holds: NDArray[np.bool_] | Floats) -> float:
        """What some rows count together, or the sum of their values, each as it counts.

        Shape: ``holds`` (rows of the chunk,).
        """
        if self.weights is None:
            return float(np.count_nonzero(holds) if holds.dtype == bool else holds.sum())
        return float(holds @ self.weights[chunk])

    @property
    def sum_of_weights(self) -> float:
        """As how many rows all of them count."""
        return float(self.rows if self.weights is None else self.weights.sum())


@dataclass(frozen=True, eq=False)
class Answers(Weighed):
    """The class of every row as a number, and what it counts; None if nobody says.

    Shape: ``targets`` and ``weights`` (rows,).
    """

    targets: NDArray[np.intp] | None

    @classmethod
    def of(cls, rows: int, labels: Sequence[Label], y: Any, sample_weight: Any) -> Answers:
        """From what a caller has: ``y`` in the classes of the rules, and weights.

        >>> Answers.of(3, ("no", "yes"), ["yes", "no", "yes"], None).targets.tolist()
        [1, 0, 1]
        """
        targets = None if y is None else class_numbers(y, labels)
        if targets is not None and len(targets) != rows:
            raise TableError(f"y must have one class a row, {rows} in all, got {len(targets)}")
        return cls(rows, _weights(sample_weight, rows), targets)


@dataclass(frozen=True, eq=False)
class NumberAnswers(Weighed):
    """The number of every row, and what the row counts; None if nobody says.

    Shape: ``targets`` and ``weights`` (rows,).
    """

    targets: Floats | None

    @classmethod
    def of(cls, rows: int, y: Any, sample_weight: Any) -> NumberAnswers:
        """From what a caller has: a number a row, and weights.

        >>> NumberAnswers.of(2, [21, 34.5], None).targets.tolist()
        [21.0, 34.5]
        """
        targets = None if y is None else numbers_in(y)
        if targets is not None and len(targets) != rows:
            raise TableError(f"y must have one number a row, {rows} in all, got {len(targets)}")
        return cls(rows, _weights(sample_weight, rows), targets)


def _weights(sample_weight: Any, rows: int) -> Floats | None:
    return weights_of_rows(sample_weight, None, np.empty(rows))


def numbers_in(y: Any) -> Floats:
    """A finite number for every row. Shape: (rows,) to (rows,).

    >>> numbers_in([1, 2.5]).tolist()
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
    """What is no number, even if it reads like one, has to be made one by its owner."""
    try:
        if not isinstance(value, str | bytes):
            return math.nan if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise TableError(f"y must have one number a row, got {shortened(value)}")


def class_numbers(y: Any, labels: Sequence[Label]) -> NDArray[np.intp]:
    """The number of the class of every row. Shape: (rows,) to (rows,).

    >>> class_numbers(np.array([3, 7, 3]), [7, 3]).tolist()
    [1, 0, 1]
    """
    values = np.asarray(y)
    if values.dtype.kind in "US" and not isinstance(y, np.ndarray):
        values = np.array(y, dtype=object)  # among texts, numpy makes texts of numbers
    if values.ndim != 1:
        raise TableError(f"y must have one class a row, got an array of {values.shape}")
    known = {label: number for number, label in enumerate(labels)}
    # Rows are many and classes are few: each different one is looked up once.
    different, places = _different(values)
    unknown = [value for value in different if value not in known]
    if unknown:
        raise TableError(
            f"y must hold the classes of the rules, {list(labels)}, got "
            f"{', '.join(map(repr, unknown[:5]))}"
        )
    numbers = np.array([known[value] for value in different], dtype=np.intp)
    return numbers[places]


def _different(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Each different value once, and where every row's is. Objects need not have an order."""
    if values.dtype != object:
        different, places = np.unique(values, return_inverse=True)
        return different.tolist(), places
    numbers: dict[Any, int] = {}
    found = [numbers.setdefault(value, len(numbers)) for value in values.tolist()]
    return list(numbers), np.array(found, dtype=np.intp)
