"""Text files, chunk by chunk: cells mean what they mean to :mod:`crisplogic.io`.

Plain files are read by pyarrow, ten times as fast. Wherever it is not certain that it reads a
file as this library does, the library goes on from there: where a cell is no plain number, a
quote stands within a text, or rows differ in length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from crisplogic.errors import TableError
from crisplogic.io import KeptColumns, Layout, Remark
from crisplogic.io.cells import MISSING, CellParser, ColumnBuilder
from crisplogic.io.files import open_bytes, open_table
from crisplogic.io.read import build_column
from crisplogic.io.text import TextFile
from crisplogic.streaming.arrow import read_arrow
from crisplogic.streaming.shards import FileStamp
from crisplogic.tables import Column, Columns, Kind, Numbers, Text

# Bytes of text that pyarrow reads at once.
BLOCK = 1 << 23


@dataclass(frozen=True)
class TextStart:
    """What the first rows of a text file show: its columns, their kinds, and remarks."""

    header: tuple[str, ...]
    kinds: Mapping[str, Kind | TableError]
    remarks: tuple[Remark, ...]


def look_at_start(path: str, layout: Layout, texts: Sequence[str] = ()) -> TextStart:
    """Find the kinds of columns by the first 50,000 rows; ``texts`` are categories anyway.

    A column that cannot be used as it is has an error in place of a kind: nobody may need it.
    """
    with _open_text(path, layout) as file:
        chunk = next(file.chunks(), None)
        if chunk is None:
            file.fail("it has a header line but no rows")
        lines = np.array(chunk.lines, dtype=np.int64)
        kinds: dict[str, Kind | TableError] = {}
        for position, name in enumerate(file.header):
            if file.header.count(name) > 1 or not name:
                continue
            try:
                builder = ColumnBuilder(name, position, as_text=name in texts)
                builder.add(file, chunk)
                kinds[name] = _kind(build_column(file, builder, name in texts, lines))
            except TableError as problem:
                kinds[name] = problem
        return TextStart(tuple(file.header), kinds, tuple(file.remarks))


def _kind(column: Column) -> Kind:
    if isinstance(column, Text):
        return "category"
    return "boolean" if column.boolean else "number"


def check_header(path: str, layout: Layout, names: Sequence[str]) -> None:
    """Fail unless a text file has these columns."""
    with _open_text(path, layout) as file:
        file.check_unique(names)


def text_chunks(
    file: FileStamp, kinds: Mapping[str, Kind], layout: Layout
) -> Iterator[Columns]:
    """The rows of a text file, in chunks. A cell of another kind is an error."""
    with _open_text(file.path, layout) as opened:
        plain = _Plain.of(opened, layout)
    done = 0
    if plain is not None:
        try:
            for columns in _plain_chunks(file.path, kinds, plain):
                done += len(columns)
                yield columns
        except _NotPlainError:
            pass
        else:
            return
    yield from _exact_chunks(file.path, kinds, layout, done)


def _exact_chunks(
    path: str, kinds: Mapping[str, Kind], layout: Layout, done: int
) -> Iterator[Columns]:
    """The rows after the first ``done``, as the library reads them."""
    with _open_text(path, layout) as file:
        file.check_unique(kinds)
        file.why_kinds = "as in the first rows of the table"
        for columns in file.in_chunks(kinds, KeptColumns()):
            skipped = min(done, len(columns))
            done -= skipped
            if skipped < len(columns):
                rows = np.arange(skipped, len(columns))
                yield columns.take(rows) if skipped else columns


@contextmanager
def _open_text(path: str, layout: Layout) -> Iterator[TextFile]:
    with open_table(path, layout) as file:
        if not isinstance(file, TextFile):
            raise TableError(f"{path}: it is not a text file, whatever its name says")
        yield file


class _NotPlainError(Exception):
    """A file is not as plain as it seemed."""


@dataclass(frozen=True)
class _Plain:
    """A text file that pyarrow can read: where its rows begin, and what its cells mean."""

    header: tuple[str, ...]
    lines: int
    delimiter: str
    parser: CellParser
    missing: tuple[str, ...]

    @classmethod
    def of(cls, file: TextFile, layout: Layout) -> _Plain | None:
        """A file whose header was read; None if it is not plain."""
        encoding = (layout.encoding or "utf-8").lower().replace("_", "-")
        several = len(file.header) > 1
        plain = layout.header and encoding in ("utf-8", "utf8", "utf-8-sig") and several
        if file.detects_decimals:
            next(file.chunks(), None)  # which shows how numbers are written
        usual = file.parser.format.decimal == "." and not file.parser.format.thousands
        if not (plain and usual):
            return None
        return cls(
            tuple(file.header),
            file.header_lines,
            file.delimiter,
            file.parser,
            tuple(layout.missing),
        )


def _plain_chunks(path: str, kinds: Mapping[str, Kind], plain: _Plain) -> Iterator[Columns]:
    import pyarrow
    from pyarrow import csv

    texts = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    places = {f"c{plain.header.index(name)}": kind for name, kind in kinds.items()}
    types = {
        at: pyarrow.float64() if kind == "number" else texts for at, kind in places.items()
    }
    with open_bytes(path) as source:
        try:
            reader = csv.open_csv(
                source.stream,
                csv.ReadOptions(
                    block_size=BLOCK,
                    skip_rows=plain.lines,
                    column_names=[f"c{at}" for at in range(len(plain.header))],
                ),
                csv.ParseOptions(delimiter=plain.delimiter, newlines_in_values=True),
                csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(places),
                    null_values=_marks(plain.missing),
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                yield _as_columns(batch, kinds, plain)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
            raise _NotPlainError from error


def _marks(more: Sequence[str]) -> list[str]:
    """How missing values are written; others are found by the library itself."""
    written = [form for mark in MISSING for form in (mark, mark.upper(), mark.capitalize())]
    return [*dict.fromkeys([*written, "NaN", "N/a", *more])]


def _as_columns(batch: Any, kinds: Mapping[str, Kind], plain: _Plain) -> Columns:
    pairs = zip(kinds.items(), batch.columns, strict=True)
    columns = [_as_column(array, name, kind, plain.parser) for (name, kind), array in pairs]
    return Columns(tuple(kinds), tuple(columns), batch.num_rows)


def _as_column(array: Any, name: str, kind: Kind, parser: CellParser) -> Column:
    if kind == "number":
        column = read_arrow(array, kind, name)
        assert isinstance(column, Numbers)
        if np.isinf(column.values).any():
            raise _NotPlainError  # an error that names the line
        return Numbers(_without_marks(column.values, parser))
    words = array.dictionary.to_pylist()
    if any('"' in word for word in words):
        raise _NotPlainError
    codes = array.indices.to_numpy(zero_copy_only=False)
    if kind == "boolean":
        values = parser.parse_numbers(words, truth=True)
        if values is None or np.isinf(values).any():
            raise _NotPlainError
        return Numbers(values[codes], boolean=True)
    meant = Text.from_values([None if parser.is_missing(w) else w.strip() for w in words])
    return Text(meant.uniques, meant.codes[codes])


def _without_marks(values: Any, parser: CellParser) -> Any:
    marks = parser.missing_numbers
    if not marks:
        return values
    values = values.copy()
    values[np.isin(values, marks)] = np.nan
    return values


def count_rows(file: FileStamp, layout: Layout) -> int:
    """The number of rows of a text file, which takes a pass over it."""
    with _open_text(file.path, layout) as opened:
        counts = {name: opened.header.count(name) for name in opened.header}
        name = next((each for each, times in counts.items() if times == 1), None)
        if name is None:
            return sum(len(chunk.lines) for chunk in opened.chunks())
    return sum(map(len, text_chunks(file, {name: "category"}, layout)))
