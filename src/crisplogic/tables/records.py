"""Tables of Python's own kinds: lists of mappings, mappings of columns, structured arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError


def are_records(table: Any) -> bool:
    """Whether a table is rows or columns of mappings, or a structured array.

    >>> are_records([{"age": 41}]), are_records({"age": [41]}), are_records([[41]])
    (True, True, False)
    """
    if isinstance(table, np.ndarray):
        return table.ndim == 1 and table.dtype.names is not None
    if isinstance(table, list | tuple):
        return bool(table) and isinstance(table[0], Mapping)
    # One of scipy's sparse matrices is a mapping, too.
    return isinstance(table, Mapping) and not hasattr(type(table), "toarray")


def record_names(table: Any) -> list[object]:
    """The names of the columns, in the order of their first use.

    >>> record_names([{"age": 41}, {"age": 7, "sex": "f"}])
    ['age', 'sex']
    """
    if isinstance(table, np.ndarray):
        return list(table.dtype.names or ())
    if isinstance(table, Mapping):
        _require_equal_lengths(table)
        return list(table)
    wrong = next((row for row in table if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise TableError(
            "a table of mappings has a mapping for every row, such as {'age': 41}; got "
            f"a row of type {type(wrong).__name__}"
        )
    return list(dict.fromkeys(name for row in table for name in row))


def record_column(table: Any, name: object) -> Any:
    """One column. What a row does not have is missing.

    >>> record_column([{"age": 41}, {"sex": "f"}], "age").tolist()
    [41, None]
    """
    if isinstance(table, np.ndarray):
        return table[str(name)]
    if not isinstance(table, Mapping):
        return _objects([row.get(name) for row in table])
    column = table[name]
    return _objects(column) if isinstance(column, list | tuple | range) else column


def record_count(table: Any) -> int:
    """The number of rows."""
    return len(next(iter(table.values()), ())) if isinstance(table, Mapping) else len(table)


def refuse_no_table(table: Any) -> None:
    """Raise an error about a value that is no table at all, or can be read only once."""
    kind = type(table).__name__
    if isinstance(table, str | bytes):
        raise TableError(
            f"a table is an array, a data frame or lists, got a {kind}; if it names a file, "
            "read the file first, as crisplogic.io.read_table does"
        )
    if isinstance(table, Iterator):
        raise TableError(
            f"a table must be one that can be read twice, got a {kind}; make a list of its "
            "rows, by list(...)"
        )
    if isinstance(table, set | frozenset):
        raise TableError(f"a table has rows and columns in an order, got a {kind}")


def _objects(values: Sequence[object]) -> NDArray[np.object_]:
    """Values as they are: numpy would make one type of them."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _require_equal_lengths(table: Mapping[Any, Any]) -> None:
    lengths = {}
    for name, column in table.items():
        if isinstance(column, str) or not hasattr(column, "__len__"):
            raise TableError(
                "a mapping is a table if it has a list of values for every column; "
                f"{name!r} is a {type(column).__name__}. Write one row as a list of one mapping"
            )
        lengths[name] = len(column)
    if len(set(lengths.values())) > 1:
        raise TableError(f"columns must be equally long, got {lengths} rows")
