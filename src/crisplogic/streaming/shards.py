"""Shards: the pieces that tables in files are read in, each by one reader at a time.

A shard is a row group of a Parquet file, or a whole file of another format. It knows the number
of its first row in the whole table, so that a row has one number whoever reads it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Literal

import numpy as np

from crisplogic.errors import TableError
from crisplogic.messages import list_some

Format = Literal["parquet", "feather", "text"]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

# What folders hold beside tables: hidden files, and those that Spark writes (_SUCCESS).
HIDDEN = (".", "_")
# Files of a folder are told by their names; a file that is named itself may have any name.
ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
}


@dataclass(frozen=True)
class FileStamp:
    """A file as it was when it was listed: its size in bytes, and when it was written."""

    path: str
    size: int
    modified: int

    @classmethod
    def of(cls, path: str) -> FileStamp:
        """The stamp of a file now."""
        try:
            found = os.stat(path)
        except OSError as error:
            raise TableError(f"{path}: it cannot be read ({error.strerror})") from error
        return cls(path, found.st_size, found.st_mtime_ns)

    def check(self) -> None:
        """Fail if the file has changed or vanished since."""
        if not os.path.exists(self.path):
            raise TableError(
                f"{self.path}: this file has vanished while the table was read; put it back, "
                "or start again without it"
            )
        if FileStamp.of(self.path) != self:
            raise TableError(
                f"{self.path}: this file has changed while the table was read; start again "
                "when nothing writes to it any more"
            )


@dataclass(frozen=True)
class Shard:
    """A piece of a table: a row group of a Parquet file, or all of another file.

    ``first_row`` is the number of its first row in the whole table, from 0 on.
    """

    file: FileStamp
    format: Format
    first_row: int
    rows: int
    row_group: int | None = None

    def __len__(self) -> int:
        return self.rows

    @property
    def path(self) -> str:
        """The file that it is in."""
        return self.file.path


def list_files(paths: Paths) -> list[str]:
    """The files of a table: those named, those in folders, and those that patterns match.

    Each pattern and folder is sorted by name, so that rows have the same numbers everywhere.
    Folders are searched to any depth; hidden files and names that begin with _ are left out.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.csv", "a.csv", "_SUCCESS"):
    ...     _ = (folder / name).write_text("x,y")
    >>> [Path(path).name for path in list_files(folder)]
    ['a.csv', 'b.csv']
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise TableError("a table needs one file or more, got an empty list of paths")
    found = [path for each in given for path in _files_of(os.fspath(each))]
    repeated = [path for path, times in Counter(found).items() if times > 1]
    if repeated:
        raise TableError(f"each file is read once; named twice: {list_some(repeated)}")
    return found


def _files_of(path: str) -> list[str]:
    if os.path.isdir(path):
        return _in_folder(path)
    if os.path.exists(path) or not has_magic(path):
        FileStamp.of(path)  # an error now, if there is none
        return [path]
    matched = sorted(each for each in glob(path, recursive=True))
    files = [file for each in matched for file in (_files_of(each))]
    if not files:
        raise TableError(f"{path}: no file has a name like this")
    return files


def _in_folder(folder: str) -> list[str]:
    inside = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    seen = [
        path
        for path in inside
        if not any(part.startswith(HIDDEN) for part in path.relative_to(folder).parts)
    ]
    files = [str(path) for path in seen if format_by_name(path.name) is not None]
    if not files:
        others = f"; it has {list_some([p.name for p in seen], 4)}" if seen else ""
        raise TableError(
            f"{folder}: a folder with a table has files that end in "
            f"{', '.join(ENDINGS)}, each also with .gz{others}"
        )
    return files


def format_by_name(name: str) -> Format | None:
    """What a file with this name holds; None if the name does not tell.

    >>> format_by_name("part-0.csv.gz"), format_by_name("notes.md")
    ('text', None)
    """
    stem = name.lower().removesuffix(".gz")
    return ENDINGS.get(os.path.splitext(stem)[1])


def with_first_rows(shards: Iterable[tuple[FileStamp, Format, int, int | None]]) -> list[Shard]:
    """Shards in the order of the table, each with the number of its first row."""
    made, first = [], 0
    for file, kind, rows, group in shards:
        made.append(Shard(file, kind, first, rows, group))
        first += rows
    return made


def part_of(shards: Sequence[Shard], rank: int, world: int) -> list[Shard]:
    """The shards that one of several readers reads, in the order of the table.

    Each reader gets consecutive shards with about as many rows as the others. All shards
    together are the table, whatever ``world`` is.

    >>> stamp = FileStamp("a.parquet", 0, 0)
    >>> shards = with_first_rows((stamp, "parquet", 10, group) for group in range(5))
    >>> [[each.row_group for each in part_of(shards, rank, 2)] for rank in range(2)]
    [[0, 1], [2, 3, 4]]
    """
    total = sum(map(len, shards))
    if not total:
        return list(shards[rank::world])
    middles = np.cumsum([0, *map(len, shards)])[:-1] + np.array(list(map(len, shards))) / 2
    owner = np.minimum((middles * world / total).astype(np.int64), world - 1)
    return [each for each, own in zip(shards, owner.tolist(), strict=True) if own == rank]


def shuffle_shards(shards: Sequence[Shard], seed: int) -> list[Shard]:
    """The same shards in an order that a seed decides."""
    order = np.random.default_rng(seed).permutation(len(shards))
    return [shards[place] for place in order]


def consecutive(shards: Sequence[Shard]) -> Iterator[list[Shard]]:
    """Runs of shards that one file can be read through: each follows the one before.

    >>> stamp = FileStamp("a.parquet", 0, 0)
    >>> shards = with_first_rows((stamp, "parquet", 10, group) for group in range(4))
    >>> [len(run) for run in consecutive([shards[2], shards[3], shards[0]])]
    [2, 1]
    """
    run: list[Shard] = []
    for each in shards:
        if run and (each.file, each.first_row) != (
            run[-1].file,
            run[-1].first_row + len(run[-1]),
        ):
            yield run
            run = []
        run.append(each)
    if run:
        yield run
