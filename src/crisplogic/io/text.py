"""Text files: CSV and its relatives, with line numbers."""

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
from crisplogic.io.cells import Floats, MissingValues
from crisplogic.io.files import ByteSource, TableFile
from crisplogic.tables import Column, Columns, Kind, Numbers, Text

DELIMITERS = ",;\t|"
_TAB = ("tab", "\\t")  # for those who cannot type one


@dataclass(frozen=True)
class Layout:
    r"""How a text file is written. What is None is detected.

    - ``delimiter``: the character between cells, or "tab". By default the most frequent of
      comma, semicolon, tab and bar in the first line.
    - ``encoding``: by default UTF-8, or UTF-16 if the file begins with its mark.
    - ``header``: whether the first line holds the names of the columns. It is not detected,
      since names may be numbers. Without a header the columns are called x0, x1 ...
    - ``missing``: more marks for a missing value, besides an empty cell, NA, N/A, NaN, null,
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


# How much is held as text at a time: rows of narrow tables, cells of wide ones.
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
    """An open text file, read past its header."""

    def __init__(self, file: ByteSource, lines: Iterable[str], layout: Layout) -> None:
        super().__init__(file.name, (), file.fraction_read)
        self.missing_values = MissingValues(layout.missing)
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
        """Read the rows, a bounded number at a time."""
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
        """Read columns of known kinds in chunks. A cell of another kind is an error."""
        places = [(name, self.position(name), kind) for name, kind in kinds.items()]
        for chunk in self.chunks():
            columns = [self._column(chunk, *place) for place in places]
            yield Columns(tuple(kinds), tuple(columns), len(chunk.lines))

    def _column(self, chunk: Chunk, name: str, position: int, kind: Kind) -> Column:
        cells = chunk.column(position)
        if kind == "category":
            return self.text_column(dict.fromkeys(cells), cells)
        values = self.missing_values.parse_numbers(cells, truth=kind == "boolean")
        if values is None:
            self._refuse(chunk, name, cells, kind)
        self.check_finite(chunk, name, cells, values)
        return Numbers(values, boolean=kind == "boolean")

    def text_column(self, uniques: Iterable[str], cells: Sequence[str]) -> Text:
        """Cells as a column of text, without surrounding spaces."""
        words = {
            cell: None if cell in self.missing_values else cell.strip() for cell in uniques
        }
        return Text.from_values([words[cell] for cell in cells])

    def _refuse(self, chunk: Chunk, name: str, cells: Sequence[str], kind: Kind) -> NoReturn:
        wrong = next(
            place
            for place, cell in enumerate(cells)
            if self.missing_values.parse_numbers([cell], truth=kind == "boolean") is None
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
                    "it holds NUL bytes, so it is not text; save it as UTF-8, or name its "
                    "encoding, which is utf-16-le for UTF-16 without a mark at its beginning",
                    number,
                    {"encoding": "utf-16-le"},
                )
            yield line

    def _read(self) -> Iterator[list[str]]:
        try:
            yield from self._reader
        except csv.Error as error:
            self.fail(f"it is not a CSV file ({error})", self._reader.line_num)


def decode(file: ByteSource, encoding: str | None) -> TextIOWrapper:
    """Decode a file: as UTF-8, or as UTF-16 if it begins with its mark, unless told."""
    if encoding is None:
        utf16 = file.begins_with(codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        encoding = "utf-16" if utf16 else "utf-8"
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf-8-sig"  # a mark at the beginning is no part of a name
    return TextIOWrapper(file.stream, encoding=encoding, newline="")


def _header_lines(lines: Iterator[str]) -> list[str]:
    """The lines of the header. Quoted names may hold line breaks."""
    head: list[str] = []
    for line in islice(lines, MOST_HEADER_LINES):
        head.append(line)
        text = "".join(head)
        if text.strip() and text.count('"') % 2 == 0:
            break
    return head


def _delimiter(header: str) -> str:
    """The most frequent delimiter outside of quotes; a comma if there is none."""
    return max(DELIMITERS, key=re.sub('"[^"]*"', "", header).count)
