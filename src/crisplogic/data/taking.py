"""Some rows of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.tables import Column, Columns, Numbers, Text


def taken(table: Columns, rows: NDArray[np.intp]) -> Columns:
    """The rows of these numbers, in their order.

    >>> from crisplogic.tables import read
    >>> taken(read([[1, "red"], [2, "blue"]]), np.array([1])).columns[1].values.tolist()
    ['blue']
    """
    columns = tuple(_taken(column, rows) for column in table.columns)
    return Columns(table.names, columns, len(rows))


def _taken(column: Column, rows: NDArray[np.intp]) -> Column:
    if isinstance(column, Numbers):
        return Numbers(column.values[rows], column.boolean)
    return Text(column.words, column.numbers[rows])
