"""From whatever a caller has, an array or a data frame, to the matrix that rules read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError


def as_matrix(table: Any, features: Sequence[str]) -> NDArray[np.float64]:
    """The columns named ``features`` as numbers.

    A data frame (anything with ``columns``) is read by column name, in any order, extra
    columns ignored. An array must have exactly these columns in this order, and so must a
    frame whose columns are numbered where the rules have names, as in scikit-learn.

    Shape: returns (rows, features).

    >>> as_matrix([[1, 2], [3, None]], ["a", "b"]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    """
    if hasattr(table, "columns") and _speaks_of(table.columns, features):
        return _from_frame(table, features)
    matrix = _numbers(table, "the table")
    if matrix.ndim != 2 or matrix.shape[1] != len(features):
        raise TableError(
            f"the rules need a table of shape (rows, {len(features)}) with the columns "
            f"{_listed(features)}; got shape {matrix.shape}"
        )
    return matrix


def _speaks_of(columns: Iterable[object], features: Sequence[str]) -> bool:
    """Whether columns have names: texts, or whatever the rules call their features."""
    return any(isinstance(name, str) or str(name) in features for name in columns)


def _from_frame(frame: Any, features: Sequence[str]) -> NDArray[np.float64]:
    known = [str(column) for column in frame.columns]
    missing = [name for name in features if name not in known]
    if missing:
        raise TableError(
            f"the rules need the column(s) {_listed(missing)}; the table has {_listed(known)}"
        )
    repeated = [name for name in features if known.count(name) > 1]
    if repeated:
        raise TableError(
            f"the table has more than one column called {_listed(repeated)}; rename all but one"
        )
    matrix = np.empty((len(frame), len(features)))
    for position, name in enumerate(features):
        matrix[:, position] = _numbers(
            frame[frame.columns[known.index(name)]], f"column {name!r}"
        )
    return matrix


def _numbers(values: Any, what: str) -> NDArray[np.float64]:
    try:
        return _floats(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(f"{what} must hold numbers: {error}") from error


def _floats(values: Any) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.dtype.kind in "cmM":  # numpy would make some number of them, too
        raise TypeError(f"{array.dtype} is no kind of real number")
    # What numpy sees as mere objects may know its numbers better: pandas' NA is NaN.
    return np.asarray(values if array.dtype == object else array, dtype=np.float64)


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
