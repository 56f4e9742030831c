"""Read a table as columns: an array, or a data frame of any library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError, raise_problems
from crisplogic.messages import list_some
from crisplogic.tables.categories import read_codes
from crisplogic.tables.kinds import (
    COMPLEX,
    DATES,
    NESTED,
    Column,
    Numbers,
    Text,
    as_numbers,
    from_objects,
    refuse_column,
    refuse_table,
)
from crisplogic.tables.records import (
    are_records,
    record_column,
    record_count,
    record_names,
)

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Columns:
    """A table, column by column. ``names`` are None if it has none.

    >>> table = read_columns([[1.5, "red"], [None, "blue"]])
    >>> table.names, len(table)
    (None, 2)
    >>> [type(column).__name__ for column in table.columns]
    ['Numbers', 'Text']
    """

    names: tuple[str, ...] | None
    columns: tuple[Column, ...]
    rows: int

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns}
        if not lengths <= {self.rows}:
            raise TableError(f"columns must be equally long, got {sorted(lengths)} rows")

    def __len__(self) -> int:
        return self.rows

    def take(self, numbers: NDArray[np.intp]) -> Columns:
        """Take the rows of these numbers, in this order.

        >>> table = read_columns([[1, "red"], [2, "blue"]])
        >>> table.take(np.array([1])).columns[1].values.tolist()
        ['blue']
        """
        columns = tuple(column.take(numbers) for column in self.columns)
        return Columns(self.names, columns, len(numbers))

    def mask(self, excluded: Collection[int]) -> Columns:
        """The same table with nothing but missing values in the ``excluded`` columns."""
        columns, excluded = enumerate(self.columns), set(excluded)
        kept = (_unread(len(self)) if at in excluded else column for at, column in columns)
        return Columns(self.names, tuple(kept), len(self))


def read_columns(table: Any, excluded: Collection[int] = ()) -> Columns:
    """Read a table: an array, lists of rows, or a data frame of any library.

    A list of mappings, a mapping of columns and a structured array are data frames, too.

    ``excluded`` columns, given by position, may hold anything: they are not read.

    A data frame has column names, unless they are mere numbers, as in scikit-learn. In
    arrays and lists, text that is all numbers is read as numbers.
    """
    if isinstance(table, Columns):
        return table.mask(excluded) if excluded else table
    refuse_table(table)
    excluded = set(excluded)  # there may be very many
    labels = labels_of(table)
    if labels is None:
        return _from_array(as_array(table), excluded)
    named = any(isinstance(label, str) for label in labels)
    names = [str(label) for label in labels]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(
            "column names must differ from each other, since rules speak of columns by name; "
            f"repeated: {list_some(repeated)}"
        )
    rows = rows_of(table)
    read = read_record if are_records(table) else read_series

    def column_at(at: int) -> Column:
        if at in excluded:
            return _unread(rows)
        return read(series_at(table, labels[at]), f"column {names[at]!r}")

    columns = read_each(column_at, range(len(labels)))
    return Columns(tuple(names) if named else None, tuple(columns), rows)


def read_each(read: Callable[[int], T], positions: Iterable[int]) -> list[T]:
    """Read columns by position; one error says what is wrong with all that cannot be read."""
    found, problems = [], []
    for position in positions:
        try:
            found.append(read(position))
        except TableError as error:
            problems.append(error)
    raise_problems(problems)
    return found


def _unread(rows: int) -> Numbers:
    return Numbers(np.full(rows, np.nan))


def _from_array(array: NDArray[Any], excluded: Collection[int]) -> Columns:
    if array.ndim != 2:
        raise TableError(f"a table has rows and columns, got shape {array.shape}")

    def column_at(position: int) -> Column:
        if position in excluded:
            return _unread(len(array))
        return read_record(array[:, position], f"column {position}")

    columns = read_each(column_at, range(array.shape[1]))
    return Columns(None, tuple(columns), len(array))


def read_record(values: Any, what: str) -> Column:
    """Read a column of an array or of records, whose texts may be numbers.

    So are those of Python's own csv module. Like scikit-learn, it takes text for numbers if it
    can.
    """
    column = read_series(values, what)
    if isinstance(column, Numbers):
        return column
    return as_numbers(column, what) if _reads_as_numbers(column) else column


def _reads_as_numbers(text: Text) -> bool:
    try:
        as_numbers(text, "")
    except TableError:
        return False
    return bool(text.uniques)


def as_array(table: Any) -> NDArray[Any]:
    """Anything but a data frame as an array of any shape, its values unchanged."""
    if isinstance(table, np.ndarray):
        return table
    try:
        # Numpy would convert mixed values to one type: numbers to text, truth to numbers.
        array = np.array(table, dtype=object) if isinstance(table, list | tuple) else None
    except ValueError as error:
        raise TableError(f"a table has rows of equal length: {error}") from error
    if array is None:
        return np.asarray(table)
    lengths = {len(row) for row in array if isinstance(row, list | tuple | np.ndarray)}
    if array.ndim == 1 and lengths:
        raise TableError(f"a table has rows of equal length, got lengths {sorted(lengths)[:5]}")
    return array


# Data frames of any library. They are recognised by class, because attributes of a frame
# may be its columns.


def labels_of(table: Any) -> list[object] | None:
    """The column labels of a data frame; None for anything else."""
    if are_records(table):
        return record_names(table)
    if isinstance(table, np.ndarray | Sequence):
        return None
    if _is_arrow(table):
        return list(table.column_names)
    return list(table.columns) if hasattr(table, "columns") else None


def is_frame(table: Any) -> bool:
    """Whether it is a data frame whose columns are called by names, of any library."""
    labels = None if isinstance(table, Columns) else labels_of(table)
    return labels is not None and all(isinstance(label, str) for label in labels)


def series_at(frame: Any, label: object) -> Any:
    """A column of a data frame, in the type of its library."""
    if are_records(frame):
        return record_column(frame, label)
    return frame.column(label) if _is_arrow(frame) else frame[label]


def rows_of(frame: Any) -> int:
    """The number of rows of a data frame."""
    if are_records(frame):
        return record_count(frame)
    return int(frame.num_rows) if _is_arrow(frame) else len(frame)


def _is_arrow(table: Any) -> bool:
    return type(table).__module__.partition(".")[0] == "pyarrow" and hasattr(
        type(table), "column_names"
    )


# Rows held as Python strings at a time: each takes ten times the memory that Arrow needs.
CHUNK_ROWS = 65_536

# Names of data types in narwhals, not all of which older versions have.
_TEXTS = ("String", "Categorical", "Enum")
_REFUSED = {
    **dict.fromkeys(("Date", "Datetime", "Duration", "Time"), DATES),
    **dict.fromkeys(("List", "Array", "Struct"), NESTED),
}


def read_series(series: Any, what: str) -> Column:
    """Read a column of any library; ``what`` is its name in errors.

    Categories are text even where they look like numbers: someone declared them so.

    >>> read_series(np.array([True, False]), "it")
    Numbers(values=array([1., 0.]), boolean=True)
    """
    if isinstance(getattr(series, "dtype", None), np.dtype):  # numpy, and most of pandas
        return _column_from_array(_unmasked(series), what)
    known = known_series(series)
    if known is None:
        return _column_from_array(np.asarray(series), what)
    import narwhals.stable.v1 as nw

    kind = type(known.dtype).__name__
    if kind in _REFUSED:
        refuse_column(what, _REFUSED[kind])
    if kind in _TEXTS:
        coded = read_codes(known)
        return Text.from_chunks(_chunks(known)) if coded is None else Text.from_codes(*coded)
    if kind == "Boolean" or known.dtype.is_numeric():
        values = np.asarray(known.cast(nw.Float64()).to_numpy(), dtype=np.float64)
        return Numbers(values, boolean=kind == "Boolean")
    return from_objects(known.to_list(), what)


def known_series(series: Any) -> Any:
    """A column of any library as a series of narwhals; None if narwhals does not know it."""
    if isinstance(series, list | np.ndarray):
        return None  # without a data frame narwhals need not be loaded
    import narwhals.stable.v1 as nw

    known = nw.from_native(series, series_only=True, pass_through=True)
    return known if isinstance(known, nw.Series) else None


def take_rows(column: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of what holds a column, if its type says what all values are; else None.

    >>> take_rows(np.array([1.5, 2.5]), np.array([1])).tolist(), take_rows([1, "x"], [1])
    ([2.5], None)
    """
    if isinstance(column, Numbers | Text):
        return column.take(rows)
    if isinstance(getattr(column, "dtype", None), np.dtype):
        values = _unmasked(column)
        return values[rows] if values.dtype.kind in "fiubU" else None
    series = known_series(column)
    typed = series is not None and type(series.dtype).__name__ not in ("Object", "Unknown")
    return series[rows.tolist()] if typed else None


def _column_from_array(values: NDArray[Any], what: str) -> Column:
    if values.ndim != 1:
        raise TableError(f"{what} must hold one value a row, got shape {values.shape}")
    match values.dtype.kind:
        case "f" | "i" | "u" | "b":
            floats = values.astype(np.float64, copy=False)
            return Numbers(floats, boolean=values.dtype.kind == "b")
        case "m" | "M":
            refuse_column(what, DATES)
        case "c":
            refuse_column(what, COMPLEX)
        case "V":
            refuse_column(what, NESTED)
        case "U" | "T":
            return Text.from_chunks(_chunks(values))
    return from_objects(values.tolist(), what)


def _unmasked(series: Any) -> NDArray[Any]:
    """An array in which masked values are missing."""
    values = np.asarray(series)
    if isinstance(series, np.ma.MaskedArray):
        values = values.astype(object)
        values[np.ma.getmaskarray(series)] = None
    return values


def _chunks(series: Any) -> Iterator[list[Any]]:
    for start in range(0, len(series), CHUNK_ROWS):
        chunk = series[start : start + CHUNK_ROWS]
        yield chunk.tolist() if isinstance(chunk, np.ndarray) else chunk.to_list()
