"""The two kinds of columns that there are for crisplogic: numbers and texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers; a missing one is NaN. Shape: ``values`` (rows,).

    ``boolean`` columns held truth values, which are 0 and 1 here.
    """

    values: Floats
    boolean: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def taken(self, rows: NDArray[np.intp]) -> Numbers:
        """Some of the rows, in this order."""
        return Numbers(self.values[rows], self.boolean)


@dataclass(frozen=True, eq=False)
class Text:
    """A column of texts: each different one once, and which of them every row holds.

    Rows are many and texts repeat, so whatever is asked about a text is asked once.

    Shape: ``numbers`` (rows,), positions in ``words``; -1 where the value is missing.

    >>> colours = Text.of(["red", "blue", None, "red"])
    >>> colours.words, colours.numbers.tolist()
    (('red', 'blue'), [0, 1, -1, 0])
    >>> colours.values.tolist()
    ['red', 'blue', None, 'red']
    """

    words: tuple[str, ...]
    numbers: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def taken(self, rows: NDArray[np.intp]) -> Text:
        """Some of the rows, in this order."""
        return Text(self.words, self.numbers[rows])

    @classmethod
    def of(cls, values: Iterable[object]) -> Text:
        """Texts, numbers and missing values (None, NaN, pandas' NA) as a column of texts."""
        return cls.of_chunks([list(values)])

    @classmethod
    def of_chunks(cls, chunks: Iterable[list[Any]]) -> Text:
        """The same, some rows after the other: they need not be in memory all at once."""
        numbering = _Numbering()
        found = [
            np.fromiter(map(numbering.__getitem__, chunk), np.int32, len(chunk))
            for chunk in chunks
        ]
        words: dict[str, int] = {}
        places = [
            # A number and its text are the same word: it may have been met before.
            -1 if word is None else words.setdefault(word, len(words))
            for word in map(_word, numbering)
        ]
        numbers = np.concatenate([np.empty(0, np.int32), *found])
        return cls(tuple(words), np.array(places, np.int32)[numbers])

    @property
    def values(self) -> NDArray[np.object_]:
        """The texts row by row, None where they are missing. Shape: (rows,)."""
        return np.array([*self.words, None], dtype=object)[self.numbers]

    def counts(self) -> NDArray[np.intp]:
        """How many rows hold each word. Shape: (words,)."""
        return np.bincount(self.numbers[self.numbers >= 0], minlength=len(self.words))


class _Numbering(dict[Any, int]):
    """Numbers for whatever is asked for, in the order in which it is asked for first."""

    def __missing__(self, key: object) -> int:
        self[key] = number = len(self)
        return number


def _word(value: Any) -> str | None:
    """A value as text, None if it is missing; whole numbers as they are mostly written.

    >>> [_word(value) for value in ("red", 5.0, 0.5, True, None, float("nan"))]
    ['red', '5', '0.5', 'True', None, None]
    """
    if isinstance(value, str):
        return str(value)  # numpy's own kind of text is one, too
    if is_missing(value):
        return None
    if not isinstance(value, Real) or isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return str(int(value))
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA, which does not even equal itself.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    equal = value == value
    return value is None or not isinstance(equal, bool | np.bool_) or not equal


def as_text(column: Numbers | Text) -> Text:
    """A column as texts: numbers as they are written, truth values as True and False.

    >>> as_text(Numbers(np.array([1.0, 0.5, np.nan]))).values.tolist()
    ['1', '0.5', None]
    """
    if isinstance(column, Text):
        return column
    different, numbers = np.unique(column.values, return_inverse=True)
    truth = {0.0: "False", 1.0: "True"} if column.boolean else {}
    of_different = Text.of(truth.get(value, value) for value in different.tolist())
    return Text(of_different.words, of_different.numbers[numbers])


def as_numbers(column: Numbers | Text, what: str) -> Numbers:
    """A column as numbers, or an error about ``what`` if one of its texts is none.

    >>> as_numbers(Text.of(["1", None, "-2e3"]), "the column").values.tolist()
    [1.0, nan, -2000.0]
    """
    if isinstance(column, Numbers):
        return column
    values = [number_in(word) for word in column.words]
    for word, value in zip(column.words, values, strict=True):
        if value is None:
            raise TableError(f"{what} must hold numbers, got the text {word[:80]!r}")
    return Numbers(np.array([*values, np.nan], dtype=np.float64)[column.numbers])


def number_in(word: str) -> float | None:
    """The number that a text is, None if it is none."""
    try:
        # To Python 1_000 is a number, to everyone else it is text.
        return None if "_" in word else float(word)
    except ValueError:
        return None


Column = Numbers | Text
