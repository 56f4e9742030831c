"""Cells of text: which are missing, which are numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crisplogic.tables.kinds import number_in

Floats = NDArray[np.float64]

# What people write into a cell that has no value.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
TRUTH = {"true": 1.0, "false": 0.0}


def is_number(word: str) -> bool:
    """Whether a text is a number.

    >>> is_number("-1e3"), is_number("1_000"), is_number("1,5")
    (True, False, False)
    """
    return number_in(word) is not None


class Marks:
    """What counts as missing: the usual, and what a caller adds.

    >>> marks = Marks(["-999"])
    >>> [marks.has(cell) for cell in (" NA ", "-999", "0")]
    [True, True, False]
    """

    def __init__(self, more: Sequence[str] = ()) -> None:
        self._words = MISSING | {word.strip().lower() for word in more}
        # A number is that number, however it is written: -999 is -999.0.
        given = (number_in(word) for word in more)
        self._numbers = [value for value in given if value is not None]

    def has(self, cell: str) -> bool:
        """Whether a cell has no value."""
        return cell.strip().lower() in self._words

    def numbers(self, cells: Sequence[str], truth: bool = False) -> Floats | None:
        """The cells as numbers, NaN where they are missing; None if one is no number.

        If ``truth`` is asked for, true and false are 1 and 0. Shape: returns (cells,).

        >>> Marks().numbers(["1", "", "?", " -2e3 "]).tolist()
        [1.0, nan, nan, -2000.0]
        >>> Marks().numbers(["1", "x"]) is None
        True
        """
        try:
            # Nearly always there are numbers and empty cells, and this is by far the quickest.
            values = np.array([float(cell or "nan") for cell in cells])
            if "_" in "".join(cells):  # to Python 1_000 is a number, to everyone else text
                return None
        except ValueError:
            known = {cell: self._number(cell, truth) for cell in set(cells)}
            if None in known.values():
                return None
            values = np.array([known[cell] for cell in cells], dtype=np.float64)
        if self._numbers:
            values[np.isin(values, self._numbers)] = np.nan
        return values

    def _number(self, cell: str, truth: bool) -> float | None:
        if self.has(cell):
            return math.nan
        value = number_in(cell)
        return TRUTH.get(cell.strip().lower()) if value is None and truth else value
