"""Table files: opened as bytes, unpacked, and recognised by how they begin."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from typing import TYPE_CHECKING, Any, NoReturn
from zipfile import BadZipFile, ZipFile

from crisplogic.errors import TableError
from crisplogic.files import open_binary
from crisplogic.io.cells import is_number
from crisplogic.io.remarks import Remark
from crisplogic.messages import did_you_mean, list_some
from crisplogic.tables import Columns, Kind

if TYPE_CHECKING:
    from crisplogic.io.arrow import ArrowFile
    from crisplogic.io.kept import KeptColumns
    from crisplogic.io.text import Layout, TextFile

GZIP, ZIP, PARQUET, ARROW = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"ARROW1"
_SAVE = "save the sheet with the table as CSV (UTF-8); in Python, pandas.read_excel reads it"
_ZIP = "a ZIP archive; unpack it"
# What is in ZIP files that are something else.
_ZIPPED = {
    "xl/workbook.xml": f"an Excel workbook; {_SAVE}",
    "xl/workbook.bin": f"an Excel workbook; {_SAVE}",
    "content.xml": f"an OpenDocument sheet; {_SAVE}",
}
# How other files begin that people take for tables, and what to do with them.
_OTHERS = {
    b"\xd0\xcf\x11\xe0": f"an old Excel workbook; {_SAVE}",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; unpack it, or compress it with gzip",
    b"BZh": "compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ": "compressed with xz; unpack it, or compress it with gzip",
    b"SQLite": "a database; export the table as CSV",
    b"%PDF": "a PDF document; export the table as CSV",
    b"<!DOCTYPE": "a web page; save its table as CSV",
    b"<html": "a web page; save its table as CSV",
    b"<?xml": "XML; save the table as CSV",
    b'{"': "JSON; save the table as CSV",
    b"[{": "JSON; save the table as CSV",
    b"@relation": "an ARFF file; save the table as CSV",
    b"@RELATION": "an ARFF file; save the table as CSV",
}


@dataclass(frozen=True)
class ByteSource:
    """An open file: its bytes, uncompressed, and how much of it has been read."""

    name: str
    stream: Any  # a binary file
    raw: BufferedReader
    size: int

    def begins_with(self, *marks: bytes) -> bool:
        """Whether the file begins with one of these marks. Nothing is consumed."""
        return bool(self.stream.peek(16)[:16].startswith(marks))

    def fraction_read(self) -> float:
        """How much of the file has been read, from 0 to 1; always 0 for a pipe."""
        return min(1.0, self.raw.tell() / self.size) if self.size else 0.0


@contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[ByteSource]:
    """Open a file and unpack gzip. Damaged bytes raise a TableError."""
    name = os.fspath(path)
    with open_binary(name) as raw, _table_errors(name):
        file = ByteSource(name, raw, raw, os.fstat(raw.fileno()).st_size)
        if file.begins_with(GZIP):
            file = ByteSource(name, gzip.GzipFile(fileobj=raw), raw, file.size)
        if file.begins_with(ZIP):
            raise TableError(f"{name}: it is {_zipped(file)}")
        for mark, kind in _OTHERS.items():
            if file.begins_with(mark):
                raise TableError(f"{name}: it is {kind}")
        yield file


def _zipped(file: ByteSource) -> str:
    """What a ZIP file is."""
    try:
        names = ZipFile(file.raw).namelist()
    except (BadZipFile, OSError):  # damaged, or from a pipe
        names = list(_ZIPPED)[:1] if file.name.lower().endswith((".xlsx", ".xlsm")) else []
    return next((kind for name, kind in _ZIPPED.items() if name in names), _ZIP)


@contextmanager
def _table_errors(name: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise TableError(
            f"{name}: it is not {error.encoding.upper()} text ({error}); save it as UTF-8, or "
            "name its encoding: 'cp1252' is usual for Western Europe and older Windows, "
            "'latin-1' reads anything",
            {"encoding": "cp1252"},
        ) from error
    except UnicodeError as error:  # as UTF-16 is, where its mark is missing
        raise TableError(f"{name}: it is not text in this encoding ({error})") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(f"{name}: its compression is damaged ({error})") from error


class TableFile:
    """A table in an open file: its columns, its errors, and how much has been read."""

    def __init__(
        self, name: str, header: Sequence[str], fraction_read: Callable[[], float]
    ) -> None:
        self.name = name
        self.header = [column.strip() for column in header]
        self.fraction_read = fraction_read
        self.remarks: list[Remark] = []

    def in_chunks(self, kinds: Mapping[str, Kind], kept: KeptColumns) -> Iterator[Columns]:
        """Columns of known kinds, some rows at a time, and those to be kept as they are."""
        raise NotImplementedError

    def fail(
        self,
        problem: str,
        line: int | None = None,
        remedies: Mapping[str, str] | None = None,
    ) -> NoReturn:
        """Raise an error that says where the problem is."""
        where = self.name if line is None else f"{self.name}, line {line}"
        raise TableError(f"{where}: {problem}", remedies)

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        """Where each name stands. There may be very many, so they are looked up, not sought."""
        positions: dict[str, list[int]] = {}
        for position, name in enumerate(self.header):
            positions.setdefault(name, []).append(position)
        return positions

    def check_exist(self, columns: Iterable[str]) -> None:
        """Fail and suggest the closest name, unless each of these names is a column's."""
        unknown = [name for name in columns if name.strip() not in self._positions]
        if not unknown:
            return
        one = len(unknown) == 1
        hint = (did_you_mean(unknown[0], self.header, most=1) if one else "") or "."
        remedies = {}
        if all(is_number(name) for name in self.header):
            hint += " (Does the first line hold no names?)"
            remedies = {"header": "no"}
        elif len(self.header) == 1:
            hint += " (Is something else between the cells, or above the names?)"
        self.fail(
            f"there {'is' if one else 'are'} no column{'s' * (not one)} {list_some(unknown)}"
            f"{hint} The columns are {list_some(self.header)}",
            remedies=remedies,
        )

    def check_unique(self, columns: Iterable[str]) -> None:
        """Fail unless each of these names stands over exactly one column."""
        columns = list(columns)
        self.check_exist(columns)
        counts = {name: len(self._positions[name.strip()]) for name in columns}
        repeated = {name: count for name, count in counts.items() if count > 1}
        if not repeated:
            return
        (name, count), *others = repeated.items()
        more = f"; so do {list_some(name for name, _ in others)}" if others else ""
        self.fail(f"the name {name!r} stands over {count} columns{more}; rename all but one")

    def position(self, column: str) -> int:
        """The position of a column."""
        self.check_unique([column])
        return self._positions[column.strip()][0]

    def select(
        self, apart: Sequence[str], columns: Sequence[str] | None, drop: Sequence[str]
    ) -> tuple[str, ...]:
        """The columns to learn from: those asked for, or all others that are not dropped."""
        self.check_exist(drop)
        if columns is None:
            left_out = {"", *(name.strip() for name in (*drop, *apart))}
            columns = [name for name in self.header if name not in left_out]
        self.check_unique([*columns, *apart])
        if not columns:
            self.fail("no column is left to learn from")
        return tuple(columns)


@contextmanager
def open_table(
    path: str | os.PathLike[str], layout: Layout | None = None
) -> Iterator[TextFile | ArrowFile]:
    """Open a table and read past its header. The first bytes tell which kind of file it is."""
    # Imported here because both readers are TableFiles.
    from crisplogic.io.arrow import ArrowFile
    from crisplogic.io.text import Layout, TextFile, decode

    with open_bytes(path) as file:
        if file.begins_with(PARQUET, ARROW):
            yield ArrowFile(file)
        else:
            layout = layout or Layout()
            with decode(file, layout.encoding) as lines:
                yield TextFile(file, lines, layout)
