"""Schema: what the columns of a table are, so that other tables can be read the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.columns import Columns
from crisplogic.tables.encode import Levels, as_matrix, find_levels, looks_like_identifier
from crisplogic.tables.kinds import Column, Numbers, Text

Kind = Literal["number", "boolean", "category"]


@dataclass(frozen=True)
class Schema:
    """Names and kinds of columns, the levels of categories, and where values were missing.

    Each is a tuple of one entry a column; ``levels`` are None but for categories.

    >>> from crisplogic.tables import read
    >>> schema = learn_schema(read([[41, "red"], [None, "blue"], [7, "red"]]))
    >>> schema.names, schema.kinds, schema.gaps
    (('x0', 'x1'), ('number', 'category'), (True, False))
    >>> schema.matrix([[3, "blue"], [4, "new"]]).tolist()
    [[3.0, 1.0], [4.0, -1.0]]
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    levels: tuple[Levels | None, ...]
    gaps: tuple[bool, ...]

    def matrix(self, table: Any) -> NDArray[np.float64]:
        """Any table with these columns as numbers; see :func:`as_matrix`.

        Shape: returns (rows, columns).
        """
        return as_matrix(table, self.names, self.levels)


def learn_schema(table: Columns) -> Schema:
    """What the columns of a table are; columns without a name are called x0, x1 ...

    A column of texts that are nearly all different is refused.
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
        tuple(_has_gaps(column) for column in table.columns),
    )


def _refuse_identifier(name: str, column: Column) -> None:
    if isinstance(column, Text) and looks_like_identifier(column):
        raise TableError(
            f"column {name!r} must hold values that repeat, or numbers; it has "
            f"{len(column.words)} different texts in {len(column)} rows, as names and "
            "identifiers do: leave it out, group its values, or forbid it "
            f"(forbidden_columns=[{name!r}])"
        )


def _kind(column: Column) -> Kind:
    if isinstance(column, Text):
        return "category"
    return "boolean" if column.boolean else "number"


def _has_gaps(column: Column) -> bool:
    if isinstance(column, Numbers):
        return bool(np.isnan(column.values).any())
    return bool((column.numbers < 0).any())
