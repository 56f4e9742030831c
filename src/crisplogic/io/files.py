"""Files as bytes: gzip undone, what they are found out from how they begin."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, NoReturn

from crisplogic.errors import TableError
from crisplogic.io.values import is_number
from crisplogic.messages import similar
from crisplogic.tables import Columns, Kind
from crisplogic.tables.columns import listed

GZIP, ZIP, PARQUET, ARROW = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"ARROW1"
# How files begin that people take for tables, and what to do with them.
_OTHERS = {
    ZIP: "an Excel workbook or a ZIP archive; save the table as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the table as CSV",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; unpack it, or compress it with gzip",
    b"BZh": "compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ": "compressed with xz; unpack it, or compress it with gzip",
    b"SQLite": "a database; export the table as CSV",
}


@dataclass(frozen=True)
class Opened:
    """A file that is open: its bytes, not compressed any more, and how far it is read."""

    name: str
    stream: Any  # a binary file
    raw: BufferedReader
    size: int

    def begins_with(self, *marks: bytes) -> bool:
        """Whether the first bytes are one of these; none of them is used up."""
        return bool(self.stream.peek(16)[:16].startswith(marks))

    def share(self) -> float:
        """How much of the file has been read, from 0 to 1; a pipe never says."""
        return min(1.0, self.raw.tell() / self.size) if self.size else 0.0


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Opened]:
    """A file, and gzip undone; what is wrong with its bytes becomes a TableError."""
    name = os.fspath(path)
    with open(name, "rb") as raw, _explained(name):
        file = Opened(name, raw, raw, os.fstat(raw.fileno()).st_size)
        if file.begins_with(GZIP):
            file = Opened(name, gzip.GzipFile(fileobj=raw), raw, file.size)
        for mark, kind in _OTHERS.items():
            if file.begins_with(mark):
                raise TableError(f"{name}: it is {kind}")
        yield file


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise TableError(
            f"{name}: it is not {error.encoding.upper()} text ({error}); save it as UTF-8, or "
            "say what it is (--encoding on the command line): 'cp1252' is usual for Western "
            "Europe and older Windows, 'latin-1' reads anything"
        ) from error
    except UnicodeError as error:  # as UTF-16 is, where its mark is missing
        raise TableError(f"{name}: it is not text in this encoding ({error})") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(f"{name}: its compression is damaged ({error})") from error


class TableFile:
    """A table in a file that is open: its columns, its errors, and how far it is read."""

    def __init__(self, name: str, header: Sequence[str], share: Callable[[], float]) -> None:
        self.name = name
        self.header = [column.strip() for column in header]
        self.share = share

    def in_chunks(self, kinds: Mapping[str, Kind]) -> Iterator[Columns]:
        """Columns of known kinds, some rows at a time."""
        raise NotImplementedError

    def fail(self, problem: str, line: int | None = None) -> NoReturn:
        """Raise, saying where."""
        where = self.name if line is None else f"{self.name}, line {line}"
        raise TableError(f"{where}: {problem}")

    def check_exists(self, column: str) -> None:
        """Fail, with the closest name there is, unless some column has this name."""
        if column.strip() in self.header:
            return
        close = similar(column, self.header, most=1)
        hint = f", did you mean {close[0]!r}?" if close else "."
        if all(is_number(name) for name in self.header):
            hint += " (If the first line has no names, use --no-header.)"
        self.fail(f"there is no column {column!r}{hint} The columns are {listed(self.header)}")

    def position(self, column: str) -> int:
        """Where a column stands."""
        self.check_exists(column)
        count = self.header.count(column.strip())
        if count > 1:
            self.fail(f"the name {column!r} stands over {count} columns; rename all but one")
        return self.header.index(column.strip())

    def chosen(
        self, apart: Sequence[str], columns: Sequence[str] | None, drop: Sequence[str]
    ) -> tuple[str, ...]:
        """The columns to learn from: those asked for, or all but those apart or left out."""
        for name in drop:
            self.check_exists(name)
        if columns is None:
            left_out = {"", *(name.strip() for name in (*drop, *apart))}
            columns = [name for name in self.header if name not in left_out]
        for name in (*columns, *apart):
            self.position(name)  # fails if there is no such column, or more than one
        if not columns:
            self.fail("no column is left to learn from")
        return tuple(columns)
