"""Columns that are handed on as they stand in a file, beside those that rules need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crisplogic.io.files import TableFile


class KeptColumns:
    """The columns called ``wanted``, or all columns if that is None.

    Reading sets ``names`` once a file is open, and ``cells`` with every chunk: one sequence a
    column, of texts if the file is one, else an array of pyarrow.

    >>> KeptColumns(["id"]).names
    []
    """

    def __init__(self, wanted: Sequence[str] | None = ()) -> None:
        self._wanted = wanted
        self.positions: Sequence[int] = ()
        self.names: list[str] = []
        self.cells: list[Any] = []

    def find(self, file: TableFile) -> None:
        """Find the columns of a file; one that is not there is an error."""
        self.positions = range(len(file.header))
        if self._wanted is not None:
            self.positions = [file.position(name) for name in dict.fromkeys(self._wanted)]
        self.names = [file.header[position] for position in self.positions]
