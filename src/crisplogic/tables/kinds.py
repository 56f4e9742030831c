"""The two kinds of columns: numbers and text."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Complex, Integral, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.records import refuse_no_table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers; a missing value is NaN. Shape: ``values`` (rows,).

    A ``boolean`` column held truth values, which are 0 and 1 here.
    """

    values: Floats
    boolean: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def ends(self) -> tuple[int, int] | None:
        """The first rows of the least and the greatest number; None if all are missing.

        >>> Numbers(np.array([2.0, np.nan, 3.0, 1.0])).ends
        (3, 2)
        """
        values = np.ascontiguousarray(self.values)
        missing = np.isnan(values)
        if missing.all():
            return None
        if not missing.any():
            return int(values.argmin()), int(values.argmax())
        return int(np.nanargmin(values)), int(np.nanargmax(values))

    def take(self, rows: NDArray[np.intp]) -> Numbers:
        """Take rows by number, in this order."""
        return Numbers(self.values[rows], self.boolean)


@dataclass(frozen=True, eq=False)
class Text:
    """A column of text: its distinct values, and which of them every row holds.

    Rows are many and values repeat, so every question about a value is asked once.

    Shape: ``codes`` (rows,), positions in ``uniques``; -1 where the value is missing.

    >>> colours = Text.from_values(["red", "blue", None, "red"])
    >>> colours.uniques, colours.codes.tolist()
    (('red', 'blue'), [0, 1, -1, 0])
    >>> colours.values.tolist()
    ['red', 'blue', None, 'red']
    """

    uniques: tuple[str, ...]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: NDArray[np.intp]) -> Text:
        """Take rows by number, in this order."""
        return Text(self.uniques, self.codes[rows])

    @classmethod
    def from_values(cls, values: Iterable[object]) -> Text:
        """Make a text column of text, numbers and missing values (None, NaN, pandas' NA)."""
        return cls.from_chunks([list(values)])

    @classmethod
    def from_chunks(cls, chunks: Iterable[list[Any]]) -> Text:
        """The same from chunks of rows, which need not be in memory all at once."""
        numbering = _Numbering()
        found = [
            np.fromiter(map(numbering.__getitem__, chunk), np.int32, len(chunk))
            for chunk in chunks
        ]
        codes = np.concatenate([np.empty(0, np.int32), *found])
        return cls._of(list(numbering), range(len(numbering)), codes)

    @classmethod
    def from_codes(cls, values: list[Any], codes: NDArray[np.integer]) -> Text:
        """The same from values and which of them every row holds, -1 where it has none.

        >>> Text.from_codes(["blue", 7, " red"], np.array([2, 1, -1, 2])).uniques
        ('red', '7')
        """
        first = np.full(len(values) + 1, len(codes))  # the last one is that of no value
        first[codes[::-1]] = np.arange(len(codes))[::-1]  # of equal codes the first row stays
        used = np.flatnonzero(first[:-1] < len(codes))
        order = used[np.argsort(first[used])]
        return cls._of([*values, None], order.tolist(), codes)

    @classmethod
    def _of(cls, values: list[Any], order: Iterable[int], codes: NDArray[np.integer]) -> Text:
        """Values of any kind as text, in the order of the first row that holds each."""
        uniques: dict[str, int] = {}
        places = np.full(len(values), -1, np.int32)
        for at in order:
            # A number and its text are the same value: it may have occurred before.
            word = _as_value(values[at])
            places[at] = -1 if word is None else uniques.setdefault(word, len(uniques))
        return cls(tuple(uniques), places[codes])

    @property
    def values(self) -> NDArray[np.object_]:
        """The value of every row, None where it is missing. Shape: (rows,)."""
        return np.array([*self.uniques, None], dtype=object)[self.codes]

    def counts(self) -> NDArray[np.intp]:
        """How many rows hold each distinct value. Shape: (uniques,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.uniques))


class _Numbering(dict[Any, int]):
    """Gives every key a number, in the order of first use."""

    def __missing__(self, key: object) -> int:
        self[key] = number = len(self)
        return number


def _as_value(value: Any) -> str | None:
    """A value as text; None if it is missing. Blanks around a text say nothing.

    >>> [_as_value(value) for value in (" red ", 5.0, 0.5, True, None, float("nan"))]
    ['red', '5', '0.5', 'True', None, None]
    """
    if isinstance(value, str):
        return str(value).strip()  # numpy's own kind of text is one, too
    if is_missing(value):
        return None
    if not isinstance(value, Real) or isinstance(value, bool):
        return str(value)
    return str(int(value)) if isinstance(value, Integral) else written_number(float(value))


def written_number(number: float) -> str:
    """A number as text. Whole numbers have no decimal point.

    >>> written_number(5.0), written_number(0.5), written_number(1e300)
    ('5', '0.5', '1e+300')
    """
    whole = number.is_integer() and abs(number) < MOST_WRITTEN
    return str(int(number)) if whole else repr(number)


# Greater numbers are written with an exponent.
MOST_WRITTEN = 1e22


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA, which has no truth value.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    equal = value == value
    return value is None or not isinstance(equal, bool | np.bool_) or not equal


def as_text(column: Numbers | Text) -> Text:
    """A column as text: numbers as they are written, truth values as True and False.

    >>> as_text(Numbers(np.array([1.0, 0.5, np.nan]))).values.tolist()
    ['1', '0.5', None]
    """
    if isinstance(column, Text):
        return column
    different, numbers = np.unique(column.values, return_inverse=True)
    truth = {0.0: "False", 1.0: "True"} if column.boolean else {}
    of_different = Text.from_values(truth.get(value, value) for value in different.tolist())
    return Text(of_different.uniques, of_different.codes[numbers])


def as_numbers(column: Numbers | Text, what: str) -> Numbers:
    """A column as numbers; a text that is no number is an error about ``what``.

    >>> as_numbers(Text.from_values(["1", None, "-2e3"]), "the column").values.tolist()
    [1.0, nan, -2000.0]
    """
    if isinstance(column, Numbers):
        return column
    values = [parse_number(word) for word in column.uniques]
    for word, value in zip(column.uniques, values, strict=True):
        if value is None:
            raise TableError(f"{what} must hold numbers, got the text {word[:80]!r}")
    return Numbers(np.array([*values, np.nan], dtype=np.float64)[column.codes])


def parse_number(word: str) -> float | None:
    """The number in a text; None if it holds none."""
    try:
        # To Python 1_000 is a number, to everyone else it is text.
        return None if "_" in word else float(word)
    except ValueError:
        return None


Column = Numbers | Text


TEXT, NUMBER, TRUTH, MISSING = "text", "number", "truth", "missing"

_TIMES = (
    datetime.date,  # and so datetime and pandas' Timestamp
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
)
_MISSING = ("NoneType", "NAType", "NaTType")  # the last two are pandas'


def from_objects(values: list[Any], what: str) -> Column:
    """Make a column of a list of objects.

    Text beside numbers makes all of them text. A column of missing values alone is numbers.

    >>> from_objects([1, None, 2.5], "it").values.tolist()
    [1.0, nan, 2.5]
    >>> from_objects(["x", None, 2.5], "it").values.tolist()
    ['x', None, '2.5']
    """
    kinds = {value_kind(kind): kind for kind in dict.fromkeys(map(type, values))}
    for sort, kind in kinds.items():
        if sort not in (TEXT, NUMBER, TRUTH, MISSING):
            example = f" of type {kind.__name__}" if sort == OBJECTS else ""
            refuse_column(what, sort, example)
    if TEXT in kinds:
        return Text.from_values(values)
    return _numbers(values, what, kinds.keys())


def _numbers(values: list[Any], what: str, sorts: Collection[str]) -> Numbers:
    if MISSING in sorts:
        values = [np.nan if is_missing(value) else value for value in values]
    try:
        floats = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(f"{what} must hold numbers: {error}") from error
    return Numbers(floats, boolean=TRUTH in sorts and NUMBER not in sorts)


def value_kind(kind: type) -> str:
    """What kind of value a class holds.

    >>> value_kind(float), value_kind(np.str_), value_kind(datetime.date), value_kind(dict)
    ('number', 'text', 'dates or times', 'lists or other values with parts')
    """
    if kind.__name__ in _MISSING:  # before dates: NaT is one
        return MISSING
    if issubclass(kind, str):
        return TEXT
    if issubclass(kind, bool | np.bool_):
        return TRUTH
    if issubclass(kind, _TIMES) or kind.__name__ == "Period":
        return DATES
    if issubclass(kind, Real | Decimal):
        return NUMBER
    if issubclass(kind, Complex):
        return COMPLEX
    if issubclass(kind, bytes | bytearray):
        return BYTES
    if hasattr(kind, "__len__") or hasattr(kind, "__iter__"):
        return NESTED
    return NUMBER if hasattr(kind, "__float__") else OBJECTS


DATES, COMPLEX, NESTED, BYTES, OBJECTS = (
    "dates or times",
    "complex numbers",
    "lists or other values with parts",
    "bytes",
    "objects",
)
ADVICE = {
    DATES: "turn them into a number, such as an age in days, a year or a month",
    COMPLEX: "give the real and the imaginary part a column each",
    NESTED: "give every part a column of its own",
    BYTES: "decode them to text",
    OBJECTS: "turn them into numbers or text",
}
# The methods of lazy tables that bring them into memory.
COLLECTING = ("collect", "compute", "execute", "fetchall")


def refuse_column(what: str, kind: str, example: str = "") -> NoReturn:
    """Raise an error about a column of a ``kind`` in ``ADVICE``."""
    raise TableError(
        f"{what} must hold numbers or text, got {kind}{example}; {ADVICE[kind]}, "
        "or leave the column out"
    )


def refuse_table(table: Any) -> None:
    """Raise an error about what is no table, and about a sparse or lazy one.

    The class is asked, not the table: some tables have columns as attributes, and others
    do work, or warn, when an attribute is read.
    """
    refuse_no_table(table)
    kind = type(table)
    if hasattr(kind, "toarray") and hasattr(kind, "nnz"):
        raise TableError(
            f"the table must be dense, got a sparse {kind.__name__}; use .toarray(), or choose "
            "the columns that matter first if it does not fit into memory"
        )
    method = next((name for name in COLLECTING if hasattr(kind, name)), None)
    if method is not None:
        call = "df" if method == "fetchall" else method  # fetchall loses the names of columns
        raise TableError(
            f"the table must be in memory, got a lazy {kind.__name__}; call its {call}() first"
        )
