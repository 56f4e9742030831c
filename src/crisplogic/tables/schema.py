"""Schema: the kinds of a table's columns, so that other tables are read the same way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.columns import Columns, read_each
from crisplogic.tables.encode import as_matrix
from crisplogic.tables.kinds import Column, Numbers, Text
from crisplogic.tables.levels import (
    TRUTH,
    Levels,
    find_levels,
    find_number_levels,
    looks_like_identifier,
    says_truth,
)

# A boolean column holds truth values, or two numbers: it has two values, in an order.
Kind = Literal["number", "boolean", "category"]
# The least and the greatest number of a column.
Range = tuple[float, float]


@dataclass(frozen=True)
class Schema:
    """Names, kinds, levels and ranges of columns, and whether they had missing values.

    Each field has one entry a column. ``levels`` are None where it holds numbers, more than
    two of them; elsewhere ``ranges`` are None.

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
    ranges: tuple[Range | None, ...] = ()

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
    read_each(lambda at: _refuse_identifier(names[at], table.columns[at]), range(len(names)))
    levels = tuple(map(_levels, table.columns))
    pairs = list(zip(table.columns, levels, strict=True))
    return Schema(
        names,
        tuple(map(_kind, levels)),
        levels,
        tuple(map(_has_missing, table.columns)),
        tuple(_range(column) if groups is None else None for column, groups in pairs),
    )


def learn_levels(schema: Schema, table: Columns, rows: NDArray[np.intp]) -> Schema:
    """The schema of someone who knows only some rows: kinds are given, the rest is learned.

    >>> from crisplogic.tables import read_columns
    >>> table = read_columns([["red"], ["blue"], ["teal"], ["red"]])
    >>> learn_levels(infer_schema(table), table, np.array([1, 2])).levels
    (Levels(names=('blue', 'teal'), others=(), values='text'),)
    """
    is_known = np.zeros(len(table), dtype=bool)
    is_known[rows] = True
    parts = [_Part(column, rows, is_known) for column in table.columns]
    pairs = list(zip(parts, schema.levels, strict=True))
    ranges = schema.ranges or (None,) * len(parts)
    return replace(
        schema,
        levels=tuple(
            find_levels(part.taken)  # type: ignore[arg-type]
            if kind == "category" and isinstance(part.column, Text)
            else levels
            for kind, (part, levels) in zip(schema.kinds, pairs, strict=True)
        ),
        has_missing=tuple(
            missing and _has_missing(part.taken)
            for part, missing in zip(parts, schema.has_missing, strict=True)
        ),
        ranges=tuple(
            None if levels is not None else whole if part.has(whole) else _range(part.taken)
            for (part, levels), whole in zip(pairs, ranges, strict=True)
        ),
    )


@dataclass(frozen=True)
class _Part:
    """Some rows of a column, which are taken only if that is needed: there may be very many."""

    column: Column
    rows: NDArray[np.intp]
    is_known: NDArray[np.bool_]

    @cached_property
    def taken(self) -> Column:
        return self.column.take(self.rows)

    def has(self, ends: Range | None) -> bool:
        """Whether these rows have both ends of the range of all rows."""
        if ends is None or not isinstance(self.column, Numbers) or self.column.ends is None:
            return False
        values, known = self.column.values, self.is_known
        # Most rows are known to most folds: the first row with an end tells soon.
        return all(
            (known[place] and values[place] == end) or bool((known & (values == end)).any())
            for place, end in zip(self.column.ends, ends, strict=True)
        )


def _levels(column: Column) -> Levels | None:
    if isinstance(column, Text):
        return TRUTH if says_truth(column) else find_levels(column)
    return TRUTH if column.boolean else find_number_levels(column.values)


def _range(column: Column) -> Range | None:
    """The range of a column of numbers; None if all are missing."""
    assert isinstance(column, Numbers)
    if column.ends is None:
        return None
    low, high = column.values[list(column.ends)].tolist()
    return low, high


def _refuse_identifier(name: str, column: Column) -> None:
    if isinstance(column, Text) and looks_like_identifier(column):
        raise TableError(
            f"column {name!r} must hold values that repeat, or numbers; it has "
            f"{len(column.uniques)} different texts in {len(column)} rows, as names and "
            "identifiers do: leave it out, group its values, or forbid it "
            f"(forbidden_columns=[{name!r}])"
        )


def _kind(levels: Levels | None) -> Kind:
    if levels is None:
        return "number"
    return "boolean" if levels.are_ordered else "category"


def _has_missing(column: Column) -> bool:
    if isinstance(column, Numbers):
        return bool(np.isnan(column.values).any())
    return bool((column.codes < 0).any())
