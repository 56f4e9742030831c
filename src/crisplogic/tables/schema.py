"""Schema: the kinds of a table's columns, so that other tables are read the same way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.columns import Columns
from crisplogic.tables.encode import Levels, as_matrix, find_levels, looks_like_identifier
from crisplogic.tables.kinds import Column, Numbers, Text, as_text

Kind = Literal["number", "boolean", "category"]


@dataclass(frozen=True)
class Schema:
    """Names, kinds and levels of columns, and whether they had missing values.

    Each field has one entry a column. ``levels`` are None unless it is a category.

    >>> from crisplogic.tables import read_columns
    >>> schema = infer_schema(read_columns([[41, "red"], [None, "blue"], [7, "red"]]))
    >>> schema.names, schema.kinds, schema.has_missing
    (('x0', 'x1'), ('number', 'category'), (True, False))
    >>> schema.matrix([[3, "blue"], [4, "new"]]).tolist()
    [[3.0, 1.0], [4.0, -1.0]]
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    levels: tuple[Levels | None, ...]
    has_missing: tuple[bool, ...]

    def matrix(self, table: Any) -> NDArray[np.float64]:
        """Encode a table with these columns; see :func:`as_matrix`.

        Shape: returns (rows, columns).
        """
        return as_matrix(table, self.names, self.levels)


def infer_schema(table: Columns) -> Schema:
    """Infer the schema of a table. Columns without a name are called x0, x1 ...

    A text column whose values are nearly all distinct is an error.
    """
    names = table.names
    if names is None:
        names = tuple(f"x{number}" for number in range(len(table.columns)))
    for name, column in zip(names, table.columns, strict=True):
        _refuse_identifier(name, column)
    return Schema(
        names,
        tuple(_kind(column) for column in table.columns),
        tuple(
            find_levels(column) if isinstance(column, Text) else None
            for column in table.columns
        ),
        tuple(_has_missing(column) for column in table.columns),
    )


def learn_levels(schema: Schema, table: Columns, rows: NDArray[np.intp]) -> Schema:
    """The schema of someone who knows only some rows: kinds are given, levels are learned.

    >>> from crisplogic.tables import read_columns
    >>> table = read_columns([["red"], ["blue"], ["teal"], ["red"]])
    >>> learn_levels(infer_schema(table), table, np.array([1, 2])).levels
    (Levels(names=('blue', 'teal'), others=()),)
    """
    known = [column.take(rows) for column in table.columns]
    return replace(
        schema,
        levels=tuple(
            None if levels is None else find_levels(as_text(column))
            for levels, column in zip(schema.levels, known, strict=True)
        ),
        has_missing=tuple(map(_has_missing, known)),
    )


def _refuse_identifier(name: str, column: Column) -> None:
    if isinstance(column, Text) and looks_like_identifier(column):
        raise TableError(
            f"column {name!r} must hold values that repeat, or numbers; it has "
            f"{len(column.uniques)} different texts in {len(column)} rows, as names and "
            "identifiers do: leave it out, group its values, or forbid it "
            f"(forbidden_columns=[{name!r}])"
        )


def _kind(column: Column) -> Kind:
    if isinstance(column, Text):
        return "category"
    return "boolean" if column.boolean else "number"


def _has_missing(column: Column) -> bool:
    if isinstance(column, Numbers):
        return bool(np.isnan(column.values).any())
    return bool((column.codes < 0).any())
