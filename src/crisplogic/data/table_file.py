"""TableFile: what files of all kinds have in common, a name, columns and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NoReturn

from crisplogic.data.words import is_number
from crisplogic.errors import TableError
from crisplogic.similar import similar
from crisplogic.tables import Columns, Kind
from crisplogic.tables.columns import listed


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
