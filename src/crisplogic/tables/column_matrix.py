"""Columns to predict from, left where they are, or made numbers a few rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from crisplogic.tables.columns import known_series, read_each, read_series
from crisplogic.tables.encode import encode_column, find_sources
from crisplogic.tables.kinds import Numbers
from crisplogic.tables.levels import Levels

Floats = NDArray[np.float64]

# Where narwhals has the chunks of a series, by the name of its library.
_CHUNKS: dict[str, Callable[[Any], int]] = {
    "POLARS": lambda series: int(series.n_chunks()),
    "PYARROW": lambda series: int(series.num_chunks),
}


class Rows(Protocol):
    """Something that has an array for every slice of rows."""

    def __getitem__(self, rows: slice, /) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class ConvertedColumn:
    """A column that becomes numbers for those rows alone that are asked for.

    >>> halves = ConvertedColumn([1, 2, 3], lambda part: np.array(part) / 2)
    >>> halves[1:3].tolist()
    [1.0, 1.5]
    """

    source: Any
    convert: Callable[[Any], Floats]

    def __getitem__(self, rows: slice) -> Floats:
        return self.convert(self.source[rows])


@dataclass(frozen=True, eq=False)
class ColumnMatrix:
    """Some columns of a matrix that is never made: each stays where it is.

    It can be asked for slices of rows, and for slices of single columns.

    Shape: ``columns`` (rows,) each, by position.
    """

    columns: Mapping[int, Rows]
    rows: int

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            taken = {at: column[key] for at, column in self.columns.items()}
            return ColumnMatrix(taken, len(range(*key.indices(self.rows))))
        rows, position = key
        return self.columns[position][rows]


def as_columns(
    table: Any,
    features: Sequence[str],
    levels: Sequence[Levels | None],
    needed: Collection[int],
) -> ColumnMatrix:
    """The same columns as :func:`as_matrix` has, without copying numbers.

    >>> found = as_columns({"a": [1, 2], "b": ["x", None]}, ["a", "b"], [], [0])
    >>> len(found), found[:1][:, 0].tolist()
    (2, [1.0])
    """
    rows, source_at, read = find_sources(table, features, set(needed))

    def column_at(position: int) -> Rows:
        groups, what = levels[position] if levels else None, f"column {features[position]!r}"
        source = source_at(position)
        column = _array_column(source, groups)
        if column is None:
            column = _series_column(source, groups, what)
        return encode_column(read(source, what), groups, what) if column is None else column

    positions = sorted(needed)
    columns = read_each(column_at, positions)
    return ColumnMatrix(dict(zip(positions, columns, strict=True)), rows)


def are_plain_numbers(array: Any) -> bool:
    """Whether it is an array of floats in single or double precision, integers or truth.

    >>> are_plain_numbers(np.zeros(2, dtype=np.int8)), are_plain_numbers(np.array(["x"]))
    (True, False)
    """
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        return False
    return array.dtype.kind in "iub" or array.dtype in (np.float32, np.float64)


def _array_column(source: Any, groups: Levels | None) -> Rows | None:
    """A column of numbers in an array, or in a series around one; None for any other."""
    if not isinstance(getattr(source, "dtype", None), np.dtype):
        return None
    values = source if isinstance(source, np.ndarray) else np.asarray(source)
    if not are_plain_numbers(values) or values.ndim != 1:
        return None
    if groups is None:
        return values
    return _coded(values, groups, lambda part: part.astype(np.float64, copy=False))


def _series_column(source: Any, groups: Levels | None, what: str) -> Rows | None:
    """A column of numbers or texts that narwhals knows; None for any other."""
    series = known_series(source)
    if series is None:
        return None
    import narwhals.stable.v1 as nw

    if isinstance(series.dtype, nw.String | nw.Categorical | nw.Enum):
        return None if groups is None else _coded_texts(series, groups, what)
    if not isinstance(series.dtype, nw.Boolean) and not series.dtype.is_numeric():
        return None

    def floats(part: Any) -> Floats:
        return np.asarray(part.cast(nw.Float64()).to_numpy(), dtype=np.float64)

    if groups is not None:
        return _coded(series, groups, floats)
    return series.to_numpy() if _is_in_place(series) else ConvertedColumn(series, floats)


def _is_in_place(series: Any) -> bool:
    """Whether all values are one after the other in memory, and numpy knows their type."""
    count = _CHUNKS.get(series.implementation.name)
    plain = series.dtype.is_float() or series.dtype.is_integer()
    if count is None or not plain or series.null_count() or count(series.to_native()) != 1:
        return False
    return are_plain_numbers(series[:0].to_numpy())


def _coded(source: Any, groups: Levels, floats: Callable[[Any], Floats]) -> Rows | None:
    """The codes of numbers or truth values; None if the levels are texts."""
    if groups.values == "text":
        return None
    return ConvertedColumn(source, lambda part: groups.codes(Numbers(floats(part))))


def _coded_texts(series: Any, groups: Levels, what: str) -> Rows:
    return ConvertedColumn(series, lambda part: groups.codes(read_series(part, what)))
