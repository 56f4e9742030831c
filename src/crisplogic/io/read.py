"""Read a whole table from a file, to learn from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.io.arrow import ArrowFile
from crisplogic.io.cells import Cells, ColumnBuilder
from crisplogic.io.files import TableFile, open_table
from crisplogic.io.infer_types import infer_column, without_identifiers
from crisplogic.io.text import Layout, TextFile
from crisplogic.tables import Column, Columns, Numbers, as_matrix
from crisplogic.tables.kinds import as_text

OnProgress = Callable[[float], None]  # called with the share that has been read, 0 to 1


@dataclass(frozen=True, eq=False)
class Table:
    """Columns to learn from and, where they were asked for, a target and weights.

    ``left_out`` are the text columns whose values are nearly all distinct, as names and
    identifiers are.

    Shape: ``weights`` (rows,), or None.
    """

    columns: Columns
    target: Cells | None = None
    weights: NDArray[np.float64] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def y(self) -> NDArray[np.str_] | None:
        """The target as text, the names of classes; or None. Shape: (rows,)."""
        return None if self.target is None else self.target.texts

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
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
    weight: str | None = None,
    layout: Layout | None = None,
    on_progress: OnProgress | None = None,
) -> Table:
    r"""Read a table from a text file (CSV and its relatives), Parquet or Feather, gzip or not.

    ``columns`` are those to learn from. By default these are all but ``target``, ``weight``,
    those to ``drop``, and those without a name, such as the row numbers that pandas writes.
    The target may hold classes or numbers. ``weight`` names a column of sample weights, which
    must be numbers of at least 0.

    A column of text is a category, unless all its cells are numbers, or true and false.
    ``categories`` are text whatever they hold. Text columns whose values are nearly all
    distinct are left out unless they are asked for: nothing can be learned from names and
    identifiers. A column of numbers with a few texts among them is an error: most often these
    are mistakes. ``layout`` says how the text is written, where that cannot be detected.
    Blank lines are skipped.

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
    with open_table(path, layout) as file:
        apart = _apart(file, target, weight)
        names = file.select(tuple(apart), columns, drop)
        for name in categories:
            file.position(name)
        asked = _Asked(names, apart, {name.strip() for name in categories})
        if isinstance(file, TextFile):
            found, cells = _from_text(file, path, layout, asked, on_progress)
        else:
            assert isinstance(file, ArrowFile)
            found, cells = _from_arrow(file, asked)
        asked_for = asked.texts | {name.strip() for name in columns or ()}
        found = without_identifiers(file, found, asked_for)
        rows = len(next(iter(found.values())))
        return Table(
            Columns(tuple(found), tuple(found.values()), rows),
            None if target is None else cells[target],
            None if weight is None else cells[weight].require_numbers(least=0.0),
            left_out=tuple(name for name in names if name not in found),
        )


class _Asked(NamedTuple):
    """The columns to learn from, those read ``apart`` and their roles, and which are text."""

    names: tuple[str, ...]
    apart: dict[str, str]
    texts: set[str]


Found = tuple[dict[str, Column], dict[str, Cells]]

# What to do about rows without a target or a weight.
_IF_MISSING = {
    "target": "leave such rows out or, if this is the name of a class, choose another",
    "weight": "leave such rows out, or write 0 if they should not count",
}


def _apart(file: TableFile, target: str | None, weight: str | None) -> dict[str, str]:
    if target is not None and weight is not None and target.strip() == weight.strip():
        file.fail(f"column {target!r} cannot be the target and the weight as well")
    asked = {target: "target", weight: "weight"}
    return {name: role for name, role in asked.items() if name is not None}


def _from_text(
    file: TextFile,
    path: str | os.PathLike[str],
    layout: Layout | None,
    asked: _Asked,
    on_progress: OnProgress | None,
) -> Found:
    builders = {
        name: ColumnBuilder(name, file.position(name), name.strip() in asked.texts)
        for name in asked.names
    }
    apart = {
        name: ColumnBuilder(name, file.position(name), as_text=True) for name in asked.apart
    }
    lines = _read_rows(file, [*builders.values(), *apart.values()], on_progress)
    again = {each.name: each for each in builders.values() if each.needs_rereading}
    if again:  # text came after numbers: these columns are read once more, as text
        _require_rereadable(file, path, next(iter(again)))
        with open_table(path, layout) as once_more:
            assert isinstance(once_more, TextFile)
            again = {
                name: ColumnBuilder(name, each.position, True) for name, each in again.items()
            }
            _read_rows(once_more, list(again.values()), on_progress)
    columns = {
        name: _build_column(file, again.get(name, each), name.strip() in asked.texts, lines)
        for name, each in builders.items()
    }
    cells = {
        name: Cells(
            f"the {asked.apart[name]} {name!r}",
            each.text(file.missing_values),
            lambda row: f"{file.name}, line {lines[row]}",
            file.missing_values,
        )
        for name, each in apart.items()
    }
    for name, each in cells.items():
        _refuse_missing(each, asked.apart[name], apart[name].cell)
    return columns, cells


def _require_rereadable(file: TextFile, path: str | os.PathLike[str], name: str) -> None:
    if not os.path.isfile(path):
        file.fail(
            f"column {name!r} holds numbers first and text later, so it has to be read twice, "
            "and a pipe can be read only once; save the table to a file, or declare the column "
            "a category",
            remedies={"categories": name},
        )


def _read_rows(
    file: TextFile, columns: Sequence[ColumnBuilder], on_progress: OnProgress | None
) -> NDArray[np.int64]:
    """Read all rows into the columns and return their lines. Shape: returns (rows,)."""
    lines = []
    for chunk in file.chunks():
        for column in columns:
            column.add(file, chunk)
        lines.append(np.array(chunk.lines, dtype=np.int64))
        if on_progress is not None:
            on_progress(file.fraction_read())
    if not lines:
        file.fail("it has a header line but no rows")
    return np.concatenate(lines)


def _build_column(
    file: TextFile, builders: ColumnBuilder, category: bool, lines: NDArray[np.int64]
) -> Column:
    if builders.numbers is not None:
        return builders.numbers
    text = builders.text(file.missing_values)
    return (
        text
        if category
        else infer_column(file, builders.name, text, lambda row: int(lines[row]))
    )


def _from_arrow(file: ArrowFile, asked: _Asked) -> Found:
    table = file.read_all([*asked.names, *asked.apart])
    found = dict(zip((*asked.names, *asked.apart), table.columns, strict=True))
    columns = {
        name: as_text(found[name]) if name.strip() in asked.texts else found[name]
        for name in asked.names
    }
    cells = {
        name: Cells(
            f"the {role} {name!r}",
            found[name],
            lambda row: f"{file.name}, row {row} (counted from 0)",
        )
        for name, role in asked.apart.items()
    }
    for name, each in cells.items():
        _refuse_missing(each, asked.apart[name])
    return columns, cells


def _refuse_missing(
    cells: Cells, role: str, written: Callable[[int], str] | None = None
) -> None:
    column = cells.column
    missing = np.isnan(column.values) if isinstance(column, Numbers) else column.codes < 0
    if missing.any():
        row = int(missing.argmax())
        how = "" if written is None else f" ({written(row)!r})"
        raise TableError(
            f"{cells.place(row)}: {cells.what} is missing{how}; {_IF_MISSING[role]}"
        )
