"""Encode a table as a matrix of numbers: categories as the codes of their levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.messages import list_some
from crisplogic.tables.columns import (
    Columns,
    as_array,
    labels_of,
    read_each,
    read_record,
    read_series,
    rows_of,
    series_at,
    take_rows,
)
from crisplogic.tables.kinds import (
    Column,
    Numbers,
    Text,
    as_numbers,
    as_text,
    parse_number,
    refuse_table,
)
from crisplogic.tables.levels import UNSEEN, Levels

Floats = NDArray[np.float64]

ReadColumn = Callable[[Any, str], Column]  # from what holds it, and a name for errors


def as_matrix(
    table: Any,
    features: Sequence[str],
    levels: Sequence[Levels | None] = (),
    needed: Collection[int] | None = None,
) -> Floats:
    """Encode the columns named ``features``; those with ``levels`` become codes.

    A missing value is NaN, a value that is none of the levels is ``UNSEEN``.

    A data frame is read by column name, in any order; extra columns are ignored. An array
    must have exactly these columns in this order. So must a frame with numbered columns where
    the rules have names, as in scikit-learn.

    If only some features are ``needed``, given by position, the others may hold anything and
    need not be in a data frame at all: they are NaN.

    Shape: returns (rows, features).

    >>> as_matrix([[1, 2], [3, None]], ["a", "b"]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    >>> colours = Levels(("blue", "red"))
    >>> as_matrix([[1, "red"], [3, "new"]], ["a", "b"], [None, colours]).tolist()
    [[1.0, 1.0], [3.0, -1.0]]
    """
    refuse_table(table)
    if _may_be_numbers(levels) and (matrix := _numeric_matrix(table, features)) is not None:
        return _encode_numbers(matrix, levels)
    needed = None if needed is None else set(needed)  # there may be very many
    rows, source_at, read = find_sources(table, features, needed)
    matrix = np.empty((rows, len(features)), order="F")  # written, and mostly read, by column

    def encode(position: int) -> None:
        if needed is not None and position not in needed:
            matrix[:, position] = np.nan
            return
        groups, what = levels[position] if levels else None, f"column {features[position]!r}"
        column = read(source_at(position), what)
        matrix[:, position] = encode_column(column, groups, what)

    read_each(encode, range(len(features)))
    return matrix


def encode_column(column: Column, levels: Levels | None, what: str) -> Floats:
    """A column as numbers, or as codes of its levels. Shape: returns (rows,)."""
    if levels is None:
        return as_numbers(column, what).values
    return _codes(column, levels, what)


def text_columns(
    table: Any, features: Sequence[str], needed: Collection[int]
) -> dict[int, Text]:
    """The text of some of the columns named ``features``, by position.

    >>> text_columns([[1, "red"], [3, None]], ["a", "b"], [1])[1].values.tolist()
    ['red', None]
    """
    refuse_table(table)
    _, source_at, read = find_sources(table, features, needed)
    return {at: as_text(read(source_at(at), f"column {features[at]!r}")) for at in needed}


def some_rows(
    table: Any, features: Sequence[str], rows: Mapping[int, NDArray[np.intp]]
) -> dict[int, Column]:
    """Some rows of some of the columns named ``features``, by position.

    >>> found = some_rows([[1, "red"], [3, None], [5, "teal"]], ["a", "b"], {1: np.array([2])})
    >>> found[1].values.tolist()
    ['teal']
    """
    _, source_at, read = find_sources(table, features, rows)
    found = {}
    for at, numbers in rows.items():
        source, what = source_at(at), f"column {features[at]!r}"
        part = take_rows(source, numbers)
        whole = part is None
        found[at] = read(source, what).take(numbers) if whole else read(part, what)
    return found


def _numeric_matrix(table: Any, features: Sequence[str]) -> Floats | None:
    """A table that numpy reads as numbers; None if it must be read column by column."""
    if isinstance(table, Columns):
        return None
    labels = labels_of(table)
    if labels is not None and _are_names(labels, features):
        return None
    array = as_array(table)
    _require_shape(array.shape, features)
    # A frame has a type a column, and texts in it are texts.
    kinds = "fiubOSU" if labels is None else "fiub"
    if isinstance(array, np.ma.MaskedArray) or array.dtype.kind not in kinds:
        return None
    try:
        # Single precision stays what it is: what it holds is the same in double precision.
        return array if array.dtype == np.float32 else np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def find_sources(
    table: Any, features: Sequence[str], needed: Collection[int] | None
) -> tuple[int, Callable[[int], Any], ReadColumn]:
    """The number of rows, where the feature at a position is found, and how that is read."""
    if isinstance(table, Columns):
        return len(table), _from_columns(table, features, needed), lambda column, _: column
    labels = labels_of(table)
    if labels is None:
        array = as_array(table)
        _require_shape(array.shape, features)
        return len(array), lambda at: array[:, at], read_record
    if _are_names(labels, features):
        places = _positions([str(label) for label in labels], features, needed)
        found = [None if place is None else labels[place] for place in places]
    else:
        _require_shape((rows_of(table), len(labels)), features)
        found = labels
    return rows_of(table), lambda at: series_at(table, found[at]), read_series


def _from_columns(
    table: Columns, features: Sequence[str], needed: Collection[int] | None
) -> Callable[[int], Column]:
    places: Sequence[int | None] = range(len(features))
    if table.names is None:
        _require_shape((len(table), len(table.columns)), features)
    else:
        places = _positions(table.names, features, needed)

    def column_at(position: int) -> Column:
        place = places[position]
        assert place is not None  # a column that is not there is not needed
        return table.columns[place]

    return column_at


def _codes(column: Column, levels: Levels, what: str) -> Floats:
    codes = levels.codes(column)
    # Codes given in place of values would silently be unknown values.
    values = (*levels.names, *levels.others)
    numbers = isinstance(column, Numbers) and levels.values == "text"
    if numbers and (codes == UNSEEN).any() and _are_words(values):
        raise TableError(f"{what} must hold texts such as {list_some(values[:3])}, got numbers")
    return codes


def _are_words(values: Sequence[str]) -> bool:
    """Whether there are values, and none that a column of numbers could hold."""
    numbers = (
        value in ("True", "False") or parse_number(value) is not None for value in values
    )
    return bool(values) and not any(numbers)


def _may_be_numbers(levels: Sequence[Levels | None]) -> bool:
    """Whether a table of numbers could hold the values of all columns."""
    return all(each is None or each.are_ordered for each in levels)


def _encode_numbers(matrix: Floats, levels: Sequence[Levels | None]) -> Floats:
    """Codes in place of numbers that are levels; the matrix itself if nothing changes."""
    encoded = matrix
    for position, groups in enumerate(levels):
        if groups is None:
            continue
        column = np.ascontiguousarray(matrix[:, position])
        codes = groups.codes(Numbers(column))
        if codes is column or np.array_equal(codes, column, equal_nan=True):
            continue
        if encoded is matrix:
            encoded = matrix.copy()
        encoded[:, position] = codes
    return encoded


def _are_names(labels: Iterable[object], features: Sequence[str]) -> bool:
    """Whether labels are names: text, or what the rules call their features."""
    known = set(features)
    return any(isinstance(label, str) or str(label) in known for label in labels)


def _positions(
    names: Sequence[str], features: Sequence[str], needed: Collection[int] | None
) -> list[int | None]:
    """The positions of the features in a table; None for those that are not needed."""
    counts = Counter(names)
    required = [name for at, name in enumerate(features) if needed is None or at in needed]
    missing = [name for name in required if not counts[name]]
    if missing:
        raise TableError(
            f"the rules need the column(s) {list_some(missing)}; "
            f"the table has {list_some(names)}"
        )
    repeated = [name for name in required if counts[name] > 1]
    if repeated:
        raise TableError(
            f"the table has more than one column called {list_some(repeated)}; "
            "rename all but one"
        )
    place = {name: position for position, name in enumerate(names)}
    return [place.get(name) for name in features]


def _require_shape(shape: tuple[int, ...], features: Sequence[str]) -> None:
    if len(shape) != 2 or shape[1] != len(features):
        raise TableError(
            f"the rules need a table of shape (rows, {len(features)}) with the columns "
            f"{list_some(features)}; got shape {shape}"
        )
