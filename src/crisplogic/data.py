"""Tables from files: CSV in, numbers and class names out, every problem with its line."""

from __future__ import annotations

import csv
import difflib
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError

# What people write into a cell that has no value.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
DELIMITERS = ",;\t|"

# Rows held as text at a time; a large file is never in memory as text.
CHUNK_ROWS = 50_000

# A line break in a quoted name makes the header longer than a line; a stray quote should not
# make it the whole file.
MOST_HEADER_LINES = 100

# More classes than this, most of them seen only once, are numbers rather than classes.
MOST_CLASSES = 50


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers and, where one was asked for, a target.

    Shape: ``X`` (rows, columns), a missing cell is NaN; ``y`` (rows,) or None.
    """

    columns: tuple[str, ...]
    X: NDArray[np.float64]
    y: NDArray[np.str_] | None


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
) -> Table:
    r"""Read a CSV file with a header line.

    ``columns`` are the columns to read as numbers: by default all but ``target``, those to
    ``drop`` and those without a name, such as the row numbers that pandas writes. The
    delimiter is found out from the header line; blank lines are skipped.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = path.write_text("age,bmi,ill\n50,31.5,yes\n41,,no\n")
    >>> table = read_table(path, target="ill")
    >>> table.columns, table.X.tolist(), table.y.tolist()
    (('age', 'bmi'), [[50.0, 31.5], [41.0, nan]], ['yes', 'no'])
    """
    with _opened(path) as file:
        targets = () if target is None else (target,)
        for name in drop:
            file.check_exists(name)
        if columns is None:
            left_out = {"", *(name.strip() for name in (*drop, *targets))}
            columns = [name for name in file.header if name not in left_out]
        for name in (*columns, *targets):
            file.position(name)  # fails if there is no such column, or more than one
        if not columns:
            file.fail("no column is left to learn from")
        return _read_rows(file, tuple(columns), target)


def _read_rows(file: _CsvFile, columns: tuple[str, ...], target: str | None) -> Table:
    numbers: list[NDArray[np.float64]] = []
    labels: list[str] = []
    for chunk in file.chunks():
        block = np.empty((len(chunk), len(columns)))
        for position, name in enumerate(columns):
            block[:, position] = _numbers(file, name, chunk)
        numbers.append(block)
        if target is not None:
            labels.extend(_labels(file, target, chunk))
    if not numbers:
        file.fail("it has a header line but no rows")
    return Table(columns, np.concatenate(numbers), None if target is None else np.array(labels))


def _numbers(file: _CsvFile, name: str, chunk: list[_Row]) -> list[float]:
    position = file.position(name)
    values = []
    for row in chunk:
        cell = row.cells[position].strip()
        try:
            value = _number(cell)
        except ValueError:
            file.fail(
                f"column {name!r} must hold numbers, got {cell!r}; turn its text into numbers "
                f"or leave the column out (--drop {name!r} on the command line)",
                row.line,
            )
        if math.isinf(value):
            file.fail(
                f"column {name!r} holds {cell!r}, but numbers must be finite; leave the cell "
                "empty if its value is unknown",
                row.line,
            )
        values.append(value)
    return values


def _number(cell: str) -> float:
    if "_" in cell:  # to Python 1_000 is a number, to everyone else it is text
        raise ValueError(cell)
    return math.nan if cell.lower() in MISSING else float(cell)


def _labels(file: _CsvFile, target: str, chunk: list[_Row]) -> list[str]:
    position = file.position(target)
    labels = [row.cells[position].strip() for row in chunk]
    for row, label in zip(chunk, labels, strict=True):
        if label.lower() in MISSING:
            file.fail(
                f"the target {target!r} is missing ({label!r}); leave such rows out, or "
                "write the class in another way",
                row.line,
            )
    return labels


def check_classes(labels: NDArray[np.str_], target: str) -> None:
    """Refuse a target that cannot be a class: one value only, or nearly all different."""
    classes = np.unique(labels)
    if len(classes) < 2:
        raise TableError(
            f"the target {target!r} must have at least 2 classes; "
            f"it is {str(classes[0])!r} in all {len(labels)} rows"
        )
    if len(classes) > MOST_CLASSES and len(classes) > len(labels) / 2:
        raise TableError(
            f"the target {target!r} has {len(classes)} different values in {len(labels)} rows; "
            "crisplogic learns classes: choose a column with few values, or group its values"
        )


@dataclass(frozen=True)
class _Row:
    line: int
    cells: list[str]


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[_CsvFile]:
    """The file, open and past its header; what is wrong with its bytes becomes a TableError."""
    name = os.fspath(path)
    with open(name, encoding="utf-8-sig", newline="") as lines:
        try:
            yield _CsvFile(name, lines)
        except UnicodeDecodeError as error:
            raise TableError(
                f"{name}: it is not UTF-8 text ({error}); save it as UTF-8"
            ) from error


class _CsvFile:
    """A CSV file: its header, its rows with their line numbers, and its errors."""

    def __init__(self, name: str, lines: Iterable[str]) -> None:
        self.name = name
        text = self._without_nul(lines)
        head = _header_lines(text)
        self._reader = csv.reader(
            chain(head, text),
            delimiter=_delimiter("".join(head)),
            skipinitialspace=True,
            strict=True,
        )
        self._records = self._read()
        named = (cells for cells in self._records if "".join(cells).strip())
        self.header = [column.strip() for column in next(named, [])]
        if not self.header:
            self.fail("it is empty; a table needs a header line and at least one row")

    def fail(self, problem: str, line: int | None = None) -> NoReturn:
        """Raise, saying where."""
        where = self.name if line is None else f"{self.name}, line {line}"
        raise TableError(f"{where}: {problem}")

    def check_exists(self, column: str) -> None:
        """Fail, with the closest name there is, unless some column has this name."""
        if column.strip() in self.header:
            return
        names = {name.casefold(): name for name in self.header}
        close = difflib.get_close_matches(column.casefold(), names, n=1)
        hint = f", did you mean {names[close[0]]!r}?" if close else "."
        listed = ", ".join(map(repr, self.header))
        self.fail(f"there is no column {column!r}{hint} The columns are {listed}")

    def position(self, column: str) -> int:
        """Where a column stands."""
        self.check_exists(column)
        count = self.header.count(column.strip())
        if count > 1:
            self.fail(f"the name {column!r} stands over {count} columns; rename all but one")
        return self.header.index(column.strip())

    def chunks(self) -> Iterator[list[_Row]]:
        """The rows, a bounded number at a time."""
        rows = (self._checked(cells) for cells in self._records if not self._is_blank(cells))
        while chunk := list(islice(rows, CHUNK_ROWS)):
            yield chunk

    def _without_nul(self, lines: Iterable[str]) -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            if "\0" in line:
                self.fail("it holds NUL bytes, so it is not text; save it as UTF-8", number)
            yield line

    def _read(self) -> Iterator[list[str]]:
        try:
            yield from self._reader
        except csv.Error as error:
            self.fail(f"it is not a CSV file ({error})", self._reader.line_num)

    def _is_blank(self, cells: list[str]) -> bool:
        """Whether a line says nothing; a single column may well have an empty cell."""
        return not cells or (len(cells) == 1 < len(self.header) and not cells[0].strip())

    def _checked(self, cells: list[str]) -> _Row:
        line = self._reader.line_num
        if len(cells) != len(self.header):
            self.fail(
                f"needed {len(self.header)} cells as in the header, got {len(cells)}", line
            )
        return _Row(line, cells)


def _header_lines(lines: Iterator[str]) -> list[str]:
    """The lines up to the end of the header, which may have line breaks in quoted names."""
    head: list[str] = []
    for line in islice(lines, MOST_HEADER_LINES):
        head.append(line)
        text = "".join(head)
        if text.strip() and text.count('"') % 2 == 0:
            break
    return head


def _delimiter(header: str) -> str:
    """The delimiter that stands most often outside of quotes; a comma if none does."""
    return max(DELIMITERS, key=re.sub('"[^"]*"', "", header).count)
