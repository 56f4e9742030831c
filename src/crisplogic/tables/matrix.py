"""Tables to the matrix that rules read: numbers as they are, categories as codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.columns import (
    Columns,
    as_array,
    labels_of,
    listed,
    read_array_column,
    rows_of,
    series_at,
)
from crisplogic.tables.kinds import Column, Numbers, Text, as_numbers, as_text, number_in
from crisplogic.tables.levels import UNSEEN, Levels
from crisplogic.tables.refusals import refuse_table
from crisplogic.tables.series import read_series

Floats = NDArray[np.float64]
ReadColumn = Callable[[int, str], Column]  # by its position, and how errors call it


def as_matrix(
    table: Any,
    features: Sequence[str],
    levels: Sequence[Levels | None] = (),
    needed: Collection[int] | None = None,
) -> Floats:
    """The columns named ``features`` as numbers; one that has ``levels`` as their codes.

    A data frame is read by column name, in any order, extra columns ignored. An array must
    have exactly these columns in this order, and so must a frame whose columns are numbered
    where the rules have names, as in scikit-learn. A missing value is NaN.

    Where only some features are ``needed``, by their positions, others may hold anything, and
    need not be in a data frame at all: they are NaN.

    Shape: returns (rows, features).

    >>> as_matrix([[1, 2], [3, None]], ["a", "b"]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    >>> colours = Levels(("blue", "red"))
    >>> as_matrix([[1, "red"], [3, "new"]], ["a", "b"], [None, colours]).tolist()
    [[1.0, 1.0], [3.0, -1.0]]
    """
    refuse_table(table)
    if _are_numbers(levels) and (matrix := _at_once(table, features)) is not None:
        return matrix
    rows, column_at = _reader(table, features, needed)
    matrix = np.empty((rows, len(features)), order="F")  # written, and mostly read, by column
    each = levels or (None,) * len(features)
    for position, (name, groups) in enumerate(zip(features, each, strict=True)):
        what = f"column {name!r}"
        if needed is not None and position not in needed:
            matrix[:, position] = np.nan
        elif groups is None:
            matrix[:, position] = as_numbers(column_at(position, what), what).values
        else:
            matrix[:, position] = _codes(column_at(position, what), groups, what)
    return matrix


def texts_in(table: Any, features: Sequence[str], needed: Collection[int]) -> dict[int, Text]:
    """Some of the columns named ``features``, by their positions, as the texts that they hold.

    >>> texts_in([[1, "red"], [3, None]], ["a", "b"], [1])[1].values.tolist()
    ['red', None]
    """
    refuse_table(table)
    _, column_at = _reader(table, features, needed)
    return {at: as_text(column_at(at, f"column {features[at]!r}")) for at in needed}


def _at_once(table: Any, features: Sequence[str]) -> Floats | None:
    """A table of numbers that numpy reads; column by column there is more to say of others."""
    if isinstance(table, Columns):
        return None
    labels = labels_of(table)
    if labels is not None and _speaks_of(labels, features):
        return None
    array = as_array(table)
    _require_shape(array.shape, features)
    # A frame has a type a column, and texts in it are texts.
    kinds = "fiubOSU" if labels is None else "fiub"
    if isinstance(array, np.ma.MaskedArray) or array.dtype.kind not in kinds:
        return None
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _reader(
    table: Any, features: Sequence[str], needed: Collection[int] | None
) -> tuple[int, ReadColumn]:
    """How many rows a table has, and the way to the columns that are called ``features``."""
    if isinstance(table, Columns):
        return len(table), _from_columns(table, features, needed)
    labels = labels_of(table)
    if labels is None:
        array = as_array(table)
        _require_shape(array.shape, features)
        return len(array), lambda *column: read_array_column(array, *column)
    if _speaks_of(labels, features):
        places = _positions([str(label) for label in labels], features, needed)
        found = [None if place is None else labels[place] for place in places]
    else:
        _require_shape((rows_of(table), len(labels)), features)
        found = labels
    return rows_of(table), lambda at, what: read_series(series_at(table, found[at]), what)


def _from_columns(
    table: Columns, features: Sequence[str], needed: Collection[int] | None
) -> ReadColumn:
    places: Sequence[int | None] = range(len(features))
    if table.names is None:
        _require_shape((len(table), len(table.columns)), features)
    else:
        places = _positions(table.names, features, needed)

    def column_at(position: int, _: str) -> Column:
        place = places[position]
        assert place is not None  # what is not there is not needed
        return table.columns[place]

    return column_at


def _codes(column: Column, levels: Levels, what: str) -> Floats:
    codes = levels.codes(as_text(column))
    # Codes that are taken for values again would be unknown values, and nobody would know.
    values = (*levels.names, *levels.others)
    if isinstance(column, Numbers) and (codes == UNSEEN).any() and _are_words(values):
        raise TableError(f"{what} must hold texts such as {listed(values[:3])}, got numbers")
    return codes


def _are_words(values: Sequence[str]) -> bool:
    """Whether there are values, and none that a column of numbers could have."""
    numbers = (value in ("True", "False") or number_in(value) is not None for value in values)
    return bool(values) and not any(numbers)


def _are_numbers(levels: Sequence[Levels | None]) -> bool:
    return all(each is None for each in levels)


def _speaks_of(labels: Iterable[object], features: Sequence[str]) -> bool:
    """Whether columns have names: texts, or whatever the rules call their features."""
    known = set(features)
    return any(isinstance(label, str) or str(label) in known for label in labels)


def _positions(
    names: Sequence[str], features: Sequence[str], needed: Collection[int] | None
) -> list[int | None]:
    """Where the features are among the columns of a table; None where they need not be."""
    counts = Counter(names)
    required = [name for at, name in enumerate(features) if needed is None or at in needed]
    missing = [name for name in required if not counts[name]]
    if missing:
        raise TableError(
            f"the rules need the column(s) {listed(missing)}; the table has {listed(names)}"
        )
    repeated = [name for name in required if counts[name] > 1]
    if repeated:
        raise TableError(
            f"the table has more than one column called {listed(repeated)}; rename all but one"
        )
    place = {name: position for position, name in enumerate(names)}
    return [place.get(name) for name in features]


def _require_shape(shape: tuple[int, ...], features: Sequence[str]) -> None:
    if len(shape) != 2 or shape[1] != len(features):
        raise TableError(
            f"the rules need a table of shape (rows, {len(features)}) with the columns "
            f"{listed(features)}; got shape {shape}"
        )
