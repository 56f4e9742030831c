"""Text files: CSV and its relatives, with line numbers."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import TextIOWrapper
from itertools import chain, islice
from typing import NoReturn

import numpy as np

from crisplogic.errors import TableError, raise_problems
from crisplogic.io.cells import CellParser, Floats
from crisplogic.io.files import ByteSource, TableFile
from crisplogic.io.kept import KeptColumns
from crisplogic.io.numbers import NumberFormat, comma_remedies, find_decimal_commas
from crisplogic.io.remarks import Remark, limit_remark, unit_remark
from crisplogic.messages import list_some
from crisplogic.tables import Column, Columns, Kind, Numbers, Text

DELIMITERS = ",;\t|"
_TAB = ("tab", "\\t")  # for those who cannot type one
_SPACE = ("space", "\u00a0", "\u202f")


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
    - ``decimal``: the decimal mark, a point or a comma. By default a point; a comma if the
      file has another delimiter and its numbers show that the comma is none of thousands.
    - ``thousands``: what separates thousands, if anything does: 1,000 or 1.000 or 1 000.

    The first line may be ``sep=;``, as Excel has it. It says what the delimiter is.

    >>> Layout(delimiter="tab").delimiter
    '\t'
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True
    missing: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None

    def __post_init__(self) -> None:
        if self.delimiter in _TAB:
            object.__setattr__(self, "delimiter", "\t")
        if self.delimiter is not None and not _can_delimit(self.delimiter):
            raise TableError(
                "a delimiter is one character that is no letter, digit or quote, or 'tab'; "
                f"got {self.delimiter!r}"
            )
        if self.encoding is not None:
            _check_encoding(self.encoding)
        if self.thousands in _SPACE:
            object.__setattr__(self, "thousands", " ")
        _ = self.number_format  # fails if there is none

    @property
    def number_format(self) -> NumberFormat:
        """How numbers are written, unless that is detected."""
        other = "," if self.thousands == "." else "."
        return NumberFormat(
            other if self.decimal is None else self.decimal, self.thousands or ""
        )


def _can_delimit(text: str) -> bool:
    return len(text) == 1 and text not in '"\r\n' and not text.isalnum()


def _check_encoding(encoding: str) -> None:
    try:
        known = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, ValueError):
        known = False
    if not known:
        raise TableError(
            f"the encoding {encoding!r} is not known; try 'utf-8', 'cp1252' or 'utf-16'"
        )


# How much is held as text at a time: rows of narrow tables, cells of wide ones, long texts.
CHUNK_ROWS = 50_000
CHUNK_CELLS = 1_000_000
CHUNK_CHARACTERS = 2**26
# A longer line is none of a table: a million columns have lines of ten million characters.
MOST_CHARACTERS = 2**25

# A line break in a quoted name makes the header longer than a line; a stray quote should not
# make it the whole file.
MOST_HEADER_LINES = 100
# Excel's line that names the delimiter.
_SEP = re.compile(r'\ufeff?"?sep=(.)"?\s*', re.IGNORECASE)


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

    def __init__(self, file: ByteSource, lines: TextIOWrapper, layout: Layout) -> None:
        super().__init__(file.name, (), file.fraction_read)
        self.parser = CellParser(layout.missing, layout.number_format)
        self._characters_read = 0
        text = self._lines(lines)
        head, named = _header_lines(text)
        self.delimiter = delimiter = layout.delimiter or named or _delimiter("".join(head))
        given = (layout.decimal, layout.thousands) != (None, None)
        self.detects_decimals = not given and delimiter != ","
        self.why_kinds = "as it did when the rules were learned"
        self._marked = _MarkedCells(self)
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
        self.header_lines = self._reader.line_num
        if not layout.header:
            self.header = [f"x{number}" for number in range(len(first))]
            self._records = chain([first], self._records)

    def chunks(self) -> Iterator[Chunk]:
        """Read the rows, a bounded number at a time.

        The first of them show how numbers are written.
        """
        for chunk in self._chunks():
            if self.detects_decimals:
                self._detect_decimals(chunk)
                self.detects_decimals = False
            yield chunk

    def _chunks(self) -> Iterator[Chunk]:
        width = len(self.header)
        most = max(1, min(CHUNK_ROWS, CHUNK_CELLS // width))
        chunk = Chunk([], [])
        enough = self._characters_read + CHUNK_CHARACTERS
        for cells in self._records:
            if len(cells) == width:
                chunk.cells.extend(cells)
                chunk.lines.append(self._reader.line_num)
            elif len(cells) > 1 or "".join(cells).strip():  # a blank line says nothing
                self._refuse_length(cells)
            if len(chunk.lines) == most or (self._characters_read > enough and chunk.lines):
                yield chunk
                chunk = Chunk([], [])
                enough = self._characters_read + CHUNK_CHARACTERS
        if chunk.lines:
            yield chunk

    def _detect_decimals(self, chunk: Chunk) -> None:
        if "," not in "".join(chunk.cells):
            return
        width = range(len(self.header))
        found = find_decimal_commas(map(chunk.column, width), self.parser.is_missing)
        if not found:
            return
        self.parser = self.parser.with_format(NumberFormat(","))
        names = tuple(self.header[position] for position in found)
        self.remarks.append(
            Remark(
                "decimal_commas",
                f"read with decimal commas: {list_some(names)}",
                names,
                remedies={"decimal": "."},
            )
        )

    def _refuse_length(self, cells: list[str]) -> NoReturn:
        self.fail(
            f"needed {len(self.header)} cells as in the header, got {len(cells)}",
            self._reader.line_num,
        )

    def in_chunks(self, kinds: Mapping[str, Kind], kept: KeptColumns) -> Iterator[Columns]:
        """Read columns of known kinds in chunks. A cell of another kind is an error."""
        places = [(name, self.position(name), kind) for name, kind in kinds.items()]
        for chunk in self.chunks():
            columns, problems = [], []
            for place in places:
                try:
                    columns.append(self._column(chunk, *place))
                except TableError as problem:
                    problems.append(problem)
            raise_problems(problems, self.name)
            kept.cells = [chunk.column(position) for position in kept.positions]
            yield Columns(tuple(kinds), tuple(columns), len(chunk.lines))
        self.remarks += self._marked.remarks()

    def _column(self, chunk: Chunk, name: str, position: int, kind: Kind) -> Column:
        cells = chunk.column(position)
        if kind == "category":
            return self.text_column(dict.fromkeys(cells), cells)
        values = self.parser.parse_numbers(cells, truth=kind == "boolean")
        if kind == "number":
            values = self._marked.check(name, cells, values)
        if values is None:
            self._refuse(chunk, name, cells, kind)
        self.check_finite(chunk, name, cells, values)
        return Numbers(values, boolean=kind == "boolean")

    def text_column(self, uniques: Iterable[str], cells: Sequence[str]) -> Text:
        """Cells as a column of text, without surrounding spaces."""
        words = {
            cell: None if self.parser.is_missing(cell) else cell.strip() for cell in uniques
        }
        return Text.from_values([words[cell] for cell in cells])

    def _refuse(self, chunk: Chunk, name: str, cells: Sequence[str], kind: Kind) -> NoReturn:
        odd = (
            place
            for place, cell in enumerate(cells)
            if self.parser.parse_numbers([cell], truth=kind == "boolean") is None
        )
        wrong = next(odd, 0)  # if all are numbers, those before had a unit
        needed = "numbers" if kind == "number" else "true and false, or 1 and 0"
        self.fail(
            f"column {name!r} must hold {needed}, {self.why_kinds}, got "
            f"{cells[wrong].strip()[:80]!r}; leave the cell empty if its value is unknown",
            chunk.lines[wrong],
            comma_remedies(cells[wrong].strip()),
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

    def _lines(self, lines: TextIOWrapper) -> Iterator[str]:
        """The lines of text, each of a bounded length."""
        bounded = iter(partial(lines.readline, MOST_CHARACTERS + 1), "")
        for number, line in enumerate(bounded, 1):
            self._characters_read += len(line)
            if len(line) > MOST_CHARACTERS and "\0" not in line:
                self.fail(
                    f"this line has more than {MOST_CHARACTERS:,} characters, so it is none of "
                    "a table",
                    number,
                )
            if "\0" in line:
                self.fail(
                    "it holds NUL bytes, so it is not text; save it as UTF-8, or name its "
                    "encoding, which is utf-16-le for UTF-16 without a mark at its beginning",
                    number,
                    {"encoding": "utf-16-le"},
                )
            yield line

    def _read(self) -> Iterator[list[str]]:
        begin = 1
        try:
            for row in self._reader:
                begin = self._reader.line_num + 1
                yield row
        except csv.Error as error:
            hint = ""
            if self._reader.line_num > begin:
                hint = f"; is a quote not closed that begins in line {begin}?"
            self.fail(f"it is not a CSV file ({error}){hint}", self._reader.line_num)


class _MarkedCells:
    """Numbers with signs or units beside them, in columns that hold numbers otherwise."""

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._units: dict[str, str] = {}  # the unit of each column, which may be empty
        self._values: Counter[str] = Counter()
        self._limits: Counter[str] = Counter()
        self._examples: dict[str, str] = {}

    def check(self, name: str, cells: Sequence[str], plain: Floats | None) -> Floats | None:
        """The cells of a chunk as numbers, ``plain`` ones if they are; None if they are not.

        All chunks of a column must have the same unit.
        """
        if plain is not None:
            empty = name not in self._units and bool(np.isnan(plain).all())
            return plain if empty or not self._units.setdefault(name, "") else None
        found = self._file.parser.parse_marked(cells)
        if found is None or self._units.setdefault(name, found.unit) != found.unit:
            return None
        self._values[name] += int(np.count_nonzero(~np.isnan(found.values)))
        if found.limits.any():
            self._limits[name] += int(found.limits.sum())
            self._examples.setdefault(name, cells[int(found.limits.argmax())].strip())
        return found.values

    def remarks(self) -> Iterator[Remark]:
        """What was read so."""
        for name, unit in self._units.items():
            if unit:
                yield unit_remark(name, unit, self._values[name])
        for name, example in self._examples.items():
            yield limit_remark(name, example, self._limits[name])


def decode(file: ByteSource, encoding: str | None) -> TextIOWrapper:
    """Decode a file: as UTF-8, or as UTF-16 if it begins with its mark, unless told."""
    if encoding is None:
        utf16 = file.begins_with(codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        encoding = "utf-16" if utf16 else "utf-8"
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf-8-sig"  # a mark at the beginning is no part of a name
    return TextIOWrapper(file.stream, encoding=encoding, newline="")


def _header_lines(lines: Iterator[str]) -> tuple[list[str], str | None]:
    """The lines of the header, and the delimiter if a line before it names one.

    Quoted names may hold line breaks.
    """
    head: list[str] = []
    named, quotes, characters = None, 0, 0
    for line in islice(lines, MOST_HEADER_LINES):
        sep = _SEP.fullmatch(line)
        if sep and not characters and _can_delimit(sep[1]):
            named, line = sep[1], "\n"  # a blank line: all lines keep their numbers
        head.append(line)
        quotes += line.count('"')
        characters += len(line.strip())
        if (characters and quotes % 2 == 0) or characters > MOST_CHARACTERS:
            break
    return head, named


def _delimiter(header: str) -> str:
    """The most frequent delimiter outside of quotes; a comma if there is none."""
    return max(DELIMITERS, key=re.sub('"[^"]*"', "", header).count)
