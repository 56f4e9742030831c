"""Layout: how a text file is to be read, where that is not to be found out."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain, islice
from typing import NoReturn

import numpy as np

from crisplogic.errors import TableError
from crisplogic.io.files import Opened, TableFile
from crisplogic.io.values import Floats, Marks
from crisplogic.tables import Column, Columns, Kind, Numbers, Text

DELIMITERS = ",;\t|"
_TAB = ("tab", "\\t")  # how a tab is written where one cannot type it


@dataclass(frozen=True)
class Layout:
    r"""What a caller knows of a text file; None is found out from the file.

    - ``delimiter``: a character between cells, or "tab"; by default whichever of comma,
      semicolon, tab and bar stands most often in the first line,
    - ``encoding``: by default UTF-8, or UTF-16 if the file begins with its mark,
    - ``header``: whether the first line has the names of the columns; it is not found out,
      since names may be numbers. Without, columns are called x0, x1 ...,
    - ``missing``: what a missing value is written as, besides nothing, NA, N/A, NaN, null,
      none and a question mark, in capital or small letters.

    >>> Layout(delimiter="tab").delimiter
    '\t'
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.delimiter in _TAB:
            object.__setattr__(self, "delimiter", "\t")
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or self.delimiter in '"\r\n' or self.delimiter.isalnum()
        ):
            raise TableError(
                "a delimiter is one character that is no letter, digit or quote, or 'tab'; "
                f"got {self.delimiter!r}"
            )
        if self.encoding is not None:
            _check_encoding(self.encoding)


def _check_encoding(encoding: str) -> None:
    try:
        known = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, ValueError):
        known = False
    if not known:
        raise TableError(
            f"the encoding {encoding!r} is not known; try 'utf-8', 'cp1252' or 'utf-16'"
        )


# Held as text at a time, so that a large file never is: of narrow tables so many rows, of
# wide ones so many cells.
CHUNK_ROWS = 50_000
CHUNK_CELLS = 1_000_000

# A line break in a quoted name makes the header longer than a line; a stray quote should not
# make it the whole file.
MOST_HEADER_LINES = 100


@dataclass(frozen=True)
class Chunk:
    """Some rows: their lines in the file, and their cells, row after row.

    All cells are in one list: a list a row would keep Python's garbage collector busy.
    """

    lines: list[int]
    cells: list[str]

    def column(self, position: int) -> list[str]:
        """The cells of a column."""
        return self.cells[position :: len(self.cells) // len(self.lines)]


class TextFile(TableFile):
    """A text file, open and past its header."""

    def __init__(self, file: Opened, lines: Iterable[str], layout: Layout) -> None:
        super().__init__(file.name, (), file.share)
        self.marks = Marks(layout.missing)
        text = self._without_nul(lines)
        head = _header_lines(text)
        delimiter = layout.delimiter or _delimiter("".join(head))
        self._reader = csv.reader(
            chain(head, text),
            delimiter=delimiter,
            skipinitialspace=delimiter != " ",
            strict=True,
        )
        self._records = self._read()
        first = next((row for row in self._records if "".join(row).strip()), None)
        if first is None:
            self.fail("it is empty; a table needs a header line and at least one row")
        self.header = [column.strip() for column in first]
        if not layout.header:
            self.header = [f"x{number}" for number in range(len(first))]
            self._records = chain([first], self._records)

    def chunks(self) -> Iterator[Chunk]:
        """The rows, a bounded number at a time."""
        width = len(self.header)
        most = max(1, min(CHUNK_ROWS, CHUNK_CELLS // width))
        chunk = Chunk([], [])
        for cells in self._records:
            if len(cells) == width:
                chunk.cells.extend(cells)
                chunk.lines.append(self._reader.line_num)
            elif len(cells) > 1 or "".join(cells).strip():  # a blank line says nothing
                self._refuse_length(cells)
            if len(chunk.lines) == most:
                yield chunk
                chunk = Chunk([], [])
        if chunk.lines:
            yield chunk

    def _refuse_length(self, cells: list[str]) -> NoReturn:
        self.fail(
            f"needed {len(self.header)} cells as in the header, got {len(cells)}",
            self._reader.line_num,
        )

    def in_chunks(self, kinds: Mapping[str, Kind]) -> Iterator[Columns]:
        """Columns of known kinds, some rows at a time; what is of another kind is refused."""
        places = [(name, self.position(name), kind) for name, kind in kinds.items()]
        for chunk in self.chunks():
            columns = [self._column(chunk, *place) for place in places]
            yield Columns(tuple(kinds), tuple(columns), len(chunk.lines))

    def _column(self, chunk: Chunk, name: str, position: int, kind: Kind) -> Column:
        cells = chunk.column(position)
        if kind == "category":
            return self.text(dict.fromkeys(cells), cells)
        values = self.marks.numbers(cells, truth=kind == "boolean")
        if values is None:
            self._refuse(chunk, name, cells, kind)
        self.check_finite(chunk, name, cells, values)
        return Numbers(values, boolean=kind == "boolean")

    def text(self, different: Iterable[str], cells: Sequence[str]) -> Text:
        """Cells as a column of texts, spaces around them left out."""
        words = {cell: None if self.marks.has(cell) else cell.strip() for cell in different}
        return Text.of([words[cell] for cell in cells])

    def _refuse(self, chunk: Chunk, name: str, cells: Sequence[str], kind: Kind) -> NoReturn:
        wrong = next(
            place
            for place, cell in enumerate(cells)
            if self.marks.numbers([cell], truth=kind == "boolean") is None
        )
        needed = "numbers" if kind == "number" else "true and false, or 1 and 0"
        self.fail(
            f"column {name!r} must hold {needed}, as it did when the rules were learned, got "
            f"{cells[wrong].strip()!r}; leave the cell empty if its value is unknown",
            chunk.lines[wrong],
        )

    def check_finite(
        self, chunk: Chunk, name: str, cells: Sequence[str], values: Floats
    ) -> None:
        """Fail if a number is infinite."""
        infinite = np.isinf(values)
        if infinite.any():
            place = int(infinite.argmax())
            self.fail(
                f"column {name!r} holds {cells[place].strip()!r}, but numbers must be finite; "
                "leave the cell empty if its value is unknown",
                chunk.lines[place],
            )

    def _without_nul(self, lines: Iterable[str]) -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            if "\0" in line:
                self.fail(
                    "it holds NUL bytes, so it is not text; save it as UTF-8 (UTF-16 without a "
                    "mark at its beginning is read with --encoding utf-16-le)",
                    number,
                )
            yield line

    def _read(self) -> Iterator[list[str]]:
        try:
            yield from self._reader
        except csv.Error as error:
            self.fail(f"it is not a CSV file ({error})", self._reader.line_num)


def decoded(file: Opened, encoding: str | None) -> TextIOWrapper:
    """The bytes of a file as text: UTF-8 or, if it begins so, UTF-16, unless it is given."""
    if encoding is None:
        utf16 = file.begins_with(codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        encoding = "utf-16" if utf16 else "utf-8"
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf-8-sig"  # a mark at the beginning is no part of a name
    return TextIOWrapper(file.stream, encoding=encoding, newline="")


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
