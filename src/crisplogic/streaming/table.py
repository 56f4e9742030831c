"""StreamedTable: a table in files, which is read in batches and never held as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crisplogic.errors import TableError, raise_problems
from crisplogic.io import Layout, Remark
from crisplogic.io.files import ARROW, PARQUET, open_bytes
from crisplogic.messages import did_you_mean, list_some
from crisplogic.streaming.arrow import empty_column, kind_of, read_arrow
from crisplogic.streaming.arrow_files import arrow_batches, schema_and_groups
from crisplogic.streaming.prefetch import AHEAD, prefetch
from crisplogic.streaming.rows import Examples, Rows
from crisplogic.streaming.shards import (
    FileStamp,
    Format,
    Paths,
    Shard,
    consecutive,
    list_files,
    with_first_rows,
)
from crisplogic.streaming.text_files import check_header, count_rows, look_at_start, text_chunks
from crisplogic.tables import Column, Columns, Kind, Numbers
from crisplogic.tables.kinds import as_numbers, as_text

# Rows that are read at a time: enough for long loops in C, few enough for a cache of megabytes.
BATCH_ROWS = 1 << 16
# Cells that are read at a time, of wide tables.
BATCH_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class StreamedTable:
    r"""A table in one file or many: its columns, and the shards that it is read in.

    All files have the same columns, in any order. ``kinds`` are those of the files: two numbers
    may turn out to be a truth value. A column whose values cannot be used has an error there.
    ``layout`` says how text files are written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, age in (("a.csv", 50), ("b.csv", 41)):
    ...     _ = (folder / name).write_text(f"age,ill\n{age},yes\n,no\n")
    >>> table = StreamedTable.open(folder)
    >>> table.names, table.rows, len(table.shards)
    (('age', 'ill'), 4, 2)
    >>> [rows.columns.columns[0].values.tolist() for rows in table.read(["age"])]
    [[50.0, nan], [41.0, nan]]
    """

    names: tuple[str, ...]
    kinds: Mapping[str, Kind | TableError | None]
    shards: tuple[Shard, ...]
    layout: Layout
    remarks: tuple[Remark, ...] = ()
    unread: frozenset[str] = frozenset()

    @classmethod
    def open(
        cls, paths: Any, layout: Layout | None = None, categories: Sequence[str] = ()
    ) -> StreamedTable:
        """List the files of a table, and read what they say about themselves.

        ``paths`` are files, folders and patterns, or a ``pyarrow.dataset.Dataset`` of
        files on this machine. ``categories`` of text files are text whatever they hold.
        """
        layout = layout or Layout()
        files = [FileStamp.of(path) for path in list_files(_paths_of(paths))]
        formats = [_format(file) for file in files]
        _require_one_format(files, formats)
        if formats[0] == "text":
            return _open_text_files(files, layout, categories)
        return _open_arrow_files(files, formats[0], layout)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(map(len, self.shards))

    @property
    def files(self) -> list[FileStamp]:
        """The files, in the order of the table."""
        return list(dict.fromkeys(each.file for each in self.shards))

    @property
    def where(self) -> str:
        """What errors call the table: its file, or the first one and how many more."""
        first, more = self.files[0].path, len(self.files) - 1
        return first if not more else f"{first} and {more} more file{'s' * (more > 1)}"

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)

    def find(self, name: str) -> str:
        """The column of this name; blanks around a name do not matter."""
        found = [own for own in self.names if own == name] or [
            own for own in self.names if own.strip() == name.strip()
        ]
        if found:
            return found[0]
        hint = did_you_mean(name, self.names, most=1) or "."
        raise TableError(
            f"{self.files[0].path}: there is no column {name!r}{hint} "
            f"The columns are {list_some(self.names)}"
        )

    def check_columns(self, names: Sequence[str]) -> None:
        """Fail unless all of these are columns that can be read."""
        problems = [self.kinds[name] for name in names if name not in self.unread]
        raise_problems([each for each in problems if isinstance(each, TableError)])

    def without(self, names: Sequence[str]) -> StreamedTable:
        """The same table with nothing but missing values in these columns."""
        kinds = {**self.kinds, **dict.fromkeys(names)}
        return replace(self, kinds=kinds, unread=self.unread.union(names))

    def read(
        self,
        names: Sequence[str],
        shards: Sequence[Shard] | None = None,
        *,
        batch_rows: int | None = None,
        ahead: int = AHEAD,
    ) -> Iterator[Rows]:
        """Read some columns of some shards, in their order, in batches of rows.

        A thread reads ``ahead``. A file that has changed, vanished or is damaged ends in an
        error that names it.
        """
        self.check_columns(names)
        most = max(1, min(BATCH_ROWS, BATCH_CELLS // max(len(names), 1)))
        rows = batch_rows or most
        chosen = self.shards if shards is None else shards
        return prefetch(self._read(list(names), chosen, rows), ahead)

    def examples(
        self,
        names: Sequence[str],
        target: str,
        weight: str | None = None,
        shards: Sequence[Shard] | None = None,
        *,
        number: bool = False,
        batch_rows: int | None = None,
        ahead: int = AHEAD,
    ) -> Iterator[Examples]:
        """Read rows to learn from: those with a target, and a weight above 0.

        The target is read as a ``number``, or as text: the names of classes.
        """
        read = [*names, target, *([] if weight is None else [weight])]
        for rows in self.read(read, shards, batch_rows=batch_rows, ahead=ahead):
            yield _examples(rows, len(names), number, weight)

    def with_number_target(self, target: str) -> StreamedTable:
        """The same table with a column of text files read as numbers, whatever it seems."""
        if self.shards[0].format != "text":
            return self
        return replace(self, kinds={**self.kinds, target: "number"})

    def _read(self, names: list[str], shards: Sequence[Shard], rows: int) -> Iterator[Rows]:
        for run in consecutive(shards):
            first = run[0].first_row
            run[0].file.check()
            for columns in self._columns_of(run, names, rows):
                yield Rows(np.arange(first, first + len(columns)), columns)
                first += len(columns)
            run[0].file.check()
            expected = run[-1].first_row + len(run[-1])
            if first != expected:
                raise TableError(
                    f"{run[0].path}: it has {first - run[0].first_row} rows where there were "
                    f"{expected - run[0].first_row}; start again when nothing writes to it"
                )

    def _columns_of(
        self, run: Sequence[Shard], names: list[str], rows: int
    ) -> Iterator[Columns]:
        read = [name for name in names if name not in self.unread] or [self._any_column]
        for columns in self._read_columns(run, read, rows):
            if read == names:
                yield columns
                continue
            found = dict(zip(read, columns.columns, strict=True))
            nothing = empty_column(None, len(columns))
            own = tuple(found.get(name, nothing) for name in names)
            yield Columns(tuple(names), own, len(columns))

    @property
    def _any_column(self) -> str:
        """A column to count rows by."""
        kinds = self.kinds.items()
        return next((name for name, kind in kinds if isinstance(kind, str)), self.names[0])

    def _read_columns(
        self, run: Sequence[Shard], names: list[str], rows: int
    ) -> Iterator[Columns]:
        if run[0].format == "text":
            kinds: dict[str, Kind] = {name: self._kind(name) or "category" for name in names}
            yield from text_chunks(run[0].file, kinds, self.layout)
            return
        for batch in arrow_batches(run, names, rows):
            columns = [self._column(batch.column(name), name, run[0].path) for name in names]
            yield Columns(tuple(names), tuple(columns), batch.num_rows)

    def _column(self, array: Any, name: str, path: str) -> Column:
        kind = self._kind(name)
        column = read_arrow(array, kind, f"{path}: column {name!r}")
        if kind == "number" and isinstance(column, Numbers) and column.boolean:
            return Numbers(column.values)
        return column if len(column) else empty_column(kind, 0)

    def _kind(self, name: str) -> Kind | None:
        kind = self.kinds[name]
        assert not isinstance(kind, TableError)  # which check_columns has raised
        return kind


def _examples(rows: Rows, features: int, number: bool, weight: str | None) -> Examples:
    columns, names = rows.columns.columns, rows.columns.names
    assert names is not None
    target = columns[features]
    y: Column = (
        as_numbers(target, f"the target {names[features]!r}") if number else as_text(target)
    )
    missing = np.isnan(y.values) if isinstance(y, Numbers) else y.codes < 0
    weights = None if weight is None else _weights(columns[features + 1], weight)
    kept = ~missing if weights is None else ~missing & (weights > 0)
    own = Columns(names[:features], columns[:features], len(rows))
    found = Examples(rows.numbers, own, y, weights)
    return found if kept.all() else found.take(np.flatnonzero(kept))


def _weights(column: Column, name: str) -> Any:
    values = as_numbers(column, f"the weight {name!r}").values
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        found = values[int(wrong.argmax())]
        what = "a missing value" if np.isnan(found) else f"{found:g}"
        raise TableError(
            f"the weight {name!r} must be a finite number, 0 or more, in every row, got "
            f"{what}; write 0 if a row should not count"
        )
    return values


def _paths_of(paths: Any) -> Paths:
    """The paths that were given, or those of a dataset of pyarrow."""
    if not hasattr(type(paths), "get_fragments"):
        given: Paths = paths
        return given
    local = getattr(getattr(paths, "filesystem", None), "type_name", None)
    files = getattr(paths, "files", None)
    if files is None or local not in ("local", "subtree"):
        raise TableError(
            "a dataset of pyarrow must be one of files on this machine, got "
            f"{type(paths).__name__}" + (f" on {local!r}" if local else "")
        )
    return list(files)


def _format(file: FileStamp) -> Format:
    """What a file holds, by how it begins."""
    if not file.size:
        raise TableError(f"{file.path}: it is empty; a table needs at least one row")
    with open_bytes(file.path) as opened:
        if opened.begins_with(PARQUET, ARROW):
            if opened.stream is not opened.raw:
                raise TableError(
                    f"{file.path}: Parquet and Feather files are compressed inside; unpack it"
                )
            return "parquet" if opened.begins_with(PARQUET) else "feather"
    return "text"


def _require_one_format(files: Sequence[FileStamp], formats: Sequence[Format]) -> None:
    for file, kind in zip(files, formats, strict=True):
        if kind != formats[0]:
            raise TableError(
                f"{file.path}: it is a {kind} file, but {files[0].path} is a {formats[0]} "
                "file; a table needs files of one format"
            )


def _open_text_files(
    files: Sequence[FileStamp], layout: Layout, categories: Sequence[str]
) -> StreamedTable:
    start = look_at_start(files[0].path, layout, categories)
    for file in files[1:]:
        check_header(file.path, layout, list(start.kinds))
    counted = ((file, "text", count_rows(file, layout), None) for file in files)
    shards = with_first_rows(counted)  # type: ignore[arg-type]
    return StreamedTable(tuple(start.kinds), start.kinds, tuple(shards), layout, start.remarks)


def _open_arrow_files(
    files: Sequence[FileStamp], kind: Format, layout: Layout
) -> StreamedTable:
    found = [schema_and_groups(file, kind) for file in files]
    kinds = _common_kinds(files, [schema for schema, _ in found])
    pieces = [
        (file, kind, rows, group if kind == "parquet" else None)
        for file, (_, groups) in zip(files, found, strict=True)
        for group, rows in enumerate(groups)
    ]
    shards = [each for each in with_first_rows(pieces) if len(each)]
    if not shards:
        raise TableError(f"{files[0].path}: it has columns but no rows")
    return StreamedTable(tuple(kinds), kinds, tuple(shards), layout)


def _common_kinds(
    files: Sequence[FileStamp], schemas: Sequence[Any]
) -> dict[str, Kind | TableError | None]:
    """The kinds of the columns, which all files must agree in."""
    first = schemas[0]
    names = list(first.names)
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise TableError(
            f"{files[0].path}: the name {min(repeated)!r} stands over several columns; rename "
            "all but one"
        )
    kinds: dict[str, Kind | TableError | None] = {}
    types = {name: first.field(name).type for name in names}
    for file, schema in zip(files, schemas, strict=True):
        _require_same_names(file, files[0], schema.names, names)
        for name in names:
            _agree(kinds, types, file, files[0], name, schema.field(name).type)
    return kinds


def _require_same_names(
    file: FileStamp, first: FileStamp, names: Sequence[str], needed: Sequence[str]
) -> None:
    missing, more = set(needed) - set(names), set(names) - set(needed)
    if missing or more:
        what = f"there is no column {min(missing)!r}" if missing else f"column {min(more)!r} is"
        where = "which" if missing else "not in"
        end = f"{where} {first.path} has" if missing else f"{where} {first.path}"
        raise TableError(
            f"{file.path}: {what} {end}; all files of a table need the same columns"
            if not missing
            else f"{file.path}: {what}, {end}; all files of a table need the same columns"
        )


def _agree(
    kinds: dict[str, Kind | TableError | None],
    types: dict[str, Any],
    file: FileStamp,
    first: FileStamp,
    name: str,
    type_: Any,
) -> None:
    import pyarrow

    if pyarrow.types.is_null(type_):
        kinds.setdefault(name, None)
        return
    kind, known = kind_of(type_), kinds.get(name)
    if kind is None:
        kinds[name] = _refused(file, name, type_)
    elif known is None:
        kinds[name], types[name] = kind, type_
    elif isinstance(known, TableError) or known != kind:
        raise TableError(
            f"{file.path}: column {name!r} holds {type_}, but in {first.path} {types[name]}; "
            "all files of a table need the same kinds of columns"
        )


def _refused(file: FileStamp, name: str, type_: Any) -> TableError:
    """The error about a column of a type that cannot be learned from."""
    import pyarrow

    try:
        read_arrow(pyarrow.array([], type_), None, f"{file.path}: column {name!r}")
    except TableError as error:
        return error
    return TableError(f"{file.path}: column {name!r} must hold numbers or text, got {type_}")


def describe_table(table: StreamedTable) -> dict[str, object]:
    r"""What readers of the same table agree on. Folders may differ from machine to machine.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("age,ill\n50,yes\n")
    >>> describe_table(StreamedTable.open(folder))["files"]
    [('a.csv', 15)]
    """
    return {
        "columns of the files": table.names,
        "rows of the files": table.rows,
        "files": [(os.path.basename(file.path), file.size) for file in table.files],
    }
