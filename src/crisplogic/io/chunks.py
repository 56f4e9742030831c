"""Read a table in chunks, in bounded memory, for rules that know the kinds of columns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from crisplogic.io.files import open_table
from crisplogic.io.kept import KeptColumns
from crisplogic.io.remarks import Remark
from crisplogic.io.text import Layout
from crisplogic.tables import Columns, Kind, Levels, Numbers

FractionRead = Callable[[], float]
OnRemarks = Callable[[Sequence[Remark]], None]


def column_kinds(
    features: Sequence[str], levels: Sequence[Levels | None], flags: Collection[int]
) -> dict[str, Kind]:
    """The kind of every column: those with levels are categories, ``flags`` truth values.

    Levels that are two numbers are read as numbers: 1.5 may be written 1,5 or <1.5 or 1.5 %.

    >>> column_kinds(["age", "sex"], [None, Levels(("f", "m"))], [])
    {'age': 'number', 'sex': 'category'}
    """
    each = levels or (None,) * len(features)
    flags = set(flags)
    kinds: dict[str, Kind] = {}
    for position, (name, groups) in enumerate(zip(features, each, strict=True)):
        plain: Kind = "boolean" if position in flags else "number"
        numbers = groups is None or groups.values == "numbers"
        kinds[name] = plain if numbers else "category"
    return kinds


@contextmanager
def open_chunks(
    path: str | os.PathLike[str],
    kinds: Mapping[str, Kind],
    unused: Collection[str] = (),
    layout: Layout | None = None,
    on_remarks: OnRemarks | None = None,
    kept: KeptColumns | None = None,
) -> Iterator[tuple[Iterator[Columns], FractionRead]]:
    r"""Open a file to read in chunks; also returns how much has been read, from 0 to 1.

    ``unused`` columns need not be there: their values are missing. ``on_remarks`` is called
    with the remarks about the file once it has been read. ``kept`` columns are read as they
    stand.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = path.write_text("age,sex\n50,f\n,m\n")
    >>> with open_chunks(path, {"age": "number"}) as (chunks, share):
    ...     [chunk.columns[0].values.tolist() for chunk in chunks]
    [[50.0, nan]]
    """
    with open_table(path, layout) as file:
        without = set(unused)
        used = {name: kind for name, kind in kinds.items() if name not in without}
        file.check_unique(used)
        kept = kept or KeptColumns()
        kept.find(file)
        # Rules may use no column at all, but the number of rows still matters.
        read: dict[str, Kind] = used or {_any_column(file.header): "category"}
        yield (
            (_completed(chunk, kinds, used) for chunk in file.in_chunks(read, kept)),
            file.fraction_read,
        )
        if on_remarks is not None and file.remarks:
            on_remarks(file.remarks)


def _any_column(header: Sequence[str]) -> str:
    """A column to count rows by: the first with a unique name.

    >>> _any_column(["", "age", ""])
    'age'
    """
    counts = Counter(header)
    return next((name for name in header if counts[name] == 1), header[0])


def _completed(chunk: Columns, kinds: Mapping[str, Kind], used: Mapping[str, Kind]) -> Columns:
    nothing = Numbers(np.full(len(chunk), np.nan))
    read = zip(chunk.names or (), chunk.columns, strict=True)
    found = {name: column for name, column in read if name in used}
    columns = tuple(found.get(name, nothing) for name in kinds)
    return Columns(tuple(kinds), columns, len(chunk))
