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
from crisplogic.tables.kinds import Column, Numbers, as_numbers, as_text, number_in
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
    if isinstance(table, Columns):
        return _from_columns(table, features, levels, needed)
    labels = labels_of(table)
    if labels is None:
        return _from_array(as_array(table), features, levels, needed)
    if _speaks_of(labels, features):
        places = _positions([str(label) for label in labels], features, needed)
        found = [None if place is None else labels[place] for place in places]
        return _from_frame(table, found, features, levels, needed)
    _require_shape((rows_of(table), len(labels)), features)
    array = as_array(table)
    if array.dtype.kind in "fiub" and _are_numbers(levels):  # at once, if all are of one type
        return np.asarray(array, dtype=np.float64)
    return _from_frame(table, labels, features, levels, needed)


def _from_frame(
    frame: Any,
    labels: Sequence[object],
    features: Sequence[str],
    levels: Sequence[Levels | None],
    needed: Collection[int] | None,
) -> Floats:
    return _filled(
        rows_of(frame),
        features,
        levels,
        needed,
        lambda position, what: read_series(series_at(frame, labels[position]), what),
    )


def _from_columns(
    table: Columns,
    features: Sequence[str],
    levels: Sequence[Levels | None],
    needed: Collection[int] | None,
) -> Floats:
    places: Sequence[int | None] = range(len(features))
    if table.names is None:
        _require_shape((len(table), len(table.columns)), features)
    else:
        places = _positions(table.names, features, needed)

    def column_at(position: int, _: str) -> Column:
        place = places[position]
        assert place is not None  # what is not there is not needed
        return table.columns[place]

    return _filled(len(table), features, levels, needed, column_at)


def _from_array(
    array: NDArray[Any],
    features: Sequence[str],
    levels: Sequence[Levels | None],
    needed: Collection[int] | None,
) -> Floats:
    _require_shape(array.shape, features)
    plain = _are_numbers(levels) and not isinstance(array, np.ma.MaskedArray)
    if plain and array.dtype.kind in "fiubOSU":
        try:
            return np.asarray(array, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):  # column by column there is more to say
            pass
    return _filled(
        len(array), features, levels, needed, lambda *column: read_array_column(array, *column)
    )


def _filled(
    rows: int,
    features: Sequence[str],
    levels: Sequence[Levels | None],
    needed: Collection[int] | None,
    column_at: ReadColumn,
) -> Floats:
    matrix = np.empty((rows, len(features)), order="F")  # written, and mostly read, by column
    each = levels or (None,) * len(features)
    for position, (name, groups) in enumerate(zip(features, each, strict=True)):
        what = f"column {name!r}"
        if needed is not None and position not in needed:
            matrix[:, position] = np.nan
            continue
        column = column_at(position, what)
        if groups is None:
            matrix[:, position] = as_numbers(column, what).values
        else:
            matrix[:, position] = _codes(column, groups, what)
    return matrix


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
