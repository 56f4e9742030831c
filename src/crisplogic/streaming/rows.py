"""Rows and examples: what streams of tables consist of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.tables import Column, Columns, Numbers, Text

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table, and their numbers in all of it. Shape: ``numbers`` (rows,)."""

    numbers: RowNumbers
    columns: Columns

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows to learn from: columns, the target, and how much each row counts.

    All weights are above 0 and no target is missing. Without ``weights`` each row counts 1.

    Shape: ``numbers``, ``target`` and ``weights`` (rows,).
    """

    numbers: RowNumbers
    columns: Columns
    target: Column
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[np.intp]) -> Examples:
        """Take rows by their positions here, in this order."""
        weights = None if self.weights is None else self.weights[rows]
        return Examples(
            self.numbers[rows], self.columns.take(rows), self.target.take(rows), weights
        )


def join_examples(parts: Sequence[Examples]) -> Examples:
    """Examples one after the other, as one.

    >>> from crisplogic.tables import read_columns
    >>> def part(first, word):
    ...     columns = read_columns([[word], [word]])
    ...     return Examples(np.arange(first, first + 2), columns, columns.columns[0])
    >>> both = join_examples([part(0, "red"), part(2, "blue")])
    >>> both.columns.columns[0].values.tolist(), both.numbers.tolist()
    (['red', 'red', 'blue', 'blue'], [0, 1, 2, 3])
    """
    if len(parts) == 1:
        return parts[0]
    names = parts[0].columns.names
    columns = zip(*(part.columns.columns for part in parts), strict=True)
    joined = tuple(map(join_columns, columns))
    weights = [part.weights for part in parts if part.weights is not None]
    numbers = np.concatenate([part.numbers for part in parts])
    return Examples(
        numbers,
        Columns(names, joined, len(numbers)),
        join_columns([part.target for part in parts]),
        np.concatenate(weights) if weights else None,
    )


def join_columns(parts: Sequence[Column]) -> Column:
    """Parts of a column as one. All are text or all are numbers."""
    if isinstance(parts[0], Numbers):
        numbers = [part for part in parts if isinstance(part, Numbers)]
        return Numbers(np.concatenate([each.values for each in numbers]), numbers[0].boolean)
    uniques: dict[str, int] = {}
    codes = []
    for part in parts:
        assert isinstance(part, Text)
        places = [uniques.setdefault(word, len(uniques)) for word in part.uniques]
        codes.append(np.array([*places, -1], np.int32)[part.codes])
    return Text(tuple(uniques), np.concatenate(codes))
