"""Files as bytes: gzip undone, what they are found out from how they begin."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

from crisplogic.errors import TableError

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
