"""Parquet and Feather files, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from crisplogic.errors import TableError
from crisplogic.streaming.shards import FileStamp, Format, Shard

# Bytes of each column that are read at once: a row group is never held as a whole.
BUFFER = 1 << 20


@contextmanager
def damage_named(path: str) -> Iterator[None]:
    """Errors of pyarrow and of the system, as one that names the file."""
    try:
        yield
    except TableError:
        raise
    except (ValueError, OSError) as error:  # which pyarrow's errors are
        text = " ".join(str(error).split())[:300]
        raise TableError(f"{path}: it is damaged or cannot be read ({text})") from error


def schema_and_groups(file: FileStamp, kind: Format) -> tuple[Any, list[int]]:
    """The schema of a file, and the number of rows in each of its shards."""
    with damage_named(file.path):
        if kind == "parquet":
            with open_parquet(file.path) as opened:
                about = opened.metadata
                groups = range(about.num_row_groups)
                return opened.schema_arrow, [about.row_group(at).num_rows for at in groups]
        with _open_feather(file.path) as feather:
            batches = range(feather.num_record_batches)
            return feather.schema, [sum(feather.get_batch(at).num_rows for at in batches)]


def arrow_batches(run: Sequence[Shard], names: Sequence[str], rows: int) -> Iterator[Any]:
    """The rows of consecutive shards of a file, at most so many at a time."""
    path = run[0].path
    if run[0].format == "parquet":
        groups = [each.row_group for each in run]
        with damage_named(path), open_parquet(path, names) as file:
            yield from file.iter_batches(rows, groups, list(names), use_threads=False)
        return
    with damage_named(path), _open_feather(path) as feather:
        for number in range(feather.num_record_batches):
            batch = feather.get_batch(number).select(list(names))
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


@contextmanager
def open_parquet(path: str, names: Sequence[str] = ()) -> Iterator[Any]:
    """An open Parquet file; of the columns ``names``, texts are read as categories."""
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False) as file:
        texts = [name for name in names if _is_plain_text(file.schema_arrow, name)]
        if not texts:
            yield file
            return
    with parquet.ParquetFile(
        path, buffer_size=BUFFER, pre_buffer=False, read_dictionary=texts
    ) as file:
        yield file


def _is_plain_text(schema: Any, name: str) -> bool:
    import pyarrow

    type_ = schema.field(name).type
    return bool(pyarrow.types.is_string(type_) or pyarrow.types.is_large_string(type_))


@contextmanager
def _open_feather(path: str) -> Iterator[Any]:
    import pyarrow
    from pyarrow import ipc

    with pyarrow.OSFile(path) as source, ipc.open_file(source) as file:
        yield file
