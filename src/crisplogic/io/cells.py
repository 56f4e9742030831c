"""Cells of a text file: which are missing, which are numbers, and columns made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.io.numbers import MarkedNumber, NumberFormat, parse_marked
from crisplogic.tables import Column, Numbers, Text
from crisplogic.tables.kinds import as_text, parse_number

if TYPE_CHECKING:
    from crisplogic.io.text import Chunk, TextFile

Floats = NDArray[np.float64]

# What people write into a cell that has no value.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
TRUTH = {"true": 1.0, "false": 0.0}
# Not all whole numbers above this are floats.
LARGEST = 2.0**53


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, as programs write it.

    >>> is_number("-1e3"), is_number("1_000"), is_number("1,5")
    (True, False, False)
    """
    return parse_number(cell) is not None


def _whole_number(cell: str) -> int | None:
    """The whole number that a cell holds, if it holds one and nothing is lost.

    >>> [_whole_number(cell) for cell in ("12", "-3.0", "1.5", "012", "x")]
    [12, -3, None, None, None]
    """
    value = parse_number(cell)
    if value is None or not abs(value) < LARGEST or value != math.trunc(value):
        return None
    return None if re.match(r"[-+]?0\d", cell.strip()) else int(value)


class CellParser:
    """What cells mean: which are missing, and which are numbers.

    Besides the usual marks for missing values a caller may give ``more``.

    >>> parser = CellParser(["-999"])
    >>> [parser.is_missing(cell) for cell in (" NA ", "-999", "0")]
    [True, True, False]
    """

    def __init__(self, more: Sequence[str] = (), format_: NumberFormat | None = None) -> None:
        self.format = format_ or NumberFormat()
        self._more = tuple(more)
        self._marks = MISSING | {mark.strip().lower() for mark in more}
        # A number is that number, however it is written: -999 is -999.0.
        given = (parse_number(mark) for mark in more)
        self._numbers = [value for value in given if value is not None]

    @property
    def missing_numbers(self) -> Sequence[float]:
        """Numbers that a caller gave as marks for missing values."""
        return self._numbers

    def with_format(self, format_: NumberFormat) -> CellParser:
        """The same for numbers that are written in another way."""
        return CellParser(self._more, format_)

    def is_missing(self, cell: str) -> bool:
        """Whether a cell has no value."""
        if cell.strip().lower() in self._marks:
            return True
        return bool(self._numbers) and self.parse_number(cell) in self._numbers

    def parse_number(self, cell: str) -> float | None:
        """The number in a cell; None if it holds none."""
        return self.format.parse(cell)

    def parse_numbers(self, cells: Sequence[str], truth: bool = False) -> Floats | None:
        """The cells as numbers, NaN where they are missing; None if one is no number.

        With ``truth``, true and false are 1 and 0. Shape: returns (cells,).

        >>> CellParser().parse_numbers(["1", "", "?", " -2e3 "]).tolist()
        [1.0, nan, nan, -2000.0]
        >>> CellParser().parse_numbers(["1", "x"]) is None
        True
        """
        values = self._parse_plain(cells)
        if values is None:
            known = {cell: self._parse_cell(cell, truth) for cell in set(cells)}
            if None in known.values():
                return None
            values = np.array([known[cell] for cell in cells], dtype=np.float64)
        if self._numbers:
            values[np.isin(values, self._numbers)] = np.nan
        return values

    def _parse_plain(self, cells: Sequence[str]) -> Floats | None:
        """The same if there are numbers and empty cells alone, as nearly always.

        This is by far the quickest.
        """
        written = "".join(cells)
        if "_" in written:  # to Python 1_000 is a number, to everyone else text
            return None
        if self.format.decimal == ",":
            if "." in written:
                return None
            cells = [cell.replace(",", ".") for cell in cells]
        try:
            return np.array([float(cell or "nan") for cell in cells], dtype=np.float64)
        except ValueError:
            return None

    def _parse_cell(self, cell: str, truth: bool) -> float | None:
        if self.is_missing(cell):
            return math.nan
        value = self.parse_number(cell)
        return TRUTH.get(cell.strip().lower()) if value is None and truth else value

    def parse_marked(self, cells: Sequence[str]) -> MarkedNumbers | None:
        """The cells as numbers with signs or one unit beside them; None if they are not.

        >>> found = CellParser().parse_marked(["<5 %", "7 %", ""])
        >>> found.values.tolist(), found.limits.tolist(), found.unit
        ([5.0, 7.0, nan], [True, False, False], '%')
        >>> CellParser().parse_marked(["5 km", "7 m"]) is None  # not the same unit
        True
        """
        nothing = MarkedNumber(math.nan, False, "")
        known = {
            cell: nothing if self.is_missing(cell) else parse_marked(cell, self.format)
            for cell in set(cells)
        }
        found = [each for each in known.values() if each is not None]
        units = {each.unit for each in found if each is not nothing}
        if len(found) < len(known) or len(units) != 1:
            return None
        marked = [known[cell] or nothing for cell in cells]
        return MarkedNumbers(
            np.array([each.value for each in marked], dtype=np.float64),
            np.array([each.limit for each in marked], dtype=bool),
            units.pop(),
        )


class MarkedNumbers(NamedTuple):
    """Numbers, which of them are limits such as <5, and what they count (%, $, kg).

    Shape: (cells,) each.
    """

    values: Floats
    limits: NDArray[np.bool_]
    unit: str


class ColumnBuilder:
    """Builds a column chunk by chunk: numbers as long as all cells are numbers, then text.

    Where text comes after numbers, the column has to be read again from the start
    (``needs_rereading``): as text, 007 is not 7.
    """

    def __init__(self, name: str, position: int, as_text: bool = False) -> None:
        self.name = name
        self.position = position
        self._floats: list[Floats] = []
        self._codes: list[NDArray[np.int32]] = []
        self._code_of_cell: dict[str, int] = {}
        self._as_text = as_text
        self.problem: TableError | None = None

    @property
    def needs_rereading(self) -> bool:
        """Whether the column began with numbers and went on with text."""
        return bool(self._floats and self._codes and self.problem is None)

    def add(self, file: TextFile, chunk: Chunk) -> None:
        """Add the rows of a chunk, unless a ``problem`` was found before."""
        if self.problem is not None:
            return
        cells = chunk.column(self.position)
        if not (self._as_text or self._codes):
            values = file.parser.parse_numbers(cells)
            if values is not None:
                self._add_numbers(file, chunk, cells, values)
                return
        self._codes.append(self._encode(cells))

    def _add_numbers(
        self, file: TextFile, chunk: Chunk, cells: Sequence[str], values: Floats
    ) -> None:
        try:
            file.check_finite(chunk, self.name, cells, values)
        except TableError as problem:  # to be reported with those of other columns
            self.problem = problem
        self._floats.append(values)

    def _encode(self, cells: Sequence[str]) -> NDArray[np.int32]:
        codes = self._code_of_cell
        for cell in set(cells):
            codes.setdefault(cell, len(codes))
        return np.fromiter(map(codes.__getitem__, cells), np.int32, len(cells))

    def marks(self, parser: CellParser) -> tuple[str, ...]:
        """How missing values are written in a column of text; an empty cell is no mark."""
        marks = {cell.strip() for cell in self._code_of_cell if parser.is_missing(cell)}
        return tuple(sorted(marks - {""}))

    @property
    def numbers(self) -> Numbers | None:
        """The column, if all of its cells are numbers or missing."""
        return None if self._codes else Numbers(np.concatenate(self._floats))

    def text(self, parser: CellParser) -> Text:
        """The column as text, without surrounding spaces, values in the order of rows."""
        rows = np.concatenate(self._codes)
        cells = list(self._code_of_cell)
        uniques: dict[str, int] = {}
        codes = np.full(len(cells), -1, np.int32)
        first = np.unique(rows, return_index=True)[1]
        for place in np.argsort(first).tolist():
            if not parser.is_missing(cells[place]):
                codes[place] = uniques.setdefault(cells[place].strip(), len(uniques))
        return Text(tuple(uniques), codes[rows])


@dataclass(frozen=True, eq=False)
class Cells:
    """A target or weights: a column without missing values, read as text or as numbers.

    ``what`` it is and the ``place`` of a row are for errors; ``parser`` knows how the file
    writes missing values and numbers, and ``marks`` are the missing values here, as written.

    >>> sizes = Cells("the size", Text.from_values(["01", "2.5"]), "line {}".format)
    >>> sizes.texts.tolist(), sizes.numbers.tolist()
    (['01', '2.5'], [1.0, 2.5])
    """

    what: str
    column: Column
    place: Callable[[int], str]
    parser: CellParser = field(default_factory=CellParser)
    marks: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.column)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value. Shape: (rows,)."""
        if isinstance(self.column, Numbers):
            return np.isnan(self.column.values)
        return self.column.codes < 0

    def take(self, rows: NDArray[np.intp]) -> Cells:
        """Take rows by number, in this order."""
        column, place = self.column.take(rows), self.place
        if isinstance(column, Text):  # what no row holds any more is not to be read as a number
            codes, numbers = np.unique(column.codes, return_inverse=True)
            uniques = tuple(column.uniques[code] for code in codes.tolist() if code >= 0)
            first = np.count_nonzero(codes < 0)
            column = Text(uniques, (numbers - first).astype(np.int32))
        return replace(self, column=column, place=lambda row: place(int(rows[row])))

    @property
    def texts(self) -> NDArray[np.str_]:
        """The cells as text. Shape: (rows,)."""
        text = as_text(self.column)
        return np.array(text.uniques, dtype=np.str_)[text.codes]

    @property
    def labels(self) -> NDArray[np.str_] | NDArray[np.int64]:
        """The cells as names of classes: whole numbers if all are such, else text.

        So 2 comes before 10, and 1.0 is 1. But 007 is no number: it would lose its zeros.
        Shape: (rows,).

        >>> Cells("the size", Text.from_values(["10", "2.0", "2"]), str).labels.tolist()
        [10, 2, 2]
        >>> Cells("the size", Text.from_values(["10", "02"]), str).labels.tolist()
        ['10', '02']
        """
        text = as_text(self.column)
        whole = [_whole_number(cell) for cell in text.uniques]
        if any(number is None for number in whole):
            return self.texts
        return np.array(whole, dtype=np.int64)[text.codes]

    @property
    def numbers(self) -> Floats | None:
        """The cells as numbers; None if one is no number, or a truth value. Shape: (rows,)."""
        if isinstance(self.column, Numbers) and not self.column.boolean:
            return self.column.values
        text = as_text(self.column)
        values = self.parser.parse_numbers(text.uniques)
        return None if values is None else values[text.codes]

    def require_numbers(self, least: float = -math.inf, advice: str = "") -> Floats:
        """The cells as numbers. Any that is no finite number of at least ``least`` is an error.

        Shape: returns (rows,).

        >>> cells = Cells("the size", Text.from_values(["1", "small"]), "line {}".format)
        >>> cells.require_numbers()
        Traceback (most recent call last):
        crisplogic.errors.TableError: line 1: the size must hold numbers, got 'small'
        """
        values = self.numbers
        if values is None:
            self._refuse(self._first_text_row(), "numbers", advice)
        wrong = ~(np.isfinite(values) & (values >= least))
        if wrong.any():
            bound = "" if least == -math.inf else f" of at least {least:g}"
            self._refuse(int(wrong.argmax()), f"finite numbers{bound}", advice)
        return values

    def _first_text_row(self) -> int:
        text = as_text(self.column)
        no_number = [
            code
            for code, cell in enumerate(text.uniques)
            if self.parser.parse_numbers([cell]) is None
        ]
        return int(np.isin(text.codes, no_number).argmax())

    def _refuse(self, row: int, needed: str, advice: str) -> NoReturn:
        text = as_text(self.column)
        cell = text.uniques[text.codes[row]]
        raise TableError(
            f"{self.place(row)}: {self.what} must hold {needed}, got {cell[:80]!r}{advice}"
        )
