"""Tables in chunks, for rules that know which kind of column they need: bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from crisplogic.io.open import opened_table
from crisplogic.io.text import Layout
from crisplogic.tables import Columns, Kind, Levels, Numbers

Share = Callable[[], float]


def kinds_for(
    features: Sequence[str], levels: Sequence[Levels | None], flags: Sequence[int]
) -> dict[str, Kind]:
    """The kinds of columns: those with levels are categories, ``flags`` truth values.

    >>> kinds_for(["age", "sex"], [None, Levels(("f", "m"))], [])
    {'age': 'number', 'sex': 'category'}
    """
    each = levels or (None,) * len(features)
    kinds: dict[str, Kind] = {}
    for position, (name, groups) in enumerate(zip(features, each, strict=True)):
        plain: Kind = "boolean" if position in flags else "number"
        kinds[name] = plain if groups is None else "category"
    return kinds


@contextmanager
def opened_chunks(
    path: str | os.PathLike[str],
    kinds: Mapping[str, Kind],
    unused: Sequence[str] = (),
    layout: Layout | None = None,
) -> Iterator[tuple[Iterator[Columns], Share]]:
    r"""Columns of a file in chunks, and how much of it has been read, from 0 to 1.

    Columns that are ``unused`` need not be there: they come as missing values.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = path.write_text("age,sex\n50,f\n,m\n")
    >>> with opened_chunks(path, {"age": "number"}) as (chunks, share):
    ...     [chunk.columns[0].values.tolist() for chunk in chunks]
    [[50.0, nan]]
    """
    with opened_table(path, layout) as file:
        used = {name: kind for name, kind in kinds.items() if name not in unused}
        for name in used:
            file.position(name)
        # Rules may say the same of every row, but how many there are counts.
        read: dict[str, Kind] = used or {_any_column(file.header): "category"}
        yield (_completed(chunk, kinds, used) for chunk in file.in_chunks(read)), file.share


def _any_column(header: Sequence[str]) -> str:
    """A column to count rows by: the first whose name is its own.

    >>> _any_column(["", "age", ""])
    'age'
    """
    return next((name for name in header if header.count(name) == 1), header[0])


def _completed(chunk: Columns, kinds: Mapping[str, Kind], used: Mapping[str, Kind]) -> Columns:
    nothing = Numbers(np.full(len(chunk), np.nan))
    read = zip(chunk.names or (), chunk.columns, strict=True)
    found = {name: column for name, column in read if name in used}
    columns = tuple(found.get(name, nothing) for name in kinds)
    return Columns(tuple(kinds), columns, len(chunk))
