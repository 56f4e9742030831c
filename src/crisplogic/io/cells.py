"""Gathering: a column of a text file, chunk after chunk, numbers as long as all are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.io.text import Chunk, TextFile
from crisplogic.io.values import Floats, Marks
from crisplogic.tables import Column, Numbers, Text
from crisplogic.tables.kinds import as_text


class Gathered:
    """What is known of one column so far.

    From the first chunk on that has other texts than numbers, all are texts. Where numbers
    came before it, they have to be read ``again``: 007 is not 7, if it is a text.
    """

    def __init__(self, name: str, position: int, as_text: bool = False) -> None:
        self.name = name
        self.position = position
        self._floats: list[NDArray[np.float64]] = []
        self._texts: list[NDArray[np.int32]] = []
        self._places: dict[str, int] = {}
        self._as_text = as_text

    @property
    def again(self) -> bool:
        """Whether it began as numbers and went on as texts."""
        return bool(self._floats and self._texts)

    def add(self, file: TextFile, chunk: Chunk) -> None:
        """More rows."""
        cells = chunk.column(self.position)
        if not (self._as_text or self._texts):
            values = file.marks.numbers(cells)
            if values is not None:
                file.check_finite(chunk, self.name, cells, values)
                self._floats.append(values)
                return
        self._texts.append(self._numbered(cells))

    def _numbered(self, cells: Sequence[str]) -> NDArray[np.int32]:
        places = self._places
        for cell in set(cells):
            places.setdefault(cell, len(places))
        return np.fromiter(map(places.__getitem__, cells), np.int32, len(cells))

    def cell(self, row: int) -> str:
        """A cell of a column of texts as it is written."""
        numbers = np.concatenate(self._texts)
        return list(self._places)[int(numbers[row])].strip()

    @property
    def numbers(self) -> Numbers | None:
        """The column, if all of its cells are numbers or missing."""
        return None if self._texts else Numbers(np.concatenate(self._floats))

    def text(self, marks: Marks) -> Text:
        """The column as texts, spaces around them left out, words in the order of rows."""
        numbers = np.concatenate(self._texts)
        words: dict[str, int] = {}
        codes = np.full(len(self._places), -1, np.int32)
        cells = list(self._places)
        first = np.unique(numbers, return_index=True)[1]
        for place in np.argsort(first).tolist():
            if not marks.has(cells[place]):
                codes[place] = words.setdefault(cells[place].strip(), len(words))
        return Text(tuple(words), codes[numbers])


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
