"""Parquet and Feather files, which know the kinds of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crisplogic.errors import TableError
from crisplogic.io.files import PARQUET, ByteSource, TableFile
from crisplogic.io.kept import KeptColumns
from crisplogic.tables import Columns, Kind, read_columns

CHUNK_ROWS = 50_000


class ArrowFile(TableFile):
    """An open Parquet or Feather file."""

    def __init__(self, file: ByteSource) -> None:
        self._rows_read = 0
        try:
            self._file = _Parquet(file) if file.begins_with(PARQUET) else _Feather(file)
        except ValueError as error:  # what pyarrow's errors are
            raise TableError(f"{file.name}: it is damaged ({error})") from error
        super().__init__(file.name, self._file.names, self._fraction_read)
        if not self._file.rows:
            self.fail("it has columns but no rows")

    def read_all(self, names: Sequence[str]) -> Columns:
        """Read all rows of some columns."""
        import pyarrow

        batches = list(self._file.batches(self._stored(names)))
        return self._columns(pyarrow.Table.from_batches(batches), names)

    def in_chunks(self, kinds: Mapping[str, Kind], kept: KeptColumns) -> Iterator[Columns]:
        """Read columns in chunks. The file itself knows their kinds."""
        import pyarrow

        self.check_unique(kept.names)
        stored = self._stored(kept.names)
        for batch in self._file.batches(list({*self._stored(list(kinds)), *stored})):
            self._rows_read += batch.num_rows
            kept.cells = [batch.column(name) for name in stored]
            yield self._columns(pyarrow.Table.from_batches([batch]), list(kinds))

    def _stored(self, names: Sequence[str]) -> list[str]:
        """Names as they are stored: surrounding spaces do not matter to a caller."""
        return [self._file.names[self.position(name)] for name in names]

    def _columns(self, table: Any, names: Sequence[str]) -> Columns:
        try:
            columns = read_columns(table.select(self._stored(names)))
        except TableError as error:
            self.fail(str(error))
        return Columns(tuple(names), columns.columns, len(columns))

    def _fraction_read(self) -> float:
        return self._rows_read / int(self._file.rows)


class _Parquet:
    def __init__(self, file: ByteSource) -> None:
        parquet = _pyarrow("pyarrow.parquet", file.name)
        # Read piece by piece: otherwise a group of rows is held as a whole, a million or more.
        self._file = parquet.ParquetFile(file.stream, buffer_size=1 << 20, pre_buffer=False)
        self.names = list(self._file.schema_arrow.names)
        self.rows = self._file.metadata.num_rows

    def batches(self, names: list[str]) -> Iterator[Any]:
        # One thread: reading ahead would hold more than is asked for.
        yield from self._file.iter_batches(CHUNK_ROWS, columns=names, use_threads=False)


class _Feather:
    def __init__(self, file: ByteSource) -> None:
        ipc = _pyarrow("pyarrow.ipc", file.name)
        self._file = ipc.open_file(file.stream)
        self.names = list(self._file.schema.names)
        self.rows = sum(batch.num_rows for batch in self.batches(self.names))

    def batches(self, names: list[str]) -> Iterator[Any]:
        for number in range(self._file.num_record_batches):
            yield self._file.get_batch(number).select(names)


def _pyarrow(module: str, name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise TableError(
            f"{name}: to read Parquet and Feather, pyarrow is needed: "
            "pip install 'crisplogic[parquet]'; or save the table as CSV"
        ) from error
