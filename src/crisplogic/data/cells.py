"""Cells: a column as it is written and where each cell stands, until it is known what it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from crisplogic.data.words import Floats, Marks
from crisplogic.errors import TableError
from crisplogic.tables import Column, Numbers
from crisplogic.tables.kinds import as_text


@dataclass(frozen=True, eq=False)
class Cells:
    """A column of which no cell is missing, to be read as texts or as numbers.

    ``what`` it is and the ``place`` of a row are for errors; ``marks`` are what the file has
    for missing values.

    >>> from crisplogic.tables import Text
    >>> prices = Cells("the price", Text.of(["01", "2.5"]), "line {}".format)
    >>> prices.texts.tolist(), prices.numbers.tolist()
    (['01', '2.5'], [1.0, 2.5])
    """

    what: str
    column: Column
    place: Callable[[int], str]
    marks: Marks = field(default_factory=Marks)

    def __len__(self) -> int:
        return len(self.column)

    @property
    def texts(self) -> NDArray[np.str_]:
        """The cells as texts. Shape: (rows,)."""
        text = as_text(self.column)
        return np.array(text.words, dtype=np.str_)[text.numbers]

    @property
    def numbers(self) -> Floats | None:
        """The cells as numbers, None if one is none; truth values are none. Shape: (rows,)."""
        if isinstance(self.column, Numbers) and not self.column.boolean:
            return self.column.values
        text = as_text(self.column)
        values = self.marks.numbers(text.words)
        return None if values is None else values[text.numbers]

    def need_numbers(self, least: float = -math.inf, advice: str = "") -> Floats:
        """The same; a cell that is no finite number of at least ``least`` is an error.

        Shape: returns (rows,).

        >>> from crisplogic.tables import Text
        >>> cells = Cells("the price", Text.of(["1", "cheap"]), "line {}".format)
        >>> cells.need_numbers()
        Traceback (most recent call last):
        crisplogic.errors.TableError: line 1: the price must hold numbers, got 'cheap'
        """
        values = self.numbers
        if values is None:
            self._refuse(self._first_that_is_none(), "numbers", advice)
        wrong = ~(np.isfinite(values) & (values >= least))
        if wrong.any():
            bound = "" if least == -math.inf else f" of at least {least:g}"
            self._refuse(int(wrong.argmax()), f"finite numbers{bound}", advice)
        return values

    def _first_that_is_none(self) -> int:
        text = as_text(self.column)
        wrong = [place for place, word in enumerate(text.words) if self._is_none(word)]
        return int(np.isin(text.numbers, wrong).argmax())

    def _is_none(self, word: str) -> bool:
        return self.marks.numbers([word]) is None

    def _refuse(self, row: int, needed: str, advice: str) -> NoReturn:
        text = as_text(self.column)
        cell = text.words[text.numbers[row]]
        raise TableError(
            f"{self.place(row)}: {self.what} must hold {needed}, got {cell[:80]!r}{advice}"
        )
