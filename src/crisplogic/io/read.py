"""Read a whole table from a file, to learn from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError, raise_problems
from crisplogic.io.arrow import ArrowFile
from crisplogic.io.cells import Cells, ColumnBuilder
from crisplogic.io.files import TableFile, open_table
from crisplogic.io.identifiers import without_identifiers
from crisplogic.io.infer_types import infer_column, merge_whole_numbers
from crisplogic.io.remarks import Remark
from crisplogic.io.text import Layout, TextFile
from crisplogic.messages import list_some
from crisplogic.tables import Column, Columns, as_matrix
from crisplogic.tables.kinds import as_text

OnProgress = Callable[[float], None]  # called with the share that has been read, 0 to 1


@dataclass(frozen=True, eq=False)
class Table:
    """Columns to learn from and, where they were asked for, a target and weights.

    ``remarks`` say what was not read as it stands: columns and rows that were left out,
    numbers that had signs or units beside them.

    Shape: ``weights`` (rows,), or None.
    """

    columns: Columns
    target: Cells | None = None
    weights: NDArray[np.float64] | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that were left out because they identify rows."""
        found = (each.columns for each in self.remarks if each.kind == "left_out")
        return tuple(name for names in found for name in names)

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
    keep: Sequence[str] = (),
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
    ``categories`` are text whatever they hold. A column of numbers with a few texts among them
    is an error: most often these are mistakes. All such columns are reported at once. Limits
    such as ``<5`` among numbers, and numbers that all have the same unit, are read as numbers.

    Names and identifiers are left out: texts whose values are nearly all distinct, and whole
    numbers that identify rows. Columns to ``keep``, and those asked for by ``columns`` or
    ``categories``, are not. Rows without a target are left out as well. The ``remarks`` of the
    table say so. ``layout`` says how the text is written, where that cannot be detected. Blank
    lines are skipped.

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
        file.check_unique([*categories, *keep])
        asked = _Asked(names, apart, {name.strip() for name in categories})
        if isinstance(file, TextFile):
            found, cells = _from_text(file, path, layout, asked, on_progress)
        else:
            assert isinstance(file, ArrowFile)
            found, cells = _from_arrow(file, asked)
        if target is not None:
            found, cells = _with_target(file, target, found, cells)
        if weight is not None:
            _refuse_missing(cells[weight])
        asked_for = asked.texts | {name.strip() for name in (*keep, *(columns or ()))}
        found = without_identifiers(file, found, asked_for)
        rows = len(next(iter(found.values())))
        return Table(
            Columns(tuple(found), tuple(found.values()), rows),
            None if target is None else cells[target],
            None if weight is None else cells[weight].require_numbers(least=0.0),
            tuple(file.remarks),
        )


class _Asked(NamedTuple):
    """The columns to learn from, those read ``apart`` and their roles, and which are text."""

    names: tuple[str, ...]
    apart: dict[str, str]
    texts: set[str]


# A mark for missing values that may as well be a class: of a severity, or a kind of damage.
MAYBE_A_CLASS = ("none",)

Found = tuple[dict[str, Column], dict[str, Cells]]


def _with_target(
    file: TableFile, target: str, columns: dict[str, Column], cells: dict[str, Cells]
) -> Found:
    """Leave out rows without a target, with a remark."""
    missing = cells[target].missing
    count = int(missing.sum())
    if not count:
        return columns, cells
    answers = cells[target]
    place = answers.place(int(missing.argmax()))
    if count == len(missing):
        file.fail(f"{answers.what} is missing in all {count} rows")
    for mark in answers.marks:
        if mark.lower() in MAYBE_A_CLASS:
            raise TableError(
                f"{place}: {answers.what} is missing ({mark!r}); if this is the name of a "
                "class, choose another, if not, leave the cell empty"
            )
    written = f" ({list_some(answers.marks)})" if answers.marks else ""
    first = place.removeprefix(file.name).strip(", ")
    message = f"left out, no target {target!r}{written}: {count} row(s), the first is {first}"
    file.remarks.append(Remark("no_target", message, (target.strip(),), count))
    rows = np.flatnonzero(~missing)
    return (
        {name: column.take(rows) for name, column in columns.items()},
        {name: each.take(rows) for name, each in cells.items()},
    )


def _refuse_missing(cells: Cells) -> None:
    """Fail if a weight is missing."""
    missing = cells.missing
    if missing.any():
        raise TableError(
            f"{cells.place(int(missing.argmax()))}: {cells.what} is missing; leave such rows "
            "out, or write 0 if they should not count"
        )


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
    columns, problems = {}, []
    for name, each in builders.items():
        try:
            builder = again.get(name, each)
            columns[name] = build_column(file, builder, name.strip() in asked.texts, lines)
        except TableError as problem:
            problems.append(problem)
    raise_problems(problems, file.name)
    cells = {
        name: Cells(
            f"the {asked.apart[name]} {name!r}",
            each.text(file.parser),
            lambda row: f"{file.name}, line {lines[row]}",
            file.parser,
            each.marks(file.parser),
        )
        for name, each in apart.items()
    }
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


def build_column(
    file: TextFile, builder: ColumnBuilder, category: bool, lines: NDArray[np.int64]
) -> Column:
    """The column that cells make, of the kind that they show. Shape: ``lines`` (rows,)."""
    if builder.problem is not None:
        raise builder.problem
    if builder.numbers is not None:
        return builder.numbers
    text = builder.text(file.parser)
    if category:
        return merge_whole_numbers(text)
    return infer_column(file, builder.name, text, lambda row: int(lines[row]))


def _from_arrow(file: ArrowFile, asked: _Asked) -> Found:
    table = file.read_all([*asked.names, *asked.apart])
    found = dict(zip((*asked.names, *asked.apart), table.columns, strict=True))
    columns = {
        name: merge_whole_numbers(as_text(found[name]))
        if name.strip() in asked.texts
        else found[name]
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
    return columns, cells
