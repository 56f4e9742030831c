"""Gathering: a column of a text file, chunk after chunk, numbers as long as all are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crisplogic.data.text_file import Chunk, TextFile
from crisplogic.data.words import Marks
from crisplogic.tables import Numbers, Text


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
