"""Whole tables from files, to learn from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from crisplogic.data.arrow_file import ArrowFile
from crisplogic.data.files import opened_table
from crisplogic.data.gathering import Gathered
from crisplogic.data.layout import Layout
from crisplogic.data.settling import settled, without_identifiers
from crisplogic.data.table_file import TableFile
from crisplogic.data.text_file import TextFile
from crisplogic.tables import Column, Columns, Text, as_matrix
from crisplogic.tables.kinds import as_text

OnShare = Callable[[float], None]  # told how much has been read, from 0 to 1


@dataclass(frozen=True, eq=False)
class Table:
    """Columns to learn from and, where one was asked for, a target.

    ``left_out`` are the columns that hold texts which are nearly all different, as names and
    identifiers are.

    Shape: ``y`` (rows,), class names; or None.
    """

    columns: Columns
    y: NDArray[np.str_] | None
    left_out: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        assert self.columns.names is not None
        return self.columns.names

    @property
    def X(self) -> NDArray[np.float64]:  # noqa: N802, scikit-learn's name
        """The columns as a matrix, if all hold numbers. Shape: (rows, columns)."""
        return as_matrix(self.columns, self.names)


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    *,
    categories: Sequence[str] = (),
    layout: Layout | None = None,
    on_share: OnShare | None = None,
) -> Table:
    r"""Read a table from a text file (CSV and its relatives), Parquet or Feather, gzip or not.

    ``columns`` are those to read: by default all but ``target``, those to ``drop`` and those
    without a name, such as the row numbers that pandas writes. A column of text is a
    category, unless all of it are numbers, or true and false; ``categories`` are texts
    whatever they hold. Texts that are nearly all different are left out, unless asked for:
    nothing can be learned from names and identifiers. A column of numbers with a few texts
    among them is refused: most often these are mistakes. ``layout`` says how text is written,
    where that cannot be found out; blank lines are skipped.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = path.write_text("age,sex,ill\n50,f,yes\n,m,no\n")
    >>> table = read_table(path, target="ill")
    >>> table.names, table.y.tolist()
    (('age', 'sex'), ['yes', 'no'])
    >>> [column.values.tolist() for column in table.columns.columns]
    [[50.0, nan], ['f', 'm']]
    """
    with opened_table(path, layout) as file:
        names = file.chosen(target, columns, drop)
        for name in categories:
            file.position(name)
        texts = {name.strip() for name in categories}
        if isinstance(file, TextFile):
            found, y = _from_text(file, path, layout, (names, target, texts), on_share)
        else:
            assert isinstance(file, ArrowFile)
            found, y = _from_arrow(file, names, target, texts)
        asked_for = texts | {name.strip() for name in columns or ()}
        found = without_identifiers(file, found, asked_for)
        rows = len(next(iter(found.values())))
        left_out = tuple(name for name in names if name not in found)
        return Table(Columns(tuple(found), tuple(found.values()), rows), y, left_out)


Asked = tuple[tuple[str, ...], str | None, set[str]]  # columns, target, and which are texts
Found = tuple[dict[str, Column], NDArray[np.str_] | None]


def _from_text(
    file: TextFile,
    path: str | os.PathLike[str],
    layout: Layout | None,
    asked: Asked,
    on_share: OnShare | None,
) -> Found:
    names, target, texts = asked
    gathered = {
        name: Gathered(name, file.position(name), name.strip() in texts) for name in names
    }
    labels = None if target is None else Gathered(target, file.position(target), as_text=True)
    lines = _gather(file, [*gathered.values(), *([labels] if labels else [])], on_share)
    again = {each.name: each for each in gathered.values() if each.again}
    if again:  # texts came after numbers: these columns are read once more, as texts
        _require_another_time(file, path, next(iter(again)))
        with opened_table(path, layout) as once_more:
            assert isinstance(once_more, TextFile)
            again = {name: Gathered(name, each.position, True) for name, each in again.items()}
            _gather(once_more, list(again.values()), on_share)
    columns = {
        name: _settled(file, again.get(name, each), name.strip() in texts, lines)
        for name, each in gathered.items()
    }
    if labels is None:
        return columns, None
    text = labels.text(file.marks)
    for row in np.flatnonzero(text.numbers < 0)[:1].tolist():
        _refuse_missing(file, labels.name, repr(labels.cell(row)), int(lines[row]))
    return columns, _words(text)


def _require_another_time(file: TextFile, path: str | os.PathLike[str], name: str) -> None:
    if not os.path.isfile(path):
        file.fail(
            f"column {name!r} holds numbers first and texts later, so that it has to be read "
            "twice, which a pipe cannot be; save the table to a file, or say that the column "
            f"is a category (--category {name!r})"
        )


def _gather(
    file: TextFile, columns: Sequence[Gathered], on_share: OnShare | None
) -> NDArray[np.int64]:
    """All rows into the columns; returns their lines. Shape: returns (rows,)."""
    lines = []
    for chunk in file.chunks():
        for column in columns:
            column.add(file, chunk)
        lines.append(np.array(chunk.lines, dtype=np.int64))
        if on_share is not None:
            on_share(file.share())
    if not lines:
        file.fail("it has a header line but no rows")
    return np.concatenate(lines)


def _settled(
    file: TextFile, gathered: Gathered, category: bool, lines: NDArray[np.int64]
) -> Column:
    if gathered.numbers is not None:
        return gathered.numbers
    text = gathered.text(file.marks)
    return text if category else settled(file, gathered.name, text, lambda row: int(lines[row]))


def _from_arrow(
    file: ArrowFile, names: tuple[str, ...], target: str | None, texts: set[str]
) -> Found:
    table = file.whole([*names, *([] if target is None else [target])])
    columns = dict(zip(names, table.columns, strict=False))
    columns = {
        name: as_text(column) if name.strip() in texts else column
        for name, column in columns.items()
    }
    if target is None:
        return columns, None
    text = as_text(table.columns[-1])
    for row in np.flatnonzero(text.numbers < 0)[:1].tolist():
        _refuse_missing(file, target, f"row {row}, counted from 0")
    return columns, _words(text)


def _words(text: Text) -> NDArray[np.str_]:
    return np.array(text.words, dtype=np.str_)[text.numbers]


def _refuse_missing(
    file: TableFile, target: str, where: str, line: int | None = None
) -> NoReturn:
    file.fail(
        f"the target {target!r} is missing ({where}); leave such rows out, or "
        "write the class in another way",
        line,
    )
